//! A whole connection of the server's role, with a handler that echoes. Invariants:
//!
//! - it never panics, and what it sees and says does not depend on how the bytes come in;
//! - each whole request is answered once, in order; an error is answered last and at most once;
//! - what goes out is read by the client's role as just those answers.

use alula_http::Limits;

use super::{
    Choices, cut, reader,
    transcript::{End, play},
};

/// Runs the target.
pub fn run(data: &[u8]) {
    let mut choices = Choices(data);
    let (size, bounds) = (choices.byte(), choices.byte());
    let input = choices.0;
    let limits = Limits {
        head_bytes: if bounds & 1 == 0 { 65_536 } else { 80 },
        body_bytes: (bounds & 2 == 2).then_some(20),
        ..Limits::default()
    };
    let fin = bounds & 4 == 4;
    let whole = play([input], &limits, fin);
    for size in [1, size] {
        assert_eq!(
            play(cut(input, size), &limits, fin),
            whole,
            "pieces of {size}"
        );
    }
    let answered = whole.requests.iter().filter(|seen| seen.whole);
    let mut out = &whole.out[..];
    for seen in answered {
        let (status, _) = read(&mut out, &seen.method);
        assert!([200, 400, 501].contains(&status));
    }
    if let End::Refused(error) = whole.end
        && let Some(expected) = error.status()
    {
        // A HEAD whose body broke is answered without one.
        let method = whole.requests.last().filter(|seen| !seen.whole);
        let (status, keeps) = read(&mut out, method.map_or("GET", |seen| &seen.method));
        assert!(status == expected && !keeps);
    }
    assert!(out.is_empty(), "more answers than requests");
}

/// Takes one answer from the front: its status, and whether the connection stays.
fn read(out: &mut &[u8], method: &str) -> (u16, bool) {
    let (mut client, status, rest) = reader::begin(out, method);
    *out = rest;
    let limits = Limits::default();
    while !client.response_complete() {
        let step = client.receive_body(out, &limits).expect("a body");
        assert!(step.consumed > 0, "half a body");
        *out = &out[step.consumed..];
    }
    (status, client.keep_alive())
}
