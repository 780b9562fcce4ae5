//! The 38 cases with known right answers, whole, split at every byte, and a byte at a time.

use alula_http::Limits;
use alula_testkit::{
    read_response,
    split::{Split, pieces},
};
use serde_json::Value;

use crate::transcript::{End, Transcript, play};

/// Shared with the tests that send them over sockets.
const CASES: &str = include_str!("../../../../tests/data/http1_cases.json");

/// The numbers of a list, if it is there.
fn statuses(expect: &Value, key: &str) -> Option<Vec<u16>> {
    let list = expect.get(key)?.as_array()?;
    Some(
        list.iter()
            .filter_map(|status| status.as_u64()?.try_into().ok())
            .collect(),
    )
}

fn flag(expect: &Value, key: &str) -> bool {
    expect[key].as_bool().unwrap_or(false)
}

fn decode_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .filter_map(|byte| DIGITS.iter().position(|&digit| digit == byte));
    let mut bytes = Vec::new();
    let (mut bits, mut word) = (0, 0);
    for digit in digits {
        word = (word << 6 | digit) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    bytes
}

/// The final answers, status and body; interim ones are counted among none.
fn answers(transcript: &Transcript, head_first: bool) -> Vec<(u16, Vec<u8>)> {
    let mut out = &transcript.out[..];
    let mut answers = Vec::new();
    while !out.is_empty() {
        let method = if head_first && answers.is_empty() {
            "HEAD"
        } else {
            "GET"
        };
        let (response, len) = read_response(out, method, true)
            .expect("well-formed")
            .expect("whole");
        out = &out[len..];
        if response.status >= 200 {
            answers.push((response.status, response.body));
        }
    }
    answers
}

fn check(case: &Value, bytes: &[u8], split: Split) {
    let name = format!("{} {split}", case["name"]);
    let expect = &case["expect"];
    let fin = flag(expect, "half_close");
    let transcript = play(pieces(bytes, split), &Limits::default(), fin);
    let answers = answers(&transcript, flag(expect, "head_first"));

    let allowed = statuses(expect, "prefer").or_else(|| statuses(expect, "status_in"));
    let allowed = allowed.unwrap_or_default();
    for (status, _) in &answers {
        assert!(
            allowed.contains(status),
            "{name}: {status} is none of {allowed:?}"
        );
    }
    assert!(
        !answers.is_empty() || allowed.is_empty() || flag(expect, "silent_close_ok"),
        "{name}: no answer"
    );
    if let Some(exact) = expect["responses"].as_u64() {
        assert_eq!(answers.len() as u64, exact, "{name}");
    }
    if let Some(body) = expect["body"].as_str() {
        assert_eq!(answers[0].1, body.as_bytes(), "{name}");
    }
    if flag(expect, "must_close") {
        assert!(
            matches!(transcript.end, End::Closed | End::Refused(_)),
            "{name}: stays open"
        );
    }
}

/// Each case with its bytes.
pub(crate) fn all() -> impl Iterator<Item = (Value, Vec<u8>)> {
    let cases: Vec<Value> = serde_json::from_str(CASES).expect("JSON");
    assert_eq!(cases.len(), 38);
    cases.into_iter().map(|case| {
        let bytes = decode_base64(case["bytes_b64"].as_str().expect("base64"));
        (case, bytes)
    })
}

#[test]
fn every_case_has_its_right_outcome_however_it_is_cut() {
    for (case, bytes) in all() {
        for split in Split::all(bytes.len()) {
            check(&case, &bytes, split);
        }
    }
}
