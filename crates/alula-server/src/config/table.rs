//! The options. Names, defaults and units are uvicorn's wherever uvicorn has the option.

use std::path::PathBuf;
use std::time::Duration;

use super::declare::options;
use super::spec::{Group, Kind, Preset, Spec};
use super::value::{Field, Value};

/// The longest time that can be set, in seconds; about three years.
const LONGEST: f64 = 1e8;
/// The longest queue `listen(2)` can be asked for.
const LONGEST_BACKLOG: u64 = i32::MAX as u64;
/// A whole number with no upper bound that anyone would meet.
const COUNT: Kind = Kind::Integer {
    min: 1,
    max: i64::MAX as u64,
};
/// A time that may be zero.
const SECONDS: Kind = Kind::Seconds {
    min: 0.0,
    max: LONGEST,
};
/// A time that cannot be zero.
const SOME_SECONDS: Kind = Kind::Seconds {
    min: 0.001,
    max: LONGEST,
};

options! {
    Application {
        /// The application to serve, as `module:attribute`.
        app: Option<String>, "app", Kind::Text, Preset::Unset("");
        /// Treat APP as a function without arguments that returns the application.
        factory: bool, "factory", Kind::Flag, Preset::Flag(false);
        /// Look for APP in this directory first; the working directory if empty.
        app_dir: String, "app-dir", Kind::Text, Preset::Text("");
        /// Read variables for the application from this file; those already set are kept.
        env_file: Option<PathBuf>, "env-file", Kind::File, Preset::Unset("");
        /// Read options from this TOML file; the command line and the environment come first.
        config: Option<PathBuf>, "config", Kind::File, Preset::Unset("");
        /// Run the application's lifespan protocol: if it has one, always, or never.
        lifespan: String, "lifespan", Kind::Choice("auto|on|off"), Preset::Text("auto");
        /// The path under which the application is mounted by a proxy in front (ASGI `root_path`).
        root_path: String, "root-path", Kind::Text, Preset::Text("");
        /// Compile the routes of a FastAPI application: where it can be done, never, or refuse to start if a route cannot be.
        accelerate: String, "accelerate", Kind::Choice("auto|off|require"), Preset::Text("auto");
        /// Run each request in an empty context instead of a copy of the server's.
        reset_contextvars: bool, "reset-contextvars", Kind::Flag, Preset::Flag(false);
    }
    Binding {
        /// The host name or address to listen on.
        host: String, "host", Kind::Text, Preset::Text("127.0.0.1");
        /// The TCP port to listen on; with 0 the system picks a free one.
        port: u16, "port", Kind::Integer { min: 0, max: 65_535 }, Preset::Integer(8000);
        /// Listen on a Unix socket at this path instead.
        uds: Option<PathBuf>, "uds", Kind::Path, Preset::Unset("");
        /// Listen on this inherited file descriptor instead.
        fd: Option<u32>, "fd", Kind::Integer { min: 0, max: i32::MAX as u64 }, Preset::Unset("");
        /// The number of connections the system may hold until they are accepted.
        backlog: u32, "backlog", Kind::Integer { min: 0, max: LONGEST_BACKLOG }, Preset::Integer(2048);
    }
    Workers {
        /// The number of worker processes; `$WEB_CONCURRENCY` where it is not given. Not valid with --reload.
        workers: u32, "workers", Kind::Integer { min: 1, max: 4096 }, Preset::Integer(1);
        /// The event loop: auto (uvloop if it is installed), asyncio, uvloop, or `module:factory`.
        r#loop: String, "loop", Kind::Loop, Preset::Text("auto");
        /// Look for the next request for so long, at most 0.001, before a worker sleeps, as long as they come quicker than that. For workers that have a core each, which this keeps busy; 0.0001 suits a load that never lets it idle.
        busy_poll: Duration, "busy-poll", Kind::Seconds { min: 0.0, max: 0.001 }, Preset::Seconds(0.0);
        /// Kill and replace a worker that does not answer the supervisor for so long.
        timeout_worker_healthcheck: Duration, "timeout-worker-healthcheck", SOME_SECONDS, Preset::Seconds(5.0);
        /// Kill a replacement worker that is not ready after so long; the workers that serve go on. The first workers have all the time they need.
        timeout_worker_startup: Duration, "timeout-worker-startup", SOME_SECONDS, Preset::Seconds(120.0);
        /// Replace a worker (with one worker: exit) after so many requests.
        limit_max_requests: Option<u64>, "limit-max-requests", COUNT, Preset::Unset("no limit");
        /// Add up to so many requests to --limit-max-requests, at random for each worker.
        limit_max_requests_jitter: u64, "limit-max-requests-jitter", Kind::Integer { min: 0, max: i64::MAX as u64 }, Preset::Integer(0);
    }
    Reload {
        /// Restart the worker when a watched file changes.
        reload: bool, "reload", Kind::Flag, Preset::Flag(false);
        /// Watch this directory instead of the working directory. May be given several times.
        reload_dirs: Vec<String>, "reload-dir", Kind::Directories, Preset::List(&[]);
        /// Watch files of this glob pattern too, besides `*.py`. May be given several times.
        reload_includes: Vec<String>, "reload-include", Kind::Texts, Preset::List(&[]);
        /// Leave out files of this glob pattern, besides `.*`, `.py[cod]`, `.sw.*` and `~*`. May be given several times.
        reload_excludes: Vec<String>, "reload-exclude", Kind::Texts, Preset::List(&[]);
        /// The time between two looks for changes.
        reload_delay: Duration, "reload-delay", SOME_SECONDS, Preset::Seconds(0.25);
    }
    Http {
        /// Take the client's address and scheme from `X-Forwarded-For` and `X-Forwarded-Proto`.
        proxy_headers: bool, "proxy-headers", Kind::Flag, Preset::Flag(true);
        /// The peers whose proxy headers are believed: addresses, networks and socket paths, separated by commas, or `*`; `$FORWARDED_ALLOW_IPS` where it is not given.
        forwarded_allow_ips: Vec<String>, "forwarded-allow-ips", Kind::Trusted, Preset::List(&["127.0.0.1", "::1"]);
        /// Add this header to every response. May be given several times.
        headers: Vec<(String, String)>, "header", Kind::Headers, Preset::List(&[]);
        /// Add a `server` header to responses that have none.
        server_header: bool, "server-header", Kind::Flag, Preset::Flag(true);
        /// Add a `date` header to responses that have none.
        date_header: bool, "date-header", Kind::Flag, Preset::Flag(true);
    }
    Limits {
        /// Answer 503 when so many connections or requests are open; with 0 always.
        limit_concurrency: Option<u64>, "limit-concurrency", Kind::Integer { min: 0, max: i64::MAX as u64 }, Preset::Unset("no limit");
        /// The most bytes of a request body; more is answered with 413.
        limit_request_body: Option<u64>, "limit-request-body", Kind::Integer { min: 0, max: i64::MAX as u64 }, Preset::Unset("no limit");
        /// The most bytes of a request head; more is answered with 431.
        h11_max_incomplete_event_size: u64, "h11-max-incomplete-event-size", Kind::Integer { min: 0, max: 16 << 20 }, Preset::Integer(65_536);
        /// The fewest bytes a second of a request body, averaged over ten seconds; 0 for no minimum.
        min_body_rate: u32, "min-body-rate", Kind::Integer { min: 0, max: u32::MAX as u64 }, Preset::Integer(240);
        /// Close a connection whose request head is not complete after so long.
        timeout_request_head: Duration, "timeout-request-head", SOME_SECONDS, Preset::Seconds(15.0);
        /// Close a connection that has been idle between two requests for so long.
        timeout_keep_alive: Duration, "timeout-keep-alive", SECONDS, Preset::Seconds(5.0);
        /// Close a connection that has accepted no byte of its response for so long.
        timeout_write: Duration, "timeout-write", SOME_SECONDS, Preset::Seconds(30.0);
        /// Cancel what still runs so long after the server was asked to stop.
        timeout_graceful_shutdown: Duration, "timeout-graceful-shutdown", SECONDS, Preset::Seconds(30.0);
    }
    Logging {
        /// The least level that is logged: critical, error, warning, info, debug or trace.
        log_level: Option<String>, "log-level", Kind::Level, Preset::Unset("info");
        /// Configure logging from this file: `.json`, `.yaml` or else the ini format.
        log_config: Option<PathBuf>, "log-config", Kind::File, Preset::Unset("");
        /// Log a line for each request.
        access_log: bool, "access-log", Kind::Flag, Preset::Flag(true);
        /// Colour the log; where it is not given, if it goes to a terminal.
        use_colors: Option<bool>, "use-colors", Kind::Flag, Preset::Unset("auto");
    }
}
