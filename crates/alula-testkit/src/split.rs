//! The same bytes whole, split at every byte, a byte at a time.

use std::fmt;

/// A way to cut bytes into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// One piece.
    Whole,
    /// Two pieces, the second beginning at this position.
    At(usize),
    /// A piece a byte.
    Bytes,
    /// Pieces of this size; the last may be shorter.
    Every(usize),
}

impl Split {
    /// Every way that the tests try on `len` bytes: whole, split at each inner position, a byte at a
    /// time.
    pub fn all(len: usize) -> impl Iterator<Item = Self> {
        let at = (1..len).map(Self::At);
        std::iter::once(Self::Whole)
            .chain(at)
            .chain(std::iter::once(Self::Bytes))
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole"),
            Self::At(position) => write!(f, "split at {position}"),
            Self::Bytes => f.write_str("a byte at a time"),
            Self::Every(size) => write!(f, "{size} bytes at a time"),
        }
    }
}

/// Cuts `bytes`. No piece is empty.
pub fn pieces(bytes: &[u8], split: Split) -> impl Iterator<Item = &[u8]> {
    let size = match split {
        Split::Whole | Split::At(_) => bytes.len(),
        Split::Bytes => 1,
        Split::Every(size) => size,
    };
    let (first, rest) = match split {
        Split::At(position) => bytes.split_at(position.min(bytes.len())),
        _ => (bytes, &bytes[bytes.len()..]),
    };
    [first, rest]
        .into_iter()
        .flat_map(move |half| half.chunks(size.max(1)))
}

#[cfg(test)]
mod tests {
    use super::{Split, pieces};

    fn cut(bytes: &[u8], split: Split) -> Vec<&[u8]> {
        pieces(bytes, split).collect()
    }

    #[test]
    fn cuts_as_named() {
        assert_eq!(cut(b"abcd", Split::Whole), [b"abcd"]);
        assert_eq!(cut(b"abcd", Split::At(1)), [&b"a"[..], b"bcd"]);
        assert_eq!(cut(b"abcd", Split::At(4)), [b"abcd"]);
        assert_eq!(cut(b"abc", Split::Bytes), [b"a", b"b", b"c"]);
        assert_eq!(cut(b"abcde", Split::Every(2)), [&b"ab"[..], b"cd", b"e"]);
        assert!(cut(b"", Split::Whole).is_empty());
    }

    #[test]
    fn tries_every_way() {
        let all: Vec<Split> = Split::all(3).collect();
        assert_eq!(
            all,
            [Split::Whole, Split::At(1), Split::At(2), Split::Bytes]
        );
        for split in all {
            assert_eq!(cut(b"abc", split).concat(), b"abc", "{split}");
        }
    }
}
