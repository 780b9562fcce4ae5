//! Objects: members in the order in which they came, found by key.

use core::{fmt, slice};
use std::{hash::BuildHasher, hash::RandomState, vec};

use hashbrown::HashTable;

use super::Value;

/// From this many members on, an index finds them; fewer are looked through.
const INDEXED: usize = 16;

/// An object's members, each key once, in the order in which the keys came first.
///
/// Finding a key takes constant time, and no choice of keys makes it slow.
#[derive(Clone, Default)]
pub struct Object {
    members: Vec<(String, Value)>,
    index: Option<Box<Index>>,
}

/// The places of members by the hashes of their keys.
#[derive(Clone)]
struct Index {
    table: HashTable<usize>,
    /// Secret, so that a client can't choose keys that collide.
    state: RandomState,
}

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|at| &self.members[at].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.position(key).map(|at| &mut self.members[at].1)
    }

    /// Whether there is such a key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets the value of a key, at the end if it is new, and returns the value that it had.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        if let Some(at) = self.position(&key) {
            return Some(core::mem::replace(&mut self.members[at].1, value));
        }
        self.push(key, value);
        None
    }

    /// The members in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.members.iter())
    }

    /// The bytes that members, keys and index take, without what the values hold.
    #[cfg(test)]
    pub(super) fn own_bytes(&self) -> usize {
        let keys = self.members.iter().map(|(key, _)| key.capacity());
        let index = self.index.as_ref();
        self.members.capacity() * size_of::<(String, Value)>()
            + keys.sum::<usize>()
            + index.map_or(0, |index| {
                size_of::<Index>() + index.table.allocation_size()
            })
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.find(key, &self.members),
            None => self.members.iter().position(|(name, _)| name == key),
        }
    }

    /// Adds a member whose key is new.
    fn push(&mut self, key: String, value: Value) {
        self.members.push((key, value));
        if let Some(index) = &mut self.index {
            index.add(self.members.len() - 1, &self.members);
        } else if self.members.len() == INDEXED {
            self.index = Some(Box::new(Index::new(&self.members)));
        }
    }
}

impl Index {
    fn new(members: &[(String, Value)]) -> Self {
        let mut index = Self {
            table: HashTable::new(),
            state: RandomState::new(),
        };
        for at in 0..members.len() {
            index.add(at, members);
        }
        index
    }

    fn add(&mut self, at: usize, members: &[(String, Value)]) {
        let hash = |at: &usize| self.state.hash_one(members[*at].0.as_str());
        self.table.insert_unique(hash(&at), at, hash);
    }

    fn find(&self, key: &str, members: &[(String, Value)]) -> Option<usize> {
        self.table
            .find(self.state.hash_one(key), |&at| members[at].0 == key)
            .copied()
    }
}

/// Two objects are equal if they have the same members, in whatever order (RFC 8259 section 1).
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .all(|(key, value)| other.get(key) == Some(value))
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self).finish()
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut object = Self::new();
        object.extend(members);
        object
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Object {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
        for (key, value) in members {
            self.insert(key, value);
        }
    }
}

impl<K: Into<String>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Object {
    fn from(members: [(K, V); N]) -> Self {
        members.into_iter().collect()
    }
}

/// The members of an object in order.
#[derive(Clone, Debug)]
pub struct Iter<'a>(slice::Iter<'a, (String, Value)>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a str, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key.as_str(), value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a str, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}
