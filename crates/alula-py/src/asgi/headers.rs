//! Header lines as Python objects, the frequent ones made only once.
//!
//! Two tables of fixed size, each place taken by whatever was last put there: a look-up costs one
//! hash and one comparison, and nobody can make it cost more or make the tables grow. A pair is
//! kept from the second time on that it is seen, so values that come once don't push out others.
//! Values that may be secrets are never kept.

use std::cell::{Cell, RefCell};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// Places for whole pairs, and for names alone; powers of two.
const PAIRS: usize = 512;
const NAMES: usize = 128;
/// Longer values are not kept, nor are longer names.
const LONGEST_VALUE: usize = 200;
const LONGEST_NAME: usize = 40;

/// Names whose values may be secrets.
const SECRET: [&[u8]; 8] = [
    b"authorization",
    b"cookie",
    b"proxy-authorization",
    b"x-api-key",
    b"x-auth-token",
    b"x-csrf-token",
    b"x-xsrf-token",
    b"x-access-token",
];

/// One place for a pair.
#[derive(Default)]
struct Place {
    /// The hash of the pair that was last looked for here and not found.
    missed: Cell<u64>,
    kept: RefCell<Option<Kept>>,
}

/// A pair, with the bytes it was made from.
struct Kept {
    hash: u64,
    name: Box<[u8]>,
    value: Box<[u8]>,
    pair: Py<PyTuple>,
}

/// A name as it came, and in lower case.
type Name = (Box<[u8]>, Py<PyBytes>);

/// The tables.
pub(crate) struct Headers {
    pairs: Box<[Place]>,
    names: Box<[RefCell<Option<Name>>]>,
}

impl Headers {
    /// Empty tables.
    pub(crate) fn new() -> Self {
        Self {
            pairs: (0..PAIRS).map(|_| Place::default()).collect(),
            names: (0..NAMES).map(|_| RefCell::new(None)).collect(),
        }
    }

    /// `(name, value)`, the name in lower case.
    #[inline]
    pub(crate) fn pair<'py>(
        &self,
        py: Python<'py>,
        name: &[u8],
        value: &[u8],
    ) -> Bound<'py, PyTuple> {
        let hash = mix(mix(SEED, name), value);
        let place = &self.pairs[index(hash, PAIRS)];
        if let Some(kept) = &*place.kept.borrow()
            && kept.hash == hash
            && *kept.name == *name
            && *kept.value == *value
        {
            return kept.pair.bind(py).clone();
        }
        self.make(py, name, value, hash, place)
    }

    fn make<'py>(
        &self,
        py: Python<'py>,
        name: &[u8],
        value: &[u8],
        hash: u64,
        place: &Place,
    ) -> Bound<'py, PyTuple> {
        let lower = self.name(py, name);
        let pair = PyTuple::new(py, [&lower, &PyBytes::new(py, value)]).expect("two items");
        let again = place.missed.replace(hash) == hash;
        if again
            && value.len() <= LONGEST_VALUE
            && name.len() <= LONGEST_NAME
            && !SECRET.contains(&lower.as_bytes())
        {
            let pair = pair.clone().unbind();
            let kept = Kept {
                hash,
                name: name.into(),
                value: value.into(),
                pair,
            };
            let old = place.kept.borrow_mut().replace(kept);
            drop(old);
        }
        pair
    }

    /// A name in lower case.
    fn name<'py>(&self, py: Python<'py>, name: &[u8]) -> Bound<'py, PyBytes> {
        let hash = mix(SEED, name);
        let place = &self.names[index(hash, NAMES)];
        if let Some((kept, lower)) = &*place.borrow()
            && **kept == *name
        {
            return lower.bind(py).clone();
        }
        let lower = PyBytes::new(py, &name.to_ascii_lowercase());
        if name.len() <= LONGEST_NAME {
            let old = place
                .borrow_mut()
                .replace((name.into(), lower.clone().unbind()));
            drop(old);
        }
        lower
    }
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// A quick hash of one string of bytes.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    mix(SEED, bytes)
}

/// The place of a hash, from its upper bits, which are the best mixed.
#[inline]
fn index(hash: u64, places: usize) -> usize {
    (hash >> 40) as usize & (places - 1)
}

/// A quick hash, good enough for tables whose collisions cost nothing.
#[inline]
fn mix(mut hash: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    hash ^= bytes.len() as u64;
    for word in words {
        hash = round(hash, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    round(hash, u64::from_le_bytes(last))
}

#[inline]
fn round(hash: u64, word: u64) -> u64 {
    let hash = (hash ^ word).wrapping_mul(0x2545_f491_4f6c_dd1d);
    hash ^ (hash >> 29)
}
