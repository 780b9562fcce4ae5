//! The `date` header's value, made once a second.

use std::time::{Duration, Instant, SystemTime};

/// An IMF-fixdate (RFC 9110 section 5.6.7) and how long it holds.
#[derive(Debug)]
pub(crate) struct DateCache {
    text: String,
    until: Option<Instant>,
}

impl DateCache {
    pub(crate) fn new() -> Self {
        Self {
            text: String::new(),
            until: None,
        }
    }

    /// The date, made anew when `now` has left the second it was made for.
    pub(crate) fn at(&mut self, now: Instant) -> &[u8] {
        if self.until.is_none_or(|until| now >= until) {
            let wall = SystemTime::now();
            self.text = httpdate::fmt_http_date(wall);
            let part = wall
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default();
            let left = 1_000_000_000 - part.subsec_nanos();
            self.until = Some(now + Duration::from_nanos(u64::from(left)));
        }
        self.text.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_an_imf_fixdate_and_holds_for_its_second() {
        let mut cache = DateCache::new();
        let now = Instant::now();
        let first = cache.at(now).to_vec();
        assert_eq!(first.len(), 29);
        assert!(first.ends_with(b" GMT"));
        assert!(cache.until.is_some_and(|until| until > now));
        let later = cache.at(now + Duration::from_secs(1)).to_vec();
        assert_eq!(later.len(), 29);
    }
}
