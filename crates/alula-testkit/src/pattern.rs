//! Bodies in which a repeated, lost or swapped piece shows.
//!
//! The first 26 bytes are `abc…z`; each further row of 26 is the alphabet begun at another letter,
//! with no simple rule between rows, so that no shift maps the whole onto itself.

/// The length of a row.
const ROW: usize = 26;

/// The byte at `position` of the endless pattern.
pub fn byte_at(position: usize) -> u8 {
    let row = (position / ROW) as u32;
    let letter = (position % ROW + start_of(row) as usize) % ROW;
    b'a' + letter as u8
}

/// Mixes a row's number; 0 stays 0.
fn start_of(row: u32) -> u32 {
    let mixed = row.wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b);
    mixed ^ (mixed >> 13)
}

/// The first `len` bytes of the pattern.
pub fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(byte_at).collect()
}

/// Where `bytes`, which should be the pattern from `offset` on, first differ from it.
pub fn first_difference(bytes: &[u8], offset: usize) -> Option<usize> {
    (bytes.iter().enumerate())
        .find(|(index, byte)| byte_at(offset + index) != **byte)
        .map(|(index, _)| offset + index)
}

#[cfg(test)]
mod tests {
    use super::{first_difference, pattern};

    #[test]
    fn begins_with_the_alphabet() {
        assert_eq!(pattern(27)[..26], *b"abcdefghijklmnopqrstuvwxyz");
        assert_eq!(first_difference(&pattern(100_000), 0), None);
        assert_eq!(first_difference(&pattern(1_000)[300..], 300), None);
    }

    #[test]
    fn shows_every_shift_within_a_few_rows() {
        let body = pattern(70_000);
        for shift in 1..65_536 {
            let found = first_difference(&body[shift..shift + 156], 0);
            assert!(
                found.is_some_and(|at| at < 156),
                "a shift by {shift} does not show"
            );
        }
    }

    #[test]
    fn tells_where_a_byte_is_wrong() {
        let mut body = pattern(500);
        body[321] ^= 1;
        assert_eq!(first_difference(&body, 0), Some(321));
    }
}
