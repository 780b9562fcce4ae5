//! Strings, where the quick way over plain bytes has its seams.

use alula_schema::json::{self, ErrorKind, Value};

use super::{parse, value};

/// Text whose characters depend on their place.
fn filler(length: usize) -> String {
    ('a'..='z').cycle().take(length).collect()
}

#[test]
fn escapes_are_found_at_every_place() {
    let escapes = [
        ("\\\"", '"'),
        ("\\\\", '\\'),
        ("\\n", '\n'),
        ("\\u0000", '\0'),
        ("\\u0022", '"'),
        ("\\ud83d\\ude00", '😀'),
    ];
    for before in 0..20 {
        for behind in [0, 1, 7, 8, 9] {
            for (escape, character) in escapes {
                let (before, behind) = (filler(before), filler(behind));
                let parsed = value(format!("\"{before}{escape}{behind}{escape}\""));
                let text = format!("{before}{character}{behind}{character}");
                assert_eq!(parsed.as_str(), Some(&*text));
                assert_eq!(value(json::to_string(&parsed)), parsed);
            }
        }
    }
}

#[test]
fn control_characters_are_refused_at_every_place_and_only_they() {
    for byte in 0..0x80_u8 {
        for before in 0..20 {
            let mut input = format!("\"{}", filler(before)).into_bytes();
            input.extend_from_slice(&[byte, b'x', b'"']);
            match byte {
                0..0x20 => {
                    let error = parse(&input).expect_err("a control character");
                    let place = (ErrorKind::ControlCharacter, before + 1);
                    assert_eq!((error.kind(), error.offset()), place);
                }
                b'"' | b'\\' => assert!(parse(&input).is_err()),
                _ => assert_eq!(
                    value(&input).as_str(),
                    str::from_utf8(&input[1..before + 3]).ok()
                ),
            }
        }
    }
}

#[test]
fn what_is_not_utf_8_is_refused_at_every_place() {
    let wrong: [&[u8]; 5] = [b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xff"];
    for before in 0..20 {
        for bytes in wrong {
            let before = format!("\"é\\n{}", filler(before)).into_bytes();
            let input = [&before, bytes, b"x\""].concat();
            let error = parse(&input).expect_err("not UTF-8");
            assert_eq!(
                (error.kind(), error.offset()),
                (ErrorKind::Utf8, before.len())
            );
        }
    }
}

#[test]
fn every_character_is_read_and_written() {
    let all: String = ('\0'..=char::MAX).collect();
    let written = json::to_string(&Value::from(&*all));
    assert_eq!(value(&written).as_str(), Some(&*all));
    // Escaped are quote, backslash and the 32 control characters, five of them by a letter.
    assert_eq!(written.len(), all.len() + 2 + 2 + 5 + 27 * 5);
}

#[test]
fn every_escape_of_four_digits_is_read() {
    for unit in 0..=0xffff_u32 {
        for input in [format!("\"\\u{unit:04x}\""), format!("\"\\u{unit:04X}\"")] {
            if let Some(character) = char::from_u32(unit) {
                assert_eq!(value(input).as_str(), Some(&*character.to_string()));
            } else {
                let error = parse(input).expect_err("half a pair");
                assert_eq!(error.kind(), ErrorKind::LoneSurrogate);
            }
        }
    }
}

#[test]
fn every_pair_is_read() {
    for character in '\u{10000}'..=char::MAX {
        let mut units = [0; 2];
        character.encode_utf16(&mut units);
        let input = format!("\"\\u{:04x}\\u{:04x}\"", units[0], units[1]);
        let parsed = value(input);
        assert!(
            parsed
                .as_str()
                .is_some_and(|text| text.chars().eq([character]))
        );
    }
}
