//! `alula bench compare`: several servers, one suite, side by side in one run.
//!
//! Each server is started on a core of its own, asked until it gives the exact right answer, loaded
//! from another core, and ended with all its children; rounds are interleaved (A B C, A B C, …), and
//! ratios are taken round by round, so that a slow phase of the machine hits all alike. A server
//! that answers wrongly has no speed.
//!
//! # Layout
//!
//! - [`cli`]: the command line
//! - [`suite`]: the suite file; [`expand`]: placeholders in its commands; [`variant`]: copies of its
//!   servers
//! - [`session`]: a comparison from preparation to result; [`rounds`]: the rounds of a measurement
//! - [`measure`]: one measurement of one server; [`idle`]: that of idle connections
//! - [`process`]: a server that runs; [`guardian`]: ends it whatever happens
//! - [`exchange`]: a request and its only right answer; [`asked`]: those of a measurement
//! - [`figure`]: what is measured; [`comparison`]: what was found, as data
//! - [`verdict`]: medians, ratios, ties and targets
//! - [`markdown`]: the tables; [`ledger`]: where they are kept
//! - [`machine`], [`procfs`], [`pin`]: the machine, its processes, its cores

pub mod asked;
pub mod cli;
pub mod comparison;
pub mod exchange;
pub mod expand;
pub mod figure;
pub mod guardian;
pub mod idle;
pub mod ledger;
pub mod machine;
pub mod markdown;
pub mod measure;
pub mod pin;
pub mod process;
pub mod procfs;
pub mod rounds;
pub mod session;
pub mod suite;
pub mod variant;
pub mod verdict;

pub use cli::run;
pub use comparison::Comparison;
pub use suite::Suite;
