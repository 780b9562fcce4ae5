//! The segments of all patterns as a tree.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

use crate::{Captures, methods::Methods, pattern::Segment, percent};

/// The segments of all patterns: a node for each beginning that patterns share, the root first.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// What follows a literal segment. The keys are the application's own, so a client can't
    /// choose them to collide, and a quick hash will do.
    literals: HashMap<Box<str>, usize, BuildHasherDefault<Fnv>>,
    /// What follows a parameter.
    param: Option<usize>,
    /// The routes whose last segment takes the rest from here.
    tail: Methods,
    /// The routes that end here.
    end: Methods,
}

impl Default for Tree {
    fn default() -> Self {
        let nodes = vec![Node::default()];
        Self { nodes }
    }
}

impl Tree {
    /// Where the methods of the pattern belong.
    pub(crate) fn entry(&mut self, segments: &[Segment<'_>]) -> &mut Methods {
        let mut at = 0;
        for segment in segments {
            let next = self.nodes.len();
            let node = &mut self.nodes[at];
            at = match *segment {
                Segment::Literal(text) => *node.literals.entry(text.into()).or_insert(next),
                Segment::Param(_) => *node.param.get_or_insert(next),
                Segment::Tail(_) => return &mut self.nodes[at].tail,
            };
            if at == next {
                self.nodes.push(Node::default());
            }
        }
        &mut self.nodes[at].end
    }

    /// The methods of the path's most specific pattern, and its parameters in `captures`.
    pub(crate) fn find(&self, path: &str, captures: &mut Captures) -> Option<&Methods> {
        captures.spans.clear();
        let mut walk = Walk {
            tree: self,
            path,
            captures,
            #[cfg(test)]
            visits: 0,
        };
        path.starts_with('/').then(|| walk.enter(0, Some(1)))?
    }
}

/// A look-up on its way.
struct Walk<'a, 'p> {
    tree: &'a Tree,
    path: &'p str,
    captures: &'p mut Captures,
    #[cfg(test)]
    visits: usize,
}

impl<'a> Walk<'a, '_> {
    /// Looks below a node; `rest` is where the next segment begins, if there is one. Recurses as
    /// deep as the longest pattern goes, not the path.
    fn enter(&mut self, node: usize, rest: Option<usize>) -> Option<&'a Methods> {
        #[cfg(test)]
        {
            self.visits += 1;
        }
        let node = &self.tree.nodes[node];
        let Some(start) = rest else {
            return node.end.registered();
        };
        let length = self.path[start..].find('/');
        let end = length.map_or(self.path.len(), |length| start + length);
        let rest = length.map(|_| end + 1);
        if let Some(next) = self.literal(node, start, end)
            && let Some(methods) = self.enter(next, rest)
        {
            return Some(methods);
        }
        let captured = self.captures.spans.len();
        if let Some(next) = node.param
            && end > start
        {
            self.captures.spans.push(start..end);
            if let Some(methods) = self.enter(next, rest) {
                return Some(methods);
            }
            self.captures.spans.truncate(captured);
        }
        let methods = node.tail.registered()?;
        self.captures.spans.push(start..self.path.len());
        Some(methods)
    }

    /// The node behind the literal that the segment decodes to.
    fn literal(&mut self, node: &Node, start: usize, end: usize) -> Option<usize> {
        let segment = &self.path[start..end];
        if node.literals.is_empty() {
            return None;
        }
        if !segment.contains('%') {
            return node.literals.get(segment).copied();
        }
        let decoded = &mut self.captures.decoded;
        decoded.clear();
        percent::decode_into(segment, decoded).ok()?;
        node.literals.get(str::from_utf8(decoded).ok()?).copied()
    }
}

/// The hash of Fowler, Noll and Vo (variant 1a): quick on short text.
#[derive(Clone)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Router;

    /// The nodes that a look-up of a path goes through, and whether it found something.
    fn visits(tree: &Tree, path: &str) -> (usize, bool) {
        let mut captures = Captures::default();
        let mut walk = Walk {
            tree,
            path,
            captures: &mut captures,
            visits: 0,
        };
        let found = walk.enter(0, Some(1)).is_some();
        (walk.visits, found)
    }

    /// Routes of a large application: collections with items, their parts, and a few of all kinds.
    fn routes(count: usize) -> Tree {
        let mut router = Router::new();
        for number in 0..count {
            let collection = number / 5;
            let pattern = match number % 5 {
                0 => format!("/api/c{collection}"),
                1 => format!("/api/c{collection}/{{id}}"),
                2 => format!("/api/c{collection}/{{id}}/parts/{{part}}"),
                3 => format!("/api/c{collection}/new"),
                _ => format!("/api/c{collection}/{{id}}/files/{{name:path}}"),
            };
            router.add("GET", &pattern).expect("a good route");
        }
        router.add("GET", "/{page}").expect("a good route");
        router.into_tree()
    }

    #[test]
    fn a_look_up_visits_a_node_a_segment_however_many_routes_there_are() {
        for count in [10, 1_000, 10_000] {
            let tree = routes(count);
            for collection in [0, count / 10, count / 5 - 1] {
                for (path, nodes) in [
                    (format!("/api/c{collection}"), 3),
                    (format!("/api/c{collection}/7"), 4),
                    (format!("/api/c{collection}/new"), 4),
                    (format!("/api/c{collection}/7/parts/8"), 6),
                    (format!("/api/c{collection}/7/files/a/b/c/d"), 5),
                ] {
                    assert_eq!(visits(&tree, &path), (nodes, true), "{path} of {count}");
                }
            }
        }
    }

    #[test]
    fn a_miss_visits_no_more_nodes_with_more_routes() {
        for count in [10, 1_000, 10_000] {
            let tree = routes(count);
            for (path, nodes) in [
                ("/api/none", 3),
                ("/api/c0/7/none", 5),
                ("/api/c0/new/none/8", 6),
                ("/none/none/none", 2),
                (&*"/a".repeat(1_000), 2),
            ] {
                assert_eq!(visits(&tree, path), (nodes, false), "{path} of {count}");
            }
        }
    }

    #[test]
    fn literals_of_one_node_have_different_hashes() {
        // A table of which all keys collide would be a list.
        let mut hashes: Vec<u64> = (0..10_000)
            .map(|number| {
                let mut hasher = Fnv::default();
                hasher.write(format!("c{number}").as_bytes());
                hasher.finish()
            })
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 10_000);
    }
}
