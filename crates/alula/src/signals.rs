//! SIGINT and SIGTERM end a server gracefully, the second one at once.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::{Handle as SignalsHandle, Signals};

use crate::control::Handle;

const ENDING: [i32; 2] = [SIGINT, SIGTERM];

/// Servers that heed signals now.
static SERVERS: AtomicUsize = AtomicUsize::new(0);
/// While set, the signals do what they do by default. Once caught, a signal stays so for the
/// process: without this, nothing could end it by one after its server.
static DEFAULT: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Heeds the signals while it lives.
#[derive(Debug)]
pub(crate) struct Heeding {
    signals: SignalsHandle,
    thread: Option<JoinHandle<()>>,
}

impl Heeding {
    /// Begins to.
    ///
    /// # Errors
    ///
    /// Where the system lets no signal be caught, or gives no thread.
    pub(crate) fn begin(server: Handle) -> io::Result<Self> {
        let fresh = DEFAULT.get().is_none();
        let default = DEFAULT.get_or_init(Arc::default);
        if fresh {
            for signal in ENDING {
                flag::register_conditional_default(signal, default.clone())?;
            }
        }
        let mut signals = Signals::new(ENDING)?;
        let handle = signals.handle();
        let heed = move || {
            for (count, _) in signals.forever().enumerate() {
                if count == 0 {
                    server.stop();
                } else {
                    server.stop_now();
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("alula-signals".to_owned())
            .spawn(heed)?;
        SERVERS.fetch_add(1, Ordering::AcqRel);
        default.store(false, Ordering::Release);
        Ok(Self {
            signals: handle,
            thread: Some(thread),
        })
    }
}

impl Drop for Heeding {
    fn drop(&mut self) {
        if SERVERS.fetch_sub(1, Ordering::AcqRel) == 1
            && let Some(default) = DEFAULT.get()
        {
            default.store(true, Ordering::Release);
        }
        self.signals.close();
        if let Some(thread) = self.thread.take() {
            // It runs nothing that panics.
            let _ = thread.join();
        }
    }
}
