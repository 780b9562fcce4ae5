//! What the peers share: the contents of their routes, which are those of Alula's example `api`.

#![forbid(unsafe_code)]

use serde::{Deserialize, Serialize};

/// The answer of `GET /health`.
#[derive(Debug, Serialize)]
pub struct Health {
    /// `ok`.
    pub status: &'static str,
}

/// The answer of `GET /users/{id}`.
#[derive(Debug, Serialize)]
pub struct User {
    /// As in the path.
    pub id: u64,
}

/// The body of `POST /add`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Add {
    /// One number.
    pub a: i64,
    /// The other.
    pub b: i64,
}

/// The answer of `POST /add`.
#[derive(Debug, Serialize)]
pub struct Sum {
    /// Of both.
    pub sum: i64,
}

/// The answer to a request that is refused.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// Why.
    pub error: &'static str,
}

/// The answer to a healthy look.
pub const HEALTH: Health = Health { status: "ok" };

/// The user of an id that is 1 to 17 digits.
///
/// # Errors
///
/// Any other id.
pub fn user(id: &str) -> Result<User, Refusal> {
    let error = Refusal {
        error: "id must be 1 to 17 digits",
    };
    if !(1..=17).contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(error);
    }
    id.parse().map(|id| User { id }).map_err(|_| error)
}

/// The sum.
///
/// # Errors
///
/// If it is beyond 64 bits.
pub fn add(numbers: Add) -> Result<Sum, Refusal> {
    let sum = numbers.a.checked_add(numbers.b);
    sum.map(|sum| Sum { sum }).ok_or(Refusal {
        error: "the sum is too large",
    })
}

/// The arguments: a port, and for how many seconds a connection may idle.
///
/// # Errors
///
/// What to say if they are others.
pub fn arguments() -> Result<(u16, Option<u64>), String> {
    let mut given = std::env::args().skip(1);
    let port = given.next().and_then(|port| port.parse().ok());
    let idle = given.next().map(|idle| idle.parse());
    match (port, idle.transpose(), given.next()) {
        (Some(port), Ok(idle), None) => Ok((port, idle)),
        _ => Err("usage: PROGRAM PORT [IDLE_SECONDS], a port from 0 to 65535".to_owned()),
    }
}
