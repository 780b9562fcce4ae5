//! The engine over poll(2), and with a spin before each wait: nothing is different on the wire.

mod stage;

use std::time::Duration;

use alula_reactor::{Poller, Waiting};
use alula_testkit::{first_difference, pattern};
use stage::{Stage, get, post};

/// A worker for each way of waiting that is not the default.
fn stages() -> Vec<Stage> {
    let spin = Duration::from_micros(200);
    [
        (Poller::Poll, Duration::ZERO),
        (Poller::Poll, spin),
        (Poller::Queue, spin),
    ]
    .map(|(poller, spin)| {
        Stage::with(|settings| {
            settings.waiting = Waiting { poller, spin };
            settings.send_quantum = (poller == Poller::Poll).then_some(20_000);
        })
    })
    .into()
}

#[test]
fn large_bodies_go_both_ways_while_others_are_served() {
    for stage in stages() {
        let size = 3_000_000;
        let mut slow = stage.send(format!("GET /stream/{size} HTTP/1.0\r\n\r\n"));
        let mut writer = stage.connect();
        writer.send(&post("/count", &pattern(size))).unwrap();
        stage.assert_serves_others();
        assert_eq!(
            writer.read_response("POST").unwrap().text(),
            size.to_string()
        );
        let body = slow.read_response("GET").unwrap().body;
        assert_eq!((body.len(), first_difference(&body, 0)), (size, None));
    }
}

#[test]
fn many_clients_come_and_go() {
    for stage in stages() {
        let mut peers: Vec<_> = (0..100).map(|_| stage.connect()).collect();
        for round in 0..4 {
            for peer in &mut peers {
                assert_eq!(get(peer, "/").text(), "OK");
            }
            // Some leave in order, some by a reset, some in the middle of a request.
            for mut peer in peers.split_off(75 - 25 * round) {
                match round {
                    0 => drop(peer),
                    1 => {
                        peer.send(b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                            .unwrap();
                        peer.reset().unwrap();
                    }
                    _ => peer.send(b"GET / HT").unwrap(),
                }
            }
            stage.assert_serves_others();
        }
    }
}

#[test]
fn a_client_that_leaves_is_noticed_while_its_handler_waits() {
    for stage in stages() {
        let mut half = stage.send("GET /watch HTTP/1.1\r\nHost: a\r\n\r\n");
        stage.assert_serves_others();
        half.shutdown_write().unwrap();
        assert_eq!(stage.event(), "disconnected /watch");
        let gone = stage.send("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n");
        gone.reset().unwrap();
        assert_eq!(stage.event(), "disconnected /silent");
    }
}

#[test]
fn an_idle_connection_is_closed_in_time() {
    for poller in [Poller::Poll, Poller::Queue] {
        let stage = Stage::with(|settings| {
            settings.waiting.poller = poller;
            settings.keep_alive = Duration::from_millis(50);
        });
        let mut peer = stage.connect();
        assert_eq!(get(&mut peer, "/").text(), "OK");
        peer.expect_end().unwrap();
    }
}
