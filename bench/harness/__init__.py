"""The benchmark harness: one server on one core, the load on another, everything checked.

It is a ruler, not a product: standard library only, Linux only.

Layout, from the bottom up:

- `places`: where things are; `tools`: the programs needed, and the C ones built.
- `python_env`: the interpreter, and a virtual environment for each peer.
- `exchange`: one request and its only right answer; `servers`: how each server is started.
- `process`: a running server: its start, CPU time, memory and end; `machine`: what it runs on.
- `load`: the load generators; `measure`: one kind of measurement each, on one running server.
- `suites`: what is measured, and the targets; `rounds`: the interleaved rounds of a suite.
- `verdict`: medians, ratios and targets; `report`, `ledger`: the tables; `cli`: the command.
"""
