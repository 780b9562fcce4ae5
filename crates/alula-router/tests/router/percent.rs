//! Percent-decoding.

use std::borrow::Cow;

use alula_router::percent::{DecodeError, decode};

#[test]
fn decodes_each_byte_in_either_case() {
    for byte in 0..=0x7f_u8 {
        let text = char::from(byte).to_string();
        for encoded in [format!("%{byte:02x}"), format!("%{byte:02X}")] {
            assert_eq!(decode(&encoded).as_deref(), Ok(&*text), "{encoded}");
        }
    }
    assert_eq!(
        decode("a%2Fb%20c%C3%A9%f0%9f%98%80+%252F+").as_deref(),
        Ok("a/b cé😀+%2F+")
    );
}

#[test]
fn borrows_what_has_nothing_to_decode() {
    for text in ["", "abc", "a+b", "é/😀"] {
        assert!(matches!(decode(text), Ok(Cow::Borrowed(same)) if same == text));
    }
}

#[test]
fn refuses_escapes_that_are_none_where_they_are() {
    for (text, offset) in [
        ("%", 0),
        ("%4", 0),
        ("a%", 1),
        ("%41%4", 3),
        ("%4g", 0),
        ("%g4", 0),
        ("%+4", 0),
        ("%%41", 0),
        ("%é", 0),
        ("é%4é", 2),
    ] {
        let error = DecodeError::InvalidEscape { offset };
        assert_eq!(decode(text), Err(error), "{text}");
        let message = format!("the % at byte {offset} is not followed by two hexadecimal digits");
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn refuses_what_does_not_decode_to_utf_8() {
    for text in ["%80", "%C3", "a%ff", "%ED%A0%80", "%C0%AF"] {
        assert_eq!(decode(text), Err(DecodeError::NotUtf8), "{text}");
    }
    assert_eq!(
        DecodeError::NotUtf8.to_string(),
        "the decoded bytes are not UTF-8"
    );
}
