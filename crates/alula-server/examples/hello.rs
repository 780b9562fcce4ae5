//! The least there is: a worker that answers every request the same. For profiling the engine.
//!
//! `cargo run --release -p alula-server --example hello -- 8080`

use std::iter::once;
use std::net::SocketAddr;

use alula_http::Request;
use alula_reactor::Listener;
use alula_server::{ConnectionInfo, ExchangeId, Handler, Settings, Worker};

#[derive(Debug)]
struct Hello;

impl Handler for Hello {
    type Call = ();

    fn prepare(&self, _: &Request<'_>, _: &ConnectionInfo, _: ExchangeId) {}

    fn start(&self, worker: &Worker<Self>, id: ExchangeId, (): ()) {
        let headers = once((&b"content-type"[..], &b"text/plain"[..]));
        // A client that has left meanwhile is no concern of this handler.
        let _ = worker
            .respond(id, 200, headers)
            .and_then(|()| worker.send_body(id, b"Hello, World!", false));
    }

    fn readable(&self, _: &Worker<Self>, _: ExchangeId) {}

    fn writable(&self, _: &Worker<Self>, _: ExchangeId) {}

    fn disconnected(&self, _: &Worker<Self>, _: ExchangeId) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::args()
        .nth(1)
        .unwrap_or_else(|| String::from("8080"))
        .parse()?;
    let worker = Worker::new(Settings::default(), Hello)?;
    let listener = Listener::tcp(SocketAddr::from(([127, 0, 0, 1], port)), 2048, false)?;
    println!("listening on {:?}", listener.local());
    worker.listen(listener)?;
    worker.run(|_| false)?;
    Ok(())
}
