//! What one request costs in here, in nanoseconds: the best of many rounds.
//!
//! `cargo run --release -p alula-http --example measure`

use std::{hint::black_box, time::Instant};

use alula_http::{
    Head, Limits,
    h1::{Defaults, Progress, Server},
};

const BARE: &[u8] = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n";

const BROWSER: &[u8] = b"GET /items/42?q=plain HTTP/1.1\r\n\
    Host: shop.example.test:8000\r\n\
    Connection: keep-alive\r\n\
    User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36\r\n\
    Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
    Accept-Encoding: gzip, deflate, br, zstd\r\n\
    Accept-Language: en-GB,en;q=0.9\r\n\
    Cookie: session=3b1f8f4b9a7c4d52; theme=dark\r\n\
    Sec-Fetch-Dest: document\r\n\
    Sec-Fetch-Mode: navigate\r\n\
    Cache-Control: max-age=0\r\n\
    \r\n";

const DEFAULTS: Defaults<'static> = Defaults {
    date: Some(b"Sun, 06 Nov 1994 08:49:37 GMT"),
    server: Some(b"alula"),
    extra: b"",
};

const HEADERS: [(&[u8], &[u8]); 2] = [
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"content-length", b"13"),
];

const TURNS: u32 = 20_000;

/// Nanoseconds a turn, the best of fifty rounds.
fn best(mut turn: impl FnMut()) -> f64 {
    (0..50)
        .map(|_| {
            let begin = Instant::now();
            (0..TURNS).for_each(|_| turn());
            begin.elapsed().as_secs_f64() * 1e9 / f64::from(TURNS)
        })
        .fold(f64::INFINITY, f64::min)
}

fn receive(server: &mut Server, input: &[u8], head: &mut Head, limits: &Limits) {
    let progress = server.receive_head(black_box(input), head, limits);
    assert!(matches!(progress, Ok(Progress::Complete { consumed }) if consumed == input.len()));
}

fn main() {
    let limits = Limits::default();
    let mut head = Head::default();
    for (name, input) in [("bare", BARE), ("browser", BROWSER)] {
        let nanoseconds = best(|| receive(&mut Server::new(), input, &mut head, &limits));
        println!(
            "receive_head {name} ({} bytes): {nanoseconds:.0} ns",
            input.len()
        );
        let nanoseconds = best(|| {
            let seen: usize = head
                .view(input)
                .headers()
                .map(|(n, v)| n.len() + v.len())
                .sum();
            black_box(seen);
        });
        println!("  its headers walked: {nanoseconds:.0} ns");
    }

    let mut out = Vec::with_capacity(4096);
    let mut started = Server::new();
    receive(&mut started, BARE, &mut head, &limits);
    let nanoseconds = best(|| {
        let mut server = started.clone();
        out.clear();
        server
            .respond(&mut out, 200, black_box(HEADERS).into_iter(), &DEFAULTS)
            .unwrap();
        server
            .send_body(&mut out, black_box(b"Hello, world!"), false)
            .unwrap();
        black_box(&out);
    });
    println!(
        "respond + send_body ({} bytes): {nanoseconds:.0} ns",
        out.len()
    );
    println!("a Server is {} bytes", size_of::<Server>());
}
