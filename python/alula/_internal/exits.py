"""The exit codes of the command `alula`, besides 0 and those of signals."""

BAD_OPTION = 2
"""An option is not accepted."""

STARTUP_FAILURE = 3
"""The server could not start. A supervisor that sees it in a worker does not try again."""
