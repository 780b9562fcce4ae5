//! The small grammar of HTTP: classes of bytes, tokens, lists, numbers, authorities, and
//! percent-decoding.

/// Token bytes (RFC 9110 section 5.6.2).
pub(crate) const TOKEN: u8 = 1;
/// Bytes of a request target: visible ASCII without `#`.
pub(crate) const TARGET: u8 = 1 << 1;
/// Bytes of a header value: visible bytes, space, tab, and 0x80 and above (RFC 9110 section 5.5).
pub(crate) const VALUE: u8 = 1 << 2;
/// Hexadecimal digits.
pub(crate) const HEX: u8 = 1 << 3;
/// Bytes of a registered name: unreserved and sub-delims (RFC 3986 section 3.2.2).
pub(crate) const HOST: u8 = 1 << 4;
/// Bytes within a quoted string other than the quote and the backslash (RFC 9110 section 5.6.4).
pub(crate) const QUOTED: u8 = 1 << 5;

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        table[index] = class_of(index as u8);
        index += 1;
    }
    table
}

const fn class_of(byte: u8) -> u8 {
    let mut class = 0;
    if byte.is_ascii_alphanumeric() || contains(b"!#$%&'*+-.^_`|~", byte) {
        class |= TOKEN;
    }
    if byte.is_ascii_graphic() && byte != b'#' {
        class |= TARGET;
    }
    if byte == b'\t' || (byte >= b' ' && byte != 0x7F) {
        class |= VALUE;
        if byte != b'"' && byte != b'\\' {
            class |= QUOTED;
        }
    }
    if byte.is_ascii_hexdigit() {
        class |= HEX;
    }
    if byte.is_ascii_alphanumeric() || contains(b"-._~!$&'()*+,;=", byte) {
        class |= HOST;
    }
    class
}

const fn contains(set: &[u8], byte: u8) -> bool {
    let mut index = 0;
    while index < set.len() {
        if set[index] == byte {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether `byte` is of the class.
#[inline]
pub(crate) const fn is(class: u8, byte: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// How many bytes at the front are of the class.
#[inline]
pub(crate) fn run(class: u8, bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| !is(class, byte))
        .unwrap_or(bytes.len())
}

/// Whether there is at least one byte and all are of the class.
#[inline]
pub(crate) fn all(class: u8, bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| is(class, byte))
}

/// Whether this is a token (RFC 9110 section 5.6.2), such as a method or a header name.
pub fn is_token(bytes: &[u8]) -> bool {
    all(TOKEN, bytes)
}

/// Whether this can be a header value: no control byte but the tab.
pub fn is_value(bytes: &[u8]) -> bool {
    value_run(bytes) == bytes.len()
}

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte of the word that is a control (tab included) or DEL. Above a byte
/// that is one, a borrow may mark others too: only the lowest mark is certain.
#[inline]
const fn controls(word: u64) -> u64 {
    let delete = word ^ (0x7F * EACH);
    (word.wrapping_sub(0x20 * EACH) & !word & HIGH) | (delete.wrapping_sub(EACH) & !delete & HIGH)
}

/// The high bit of each byte of the word that is neither a letter nor a dash.
#[inline]
const fn unlike_names(word: u64) -> u64 {
    let low = (word | (0x20 * EACH)) & !HIGH;
    let letter = (low + (0x80 - b'a' as u64) * EACH) & !(low + (0x7F - b'z' as u64) * EACH);
    let other = word ^ (b'-' as u64 * EACH);
    let dash = !(((other & !HIGH) + !HIGH) | other);
    !((letter & !word) | dash) & HIGH
}

/// How many bytes lie before the lowest mark: 8 if there is none.
#[inline]
const fn before(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// How many bytes at the front can stand in a header name: eight at a time as long as they are
/// what names are usually made of.
#[inline]
pub(crate) fn name_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(word) = bytes[at..].first_chunk() {
        let marks = unlike_names(u64::from_le_bytes(*word));
        if marks != 0 {
            at += before(marks);
            break;
        }
        at += 8;
    }
    if bytes.get(at) == Some(&b':') {
        at
    } else {
        at + run(TOKEN, &bytes[at..])
    }
}

/// How many bytes at the front can stand in a header value: many at a time.
#[inline]
pub(crate) fn value_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += visible_run(&bytes[at..]);
        // A tab is allowed and rare.
        if bytes.get(at) != Some(&b'\t') {
            return at;
        }
        at += 1;
    }
}

/// How many bytes at the front are neither control nor DEL.
#[inline]
fn visible_run(bytes: &[u8]) -> usize {
    let stops = |byte: u8| byte < b' ' || byte == 0x7F;
    let mut at = 0;
    while let Some(block) = bytes[at..].first_chunk::<16>() {
        // Written so that the compiler makes vector instructions of it.
        if block.iter().fold(false, |any, &byte| any | stops(byte)) {
            break;
        }
        at += 16;
    }
    while let Some(word) = bytes[at..].first_chunk() {
        let marks = controls(u64::from_le_bytes(*word));
        if marks != 0 {
            return at + before(marks);
        }
        at += 8;
    }
    at + bytes[at..]
        .iter()
        .position(|&byte| stops(byte))
        .unwrap_or(bytes.len() - at)
}

/// Without the spaces and tabs around it.
#[inline]
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

/// The elements of a comma-separated list, trimmed; empty ones included.
pub(crate) fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(trim)
}

/// A number of 1 to 19 digits, so that it always fits.
pub fn decimal(bytes: &[u8]) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > 19 {
        return None;
    }
    bytes.iter().try_fold(0, |number: u64, &byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + u64::from(byte - b'0'))
    })
}

/// Whether this is `host [":" port]` (RFC 9110 section 7.2), with a port that exists. An empty
/// host is one.
pub fn is_authority(bytes: &[u8]) -> bool {
    let (host_is_valid, port) = if let [b'[', literal @ ..] = bytes {
        let Some(end) = memchr::memchr(b']', literal) else {
            return false;
        };
        (is_address_literal(&literal[..end]), &literal[end + 1..])
    } else {
        let (host, port) = bytes.split_at(memchr::memchr(b':', bytes).unwrap_or(bytes.len()));
        (is_registered_name(host), port)
    };
    host_is_valid && is_port_suffix(port)
}

/// A registered name or an IPv4 address; may be empty.
fn is_registered_name(mut bytes: &[u8]) -> bool {
    loop {
        bytes = &bytes[run(HOST, bytes)..];
        match bytes {
            [] => return true,
            [b'%', high, low, rest @ ..] if is(HEX, *high) && is(HEX, *low) => bytes = rest,
            _ => return false,
        }
    }
}

/// What stands in brackets: an IPv6 address or `v` hex `.` anything (RFC 3986 section 3.2.2).
fn is_address_literal(bytes: &[u8]) -> bool {
    if let [b'v' | b'V', future @ ..] = bytes {
        let digits = run(HEX, future);
        return digits > 0
            && future.get(digits) == Some(&b'.')
            && future.len() > digits + 1
            && future[digits + 1..]
                .iter()
                .all(|&byte| is(HOST, byte) || byte == b':');
    }
    str::from_utf8(bytes).is_ok_and(|text| text.parse::<core::net::Ipv6Addr>().is_ok())
}

/// Nothing, or a colon and at most five digits up to 65535.
fn is_port_suffix(bytes: &[u8]) -> bool {
    match bytes {
        [] | [b':'] => true,
        [b':', digits @ ..] => digits.len() <= 5 && decimal(digits).is_some_and(|n| n <= 0xFFFF),
        _ => false,
    }
}

/// The value of a hexadecimal digit.
#[inline]
pub(crate) fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Appends `encoded` to `out` with each `%` and two hexadecimal digits made one byte; a `%` that
/// is not followed by two stays.
pub fn percent_decode(mut encoded: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr(b'%', encoded) {
        out.extend_from_slice(&encoded[..at]);
        encoded = &encoded[at..];
        let decoded = match encoded {
            [_, high, low, ..] => hex_digit(*high).zip(hex_digit(*low)),
            _ => None,
        };
        if let Some((high, low)) = decoded {
            out.push(high << 4 | low);
            encoded = &encoded[3..];
        } else {
            out.push(b'%');
            encoded = &encoded[1..];
        }
    }
    out.extend_from_slice(encoded);
}

#[cfg(test)]
mod tests {
    use super::{
        TOKEN, VALUE, decimal, is_authority, list, name_run, percent_decode, run, trim, value_run,
    };

    fn assert_wide_runs_agree(bytes: &[u8]) {
        let shown = bytes.escape_ascii();
        assert_eq!(name_run(bytes), run(TOKEN, bytes), "{shown}");
        assert_eq!(value_run(bytes), run(VALUE, bytes), "{shown}");
    }

    /// Every byte at every place of runs of every length around the widths that are taken at once.
    #[test]
    fn wide_runs_agree_with_the_table() {
        for (length, place) in
            (0..50).flat_map(|length| (0..length).map(move |place| (length, place)))
        {
            let mut bytes = b"Abc-xYz0_".repeat(6)[..length].to_vec();
            for byte in 0..=255 {
                bytes[place] = byte;
                assert_wide_runs_agree(&bytes);
            }
        }
    }

    #[test]
    fn wide_runs_agree_with_the_table_on_letters_and_dashes() {
        for byte in 0..=255 {
            for at in 0..24 {
                let mut bytes = b"-".repeat(24);
                bytes[at] = byte;
                assert_wide_runs_agree(&bytes);
                // The byte before may change what a carry does to the next.
                bytes[at.saturating_sub(1)] = byte.wrapping_add(1);
                assert_wide_runs_agree(&bytes);
            }
        }
    }

    #[test]
    fn decodes_percent_once_and_leaves_what_is_none() {
        for (encoded, expected) in [
            ("", &b""[..]),
            ("/a%20b", b"/a b"),
            ("%2f%2F%41", b"//A"),
            ("%252F", b"%2F"),
            ("%", b"%"),
            ("%4", b"%4"),
            ("%zz%4z%z4%41", b"%zz%4z%z4A"),
            ("%%41", b"%A"),
            ("%C3%A9%00", b"\xC3\xA9\0"),
        ] {
            let mut decoded = b"before".to_vec();
            percent_decode(encoded.as_bytes(), &mut decoded);
            assert_eq!(decoded, [b"before", expected].concat());
        }
    }

    #[test]
    fn numbers_have_1_to_19_digits() {
        assert_eq!(decimal(b"0"), Some(0));
        assert_eq!(
            decimal(b"9999999999999999999"),
            Some(9_999_999_999_999_999_999)
        );
        for wrong in [&b""[..], b"00000000000000000000", b"1 ", b"/", b":", b"+1"] {
            assert_eq!(decimal(wrong), None);
        }
    }

    #[test]
    fn lists_are_split_at_commas_and_trimmed() {
        let elements: Vec<&[u8]> = list(b" a ,\tb\t,, c d").collect();
        assert_eq!(elements, [&b"a"[..], b"b", b"", b"c d"]);
        assert_eq!(trim(b" \t "), b"");
    }

    #[test]
    fn ports_end_at_65535() {
        assert!(is_authority(b"a:65535"));
        assert!(!is_authority(b"a:65536"));
        assert!(!is_authority(b"a:000001"));
    }
}
