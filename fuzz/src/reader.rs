//! Reads what the server's role has answered, by the client's.

use alula_http::{
    Limits, ResponseHead,
    h1::{Client, Progress},
};

/// Reads the head of the answer at the front of `out`: a client that has asked by `method` and now
/// expects the body, the status, and the bytes behind the head.
pub(crate) fn begin<'a>(out: &'a [u8], method: &str) -> (Client, u16, &'a [u8]) {
    let (mut client, mut head) = (Client::new(), ResponseHead::default());
    let host: (&[u8], &[u8]) = (b"host", b"a");
    client
        .request(&mut Vec::new(), method, b"/", std::iter::once(host))
        .expect("in order");
    let progress = client
        .receive_head(out, &mut head, &Limits::default())
        .expect("a head");
    let Progress::Complete { consumed } = progress else {
        panic!("half a head")
    };
    (client, head.view(out).status(), &out[consumed..])
}
