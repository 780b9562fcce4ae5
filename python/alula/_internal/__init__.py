"""Everything that is not part of the public API.

Layout:

- `cli`: the command `alula`. `running`: which way a configuration is run. `server`: one server in
  this process. `starting`: what comes before serving.
- `serving`: one server process: lifespan, native worker, drain. `lifespan`, `loops`, `importer`,
  `sockets`, `streams`, `signals`, `logs`, `trace`: what it is made of. `stopping`: how it is asked
  to end; `watchdog`: what ends it when it does not.
- `supervisor`: several worker processes; `reload`: one that is restarted on changes. `process`: one
  of them, as the supervisor sees it; `worker`: the same as it sees itself; `control`, `orders`:
  what the two say to each other; `slots`: which of them serves; `timers`: what is due later;
  `watching`, `patterns`: which files are watched, and how.
"""
