//! What of a parse is left to choose.

/// The most that [`Options::max_depth`] can ask for. Parsing and writing don't recurse, but dropping,
/// cloning, comparing and printing a value do; this many levels fit a stack of half a mebibyte (a
/// whole one in debug builds).
pub const MAX_DEPTH: usize = 1024;

/// What of a parse is left to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many arrays and objects may be open at once; 0 allows a single scalar, and more than
    /// [`MAX_DEPTH`] counts as that. 128 by default.
    pub max_depth: usize,
    /// What a key means that an object has already. The last one wins by default.
    pub duplicate_keys: DuplicateKeys,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_depth: 128,
            duplicate_keys: DuplicateKeys::default(),
        }
    }
}

/// What a key means that an object has already (RFC 8259 section 4 leaves it open).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// The document is refused.
    Refuse,
    /// The last value counts, at the place where the key stood first: as Python and JavaScript
    /// read it.
    #[default]
    LastWins,
}
