//! What happens when time is up.

use std::time::Instant;

use alula_reactor::Token;

use super::{Engine, MAX_LISTENERS, Notice};
use crate::connection::Cause;
use crate::error::{SLOW_BODY, SLOW_HEAD, STALLED};

impl Engine {
    /// A timer has run out. Timers are lazy: the connection's own state says what is due.
    pub(super) fn expired(&mut self, token: Token) {
        let Some(slot) = token.0.checked_sub(MAX_LISTENERS) else {
            self.accepting.push_back(token.0);
            return;
        };
        let now = self.now();
        let Some(connection) = self.connections.get_mut(slot) else {
            return;
        };
        connection.armed = None;
        match connection.due(&self.settings, self.draining) {
            Some((at, cause)) if at <= now => self.time_is_up(slot, cause, now),
            Some((at, _)) => self.watch(slot, at),
            None => {}
        }
    }

    fn time_is_up(&mut self, slot: usize, cause: Cause, now: Instant) {
        match cause {
            Cause::WriteStalled => {
                let info = self.connections[slot].info.clone();
                self.notices
                    .push_back(Notice::Rejected(info, None, STALLED));
                self.remove(slot);
            }
            Cause::SlowHead => self.answer_error(slot, Some(408), SLOW_HEAD),
            Cause::Idle if self.draining => self.close_after_output(slot),
            Cause::Idle | Cause::Linger => self.remove(slot),
            Cause::Discard => self.close_after_output(slot),
            Cause::BodyRate => self.judge_rate(slot, now),
        }
    }

    /// Looks at a window of a body: too few bytes end it, unless it was the first, or we ourselves
    /// had paused.
    fn judge_rate(&mut self, slot: usize, now: Instant) {
        let settings = &self.settings;
        let connection = &mut self.connections[slot];
        let least = f64::from(settings.min_body_rate) * settings.body_window.as_secs_f64();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a rate of bytes needs no last digit"
        )]
        let too_slow = (connection.window_bytes as f64) < least;
        let excused = connection.grace || connection.throttled || !connection.may_read(settings);
        if too_slow && !excused {
            self.break_off(slot, Some(408), SLOW_BODY);
            return;
        }
        connection.since = now;
        connection.window_bytes = 0;
        connection.throttled = false;
        connection.grace = false;
        self.watch_due(slot);
    }
}
