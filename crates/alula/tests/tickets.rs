//! Answers that are given later, by other threads.

mod stage;

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use alula::{App, Event, Gone, Request, Ticket};
use stage::{Served, get, next, post, shown, until};

/// An application that hands out the ticket of each request to `/hold`.
fn holding() -> (App, Receiver<Ticket>) {
    let (give, tickets) = channel();
    let app = App::new()
        .get("/fast", |_: &Request| "fast")
        .route("GET", "/hold", {
            let give = give.clone();
            move |request: &Request| give.send(request.hold()).unwrap()
        })
        .post("/hold", move |request: &Request| {
            assert_eq!(request.body(), b"body");
            give.send(request.hold()).unwrap();
        });
    (app, tickets)
}

const HOLD: &str = "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn any_thread_answers_in_any_order() {
    let (app, tickets) = holding();
    let served = Served::new(app);
    let mut peers = Vec::new();
    let mut held = Vec::new();
    for number in 0..10 {
        let bytes = if number % 2 == 0 {
            HOLD.as_bytes().to_vec()
        } else {
            post("/hold", b"body")
        };
        peers.push(served.send(bytes));
        held.push(next(&tickets));
    }
    assert_eq!(get(&mut served.connect(), "/fast").text(), "fast");
    let answering = std::thread::spawn(move || {
        for (number, ticket) in held.into_iter().enumerate().rev() {
            ticket.answer((201, format!("{number}"))).unwrap();
        }
    });
    for (number, peer) in peers.iter_mut().enumerate() {
        let answer = peer.read_response("GET").unwrap();
        assert_eq!(shown(&answer), (201, number.to_string().as_str()));
        assert_eq!(get(peer, "/fast").text(), "fast");
    }
    answering.join().unwrap();
}

#[test]
fn what_is_pipelined_behind_waits_its_turn() {
    let (app, tickets) = holding();
    let served = Served::new(app);
    let mut peer = served.send(format!("{HOLD}GET /fast HTTP/1.1\r\nHost: a\r\n\r\n"));
    let ticket = next(&tickets);
    ticket.answer("slow").unwrap();
    assert_eq!(peer.read_response("GET").unwrap().text(), "slow");
    assert_eq!(peer.read_response("GET").unwrap().text(), "fast");
}

#[test]
fn an_answer_may_be_given_before_the_handler_returns() {
    let app = App::new().get("/", |request: &Request| {
        request.hold().answer("ticket").unwrap();
        "returned"
    });
    let served = Served::new(app);
    let mut peer = served.connect();
    assert_eq!(get(&mut peer, "/").text(), "ticket");
    assert_eq!(get(&mut peer, "/").text(), "ticket");
}

#[test]
fn a_large_answer_goes_out_whole() {
    let (app, tickets) = holding();
    let served = Served::new(app);
    let mut peer = served.send(HOLD);
    next(&tickets)
        .answer(alula_testkit::pattern(8_000_000))
        .unwrap();
    let body = peer.read_response("GET").unwrap().body;
    assert_eq!(
        (body.len(), alula_testkit::first_difference(&body, 0)),
        (8_000_000, None)
    );
    assert_eq!(get(&mut peer, "/fast").text(), "fast");
}

#[test]
fn a_dropped_ticket_is_a_500_and_the_connection_stays() {
    let (app, tickets) = holding();
    let (tell, told) = channel();
    let served = Served::new(app.log(move |event| tell.send(event.to_string()).unwrap()));
    let mut peer = served.send(HOLD);
    drop(next(&tickets));
    assert_eq!(peer.read_response("GET").unwrap().status, 500);
    assert_eq!(next(&told), Event::TicketDropped.to_string());
    assert_eq!(get(&mut peer, "/fast").text(), "fast");
}

#[test]
fn an_answer_for_a_connection_that_is_gone_is_told_so() {
    let (app, tickets) = holding();
    let served = Served::new(app);
    let mut peer = served.send(format!("GET /fast HTTP/1.1\r\nHost: a\r\n\r\n{HOLD}"));
    let ticket = next(&tickets);
    assert!(!ticket.is_gone() && !ticket.client_has_left());
    // The first answer is left unread, which makes it a reset.
    peer.reset().unwrap();
    until(|| ticket.is_gone());
    assert_eq!(ticket.answer("late"), Err(Gone));
    peer = served.connect();
    assert_eq!(get(&mut peer, "/fast").text(), "fast");
}

#[test]
fn a_client_that_has_closed_its_half_is_noticed_and_still_answered() {
    let (app, tickets) = holding();
    let served = Served::new(app);
    let mut peer = served.send(HOLD);
    let ticket = next(&tickets);
    peer.shutdown_write().unwrap();
    until(|| ticket.client_has_left());
    assert!(!ticket.is_gone());
    ticket.answer("whole").unwrap();
    assert_eq!(peer.read_response("GET").unwrap().text(), "whole");
    peer.expect_end().unwrap();
}

#[test]
fn the_ticket_of_a_handler_that_panicked_finds_it_answered() {
    let (give, tickets) = channel();
    let app = App::new()
        .get("/twice", |request: &Request| {
            let _first = request.hold();
            drop(request.hold());
        })
        .get("/panic", move |request: &Request| -> &str {
            give.send(request.hold()).unwrap();
            panic!("as asked");
        })
        .log(|_| {});
    let served = Served::new(app);
    let mut peer = served.connect();
    assert_eq!(get(&mut peer, "/twice").status, 500);
    assert_eq!(get(&mut peer, "/panic").status, 500);
    assert_eq!(next(&tickets).answer("second"), Err(Gone));
    // Nothing of either is left on the connection.
    assert_eq!(get(&mut peer, "/nothing").status, 404);
}

#[test]
fn a_stop_waits_for_tickets_and_says_that_the_connection_closes() {
    let (app, tickets) = holding();
    let served = Served::new(app);
    let mut peer = served.send(HOLD);
    let ticket = next(&tickets);
    served.handle.stop();
    // It is told after a second that the end is near.
    until(|| ticket.client_has_left());
    ticket.answer("last").unwrap();
    let answer = peer.read_response("GET").unwrap();
    assert_eq!(
        (answer.text(), answer.header("connection")),
        ("last", Some("close"))
    );
    peer.expect_end().unwrap();
    drop(peer);
    served.ended();
}

#[test]
fn a_stop_waits_no_longer_than_its_deadline() {
    let (app, tickets) = holding();
    let brief = Duration::from_millis(100);
    let served = Served::with(app, |config| config.timeout_graceful_shutdown(brief));
    let mut peer = served.send(HOLD);
    let ticket = next(&tickets);
    served.handle.stop();
    served.ended();
    assert_eq!(ticket.answer("late"), Err(Gone));
    assert!(peer.read_response("GET").is_err());
}
