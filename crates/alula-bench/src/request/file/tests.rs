use std::fs;

use alula_testkit::Scratch;
use serde_json::json;

use super::read;
use crate::request::{Body, Expect, Length, Request};

fn file(name: &str, text: &str) -> Result<Vec<Request>, String> {
    let scratch = Scratch::new().unwrap();
    fs::write(scratch.join("answer.bin"), b"ok\xff").unwrap();
    fs::write(scratch.join("body.bin"), b"in\xff").unwrap();
    let path = scratch.join(name);
    fs::write(&path, text).unwrap();
    read(&path).map_err(|error| error.to_string())
}

#[test]
fn reads_every_key() {
    let toml = r#"
        [[request]]
        path = "/users/42"

        [[request]]
        name = "add"
        method = "PUT"
        path = "/add?x=1"
        headers = { accept = "text/plain", content-type = "application/json" }
        body_template = '{"n": {counter}}'
        weight = 3
        expect_status = 201
        expect_length = "any"
        expect_json = { "/sum" = 3, "" = { sum = 3 } }

        [[request]]
        method = "POST"
        path = "/files"
        body_file = "body.bin"
        expect_body_file = "answer.bin"
        expect_length = 3
    "#;
    let json = json!({"request": [
        {"path": "/users/42"},
        {
            "name": "add", "method": "PUT", "path": "/add?x=1",
            "headers": {"accept": "text/plain", "content-type": "application/json"},
            "body_template": "{\"n\": {counter}}", "weight": 3, "expect_status": 201,
            "expect_length": "any", "expect_json": {"/sum": 3, "": {"sum": 3}},
        },
        {
            "method": "POST", "path": "/files", "body_file": "body.bin",
            "expect_body_file": "answer.bin", "expect_length": 3,
        },
    ]});
    let requests = file("mix.toml", toml).unwrap();
    assert_eq!(requests, file("mix.json", &json.to_string()).unwrap());
    assert_eq!(requests[0], Request::get("/users/42"));
    let text = |text: &str| text.to_owned();
    assert_eq!(
        requests[1],
        Request {
            name: Some(text("add")),
            method: text("PUT"),
            path: text("/add?x=1"),
            headers: vec![
                (text("accept"), text("text/plain")),
                (text("content-type"), text("application/json")),
            ],
            body: Body::Template(b"{\"n\": {counter}}".to_vec()),
            weight: 3,
            expect: Expect {
                status: Some(201),
                length: Length::Any,
                body: None,
                json: vec![(text(""), json!({"sum": 3})), (text("/sum"), json!(3))],
            },
        }
    );
    assert_eq!(requests[2].body, Body::Fixed(b"in\xff".to_vec()));
    assert_eq!(requests[2].expect.body.as_deref(), Some(&b"ok\xff"[..]));
    assert_eq!(requests[2].expect.length, Length::Exact(3));
}

#[test]
fn says_what_is_wrong_and_where() {
    for (name, text, why) in [
        (
            "mix.toml",
            "[[request]]\nmethod = \"GET\"",
            "missing field `path`",
        ),
        (
            "mix.toml",
            "[[request]]\npath = \"/\"\nwieght = 2",
            "unknown field `wieght`",
        ),
        (
            "mix.json",
            "{\"request\": []}",
            "it has 0 requests: 1 to 1000",
        ),
        ("mix.json", "{\"request\": [", "EOF"),
        (
            "mix.toml",
            "[[request]]\npath = \"/\"\nexpect_length = \"some\"",
            "a number of bytes, \"first\" or \"any\"",
        ),
        (
            "mix.toml",
            "[[request]]\npath = \"/a\"\nbody = \"\"\nbody_template = \"\"",
            "request 'GET /a': give only one of body, body_file and body_template",
        ),
        (
            "mix.toml",
            "[[request]]\npath = \"/a\"\nexpect_body = \"\"\nexpect_body_file = \"answer.bin\"",
            "give only one of expect_body and expect_body_file",
        ),
        (
            "mix.toml",
            "[[request]]\npath = \"/\"\nbody_file = \"none.bin\"",
            "none.bin",
        ),
    ] {
        let error = file(name, text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}
