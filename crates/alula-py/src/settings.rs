//! The engine's settings, from the options.

use alula_server::Settings;
use alula_server::config::Config;

/// What the options ask of the engine.
pub(crate) fn of(config: &Config) -> Settings {
    let mut settings = Settings {
        head_timeout: config.timeout_request_head,
        keep_alive: config.timeout_keep_alive,
        write_timeout: config.timeout_write,
        min_body_rate: config.min_body_rate,
        date_header: config.date_header,
        headers: config.headers.clone(),
        ..Settings::default()
    };
    settings.limits.head_bytes =
        usize::try_from(config.h11_max_incomplete_event_size).unwrap_or(usize::MAX);
    settings.limits.body_bytes = config.limit_request_body;
    if !config.server_header {
        settings.server_header = None;
    }
    settings
}
