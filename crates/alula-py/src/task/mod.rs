//! Running an application's coroutine in a task.
//!
//! # Layout
//!
//! - [`launch`]: starts one: in a lazy task stepped at once, or by `create_task`.
//! - [`current`]: which task `asyncio.current_task()` shows.
//! - [`pending`]: a future that a task has not been told of.
//! - [`selfcheck`]: whether this interpreter and loop behave as lazy tasks need.

pub(crate) mod current;
pub(crate) mod launch;
pub(crate) mod pending;
pub(crate) mod selfcheck;
