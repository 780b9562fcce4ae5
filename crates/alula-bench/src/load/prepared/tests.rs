use super::Prepared;
use crate::plan::Plan;
use crate::request::Body;

fn prepared(change: impl FnOnce(&mut Plan)) -> Result<Prepared, String> {
    let mut plan = Plan::new("http://127.0.0.1:8000/a?b").unwrap();
    change(&mut plan);
    Prepared::new(&plan).map_err(|error| error.to_string())
}

fn sent(change: impl FnOnce(&mut Plan)) -> String {
    let prepared = prepared(change).unwrap();
    let mut out = Vec::new();
    prepared.kinds[0].render(7, &mut out);
    if let Some(fixed) = prepared.kinds[0].fixed() {
        assert_eq!(fixed, out);
    }
    String::from_utf8(out).unwrap()
}

fn header(plan: &mut Plan, name: &str, value: &str) {
    plan.requests[0].headers.push((name.into(), value.into()));
}

#[test]
fn a_request_goes_out_as_it_was_asked_for() {
    assert_eq!(
        sent(|_| {}),
        "GET /a?b HTTP/1.1\r\nhost: 127.0.0.1:8000\r\n\r\n"
    );
    assert_eq!(
        sent(|plan| {
            plan.requests[0].method = "POST".into();
            plan.requests[0].body = Body::Fixed(b"body".to_vec());
            header(plan, "Accept", "*/*");
        }),
        "POST /a?b HTTP/1.1\r\nhost: 127.0.0.1:8000\r\nAccept: */*\r\ncontent-length: 4\r\n\r\nbody"
    );
    assert_eq!(
        sent(|plan| header(plan, "Host", "other")),
        "GET /a?b HTTP/1.1\r\nHost: other\r\n\r\n"
    );
}

#[test]
fn without_keep_alive_it_says_so() {
    let text = sent(|plan| plan.keep_alive = false);
    assert_eq!(text.matches("connection: close\r\n").count(), 1, "{text}");
    for other in ["close", "keep-alive, close"] {
        let text = sent(|plan| {
            plan.keep_alive = false;
            header(plan, "Connection", other);
        });
        assert_eq!(text.matches("close").count(), 1, "{text}");
    }
}

#[test]
fn a_template_counts_its_own_length() {
    let prepared = prepared(|plan| {
        plan.requests[0].method = "POST".into();
        plan.requests[0].body = Body::Template(b"{counter} and {counter}!".to_vec());
    })
    .unwrap();
    for (counter, end) in [
        (0, "content-length: 8\r\n\r\n0 and 0!"),
        (9, "content-length: 8\r\n\r\n9 and 9!"),
        (10, "content-length: 10\r\n\r\n10 and 10!"),
        (
            u64::MAX,
            "content-length: 46\r\n\r\n18446744073709551615 and 18446744073709551615!",
        ),
    ] {
        let mut out = Vec::new();
        prepared.kinds[0].render(counter, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with(end), "{text}");
    }
}

#[test]
fn refuses_what_must_not_go_out() {
    type Change = fn(&mut Plan);
    let cases: [(Change, &str); 6] = [
        (
            |plan| plan.requests[0].method = "G T".into(),
            "method is not valid",
        ),
        (
            |plan| plan.requests[0].path = "/a b".into(),
            "target is not valid",
        ),
        (|plan| header(plan, "a b", "c"), "header name is not valid"),
        (
            |plan| header(plan, "a", "b\r\nc: d"),
            "header value is not valid",
        ),
        (
            |plan| {
                plan.requests[0].body = Body::Fixed(b"abc".to_vec());
                header(plan, "Content-Length", "4");
            },
            "its Content-Length is not that of its body",
        ),
        (
            |plan| {
                plan.requests[0].body = Body::Template(b"{counter}".to_vec());
                header(plan, "Content-Length", "9");
            },
            "Content-Length can't be a header of yours",
        ),
    ];
    for (change, why) in cases {
        let error = prepared(change).unwrap_err();
        assert!(error.contains(why), "{why}: {error}");
        assert!(error.contains("cannot be sent"), "{error}");
    }
}
