# Alula's two commands: `make demo` and `make test`. `make` alone lists the rest.
#
# Everything is installed into this folder: .venv (Alula and what its tests need), .venv-tools (maturin,
# linters), .venv-3.X (the tests on other Pythons), target/. A fresh machine needs Rust, a C compiler
# and some CPython >= 3.11 with venv.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

# Which Python .venv is made with; by default the newest one found (scripts/pythons).
PYTHON ?=
# Where `make demo` listens.
HOST ?= 127.0.0.1
PORT ?= 8000
# How long `make fuzz` runs, all targets together, and `make test`'s smoke of it.
FUZZ_SECONDS ?= 300
FUZZ_SMOKE_SECONDS ?= 30
# How many requests `make soak` sends, and `make test`'s short one.
SOAK_REQUESTS ?= 1000000
SOAK_SMOKE_REQUESTS ?= 50000
# Which breakages `make mutants` applies: a part of the patch's path.
ONLY ?=
# Which suites of bench/suites `make bench` runs, one after the other; LEDGER=1 appends their reports to
# bench/LEDGER.md.
SUITE ?= native asgi fastapi frameworks compiled
LEDGER ?=
# Options for pytest, for `alula bench compare`.
PYTEST_ARGS ?=
BENCH_ARGS ?=

VENV := .venv
TOOLS := .venv-tools
PIP := python -m pip --disable-pip-version-check --no-input -q
DEPS := $(VENV)/.test-requirements $(VENV)/.shop-requirements

# What the wheel is made of.
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates python -type f \
	\( -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name 'py.typed' -o -name 'Cargo.toml' \) \
	-not -path '*/tests/*' -not -name 'tests.rs')

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: demo
demo: build $(VENV)/.shop-requirements ## Build, then serve examples/shop on http://127.0.0.1:8000 (PORT=, HOST=)
	@echo "The shop: http://$(HOST):$(PORT)/ (API documentation: http://$(HOST):$(PORT)/docs)"
	@exec $(VENV)/bin/alula serve shop.main:app --app-dir examples/shop --host $(HOST) --port $(PORT)

.PHONY: build
build: $(VENV)/.built ## Build the release wheel and install it: .venv/bin/alula (PYTHON=)

.PHONY: test
test: lint ## Run everything that must pass: lint, Rust, Python, other Pythons, short fuzz and soak
	@$(MAKE) test-rust
	@$(MAKE) test-python
	@$(MAKE) test-matrix
	@$(MAKE) fuzz FUZZ_SECONDS=$(FUZZ_SMOKE_SECONDS)
	@$(MAKE) soak SOAK_REQUESTS=$(SOAK_SMOKE_REQUESTS)

# alula-py is a cdylib with undefined Python symbols: its tests are the Python ones.
.PHONY: test-rust
test-rust: ## Run the Rust tests
	cargo test --workspace --exclude alula-py --locked

.PHONY: test-python
test-python: build $(DEPS) ## Run the Python tests (PYTEST_ARGS=)
	$(VENV)/bin/python -m pytest $(PYTEST_ARGS)

.PHONY: test-matrix
test-matrix: build ## Run tests/integration and tests/examples on every other CPython found
	scripts/test-matrix $(VENV) $(TOOLS)

.PHONY: lint
lint: build $(DEPS) $(TOOLS)/.lint-requirements ## Check format, clippy, layers, sizes, ruff, types, the stub
	cargo fmt --all --check
	PYO3_PYTHON=$(CURDIR)/$(VENV)/bin/python \
		cargo clippy --workspace --all-targets --locked -- -D warnings
	$(TOOLS)/bin/python scripts/check-layers
	$(TOOLS)/bin/python scripts/check-sizes
	$(TOOLS)/bin/ruff check .
	$(TOOLS)/bin/ruff format --check .
	$(TOOLS)/bin/basedpyright --pythonpath $(VENV)/bin/python
	scripts/check-stub $(VENV) $(TOOLS)

.PHONY: fmt
fmt: $(TOOLS)/.lint-requirements ## Format Rust and Python, apply the linter's safe fixes
	cargo fmt --all
	$(TOOLS)/bin/ruff check --fix-only -q .
	$(TOOLS)/bin/ruff format -q .

# A server without a figure fails the target, but only once the other suites have run; Ctrl-C ends it.
.PHONY: bench
bench: build ## Measure beside other servers; reports in bench/out (SUITE=, BENCH_ARGS=, LEDGER=1)
	@mkdir -p bench/out
	@failed=; for suite in $(SUITE); do \
		status=0; \
		$(VENV)/bin/alula bench compare bench/suites/$$suite.toml \
			--json bench/out/$$suite.json --markdown bench/out/$$suite.md --html bench/out/$$suite.html \
			$(if $(LEDGER),--ledger bench/LEDGER.md) $(BENCH_ARGS) || status=$$?; \
		if [ $$status -eq 130 ]; then exit 130; fi; \
		if [ $$status -ne 0 ]; then failed="$$failed $$suite"; fi; \
	done; \
	if [ -n "$$failed" ]; then echo "make bench: not every figure was had:$$failed" >&2; exit 1; fi

.PHONY: soak
soak: build $(DEPS) ## A million requests of the shop's mix, memory flat (SOAK_REQUESTS=)
	$(VENV)/bin/python scripts/soak --requests $(SOAK_REQUESTS)

.PHONY: conformance
conformance: build $(DEPS) ## Run FastAPI's own tests plain and compiled
	scripts/fastapi-suite $(VENV)

.PHONY: mutants
mutants: build $(DEPS) $(TOOLS)/.build-requirements ## Apply each checked-in breakage, expect its test to fail (ONLY=)
	$(TOOLS)/bin/python scripts/mutants/run $(ONLY)

.PHONY: fuzz
fuzz: ## Feed the parsers with mutated input (FUZZ_SECONDS=)
	scripts/fuzz $(FUZZ_SECONDS)

.PHONY: clean
clean: ## Remove what was built and installed
	rm -rf target fuzz/target bench/peers-rust/target fuzz/corpus fuzz/artifacts dist bench/out .cache .venv .venv-tools .venv-3.*
	rm -rf .mypy_cache .pytest_cache .ruff_cache examples/shop/.ruff_cache python/alula/*.so
	find python tests bench examples scripts -name __pycache__ -prune -exec rm -rf {} +

# ---- Files

.PHONY: FORCE
FORCE:

# Only made anew when it is broken or PYTHON asks for another version; see scripts/venv.
$(VENV)/bin/python $(TOOLS)/bin/python: FORCE
	@scripts/venv $(@D:/bin=) $(PYTHON)

$(TOOLS)/.build-requirements: requirements/build.txt $(TOOLS)/bin/python
	$(@D)/bin/$(PIP) install -r $<
	@touch $@

$(TOOLS)/.lint-requirements: requirements/lint.txt $(TOOLS)/bin/python
	$(@D)/bin/$(PIP) install -r $<
	@touch $@

$(VENV)/.test-requirements: requirements/test.txt $(VENV)/bin/python
	$(@D)/bin/$(PIP) install -r $<
	@touch $@

$(VENV)/.shop-requirements: examples/shop/requirements.txt $(VENV)/bin/python
	$(@D)/bin/$(PIP) install -r $<
	@touch $@

$(VENV)/.built: $(SOURCES) $(TOOLS)/.build-requirements $(VENV)/bin/python
	scripts/install-wheel $(VENV) $(TOOLS) release
	@touch $@
