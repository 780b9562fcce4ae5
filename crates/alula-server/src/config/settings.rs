//! What the options mean to the engine.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::table::Config;
use crate::Settings;

impl Config {
    /// The engine's settings. A `server` or `date` header among the extra ones takes the place of
    /// the default one.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.limits.head_bytes = size(self.h11_max_incomplete_event_size);
        settings.limits.body_bytes = self.limit_request_body;
        settings.head_timeout = self.timeout_request_head;
        settings.keep_alive = self.timeout_keep_alive;
        settings.write_timeout = self.timeout_write;
        settings.min_body_rate = self.min_body_rate;
        settings.waiting.spin = self.busy_poll;
        if !self.server_header || self.has_header("server") {
            settings.server_header = None;
        }
        settings.date_header = self.date_header && !self.has_header("date");
        settings.headers.clone_from(&self.headers);
        settings
    }

    /// After how many requests a worker is to be replaced: the limit and, drawn anew at each call,
    /// some of the jitter.
    pub fn draw_max_requests(&self) -> Option<u64> {
        let limit = self.limit_max_requests?;
        let jitter = match self.limit_max_requests_jitter.checked_add(1) {
            // A fresh hasher is keyed at random.
            Some(choices) => RandomState::new().hash_one(limit) % choices,
            None => 0,
        };
        Some(limit.saturating_add(jitter))
    }

    fn has_header(&self, name: &str) -> bool {
        self.headers
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
    }
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::resolve;

    fn config() -> Config {
        resolve(&[]).expect("defaults are consistent")
    }

    #[test]
    fn the_defaults_of_options_and_engine_agree() {
        let (options, engine) = (config().settings(), Settings::default());
        assert_eq!(format!("{options:?}"), format!("{engine:?}"));
    }

    #[test]
    fn options_reach_the_engine() {
        let mut config = config();
        config.h11_max_incomplete_event_size = 2048;
        config.limit_request_body = Some(7);
        config.timeout_request_head = Duration::from_secs(1);
        config.timeout_keep_alive = Duration::from_secs(2);
        config.timeout_write = Duration::from_secs(3);
        config.min_body_rate = 4;
        config.busy_poll = Duration::from_micros(70);
        config.headers = vec![("X-A".to_owned(), "b".to_owned())];
        let settings = config.settings();
        assert_eq!(
            (settings.limits.head_bytes, settings.limits.body_bytes),
            (2048, Some(7))
        );
        assert_eq!(settings.head_timeout.as_secs(), 1);
        assert_eq!(settings.keep_alive.as_secs(), 2);
        assert_eq!(settings.write_timeout.as_secs(), 3);
        assert_eq!(settings.min_body_rate, 4);
        assert_eq!(settings.waiting.spin, Duration::from_micros(70));
        assert_eq!(settings.headers, config.headers);
    }

    #[test]
    fn an_extra_header_takes_the_place_of_the_default_one() {
        let mut config = config();
        config.headers = vec![("Server".to_owned(), "x".to_owned())];
        assert_eq!(config.settings().server_header, None);
        assert!(config.settings().date_header);
        config.headers = vec![("DATE".to_owned(), "x".to_owned())];
        assert!(!config.settings().date_header);
        config.headers.clear();
        config.server_header = false;
        config.date_header = false;
        assert_eq!(config.settings().server_header, None);
        assert!(!config.settings().date_header);
    }

    #[test]
    fn jitter_is_added_at_random_and_within_bounds() {
        let mut config = config();
        assert_eq!(config.draw_max_requests(), None);
        config.limit_max_requests = Some(10);
        assert_eq!(config.draw_max_requests(), Some(10));
        config.limit_max_requests_jitter = 3;
        let drawn: Vec<u64> = (0..200)
            .filter_map(|_| config.draw_max_requests())
            .collect();
        assert!(drawn.iter().all(|limit| (10..=13).contains(limit)));
        assert!((10..=13).all(|limit| drawn.contains(&limit)));
    }
}
