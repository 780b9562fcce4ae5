//! The two kinds of error: what the peer did wrong, and what our caller did wrong.

use core::fmt;

/// Declares [`ProtocolError`] with its status and reason in one place.
macro_rules! protocol_errors {
    ($($(#[$doc:meta])+ $name:ident = $status:expr, $reason:literal;)+) => {
        /// What the peer did wrong. [`status`](Self::status) is what to answer before closing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProtocolError {
            $($(#[$doc])+ $name,)+
        }

        impl ProtocolError {
            /// Every error there is, for tables and tests.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The status to answer; `None`: close without a word.
            pub const fn status(self) -> Option<u16> {
                match self { $(Self::$name => $status,)+ }
            }

            /// A short text, fit for the answer's body and the log.
            pub const fn reason(self) -> &'static str {
                match self { $(Self::$name => $reason,)+ }
            }
        }
    };
}

protocol_errors! {
    /// A TLS handshake record on a port that speaks plain HTTP.
    TlsOnPlainPort = Some(400), "TLS was spoken to a plain HTTP port";
    /// The HTTP/2 prior-knowledge preface (RFC 9113 section 3.4).
    Http2Preface = None, "HTTP/2 is not enabled here";
    /// More empty lines before the request line than are skipped.
    TooManyEmptyLines = Some(400), "too many empty lines before the request line";
    /// The method is no token (RFC 9110 section 9.1).
    InvalidMethod = Some(400), "the method is not a token";
    /// Separators other than one space, or a line that ends early (RFC 9112 section 3).
    InvalidRequestLine = Some(400), "the request line is not METHOD SP target SP version";
    /// A byte that cannot stand in a request target.
    InvalidTarget = Some(400), "the request target holds a byte that it must not";
    /// A target of none of the four forms (RFC 9112 section 3.2).
    InvalidTargetForm = Some(400), "the request target has none of the forms its method allows";
    /// CONNECT; there are no tunnels here.
    ConnectUnsupported = Some(501), "CONNECT is not supported";
    /// The request line does not end within the limit of a head.
    TargetTooLong = Some(414), "the request target is too long";
    /// Not `HTTP/` digit `.` digit.
    InvalidVersion = Some(400), "the version is malformed";
    /// A major version other than 1.
    UnsupportedVersion = Some(505), "only HTTP/1 is spoken here";
    /// The first line of a response is not `version SP status [SP reason]`.
    InvalidStatusLine = None, "the status line is malformed";
    /// More bytes in a head than the limit.
    HeadTooLarge = Some(431), "the head is too large";
    /// More header lines than the limit.
    TooManyHeaders = Some(431), "there are too many header lines";
    /// A line feed without its carriage return.
    BareLf = Some(400), "a line feed stands without its carriage return";
    /// A carriage return without its line feed.
    BareCr = Some(400), "a carriage return stands without its line feed";
    /// A header name that is empty or no token.
    InvalidHeaderName = Some(400), "a header name is not a token";
    /// White space between a header name and its colon (RFC 9112 section 5.1).
    SpaceBeforeColon = Some(400), "white space stands before a header's colon";
    /// A header line without a colon.
    MissingColon = Some(400), "a header line has no colon";
    /// A line that begins with white space (RFC 9112 section 5.2).
    FoldedLine = Some(400), "a header line begins with white space";
    /// A control byte in a header value.
    InvalidHeaderValue = Some(400), "a header value holds a control byte";
    /// HTTP/1.1 without Host (RFC 9112 section 3.2).
    MissingHost = Some(400), "the Host header is missing";
    /// More than one Host line.
    RepeatedHost = Some(400), "there is more than one Host header";
    /// Host is no `host [":" port]`.
    InvalidHost = Some(400), "the Host header is not a valid authority";
    /// Content-Length is not 1 to 19 digits.
    InvalidContentLength = Some(400), "Content-Length is not a number of 1 to 19 digits";
    /// Content-Length lines that differ.
    ConflictingContentLength = Some(400), "the Content-Length lines differ";
    /// Content-Length together with Transfer-Encoding (RFC 9112 section 6.3).
    LengthAndCoding = Some(400), "Content-Length and Transfer-Encoding exclude each other";
    /// Transfer-Encoding in an HTTP/1.0 message.
    CodingOnHttp10 = Some(400), "HTTP/1.0 has no Transfer-Encoding";
    /// Transfer-Encoding that is not exactly one `chunked`.
    InvalidTransferEncoding = Some(400), "Transfer-Encoding is not exactly one chunked";
    /// An unknown coding under `chunked`.
    UnknownTransferCoding = Some(501), "only the chunked transfer coding is known";
    /// An expectation other than `100-continue`.
    UnknownExpectation = Some(417), "the only expectation known is 100-continue";
    /// A body longer than the limit.
    BodyTooLarge = Some(413), "the body is too large";
    /// A chunk size that is not 1 to 16 hexadecimal digits.
    InvalidChunkSize = Some(400), "a chunk size is not 1 to 16 hexadecimal digits";
    /// Chunk sizes whose sum does not fit 64 bits.
    ChunkOverflow = Some(400), "the chunk sizes overflow";
    /// A chunk extension out of its grammar (RFC 9112 section 7.1.1).
    InvalidChunkExtension = Some(400), "a chunk extension is malformed";
    /// More bytes of chunk extensions than the limit.
    ChunkExtensionTooLong = Some(400), "the extensions of a chunk are too long";
    /// Chunk data that is not followed by CRLF.
    InvalidChunkEnd = Some(400), "chunk data is not followed by a line end";
    /// More trailer bytes than the limit.
    TrailersTooLarge = Some(431), "the trailers are too large";
    /// Content-Length or Transfer-Encoding among the trailers.
    FramingInTrailers = Some(400), "the trailers hold a header that says where a body ends";
    /// The peer closed in the middle of a message.
    Incomplete = Some(400), "the message ended early";
    /// Bytes after a response that was to be the last, or before any request.
    UnexpectedBytes = None, "the server sent bytes that answer nothing";
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.reason())
    }
}

impl core::error::Error for ProtocolError {}

/// What our caller, and so the application, did wrong. Nothing of the refused call went out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UsageError {
    /// A final status outside 200 to 599.
    InvalidStatus(u16),
    /// An interim status outside 100 to 199, or 101, which is no interim answer.
    InvalidInterimStatus(u16),
    /// A header name that is empty or no token.
    InvalidHeaderName,
    /// A header value with a control byte other than the tab.
    InvalidHeaderValue,
    /// Content-Length that is not 1 to 19 digits, or lines of it that differ.
    InvalidContentLength,
    /// A request's method is no token.
    InvalidMethod,
    /// A request's target is empty or holds a byte that it must not.
    InvalidTarget,
    /// A request without Host.
    MissingHost,
    /// A head was sent a second time.
    AlreadyStarted,
    /// A body before its head.
    NotStarted,
    /// A body after its end.
    AlreadyComplete,
}

impl fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::InvalidStatus(status) => {
                return write!(formatter, "status {status} is not valid: 200 to 599 are");
            }
            Self::InvalidInterimStatus(status) => {
                return write!(
                    formatter,
                    "interim status {status} is not valid: 100 to 199 are, without 101"
                );
            }
            Self::InvalidHeaderName => {
                "a header name is not valid: one or more of A-Z a-z 0-9 !#$%&'*+-.^_`|~ are"
            }
            Self::InvalidHeaderValue => {
                "a header value is not valid: it must hold no CR, LF, NUL or other control byte"
            }
            Self::InvalidContentLength => {
                "content-length is not valid: one number of 1 to 19 digits is"
            }
            Self::InvalidMethod => {
                "the method is not valid: one or more of A-Z a-z 0-9 !#$%&'*+-.^_`|~ are"
            }
            Self::InvalidTarget => {
                "the target is not valid: visible ASCII without # is, and not empty"
            }
            Self::MissingHost => "the request has no host header: exactly one is needed",
            Self::AlreadyStarted => "the head has been sent already: a body must follow it",
            Self::NotStarted => "no head has been sent yet: it must come before the body",
            Self::AlreadyComplete => "the message is complete already: nothing can follow it",
        })
    }
}

impl core::error::Error for UsageError {}
