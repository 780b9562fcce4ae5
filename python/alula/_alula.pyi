"""The extension module: options, and the server's engine."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, Unpack, final

from alula._internal.asgi import Application
from alula._internal.options import Options

__all__ = ["ClientDisconnected", "Config", "Error", "Worker", "__version__", "bench"]

__version__: str

def bench(arguments: Sequence[str]) -> int:
    """Runs `alula bench` with the arguments behind `bench`. Returns the exit code."""

class Error(Exception):
    """Anything that Alula raises on its own account."""

class ClientDisconnected(Error, OSError):
    """Raised by `send()` when the client is gone."""

@final
class Config:
    """Every option of a server, checked; cannot be changed."""

    def __new__(
        cls,
        app: Application | Callable[..., Any] | str | None = None,
        **options: Unpack[Options],
    ) -> Self: ...
    @staticmethod
    def from_cli(argv: Sequence[str], environ: Mapping[str, str], version: str) -> Config | str:
        """What a command line and an environment ask for, or the text to print instead."""

    @staticmethod
    def options() -> list[dict[str, Any]]:
        """Every option: `name`, `flags`, `variable`, `type`, `default`, `help`, `group`."""

    def to_dict(self) -> dict[str, Any]:
        """Every option with its value."""

    @property
    def variables(self) -> dict[str, str]:
        """What the env file adds to the environment."""

    @property
    def unknown_variables(self) -> list[str]:
        """Variables of the environment that look like options and are none."""

    @property
    def app(self) -> Application | Callable[..., Any] | str | None:
        """The application to serve, as `module:attribute`."""

    @property
    def factory(self) -> bool:
        """Treat APP as a function without arguments that returns the application."""

    @property
    def app_dir(self) -> str:
        """Look for APP in this directory first; the working directory if empty."""

    @property
    def env_file(self) -> str | None:
        """Read variables for the application from this file; those already set are kept."""

    @property
    def config(self) -> str | None:
        """Read options from this TOML file; the command line and the environment come first."""

    @property
    def lifespan(self) -> str:
        """Run the application's lifespan protocol: if it has one, always, or never."""

    @property
    def root_path(self) -> str:
        """The path under which the application is mounted by a proxy in front."""

    @property
    def accelerate(self) -> str:
        """Compile the routes of a FastAPI application: where it can be done, never, or required."""

    @property
    def reset_contextvars(self) -> bool:
        """Run each request in an empty context instead of a copy of the server's."""

    @property
    def host(self) -> str:
        """The host name or address to listen on."""

    @property
    def port(self) -> int:
        """The TCP port to listen on; with 0 the system picks a free one."""

    @property
    def uds(self) -> str | None:
        """Listen on a Unix socket at this path instead."""

    @property
    def fd(self) -> int | None:
        """Listen on this inherited file descriptor instead."""

    @property
    def backlog(self) -> int:
        """The number of connections the system may hold until they are accepted."""

    @property
    def workers(self) -> int:
        """The number of worker processes."""

    @property
    def loop(self) -> str:
        """The event loop."""

    @property
    def busy_poll(self) -> float:
        """Look for the next request for so long before a worker sleeps."""

    @property
    def timeout_worker_healthcheck(self) -> float:
        """Kill and replace a worker that does not answer the supervisor for so long."""

    @property
    def timeout_worker_startup(self) -> float:
        """Kill a replacement worker that is not ready after so long."""

    @property
    def limit_max_requests(self) -> int | None:
        """Replace a worker (with one worker: exit) after so many requests."""

    @property
    def limit_max_requests_jitter(self) -> int:
        """Add up to so many requests to --limit-max-requests, at random for each worker."""

    @property
    def reload(self) -> bool:
        """Restart the worker when a watched file changes."""

    @property
    def reload_dirs(self) -> list[str]:
        """Watch this directory instead of the working directory. May be given several times."""

    @property
    def reload_includes(self) -> list[str]:
        """Watch files of this glob pattern too, besides `*.py`. May be given several times."""

    @property
    def reload_excludes(self) -> list[str]:
        """Leave out files of this glob pattern."""

    @property
    def reload_delay(self) -> float:
        """The time between two looks for changes."""

    @property
    def proxy_headers(self) -> bool:
        """Take the client's address and scheme from `X-Forwarded-For` and `X-Forwarded-Proto`."""

    @property
    def forwarded_allow_ips(self) -> list[str]:
        """The peers whose proxy headers are believed."""

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Add this header to every response. May be given several times."""

    @property
    def server_header(self) -> bool:
        """Add a `server` header to responses that have none."""

    @property
    def date_header(self) -> bool:
        """Add a `date` header to responses that have none."""

    @property
    def limit_concurrency(self) -> int | None:
        """Answer 503 when so many connections or requests are open."""

    @property
    def limit_request_body(self) -> int | None:
        """The most bytes of a request body; more is answered with 413."""

    @property
    def h11_max_incomplete_event_size(self) -> int:
        """The most bytes of a request head; more is answered with 431."""

    @property
    def min_body_rate(self) -> int:
        """The fewest bytes a second of a request body."""

    @property
    def timeout_request_head(self) -> float:
        """Close a connection whose request head is not complete after so long."""

    @property
    def timeout_keep_alive(self) -> float:
        """Close a connection that has been idle between two requests for so long."""

    @property
    def timeout_write(self) -> float:
        """Close a connection that has accepted no byte of its response for so long."""

    @property
    def timeout_graceful_shutdown(self) -> float:
        """Cancel what still runs so long after the server was asked to stop."""

    @property
    def log_level(self) -> str | None:
        """The least level that is logged: critical, error, warning, info, debug or trace."""

    @property
    def log_config(self) -> Any:
        """Configure logging from this file: `.json`, `.yaml` or else the ini format."""

    @property
    def access_log(self) -> bool:
        """Log a line for each request."""

    @property
    def use_colors(self) -> bool | None:
        """Colour the log; where it is not given, if it goes to a terminal."""

@final
class Worker:
    """The server's engine: accepts connections and calls the application, on one event loop.

    Takes the ownership of the `listeners`, descriptors of sockets that listen. `on_limit` is called
    once the process has answered as many requests as it may, `on_idle` when a draining worker has
    neither a connection nor a task left. With `propagate_interrupts` a `KeyboardInterrupt` out of
    the application goes on to the loop.
    """

    def __new__(
        cls,
        app: Application,
        config: Config,
        loop: asyncio.AbstractEventLoop,
        listeners: list[int],
        *,
        state: dict[str, Any] | None = None,
        on_limit: Callable[[], None] | None = None,
        on_idle: Callable[[], None] | None = None,
        access_log: Callable[[str | None, str, str, str, int], None]
        | Literal["native"]
        | None = None,
        propagate_interrupts: bool = False,
        task_style: Literal["auto", "create_task"] = "auto",
    ) -> Self: ...
    def start(self) -> None:
        """Begins to accept connections."""

    def stop_accepting(self) -> None:
        """Accepts what is queued, and closes the listeners."""

    def drain(self) -> None:
        """Has connections close after the response that is due."""

    def disconnect_streams(self) -> None:
        """Tells applications that are still responding `http.disconnect`."""

    def cancel_tasks(self) -> int:
        """Cancels the requests' tasks. Returns how many there were."""

    def close(self) -> None:
        """Closes every connection and leaves the loop."""

    @property
    def connections(self) -> int:
        """How many connections are open."""

    @property
    def tasks(self) -> int:
        """How many requests' tasks run."""

    @property
    def requests(self) -> int:
        """How many requests have been answered."""

    @property
    def task_style(self) -> Literal["lazy", "create_task"]:
        """How tasks are made."""
