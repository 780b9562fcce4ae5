//! A plan turned into bytes and expectations, once, shared by all threads.

use alula_http::h1::Client;

use super::check::Expected;
use super::mix::Mix;
use crate::error::Error;
use crate::plan::Plan;
use crate::request::{Body, COUNTER, Length, Request};

/// What a run sends.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// One for each request of the plan.
    pub(crate) kinds: Vec<Kind>,
    /// The order in which they are sent.
    pub(crate) mix: Mix,
}

/// One kind of request.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) label: String,
    /// A connection's protocol state when just this request has gone out; cloned for each.
    pub(crate) client: Client,
    pub(crate) expected: Expected,
    message: Message,
}

#[derive(Debug)]
enum Message {
    Fixed(Vec<u8>),
    Template(Template),
}

/// A request whose length changes with the number of digits of its counter.
#[derive(Debug)]
struct Template {
    /// Up to the value of Content-Length.
    front: Vec<u8>,
    /// What follows that value: the rest of the head.
    rest: Vec<u8>,
    /// The body between its counters; one more than there are counters.
    pieces: Vec<Vec<u8>>,
}

/// Behind these the value of Content-Length stands, in a head that the client has framed.
const LENGTH: &[u8] = b"content-length: ";

impl Prepared {
    /// Encodes every request of a plan. What their first answers fix is still open.
    pub(crate) fn new(plan: &Plan) -> Result<Self, Error> {
        let kinds = plan.requests.iter().map(|request| Kind::new(plan, request));
        let weights: Vec<u32> = plan.requests.iter().map(|one| one.weight).collect();
        Ok(Self {
            kinds: kinds.collect::<Result<_, _>>()?,
            mix: Mix::new(&weights)?,
        })
    }
}

impl Kind {
    fn new(plan: &Plan, request: &Request) -> Result<Self, Error> {
        let label = request.label();
        let refuse = |why: &dyn std::fmt::Display| {
            let text = format!("request '{label}' cannot be sent: {why}");
            Error::Plan(text)
        };
        let headers = request.all_headers(&plan.target, plan.keep_alive);
        let lines = headers
            .iter()
            .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
        let mut client = Client::new();
        let mut head = Vec::new();
        client
            .request(&mut head, &request.method, request.path.as_bytes(), lines)
            .map_err(|error| refuse(&error))?;
        let body: &[u8] = match &request.body {
            Body::None => b"",
            Body::Fixed(body) | Body::Template(body) => body,
        };
        let open = head.len();
        let frame = client
            .frame_body(&mut head, body.len(), false)
            .map_err(|error| refuse(&error))?;
        if frame.short || frame.overflow {
            return Err(refuse(&"its Content-Length is not that of its body"));
        }
        let message = if let Body::Template(text) = &request.body {
            let template = Template::new(&head, open, text);
            Message::Template(template.ok_or_else(|| {
                refuse(&"with a template, Content-Length can't be a header of yours")
            })?)
        } else {
            head.extend_from_slice(body);
            head.extend_from_slice(frame.suffix);
            Message::Fixed(head)
        };
        Ok(Self {
            label,
            client,
            expected: Expected::new(&request.expect),
            message,
        })
    }

    /// The whole request, if it is always the same.
    pub(crate) fn fixed(&self) -> Option<&[u8]> {
        match &self.message {
            Message::Fixed(bytes) => Some(bytes),
            Message::Template(_) => None,
        }
    }

    /// Appends the whole request; `counter` goes in where its template says.
    pub(crate) fn render(&self, counter: u64, out: &mut Vec<u8>) {
        match &self.message {
            Message::Fixed(bytes) => out.extend_from_slice(bytes),
            Message::Template(template) => template.render(counter, out),
        }
    }

    /// Lets the first answer fix the length, where that is asked for.
    pub(crate) fn settle(&mut self, request: &Request, length: u64) {
        let varies = matches!(request.body, Body::Template(_)) || !request.expect.json.is_empty();
        if request.expect.length == Length::First && request.expect.body.is_none() && !varies {
            self.expected.length = Some(length);
        }
    }
}

impl Template {
    /// `head` is closed, and from `open` on it is framing.
    fn new(head: &[u8], open: usize, text: &[u8]) -> Option<Self> {
        let framing = head[open..].strip_prefix(LENGTH)?;
        let digits = framing.iter().take_while(|byte| byte.is_ascii_digit());
        let rest = framing[digits.count()..].to_vec();
        let mut pieces = vec![Vec::new()];
        let mut left = text;
        while let Some((&first, behind)) = left.split_first() {
            if let Some(behind) = left.strip_prefix(COUNTER.as_bytes()) {
                pieces.push(Vec::new());
                left = behind;
            } else {
                pieces.last_mut()?.push(first);
                left = behind;
            }
        }
        Some(Self {
            front: head[..open + LENGTH.len()].to_vec(),
            rest,
            pieces,
        })
    }

    fn render(&self, counter: u64, out: &mut Vec<u8>) {
        let mut number = Decimal::default();
        let digits = number.write(counter).len();
        let text: usize = self.pieces.iter().map(Vec::len).sum();
        let length = text + digits * (self.pieces.len() - 1);
        out.extend_from_slice(&self.front);
        out.extend_from_slice(Decimal::default().write(length as u64));
        out.extend_from_slice(&self.rest);
        for (position, piece) in self.pieces.iter().enumerate() {
            if position > 0 {
                out.extend_from_slice(number.write(counter));
            }
            out.extend_from_slice(piece);
        }
    }
}

/// Room for the digits of a number.
#[derive(Default)]
struct Decimal([u8; 20]);

impl Decimal {
    fn write(&mut self, mut number: u64) -> &[u8] {
        let mut at = self.0.len();
        loop {
            at -= 1;
            self.0[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return &self.0[at..];
            }
        }
    }
}

#[cfg(test)]
mod tests;
