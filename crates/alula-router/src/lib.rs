//! Method and path to route and parameters.
//!
//! A look-up takes a step for each segment of the path, however many routes there are. Only where a
//! literal has led nowhere, the parameter beside it is tried as well. The crate knows no HTTP beyond
//! the names of three methods, and no handlers: a route is an id.
//!
//! ```
//! use alula_router::{Captures, Match, Router};
//!
//! let mut router = Router::new();
//! let user = router.add("GET", "/users/{id}")?;
//! let file = router.add("GET", "/files/{name:path}")?;
//!
//! let mut captures = Captures::default();
//! match router.find("GET", "/users/42", &mut captures) {
//!     Match::Found { route, params } => {
//!         assert_eq!(route, user);
//!         assert_eq!(params.get("id"), Some("42"));
//!     }
//!     other => panic!("{other:?}"),
//! }
//! match router.find("POST", "/files/a/b", &mut captures) {
//!     Match::MethodNotAllowed { allowed } => assert_eq!(allowed.header(), "GET, HEAD, OPTIONS"),
//!     other => panic!("{other:?}"),
//! }
//! # let _ = file;
//! # Ok::<(), alula_router::RouteError>(())
//! ```
//!
//! # What matches what
//!
//! - Paths are split at each `/` as they came, and only then decoded: `%2F` never parts segments.
//! - A literal segment of a pattern matches what decodes to it. `{name}` matches one segment that
//!   is not empty, `{name:path}` the rest of the path, which may be empty.
//! - Where several routes match, the first segment in which they differ decides: a literal before
//!   `{name}`, `{name}` before `{name:path}`. The order of registration decides nothing.
//! - The path is found first and the method then: a path that is registered for other methods only
//!   is "method not allowed", even where a less specific route has the method.
//! - `/users` and `/users/` are two paths.
//! - HEAD goes to GET's route where it has none of its own.
//!
//! # Layout
//!
//! - [`Router`]: registration and look-up; `tree`: the segments it walks.
//! - [`Match`], [`Params`], [`Allowed`]: what a look-up says; [`Captures`]: the room it takes.
//! - `pattern`: what a path pattern may look like.
//! - [`RouteError`]: what is wrong with a route, for the one who wrote it.
//! - [`percent`]: decoding, which is left to the caller for parameters.

#![forbid(unsafe_code)]

mod error;
mod matched;
mod methods;
mod pattern;
pub mod percent;
mod router;
mod tree;

pub use error::{PatternFault, RouteError};
pub use matched::{Allowed, Captures, Match, Params};
pub use router::{Route, RouteId, Router};
