//! Where in the input the header lines are.

/// A range of the input. Heads are bounded well below 4 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// From `start` up to `end`, without it.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    /// Where `part`, a slice of the bytes that begin at address `base`, lies in them.
    pub(crate) fn of(part: &[u8], base: usize) -> Self {
        if part.is_empty() {
            // An empty slice may point anywhere.
            return Self::default();
        }
        let start = part.as_ptr().addr() - base;
        Self::new(start, start + part.len())
    }

    /// The bytes themselves; none where `input` is not what was parsed.
    #[inline]
    pub(crate) fn get(self, input: &[u8]) -> &[u8] {
        input
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// One header line.
#[derive(Clone, Copy, Debug)]
struct Line {
    name: Span,
    value: Span,
}

/// The header lines of a head, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    lines: Vec<Line>,
}

impl Index {
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
    }

    pub(crate) fn push(&mut self, name: Span, value: Span) {
        self.lines.push(Line { name, value });
    }

    /// Lets the line at `position` have another value.
    pub(crate) fn set_value(&mut self, position: usize, value: Span) {
        self.lines[position].value = value;
    }

    pub(crate) fn iter<'a>(&'a self, input: &'a [u8]) -> Fields<'a> {
        Fields {
            lines: self.lines.iter(),
            input,
        }
    }
}

/// The header lines of a message in the order sent: names as sent, values without outer white
/// space.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    lines: core::slice::Iter<'a, Line>,
    input: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The value of the first line called `name`, in any case.
    pub(crate) fn find(mut self, name: &str) -> Option<&'a [u8]> {
        self.find_map(|(sent, value)| sent.eq_ignore_ascii_case(name.as_bytes()).then_some(value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let line = self.lines.next()?;
        Some((line.name.get(self.input), line.value.get(self.input)))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lines.size_hint()
    }
}

impl ExactSizeIterator for Fields<'_> {}
