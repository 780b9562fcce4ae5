//! Many clients, and each gets its own.

mod stage;

use stage::{Api, get};

#[test]
fn silent_clients_hold_up_nobody() {
    let api = Api::new();
    let silent: Vec<_> = (0..25).map(|_| api.connect()).collect();
    let begun: Vec<_> = (0..25).map(|_| api.send("GET /users/1 HT")).collect();
    for _ in 0..10 {
        api.assert_serves_others();
    }
    assert_eq!(silent.len() + begun.len(), 50);
}

/// However connections are watched.
const WAYS: [&[&str]; 2] = [&[], &["--poller", "poll", "--busy-poll", "0.0001"]];

#[test]
fn many_clients_each_get_their_own_answers() {
    WAYS.map(Api::with).iter().for_each(crowd);
}

fn crowd(api: &Api) {
    let clients: Vec<_> = (0..64)
        .map(|client| {
            let mut peer = api.connect();
            std::thread::spawn(move || {
                for number in 0..40 {
                    let q = format!("client-{client}-request-{number}");
                    let answer = get(&mut peer, &format!("/search?q={q}"));
                    let expected = format!(r#"{{"q":"{q}","length":{}}}"#, q.len());
                    assert_eq!(answer.text(), expected);
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
}

#[test]
fn clients_that_vanish_harm_nobody() {
    WAYS.map(Api::with).iter().for_each(vanish);
}

fn vanish(api: &Api) {
    let blobs = "GET /blob/32768 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20);
    for number in 0..150 {
        match number % 3 {
            0 => api.send(&blobs).reset().unwrap(),
            1 => drop(api.send("POST /add HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nxx")),
            // A whole answer is left unread.
            _ => {
                let mut peer = api.connect();
                get(&mut peer, "/users/1");
                peer.send(b"GET /users/2 HTTP/1.1\r\nHost: a\r\n\r\nGET ")
                    .unwrap();
                peer.reset().unwrap();
            }
        }
    }
    api.assert_serves_others();
}
