"""What stands beside `alula bench compare`: the peers' environments, and instruction counts.

The comparison itself, its rounds, ratios and reports, is Rust (`crates/alula-bench`); the suites
that it reads are in `bench/suites`. Standard library only.

Layout, from the bottom up:

- `places`: where things are; `tools`: the programs needed.
- `python_env`: the interpreter, and a virtual environment for each peer.
- `exchange`: one request and its only right answer; `servers`: how a server is started.
- `machine`: what it all runs on; `ledger`: where results are kept.
- `process`: a running server, from its start to its end.
- `instructions`: instructions per request, counted by callgrind.
- `generators`: our load generator beside wrk.
"""
