//! Running coroutines in tasks.
//!
//! # Layout
//!
//! - [`work`]: what is run.
//! - [`launch`]: starts one: in a lazy task stepped at once, or by `create_task`.
//! - [`current`]: which task `asyncio.current_task()` shows.
//! - [`selfcheck`]: whether this interpreter and loop behave as lazy tasks need.

pub(crate) mod current;
pub(crate) mod launch;
pub(crate) mod selfcheck;
pub(crate) mod work;
