//! Byte buffers, and the pool that lends them to busy connections.

use std::io::{self, Read};

/// The usual size of an input buffer.
pub(crate) const SMALL: usize = 16 * 1024;
/// The size for request bodies that do not fit a small one.
pub(crate) const LARGE: usize = 64 * 1024;
/// Buffers kept for later use, of each kind.
const KEPT: usize = 64;

/// Bytes read and not yet used: `data[start..end]`. All of `data` is initialised.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    data: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    fn with_size(size: usize) -> Self {
        Self {
            data: vec![0; size],
            start: 0,
            end: 0,
        }
    }

    /// The unused bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.data[self.start..self.end]
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Whether a read would find no room even after moving the bytes to the front.
    pub(crate) fn is_full(&self) -> bool {
        self.len() == self.data.len()
    }

    /// Whether it is no buffer at all.
    pub(crate) fn is_absent(&self) -> bool {
        self.data.is_empty()
    }

    /// Whether a much smaller buffer would do for what it holds.
    pub(crate) fn is_oversized(&self) -> bool {
        self.data.len() >= SMALL && self.len() < SMALL / 8
    }

    /// Counts `n` bytes as used.
    pub(crate) fn consume(&mut self, n: usize) {
        self.start += n;
        debug_assert!(self.start <= self.end);
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Makes room for at least one more byte, growing towards `most` bytes in all.
    fn make_room(&mut self, most: usize) {
        if self.end < self.data.len() {
            return;
        }
        if self.start > 0 {
            self.data.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        } else if self.data.len() < most {
            self.data
                .resize((self.data.len() * 2).max(1024).min(most), 0);
        }
    }

    /// One read from `source` into the free room, growing up to `most` bytes. Returns how many
    /// came, and whether the room was filled (then the source may hold more).
    pub(crate) fn fill(
        &mut self,
        source: &mut impl Read,
        most: usize,
    ) -> io::Result<(usize, bool)> {
        self.make_room(most);
        let room = self.data.len() - self.end;
        debug_assert!(room > 0, "a read into nothing would look like the end");
        let n = source.read(&mut self.data[self.end..])?;
        self.end += n;
        Ok((n, n == room))
    }
}

/// Buffers for whoever is busy; an idle connection holds none.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    small: Vec<Buffer>,
    large: Vec<Buffer>,
    outputs: Vec<Vec<u8>>,
}

impl Pool {
    /// An empty buffer of the usual size.
    pub(crate) fn input(&mut self) -> Buffer {
        self.small.pop().unwrap_or_else(|| Buffer::with_size(SMALL))
    }

    /// An empty buffer for a large body.
    pub(crate) fn large_input(&mut self) -> Buffer {
        self.large.pop().unwrap_or_else(|| Buffer::with_size(LARGE))
    }

    /// Changes a small buffer for a large one, keeping its bytes.
    pub(crate) fn enlarge(&mut self, buffer: &mut Buffer) {
        let mut large = self.large_input();
        let n = buffer.len();
        large.data[..n].copy_from_slice(buffer.bytes());
        large.end = n;
        self.give_back(std::mem::replace(buffer, large));
    }

    /// Changes a buffer that holds a few bytes for one of just that size.
    pub(crate) fn shrink(&mut self, buffer: &mut Buffer) {
        let small = Buffer {
            data: buffer.bytes().to_vec(),
            start: 0,
            end: buffer.len(),
        };
        self.give_back(std::mem::replace(buffer, small));
    }

    /// Takes a buffer back, whatever it holds.
    pub(crate) fn give_back(&mut self, mut returned: Buffer) {
        let kept = match returned.data.len() {
            SMALL => &mut self.small,
            LARGE => &mut self.large,
            _ => return,
        };
        if kept.len() < KEPT {
            returned.start = 0;
            returned.end = 0;
            kept.push(returned);
        }
    }

    /// An empty output buffer.
    pub(crate) fn output(&mut self) -> Vec<u8> {
        self.outputs
            .pop()
            .unwrap_or_else(|| Vec::with_capacity(1024))
    }

    /// Takes an output buffer back.
    pub(crate) fn give_back_output(&mut self, mut output: Vec<u8>) {
        if self.outputs.len() < KEPT && (1..=LARGE).contains(&output.capacity()) {
            output.clear();
            self.outputs.push(output);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_moves_and_grows() {
        let mut buffer = Buffer {
            data: vec![0; 4],
            start: 0,
            end: 0,
        };
        let mut source: &[u8] = b"abcdefgh";
        assert_eq!(buffer.fill(&mut source, 8).unwrap(), (4, true));
        buffer.consume(2);
        assert_eq!(buffer.fill(&mut source, 8).unwrap(), (2, true));
        assert_eq!(buffer.bytes(), b"cdef");
        assert!(buffer.is_full());
        assert_eq!(buffer.fill(&mut source, 8).unwrap(), (2, false));
        assert_eq!(buffer.bytes(), b"cdefgh");
    }

    #[test]
    fn enlarging_and_shrinking_keep_the_bytes() {
        let mut pool = Pool::default();
        let mut buffer = pool.input();
        let mut source: &[u8] = b"GET / HT";
        buffer.fill(&mut source, SMALL).unwrap();
        buffer.consume(4);
        pool.enlarge(&mut buffer);
        assert_eq!((buffer.bytes(), buffer.data.len()), (&b"/ HT"[..], LARGE));
        pool.shrink(&mut buffer);
        assert_eq!((buffer.bytes(), buffer.data.len()), (&b"/ HT"[..], 4));
        assert_eq!((pool.small.len(), pool.large.len()), (1, 1));
    }

    #[test]
    fn the_pool_does_not_grow_without_bound() {
        let mut pool = Pool::default();
        for _ in 0..2 * KEPT {
            pool.give_back(Buffer::with_size(SMALL));
            pool.give_back_output(Vec::with_capacity(10));
        }
        pool.give_back_output(Vec::with_capacity(LARGE + 1));
        assert_eq!((pool.small.len(), pool.outputs.len()), (KEPT, KEPT));
    }
}
