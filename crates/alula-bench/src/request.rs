//! One kind of request, and what its answer has to be.

pub mod file;

use serde_json::Value;

use crate::error::Error;
use crate::target::Target;

/// The highest weight; it bounds the table from which requests are dealt.
pub const MAX_WEIGHT: u32 = 10_000;

/// What stands for a number in a template.
pub const COUNTER: &str = "{counter}";

/// One kind of request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What it is called in reports; method and path if `None`.
    pub name: Option<String>,
    /// Its method.
    pub method: String,
    /// Path and query, as they are sent.
    pub path: String,
    /// Further headers. `Host` comes from the URL unless it is here; `Content-Length` is added.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Body,
    /// How often it is sent, against the other kinds; 1 to [`MAX_WEIGHT`].
    pub weight: u32,
    /// What its answer has to be.
    pub expect: Expect,
}

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// None at all.
    #[default]
    None,
    /// These bytes.
    Fixed(Vec<u8>),
    /// These bytes with each [`COUNTER`] replaced by a number that no other request of the run has.
    Template(Vec<u8>),
}

/// What an answer has to be. A response that differs is counted, shown, and fails the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// The status; any of 200 to 299 if `None`.
    pub status: Option<u16>,
    /// Length of the body, without the framing of chunks.
    pub length: Length,
    /// The whole body.
    pub body: Option<Vec<u8>>,
    /// Values in a JSON body: a pointer (RFC 6901) and what stands there.
    pub json: Vec<(String, Value)>,
}

/// What the length of a body has to be, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// That of the first answer; any, where the request's body is a template or JSON values are
    /// checked.
    #[default]
    First,
    /// This one.
    Exact(u64),
    /// Any.
    Any,
}

impl Request {
    /// GET of a path, with what a 2xx answer of constant length is expected to be.
    pub fn get(path: &str) -> Self {
        Self {
            name: None,
            method: "GET".into(),
            path: path.into(),
            headers: Vec::new(),
            body: Body::None,
            weight: 1,
            expect: Expect::default(),
        }
    }

    /// What it is called in reports.
    pub fn label(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => format!("{} {}", self.method, self.path),
        }
    }

    /// Whether it can be sent.
    ///
    /// # Errors
    ///
    /// A weight out of bounds, or a template or an expectation that makes no sense. Method, path
    /// and headers are looked at when they are encoded.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Plan(format!("request '{}': {why}", self.label())));
        if !(1..=MAX_WEIGHT).contains(&self.weight) {
            let weight = self.weight;
            return refuse(format!("weight {weight}: 1 to {MAX_WEIGHT} is accepted"));
        }
        if let Some(status) = self.expect.status
            && !(200..=999).contains(&status)
        {
            return refuse(format!("expected status {status}: 200 to 999 is accepted"));
        }
        if let (Some(body), Length::Exact(length)) = (&self.expect.body, self.expect.length)
            && body.len() as u64 != length
        {
            let real = body.len();
            return refuse(format!(
                "expected length {length}, but the expected body has {real}"
            ));
        }
        for (pointer, _) in &self.expect.json {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                return refuse(format!(
                    "JSON pointer '{pointer}': '' or one that begins with '/' is accepted"
                ));
            }
        }
        match &self.body {
            Body::Template(text) if !contains(text, COUNTER.as_bytes()) => {
                refuse(format!("its body template has no {COUNTER} in it"))
            }
            _ => Ok(()),
        }
    }

    /// The headers with which it goes out; the encoder makes one of several wishes to close.
    pub(crate) fn all_headers(&self, target: &Target, keep_alive: bool) -> Vec<(String, String)> {
        let has = |wanted: &str| {
            let mut names = self.headers.iter().map(|(name, _)| name);
            names.any(|name| name.eq_ignore_ascii_case(wanted))
        };
        let mut headers = Vec::with_capacity(self.headers.len() + 2);
        if !has("host") {
            headers.push(("host".to_owned(), target.host().to_owned()));
        }
        headers.extend(self.headers.iter().cloned());
        if !keep_alive {
            headers.push(("connection".to_owned(), "close".to_owned()));
        }
        headers
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
