//! Many idle keep-alive connections: what each costs, and what they cost the others.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::exchange::{Exchange, connect};
use super::figure::Figure;
use super::measure::{Conditions, Failure, float};
use super::process::Running;
use super::procfs::resident_bytes;
use super::verdict::Spread;

/// What the many are compared with.
pub const FEW: usize = 10;
/// How many first answers are timed.
const ASKED: usize = 200;
/// What the server is given to settle.
const SETTLE: Duration = Duration::from_secs(1);
/// Between two first answers, so that each finds the server waiting.
const BETWEEN: Duration = Duration::from_millis(2);

/// Memory per idle connection, and the time of a first answer among few and among many.
///
/// Every connection has had an answer before it idles.
///
/// # Errors
///
/// A wrong answer, or a connection that was dropped.
pub fn measure(
    running: &Running,
    exchange: &Exchange,
    many: usize,
    conditions: &Conditions<'_>,
) -> Result<BTreeMap<Figure, f64>, Failure> {
    exchange.check(running.port)?;
    let mut clients = Vec::with_capacity(many);
    open(&mut clients, FEW, running, exchange, conditions)?;
    let among_few = first_answers(&mut clients, running, exchange)?;
    let before = resident_bytes(running.pid);
    open(&mut clients, many, running, exchange, conditions)?;
    running.wait(SETTLE)?;
    let after = resident_bytes(running.pid);
    check_held(&clients)?;
    let among_many = first_answers(&mut clients, running, exchange)?;
    exchange.check(running.port)?;
    let mut figures = BTreeMap::from([
        (Figure::FirstAnswer, among_many),
        (Figure::FirstAnswerRatio, among_many / among_few),
    ]);
    if let (Some(before), Some(after)) = (before, after) {
        let each = (float(after) - float(before)) / float((many - FEW) as u64);
        figures.insert(Figure::RssPerConnection, each.max(0.0));
    }
    Ok(figures)
}

fn open(
    clients: &mut Vec<TcpStream>,
    count: usize,
    running: &Running,
    exchange: &Exchange,
    conditions: &Conditions<'_>,
) -> Result<(), Failure> {
    while clients.len() < count {
        if conditions.interrupted.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        let mut client = connect(running.port)?;
        exchange.ask(&mut client)?;
        clients.push(client);
    }
    Ok(())
}

/// The median time, in seconds, of an answer on a connection that was idle.
fn first_answers(
    clients: &mut [TcpStream],
    running: &Running,
    exchange: &Exchange,
) -> Result<f64, Failure> {
    let mut times = Vec::with_capacity(ASKED);
    for turn in 0..ASKED {
        running.wait(BETWEEN)?;
        // A step that has no factor in common with any number of connections goes round them all.
        let client = &mut clients[turn * 7919 % clients.len()];
        let begun = Instant::now();
        exchange.ask(client)?;
        times.push(begun.elapsed().as_secs_f64());
    }
    Ok(Spread::of(&times).map_or(0.0, |spread| spread.median))
}

/// An idle connection that can be read was closed by the server.
fn check_held(clients: &[TcpStream]) -> Result<(), Failure> {
    let mut dropped = 0;
    for client in clients {
        client.set_nonblocking(true)?;
        match client.peek(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            _ => dropped += 1,
        }
        client.set_nonblocking(false)?;
    }
    if dropped == 0 {
        return Ok(());
    }
    let text = format!(
        "{dropped} of {} idle connections were dropped",
        clients.len()
    );
    Err(Failure::NoSpeed(text))
}
