//! Backpressure and fairness: a client can stall itself, nobody else.

mod stage;

use alula_testkit::{first_difference, pattern};
use stage::{Stage, get, post};

#[test]
fn a_reader_that_stops_stalls_itself_alone_and_loses_nothing() {
    let stage = Stage::new();
    let size = 8_000_000;
    let mut slow = stage.send(format!("GET /stream/{size} HTTP/1.0\r\n\r\n"));
    for _ in 0..20 {
        stage.assert_serves_others();
    }
    let response = slow.read_response("GET").unwrap();
    assert_eq!(
        (response.body.len(), first_difference(&response.body, 0)),
        (size, None)
    );
}

#[test]
fn one_large_piece_arrives_whole_through_a_full_socket() {
    let stage = Stage::new();
    let size = 8_000_000;
    let mut slow = stage.send(format!("GET /blob/{size} HTTP/1.1\r\nHost: a\r\n\r\n"));
    stage.assert_serves_others();
    let response = slow.read_response("GET").unwrap();
    assert_eq!(
        (response.body.len(), first_difference(&response.body, 0)),
        (size, None)
    );
    assert_eq!(get(&mut slow, "/").text(), "OK");
}

#[test]
fn partial_writes_lose_and_repeat_nothing() {
    let stage = Stage::with(|settings| settings.send_quantum = Some(1500));
    for path in ["/blob/300000", "/stream/300000"] {
        let mut peer = stage.connect();
        let response = get(&mut peer, path);
        assert_eq!(
            (response.body.len(), first_difference(&response.body, 0)),
            (300_000, None)
        );
        assert_eq!(get(&mut peer, "/").text(), "OK");
    }
}

#[test]
fn an_endless_reader_and_an_endless_writer_leave_room_for_others() {
    let stage = Stage::new();
    let size = 30_000_000;
    let mut reader = stage.send(format!("GET /stream/{size} HTTP/1.0\r\n\r\n"));
    let reading = std::thread::spawn(move || reader.read_response("GET").unwrap().body.len());
    let mut writer = stage.connect();
    let writing = std::thread::spawn(move || {
        writer.send(&post("/count", &pattern(30_000_000))).unwrap();
        writer.read_response("POST").unwrap().text().to_owned()
    });
    while !(reading.is_finished() && writing.is_finished()) {
        stage.assert_serves_others();
    }
    assert_eq!(reading.join().unwrap(), size);
    assert_eq!(writing.join().unwrap(), "30000000");
}

#[test]
fn an_upload_nobody_reads_is_not_taken_in() {
    let stage = Stage::new();
    let head = "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 150000000\r\n\r\n";
    let mut peer = stage.send(head);
    let sent = peer.send_until_full(&pattern(50_000_000)).unwrap();
    assert!(sent < 50_000_000, "all bytes were taken");
    stage.assert_serves_others();
}

#[test]
fn pipelined_requests_wait_while_their_answers_do_not_get_out() {
    // A byte a write: 64 KiB of answers are waiting long before 64 KiB are out.
    let stage = Stage::with(|settings| settings.send_quantum = Some(1));
    let one = b"GET /tally/10000 HTTP/1.1\r\nHost: a\r\n\r\n";
    let mut peer = stage.send(one.repeat(300));
    for _ in 0..5 {
        stage.assert_serves_others();
    }
    let asked = stage.events_so_far().len();
    assert!(asked < 50, "{asked} of 300 were answered to nobody");
    for _ in 0..2 {
        let body = peer.read_response("GET").unwrap().body;
        assert_eq!((body.len(), first_difference(&body, 0)), (10_000, None));
    }
}

#[test]
fn small_pieces_take_turns_for_their_number() {
    let stage = Stage::new();
    let _peer = stage.send("GET /drip HTTP/1.1\r\nHost: a\r\n\r\n");
    let event = stage.event();
    let pieces: usize = event.parse().unwrap();
    assert!(
        (2..=100).contains(&pieces),
        "{pieces} pieces without a break"
    );
}

#[test]
fn many_clients_each_get_their_own_answers() {
    let stage = Stage::new();
    let clients: Vec<_> = (0..64)
        .map(|client| {
            let mut peer = stage.connect();
            std::thread::spawn(move || {
                for n in 0..40 {
                    let body = format!("client {client} request {n}");
                    peer.send(&post("/echo", body.as_bytes())).unwrap();
                    assert_eq!(peer.read_response("POST").unwrap().text(), body);
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
}

#[test]
fn resets_in_the_middle_of_everything_harm_nobody() {
    let stage = Stage::new();
    for n in 0..150 {
        match n % 3 {
            0 => drop(stage.send("GET /stream/1000000 HTTP/1.1\r\nHost: a\r\n\r\n")),
            1 => drop(stage.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nxx")),
            _ => {
                let peer = stage.send("GET /blob/9000000 HTTP/1.1\r\nHost: a\r\n\r\n");
                peer.reset().unwrap();
            }
        }
    }
    stage.assert_serves_others();
}

#[test]
fn silent_clients_hold_up_nobody() {
    let stage = Stage::new();
    let silent: Vec<_> = (0..50).map(|_| stage.connect()).collect();
    let begun: Vec<_> = (0..50).map(|_| stage.send("GET / HT")).collect();
    for _ in 0..10 {
        stage.assert_serves_others();
    }
    assert_eq!(silent.len() + begun.len(), 100);
}
