"""The types of the options as keyword arguments; `None` is the same as leaving one out.

For `log_config` alone `None` says something: logging is left as it is.
"""

from collections.abc import Mapping, Sequence
from configparser import RawConfigParser
from os import PathLike
from typing import IO, Any, TypedDict


class Options(TypedDict, total=False):
    """Every option but the application; `docs/options.md` says what they do."""

    factory: bool | None
    app_dir: str | PathLike[str] | None
    env_file: str | PathLike[str] | None
    config: str | PathLike[str] | None
    lifespan: str | None
    root_path: str | None
    accelerate: str | None
    reset_contextvars: bool | None
    host: str | None
    port: int | None
    uds: str | PathLike[str] | None
    fd: int | None
    backlog: int | None
    workers: int | None
    loop: str | None
    busy_poll: float | None
    timeout_worker_healthcheck: float | None
    timeout_worker_startup: float | None
    limit_max_requests: int | None
    limit_max_requests_jitter: int | None
    reload: bool | None
    reload_dirs: str | PathLike[str] | Sequence[str | PathLike[str]] | None
    reload_includes: str | Sequence[str] | None
    reload_excludes: str | Sequence[str] | None
    reload_delay: float | None
    proxy_headers: bool | None
    forwarded_allow_ips: str | Sequence[str] | None
    headers: Sequence[tuple[str, str]] | Mapping[str, str] | None
    server_header: bool | None
    date_header: bool | None
    limit_concurrency: int | None
    limit_request_body: int | None
    h11_max_incomplete_event_size: int | None
    min_body_rate: int | None
    timeout_request_head: float | None
    timeout_keep_alive: float | None
    timeout_write: float | None
    timeout_graceful_shutdown: float | None
    log_level: str | int | None
    log_config: str | PathLike[str] | Mapping[str, Any] | RawConfigParser | IO[str] | None
    access_log: bool | None
    use_colors: bool | None
