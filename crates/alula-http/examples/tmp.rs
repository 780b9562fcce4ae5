//! x
use alula_http::{Head, Limits, h1::Server};
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
use std::{hint::black_box, time::Instant};
fn best(mut turn: impl FnMut()) -> f64 {
    (0..200).map(|_| { let begin = Instant::now(); (0..2000).for_each(|_| turn()); begin.elapsed().as_secs_f64() * 1e9 / 2000.0 }).fold(f64::INFINITY, f64::min)
}
fn main() {
    let limits = Limits::default();
    let mut head = Head::default();
    if let Some(n) = std::env::args().nth(1) { for _ in 0..n.parse::<u32>().unwrap() { black_box(Server::new().receive_head(black_box(BROWSER), &mut head, &limits)).unwrap(); } return }
    for _ in 0..3 {
    let h = best(|| { let mut h=[httparse::EMPTY_HEADER;16]; black_box(httparse::parse_headers(black_box(&BROWSER[32..]), &mut h).unwrap()); });
    let s = best(|| { black_box(Server::new().receive_head(black_box(BROWSER), &mut head, &limits)).unwrap(); });
    println!("httparse {h:.0} all {s:.0} ratio {:.2}", s/h);
    }
}
