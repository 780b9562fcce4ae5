"""Everything that is not part of the public API.

Layout:

- `cli`: the command `alula`. `running`: which way a configuration is run.
- `serving`: one server process: lifespan, native worker, drain. `lifespan`, `loops`, `importer`,
  `sockets`, `signals`, `logs`, `trace`: what it is made of.
- `supervisor`: several worker processes; `reload`: one that is restarted on changes. `process`: one
  of them, as the supervisor sees it; `worker`: the same as it sees itself; `control`, `orders`:
  what the two say to each other; `slots`: which of them serves; `timers`: what is due later;
  `watching`, `patterns`: which files are watched, and how.
"""
