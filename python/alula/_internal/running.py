"""Which way a configuration is run: in this process, or under a supervisor."""

from alula._internal import importer, starting
from alula._internal.server import Server
from alula.config import Config
from alula.errors import Error, StartupError

in_worker = False
"""Whether this process is a supervisor's worker, which must not start servers of its own."""


def run(config: Config) -> int:
    """Serves until the process is told to end. Returns its exit code."""
    if in_worker:
        raise Error(
            "The application starts a server of its own when it is imported; put the call to"
            ' alula.run() under `if __name__ == "__main__":`.'
        )
    if config.app_dir:
        importer.add_app_dir(config.app_dir)
    return starting.exit_code(lambda: _run(config))


def _run(config: Config) -> int:
    if not config.reload and config.workers == 1:
        Server(config).run()
        return 0
    starting.prepare(config)
    if not isinstance(config.app, str):
        raise StartupError(
            "You must pass the application as an import string to enable 'reload' or 'workers'."
        )
    return _supervise(config)


def _supervise(config: Config) -> int:
    """Runs workers; what that takes is not imported for a single one."""
    if config.reload:
        from alula._internal.reload import Reloader

        return Reloader(config).run()
    from alula._internal.supervisor import Supervisor

    return Supervisor(config).run()
