//! Responses, and what can become one.

use std::borrow::Cow;

use alula_schema::json;

use crate::body::Content;
use crate::{BadEncoding, Body};

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

/// An answer: a status, headers and a [`Body`].
///
/// The engine adds `date`, `server` and what tells the length of the body. A header or status that
/// must not go out becomes a 500, and is [logged](crate::App::log).
#[derive(Debug)]
pub struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: Option<Cow<'static, str>>,
    pub(crate) headers: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    pub(crate) content: Content,
}

impl Response {
    /// 200 with this body, and no `content-type`.
    pub fn new(body: impl Into<Body>) -> Self {
        Self::from_content(body.into().0)
    }

    /// The status alone, without a body.
    pub fn status(status: u16) -> Self {
        Self::new("").with_status(status)
    }

    pub(crate) fn from_content(content: Content) -> Self {
        Self {
            status: 200,
            content_type: None,
            headers: Vec::new(),
            content,
        }
    }

    /// With another status: 200 to 599.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// With another `content-type`.
    #[must_use]
    pub fn with_content_type(mut self, value: impl Into<Cow<'static, str>>) -> Self {
        self.content_type = Some(value.into());
        self
    }

    /// With a further header line. There is only one `content-type`: the last.
    #[must_use]
    pub fn with_header(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Cow<'static, str>>,
    ) -> Self {
        let name = name.into();
        if name.eq_ignore_ascii_case("content-type") {
            return self.with_content_type(value);
        }
        self.headers.push((name, value.into()));
        self
    }

    /// Whether there is a header line called `name`, in any case.
    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.headers
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
    }
}

/// What a handler may return.
///
/// Text, bytes and [JSON](crate::json) are a 200 with a fitting `content-type`, `()` is a 204; a
/// pair with a status in front has that status, a triple headers too; of a `Result`, both sides are
/// responses, and what [`Request::json`](crate::Request::json) and
/// [`Request::query_value`](crate::Request::query_value) fail with is a 400.
pub trait IntoResponse {
    /// The response.
    fn into_response(self) -> Response;
}

impl IntoResponse for Response {
    fn into_response(self) -> Response {
        self
    }
}

impl IntoResponse for () {
    fn into_response(self) -> Response {
        Response::status(204)
    }
}

impl IntoResponse for json::Value {
    fn into_response(self) -> Response {
        // Most documents are small, and growing in steps costs.
        let mut text = Vec::with_capacity(128);
        json::write(&self, &mut text);
        Response::new(text).with_content_type(JSON)
    }
}

/// 400, with what is wrong and where.
impl IntoResponse for json::JsonError {
    fn into_response(self) -> Response {
        (400, self.to_string()).into_response()
    }
}

/// 400, with what is wrong.
impl IntoResponse for BadEncoding {
    fn into_response(self) -> Response {
        (400, self.to_string()).into_response()
    }
}

impl IntoResponse for Body {
    fn into_response(self) -> Response {
        Response::new(self).with_content_type(BYTES)
    }
}

macro_rules! responses {
    ($content_type:expr, $($type:ty),+) => {$(
        impl IntoResponse for $type {
            fn into_response(self) -> Response {
                Response::new(self).with_content_type($content_type)
            }
        }
    )+};
}

responses!(TEXT, String, &'static str);
responses!(BYTES, Vec<u8>, &'static [u8], Cow<'static, [u8]>);

impl<const LENGTH: usize> IntoResponse for &'static [u8; LENGTH] {
    fn into_response(self) -> Response {
        self.as_slice().into_response()
    }
}

impl<T: IntoResponse> IntoResponse for (u16, T) {
    fn into_response(self) -> Response {
        self.1.into_response().with_status(self.0)
    }
}

impl<T, N, V, const COUNT: usize> IntoResponse for (u16, [(N, V); COUNT], T)
where
    T: IntoResponse,
    N: Into<Cow<'static, str>>,
    V: Into<Cow<'static, str>>,
{
    fn into_response(self) -> Response {
        let (status, headers, body) = self;
        let response = body.into_response().with_status(status);
        headers
            .into_iter()
            .fold(response, |response, (name, value)| {
                response.with_header(name, value)
            })
    }
}

impl<T: IntoResponse, E: IntoResponse> IntoResponse for Result<T, E> {
    fn into_response(self) -> Response {
        match self {
            Ok(value) => value.into_response(),
            Err(error) => error.into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: impl IntoResponse) -> (u16, Option<String>, String) {
        let response = value.into_response();
        let Content::Bytes(body) = &response.content else {
            panic!("no bytes");
        };
        let body = String::from_utf8_lossy(body).into_owned();
        (
            response.status,
            response.content_type.map(Cow::into_owned),
            body,
        )
    }

    #[test]
    fn what_handlers_return_becomes_a_response() {
        let text = || Some(TEXT.to_owned());
        assert_eq!(shown("a"), (200, text(), "a".to_owned()));
        assert_eq!(shown(String::from("a")), (200, text(), "a".to_owned()));
        assert_eq!(
            shown(vec![b'a']),
            (200, Some(BYTES.to_owned()), "a".to_owned())
        );
        let value = json::Value::from([("a", 1)]);
        let json = Some(JSON.to_owned());
        assert_eq!(shown(value), (200, json, "{\"a\":1}".to_owned()));
        assert_eq!(shown(b"a"), (200, Some(BYTES.to_owned()), "a".to_owned()));
        let wrong = json::parse(b"x", &json::Options::default()).unwrap_err();
        let told = "line 1, column 1: expected a value, found \"x\"";
        assert_eq!(shown(wrong), (400, text(), told.to_owned()));
        assert_eq!(shown(()), (204, None, String::new()));
        assert_eq!(shown((404, "no")), (404, text(), "no".to_owned()));
        assert_eq!(shown(Ok::<_, ()>("a")), (200, text(), "a".to_owned()));
        assert_eq!(
            shown(Err::<(), _>((400, "e"))),
            (400, text(), "e".to_owned())
        );
    }

    #[test]
    fn headers_add_up_but_for_the_content_type() {
        let headers = [("x-a", "1"), ("Content-Type", "text/html"), ("x-a", "2")];
        let response = (201, headers, "<p>").into_response();
        assert_eq!(response.content_type.as_deref(), Some("text/html"));
        assert_eq!(response.headers.len(), 2);
        assert!(response.has_header("X-A") && !response.has_header("content-type"));
    }
}
