use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::time::Duration;

use super::Peer;
use crate::scratch::Scratch;
use crate::split::Split;

fn connected() -> (Peer, TcpStream) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let peer = Peer::tcp(listener.local_addr().unwrap()).unwrap();
    let (stream, _) = listener.accept().unwrap();
    (peer, stream)
}

#[test]
fn reads_responses_one_by_one_and_then_the_end() {
    let (mut peer, mut server) = connected();
    let first = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    server.write_all(first).unwrap();
    server
        .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
        .unwrap();
    drop(server);
    assert_eq!(peer.read_response("GET").unwrap().text(), "ok");
    assert_eq!(peer.read_response("GET").unwrap().status, 404);
    peer.expect_end().unwrap();
    let nothing = peer.read_response("GET").unwrap_err();
    assert_eq!(nothing.kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn takes_bytes_as_asked_and_keeps_the_rest() {
    let (mut peer, mut server) = connected();
    server.write_all(b"abcdefgh").unwrap();
    assert_eq!(peer.read_exactly(3).unwrap(), b"abc");
    assert_eq!(peer.read_until(b"ef").unwrap(), b"def");
    drop(server);
    assert_eq!(peer.read_exactly(1).unwrap(), b"g");
    let rest = peer.expect_end().unwrap_err();
    assert!(rest.to_string().contains("\"h\""), "{rest}");
}

#[test]
fn a_deadline_tells_what_came() {
    let (peer, mut server) = connected();
    let mut peer = peer.with_deadline(Duration::from_millis(50));
    server.write_all(b"half a li").unwrap();
    let error = peer.read_until(b"\n").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(error.to_string().contains("half a li"), "{error}");
}

#[test]
fn sends_in_pieces_and_half_closes() {
    for split in Split::all(4) {
        let (mut peer, mut server) = connected();
        peer.send_split(b"abcd", split).unwrap();
        peer.shutdown_write().unwrap();
        let mut received = Vec::new();
        server.read_to_end(&mut received).unwrap();
        assert_eq!(received, b"abcd", "{split}");
        server.write_all(b"still open").unwrap();
        assert_eq!(peer.read_some().unwrap(), b"still open");
        drop(server);
        assert_eq!(peer.read_some().unwrap(), b"");
    }
}

#[test]
fn fills_the_buffers_of_a_server_that_does_not_read() {
    let (mut peer, mut server) = connected();
    let body = vec![b'x'; 64 << 20];
    let sent = peer.send_until_full(&body).unwrap();
    assert!(sent > 0 && sent < body.len(), "{sent}");
    drop(peer);
    assert_eq!(io::copy(&mut server, &mut io::sink()).unwrap(), sent as u64);
}

#[test]
fn a_reset_reaches_the_server() {
    let (peer, mut server) = connected();
    server.write_all(b"unread").unwrap();
    peer.reset().unwrap();
    let error = server.read(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}

#[test]
fn speaks_over_unix_sockets() {
    let scratch = Scratch::new().unwrap();
    let path = scratch.join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let mut peer = Peer::unix(&path).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    peer.send(b"ping").unwrap();
    let mut received = [0; 4];
    server.read_exact(&mut received).unwrap();
    server.write_all(b"pong").unwrap();
    assert_eq!(
        (&received, &peer.read_exactly(4).unwrap()[..]),
        (b"ping", &b"pong"[..])
    );
    assert!(peer.local_address().is_err() && peer.reset().is_err());
}
