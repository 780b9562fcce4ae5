//! Listeners and acceptors: TCP, Unix, shared ports, inherited descriptors.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use alula_reactor::{Accepted, Acceptor, Event, Listener, Peer, Reactor, Stream, Token};
use alula_testkit::{Peer as Client, Scratch};
use socket2::{Domain, SockRef, Socket, Type};

const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
const LISTENER: Token = Token(0);
const LONG: Option<Duration> = Some(Duration::from_secs(20));

fn address(peer: &Peer) -> SocketAddr {
    peer.inet().expect("an Internet address")
}

/// Waits for the listener and takes one connection.
fn accept_one(reactor: &mut Reactor, acceptor: &mut Acceptor) -> Stream {
    let mut events = Vec::new();
    loop {
        match acceptor.accept(reactor) {
            Accepted::Connection(stream) => return stream,
            Accepted::Drained => {}
            other => panic!("{other:?}"),
        }
        events.clear();
        reactor.turn(16, LONG, &mut events).unwrap();
        assert!(!events.is_empty(), "no connection came");
    }
}

/// A byte goes each way.
fn greet(stream: &Stream, client: &mut Client) {
    client.send(b"?").unwrap();
    let mut byte = [0];
    loop {
        match (&*stream).read(&mut byte) {
            Ok(count) => break assert_eq!((count, byte), (1, *b"?")),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    }
    (&*stream).write_all(b"!").unwrap();
    assert_eq!(client.read_exactly(1).unwrap(), b"!");
}

#[test]
fn accepts_tcp_connections_and_knows_both_ends() {
    let mut reactor = Reactor::new().unwrap();
    let listener = Listener::tcp(ANY_PORT, 16, false).unwrap();
    let local = listener.local();
    let mut acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
    assert!(matches!(acceptor.accept(&mut reactor), Accepted::Drained));
    let mut client = Client::tcp(address(&local)).unwrap();
    let mut events = Vec::new();
    reactor.turn(16, LONG, &mut events).unwrap();
    assert!(matches!(events[..], [Event::Ready(LISTENER, readiness)] if readiness.readable));
    let stream = accept_one(&mut reactor, &mut acceptor);
    assert!(matches!(acceptor.accept(&mut reactor), Accepted::Drained));
    assert_eq!(stream.peer(), Peer::Inet(client.local_address().unwrap()));
    assert_eq!((stream.local(), stream.is_tcp()), (local, true));
    greet(&stream, &mut client);
    drop(client);
    assert!(
        stream.peer().inet().is_some(),
        "known after the client has gone"
    );
}

#[test]
fn accepted_streams_do_not_block_do_not_delay_and_close_on_exec() {
    let mut reactor = Reactor::new().unwrap();
    let listener = Listener::tcp(ANY_PORT, 16, false).unwrap();
    let _client = Client::tcp(address(&listener.local())).unwrap();
    let mut acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
    let stream = accept_one(&mut reactor, &mut acceptor);
    assert!(SockRef::from(&stream).tcp_nodelay().unwrap());
    assert_eq!(
        (&stream).read(&mut [0; 1]).unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    #[cfg(target_os = "linux")]
    for fd in [stream.as_fd(), acceptor.listener().as_fd()] {
        assert_eq!(
            flags(fd) & 0o2_004_000,
            0o2_004_000,
            "O_CLOEXEC and O_NONBLOCK"
        );
    }
}

#[cfg(target_os = "linux")]
fn flags(fd: std::os::fd::BorrowedFd<'_>) -> u32 {
    use std::os::fd::AsRawFd;
    let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.as_raw_fd())).unwrap();
    let flags = info
        .lines()
        .find_map(|line| line.strip_prefix("flags:"))
        .unwrap();
    u32::from_str_radix(flags.trim(), 8).unwrap()
}

#[test]
fn one_readiness_stands_for_a_whole_queue() {
    let mut reactor = Reactor::new().unwrap();
    let listener = Listener::tcp(ANY_PORT, 16, false).unwrap();
    let local = address(&listener.local());
    let mut acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
    let clients: Vec<_> = (0..8).map(|_| Client::tcp(local).unwrap()).collect();
    let mut streams = Vec::new();
    while let Accepted::Connection(stream) = acceptor.accept(&mut reactor) {
        streams.push(stream);
    }
    assert_eq!(streams.len(), clients.len());
}

#[test]
fn a_busy_port_is_an_error_unless_it_is_shared() {
    let plain = Listener::tcp(ANY_PORT, 16, false).unwrap();
    let taken = address(&plain.local());
    let error = Listener::tcp(taken, 16, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    let error = Listener::tcp(taken, 16, true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
}

#[test]
fn listeners_share_a_port_each_with_its_own_queue() {
    const CLIENTS: usize = 64;
    let first = Listener::tcp(ANY_PORT, 128, true).unwrap();
    let local = address(&first.local());
    let second = Listener::tcp(local, 128, true).unwrap();
    let clients: Vec<_> = (0..CLIENTS).map(|_| Client::tcp(local).unwrap()).collect();
    let mut counts = Vec::new();
    for listener in [first, second] {
        let mut reactor = Reactor::new().unwrap();
        let mut acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
        let accept = || match acceptor.accept(&mut reactor) {
            Accepted::Connection(stream) => Some(stream),
            _ => None,
        };
        counts.push(std::iter::from_fn(accept).count());
    }
    assert_eq!(counts.iter().sum::<usize>(), clients.len());
    assert!(
        !cfg!(target_os = "linux") || !counts.contains(&0),
        "{counts:?}"
    );
}

#[test]
fn an_ipv6_listener_serves_ipv6_alone() {
    let any = SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0));
    let Ok(listener) = Listener::tcp(any, 16, false) else {
        println!("skipped: no IPv6 here");
        return;
    };
    let port = address(&listener.local()).port();
    assert!(Client::tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).is_err());
    let _same_port = Listener::tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, port)), 16, false);
}

#[test]
fn accepts_unix_connections() {
    let scratch = Scratch::new().unwrap();
    let path = scratch.join("socket");
    let mut reactor = Reactor::new().unwrap();
    let listener = Listener::unix(&path, 16).unwrap();
    assert_eq!(listener.local(), Peer::Unix(Some(path.clone())));
    assert_eq!(
        listener.local().to_string(),
        format!("unix:{}", path.display())
    );
    let mut acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
    let mut client = Client::unix(&path).unwrap();
    let stream = accept_one(&mut reactor, &mut acceptor);
    assert_eq!((stream.peer(), stream.is_tcp()), (Peer::Unix(None), false));
    assert_eq!(stream.local(), Peer::Unix(Some(path)));
    greet(&stream, &mut client);
}

#[test]
fn a_stale_socket_file_is_replaced_and_nothing_else() {
    let scratch = Scratch::new().unwrap();
    let path = scratch.join("socket");
    drop(UnixListener::bind(&path).unwrap());
    assert!(UnixStream::connect(&path).is_err(), "left behind");
    let serving = Listener::unix(&path, 16).unwrap();
    let error = Listener::unix(&path, 16).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse, "somebody serves it");
    UnixStream::connect(&path).unwrap();
    drop(serving);
    let file = scratch.join("file");
    std::fs::write(&file, "precious").unwrap();
    assert_eq!(
        Listener::unix(&file, 16).unwrap_err().kind(),
        ErrorKind::AddrInUse
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn takes_over_listeners_of_either_kind() {
    let mut reactor = Reactor::new().unwrap();
    let tcp = TcpListener::bind(ANY_PORT).unwrap();
    let mut client = Client::tcp(tcp.local_addr().unwrap()).unwrap();
    let listener = Listener::inherited(OwnedFd::from(tcp)).unwrap();
    let mut acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
    let stream = accept_one(&mut reactor, &mut acceptor);
    assert!(
        SockRef::from(&stream).tcp_nodelay().unwrap(),
        "also where it was not set before"
    );
    greet(&stream, &mut client);

    let scratch = Scratch::new().unwrap();
    let path = scratch.join("socket");
    let unix = UnixListener::bind(&path).unwrap();
    let mut client = Client::unix(&path).unwrap();
    let listener = Listener::inherited(OwnedFd::from(unix)).unwrap();
    let mut acceptor = Acceptor::new(listener, Token(1), &mut reactor).unwrap();
    greet(&accept_one(&mut reactor, &mut acceptor), &mut client);
}

#[test]
fn a_bound_socket_that_does_not_listen_yet_is_made_to() {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&ANY_PORT.into()).unwrap();
    let listener = Listener::inherited(OwnedFd::from(socket)).unwrap();
    Client::tcp(address(&listener.local())).unwrap();
}

#[test]
fn what_is_no_listener_is_refused_by_name() {
    let accepting = TcpListener::bind(ANY_PORT).unwrap();
    let connection = std::net::TcpStream::connect(accepting.local_addr().unwrap()).unwrap();
    let wrong: [(OwnedFd, &str); 3] = [
        (File::open("/dev/null").unwrap().into(), "no socket"),
        (
            UdpSocket::bind(ANY_PORT).unwrap().into(),
            "no stream socket",
        ),
        (connection.into(), "a connection"),
    ];
    for (fd, what) in wrong {
        let error = Listener::inherited(fd).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn a_closed_acceptor_gives_its_listener_back_with_its_queue() {
    let mut reactor = Reactor::new().unwrap();
    let listener = Listener::tcp(ANY_PORT, 16, false).unwrap();
    let local = address(&listener.local());
    let acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
    let listener = acceptor.close(&mut reactor);
    let mut client = Client::tcp(local).unwrap();
    let mut events = Vec::new();
    reactor.turn(16, Some(Duration::ZERO), &mut events).unwrap();
    assert_eq!(events, [], "no longer watched");
    let mut acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
    greet(&accept_one(&mut reactor, &mut acceptor), &mut client);
}

/// The other process of the next test: serves one connection on the listener that is its stdin.
#[test]
#[ignore = "started by another test"]
fn child_serves_its_stdin() {
    let fd = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
    let mut reactor = Reactor::new().unwrap();
    let listener = Listener::inherited(fd).unwrap();
    let mut acceptor = Acceptor::new(listener, LISTENER, &mut reactor).unwrap();
    let stream = accept_one(&mut reactor, &mut acceptor);
    (&stream).write_all(b"from the child").unwrap();
}

#[test]
fn another_process_serves_the_queue_that_this_one_leaves() {
    let scratch = Scratch::new().unwrap();
    let path = scratch.join("socket");
    let listeners = [
        Listener::tcp(ANY_PORT, 16, true).unwrap(),
        Listener::unix(&path, 16).unwrap(),
    ];
    for listener in listeners {
        let mut client = match listener.local() {
            Peer::Inet(address) => Client::tcp(address).unwrap(),
            Peer::Unix(_) => Client::unix(&path).unwrap(),
        };
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "child_serves_its_stdin"])
            .stdin(OwnedFd::from(listener))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        assert_eq!(client.read_to_end().unwrap(), b"from the child");
        assert!(child.wait().unwrap().success());
    }
}
