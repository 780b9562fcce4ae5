//! One response on its way in: bytes to a checked answer. Does no input or output.

use alula_http::h1::{Client, Progress};
use alula_http::{Limits, ProtocolError, ResponseHead};

use super::check::{Check, Expected};

/// What a server may send; wide enough for any server that is to be measured.
const LIMITS: Limits = Limits {
    head_bytes: 256 * 1024,
    headers: 512,
    trailer_bytes: 64 * 1024,
    chunk_extension_bytes: 4096,
    leading_empty_lines: 0,
    body_bytes: None,
};

/// A request that has gone out, and its response as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    client: Client,
    in_body: bool,
}

/// What has become of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// More bytes are needed behind the rest.
    More,
    /// It is whole; [`Check::end`] has the verdict.
    Answered,
}

impl Exchange {
    /// `client`: its state when the request has gone out.
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            in_body: false,
        }
    }

    /// Takes what it can from the front of `input`.
    pub(crate) fn advance(
        &mut self,
        input: &mut &[u8],
        head: &mut ResponseHead,
        check: &mut Check,
        expected: &Expected,
    ) -> Result<Step, ProtocolError> {
        let all = *input;
        while !self.in_body {
            let Progress::Complete { consumed } = self.client.receive_head(input, head, &LIMITS)?
            else {
                return Ok(Step::More);
            };
            let view = head.view(input);
            if !view.is_interim() {
                check.head(expected, view.status(), input);
                self.in_body = true;
            }
            *input = &input[consumed..];
        }
        loop {
            let step = self.client.receive_body(input, &LIMITS)?;
            if !step.data.is_empty() {
                check.data(expected, &input[step.data], all);
            }
            *input = &input[step.consumed..];
            if step.end {
                return Ok(Step::Answered);
            }
            if step.consumed == 0 {
                return Ok(Step::More);
            }
        }
    }

    /// The server has closed: that may be the end of the body.
    pub(crate) fn closed(&mut self) -> Result<Step, ProtocolError> {
        self.client.input_closed()?;
        Ok(Step::Answered)
    }

    /// Whether the connection may be used again.
    pub(crate) fn keeps_alive(&self) -> bool {
        self.client.keep_alive()
    }
}

#[cfg(test)]
mod tests;
