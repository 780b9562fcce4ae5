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
fn main() {
    let limits = Limits::default();
    let mut head = Head::default();
    for _ in 0..std::env::args().nth(1).map_or(10_000_000, |n| n.parse::<u32>().unwrap()) {
        std::hint::black_box(Server::new().receive_head(
            std::hint::black_box(BROWSER),
            &mut head,
            &limits,
        ))
        .unwrap();
    }
}
