use std::time::Duration;

use super::{Extent, MAX_CONNECTIONS, MAX_PIPELINE, Pace, Plan};
use crate::request::{Body, Length};

fn plan() -> Plan {
    Plan::new("http://127.0.0.1:8000/users/42").unwrap()
}

#[test]
fn has_defaults_that_can_be_run() {
    let plan = plan();
    plan.check().unwrap();
    assert_eq!(plan.name(), "http://127.0.0.1:8000/users/42");
    assert_eq!(plan.requests[0].label(), "GET /users/42");
}

#[test]
fn accepts_its_bounds_themselves() {
    let mut plan = plan();
    plan.threads = 4;
    plan.connections = 4;
    plan.check().unwrap();
    plan.connections = MAX_CONNECTIONS;
    plan.pipeline = MAX_PIPELINE;
    plan.warmup = Duration::ZERO;
    plan.extent = Extent::Requests(1);
    plan.check().unwrap();
}

#[test]
fn names_what_is_out_of_bounds() {
    type Change = fn(&mut Plan);
    let cases: [(Change, &str); 14] = [
        (|plan| plan.threads = 0, "threads is 0: 1 to 1024"),
        (|plan| plan.connections = 0, "connections is 0: 1 to 100000"),
        (
            |plan| (plan.threads, plan.connections) = (3, 2),
            "connections is 2: 3 to 100000",
        ),
        (|plan| plan.pipeline = 1025, "pipeline is 1025: 1 to 1024"),
        (
            |plan| plan.timeout = Duration::ZERO,
            "timeout is 0ns: more than 0",
        ),
        (
            |plan| plan.extent = Extent::Duration(Duration::from_secs(90_000)),
            "duration is 90000s: more than 0, up to a day",
        ),
        (
            |plan| plan.extent = Extent::Requests(0),
            "requests is 0: at least 1",
        ),
        (|plan| plan.pace = Pace::Open(0.0), "rate is 0: more than 0"),
        (|plan| plan.pace = Pace::Open(f64::NAN), "rate is NaN"),
        (
            |plan| (plan.pipeline, plan.keep_alive) = (2, false),
            "pipeline is more than 1 without keep-alive",
        ),
        (
            |plan| plan.requests[0].weight = 0,
            "request 'GET /users/42': weight 0: 1 to 10000",
        ),
        (
            |plan| plan.requests[0].expect.status = Some(100),
            "expected status 100: 200 to 999",
        ),
        (
            |plan| {
                plan.requests[0].expect.body = Some(b"abc".to_vec());
                plan.requests[0].expect.length = Length::Exact(4);
            },
            "expected length 4, but the expected body has 3",
        ),
        (
            |plan| plan.requests[0].body = Body::Template(b"{count}".to_vec()),
            "its body template has no {counter} in it",
        ),
    ];
    for (change, why) in cases {
        let mut plan = plan();
        change(&mut plan);
        let error = plan.check().unwrap_err().to_string();
        assert!(error.contains(why), "{why}: {error}");
    }
}
