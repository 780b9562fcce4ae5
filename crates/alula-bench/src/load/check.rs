//! Whether an answer is the right one.

use serde_json::Value;

use crate::report::Mismatch;
use crate::request::{Expect, Length};

/// The longest body that is kept to look for JSON values in it.
const MAX_JSON: usize = 64 << 20;

/// So much of a wrong answer is shown.
const SHOWN: usize = 600;

/// What the answers to one kind of request have to be.
#[derive(Debug)]
pub(crate) struct Expected {
    /// Any of 200 to 299 if `None`.
    pub(crate) status: Option<u16>,
    /// Any if `None`.
    pub(crate) length: Option<u64>,
    body: Option<Vec<u8>>,
    json: Vec<(String, Value)>,
}

impl Expected {
    pub(crate) fn new(expect: &Expect) -> Self {
        Self {
            status: expect.status,
            length: match (&expect.body, expect.length) {
                (Some(body), _) => Some(body.len() as u64),
                (None, Length::Exact(length)) => Some(length),
                (None, Length::First | Length::Any) => None,
            },
            body: expect.body.clone(),
            json: expect.json.clone(),
        }
    }
}

/// One answer as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct Check {
    /// Bytes of the body so far.
    length: u64,
    /// The first thing that was wrong. Right answers allocate nothing.
    wrong: Option<Box<Mismatch>>,
    /// The body, where JSON values are to be looked for.
    json: Vec<u8>,
}

impl Check {
    /// The head has come, at the front of `input`.
    pub(crate) fn head(&mut self, expected: &Expected, status: u16, input: &[u8]) {
        let right = match expected.status {
            Some(wanted) => status == wanted,
            None => (200..300).contains(&status),
        };
        if !right {
            let wanted = expected
                .status
                .map_or_else(|| "200 to 299".into(), |status| status.to_string());
            self.fault(input, format!("status {status}, expected {wanted}"));
        }
    }

    /// The next bytes of the body, somewhere in `input`.
    pub(crate) fn data(&mut self, expected: &Expected, data: &[u8], input: &[u8]) {
        if let Some(body) = &expected.body {
            self.compare(body, data, input);
        }
        if !expected.json.is_empty() && self.json.len() + data.len() <= MAX_JSON {
            self.json.extend_from_slice(data);
        }
        self.length += data.len() as u64;
    }

    fn compare(&mut self, body: &[u8], data: &[u8], input: &[u8]) {
        let start = usize::try_from(self.length).unwrap_or(usize::MAX);
        let wanted = body.get(start..).unwrap_or_default();
        let both = wanted.len().min(data.len());
        // What is beyond the expected body shows as its length.
        if self.wrong.is_some() || wanted[..both] == data[..both] {
            return;
        }
        let pairs = wanted.iter().zip(data);
        let Some((at, (wanted, got))) = pairs.enumerate().find(|(_, (one, other))| one != other)
        else {
            return;
        };
        let what = format!(
            "byte {} of the body is {}, expected {}",
            start + at,
            shown_byte(*got),
            shown_byte(*wanted)
        );
        self.fault(input, what);
    }

    /// The answer is whole: what was wrong with it, and ready for the next one. `input`: what has
    /// come of it last.
    pub(crate) fn end(&mut self, expected: &Expected, input: &[u8]) -> Option<Box<Mismatch>> {
        let length = self.length;
        if let Some(wanted) = expected.length
            && wanted != length
        {
            self.fault(input, format!("body of {length} bytes, expected {wanted}"));
        }
        if !expected.json.is_empty() {
            if self.wrong.is_none()
                && let Some(what) = wrong_value(&self.json, length, &expected.json)
            {
                self.fault(input, what);
            }
            self.json.clear();
        }
        self.length = 0;
        self.wrong.take()
    }

    /// Bytes of the body so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Forgets an answer that will not become whole.
    pub(crate) fn reset(&mut self) {
        self.length = 0;
        self.wrong = None;
        self.json.clear();
    }

    #[cold]
    fn fault(&mut self, input: &[u8], what: String) {
        self.wrong.get_or_insert_with(|| {
            Box::new(Mismatch {
                request: String::new(),
                what,
                answer: shown(input),
            })
        });
    }
}

/// What is wrong with the values in a JSON body, if something is.
pub(crate) fn wrong_value(body: &[u8], length: u64, wanted: &[(String, Value)]) -> Option<String> {
    if body.len() as u64 != length {
        return Some(format!(
            "a JSON body of {length} bytes, more than the {MAX_JSON} that are looked at"
        ));
    }
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => return Some(format!("the body is no JSON: {error}")),
    };
    wanted.iter().find_map(|(pointer, wanted)| {
        let found = value.pointer(pointer);
        (found != Some(wanted)).then(|| match found {
            Some(found) => format!("JSON value at '{pointer}' is {found}, expected {wanted}"),
            None => format!("there is no JSON value at '{pointer}', expected {wanted}"),
        })
    })
}

fn shown_byte(byte: u8) -> String {
    if byte.is_ascii_graphic() {
        format!("'{}'", char::from(byte))
    } else {
        format!("0x{byte:02x}")
    }
}

/// The first bytes of an answer as text, without what a terminal would act upon.
fn shown(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(&input[..input.len().min(SHOWN)]);
    text.chars()
        .filter(|&one| one != '\r')
        .map(|one| {
            if one.is_control() && one != '\n' {
                '.'
            } else {
                one
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
