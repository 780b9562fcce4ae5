"""The parts of scripts/soak.

- `client`: one connection's worth of requests, each answer parsed strictly
- `mix`: what is asked, how often, and what is right
- `driver`: several clients at once, progress, samples of the server's memory
- `report`: the verdict, the closing line, the row for the ledger
"""
