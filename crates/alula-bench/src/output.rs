//! Reports as people read them.
//!
//! # Layout
//!
//! - [`table`]: the table at the end of a run; [`markdown`]: the same as Markdown
//! - [`live`]: what is shown while it runs
//! - `number`: numbers and times as text

pub mod live;
pub mod markdown;
pub mod number;
pub mod table;
