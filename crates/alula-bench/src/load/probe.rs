//! The first exchange with the server, one request of each kind: it shows that the server is there
//! and answers right, and finds the lengths that later answers have to have.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use alula_http::ResponseHead;

use super::check::Check;
use super::exchange::{Exchange, Step};
use super::prepared::{Kind, Prepared};
use crate::error::Error;
use crate::plan::Plan;
use crate::target::Address;

/// A blocking connection.
trait Channel: Read + Write {}
impl<T: Read + Write> Channel for T {}

/// Makes the exchange, and settles what is expected. Returns the address that answered, if it is
/// an Internet one.
pub(crate) fn probe(plan: &Plan, prepared: &mut Prepared) -> Result<Option<SocketAddr>, Error> {
    let mut chosen = None;
    for (kind, request) in prepared.kinds.iter_mut().zip(&plan.requests) {
        let (mut channel, address) = connect(plan)?;
        chosen = address;
        let length = ask(channel.as_mut(), kind, plan.timeout)?;
        kind.settle(request, length);
    }
    Ok(chosen)
}

fn connect(plan: &Plan) -> Result<(Box<dyn Channel>, Option<SocketAddr>), Error> {
    let refuse = |name: &dyn std::fmt::Display, error: &io::Error| {
        Error::Server(format!("cannot connect to {name}: {error}"))
    };
    match plan.target.address() {
        Address::Unix(path) => {
            let name = path.display();
            let stream = UnixStream::connect(path).map_err(|error| refuse(&name, &error))?;
            patient(stream.set_read_timeout(Some(plan.timeout)))?;
            Ok((Box::new(stream), None))
        }
        Address::Inet(addresses) => {
            let mut failed = None;
            for address in addresses {
                match TcpStream::connect_timeout(address, plan.timeout) {
                    Ok(stream) => {
                        patient(stream.set_read_timeout(Some(plan.timeout)))?;
                        return Ok((Box::new(stream), Some(*address)));
                    }
                    Err(error) => failed = Some(refuse(address, &error)),
                }
            }
            Err(failed.unwrap_or_else(|| Error::Plan("the host has no address".into())))
        }
    }
}

fn patient(set: io::Result<()>) -> Result<(), Error> {
    set.map_err(|error| Error::system("cannot set a timeout", error))
}

/// One request and its answer; returns the length of the body.
fn ask(channel: &mut dyn Channel, kind: &Kind, timeout: Duration) -> Result<u64, Error> {
    let label = &kind.label;
    let failed = |why: String| Error::Server(format!("{label}: {why}"));
    let mut request = Vec::new();
    kind.render(0, &mut request);
    channel
        .write_all(&request)
        .map_err(|error| failed(format!("the request could not be sent: {error}")))?;
    let deadline = Instant::now() + timeout;
    let mut exchange = Exchange::new(kind.client.clone());
    let mut check = Check::default();
    let mut head = ResponseHead::default();
    let mut input = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let got = match channel.read(&mut buffer) {
            _ if Instant::now() > deadline => Err(late(timeout)),
            Err(error) if is_timeout(&error) => Err(late(timeout)),
            Err(error) => Err(format!("no whole answer: {error}")),
            Ok(got) => Ok(got),
        }
        .map_err(failed)?;
        let mut rest: &[u8] = &[];
        let step = if got == 0 {
            exchange.closed()
        } else {
            input.extend_from_slice(&buffer[..got]);
            rest = &input;
            exchange.advance(&mut rest, &mut head, &mut check, &kind.expected)
        };
        let length = check.length();
        match step.map_err(|error| failed(format!("no valid HTTP/1.1 answer: {error}")))? {
            Step::More => {
                let left = rest.len();
                input.drain(..input.len() - left);
            }
            Step::Answered => {
                let Some(mut wrong) = check.end(&kind.expected, &input) else {
                    return Ok(length);
                };
                wrong.request.clone_from(label);
                return Err(Error::Answer(wrong));
            }
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

fn late(timeout: Duration) -> String {
    format!("no whole answer within {timeout:?}")
}
