//! Routes and paths at random, against a second router that looks at every route in turn.

use alula_router::{RouteError, Router};

use super::look_up;

/// Xorshift: no state but a word.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) as usize % bound
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    /// Few segments of few kinds, so that patterns overlap a lot.
    fn pattern(&mut self) -> String {
        let count = 1 + self.below(4);
        let mut pattern = String::new();
        for at in 0..count {
            let is_last = at + 1 == count;
            let segment = match self.below(if is_last { 7 } else { 5 }) {
                0 | 1 => self.of(&["a", "b"]).to_owned(),
                2 => "c".to_owned(),
                3 | 4 => format!("{{p{at}}}"),
                5 => String::new(),
                _ => format!("{{p{at}:path}}"),
            };
            pattern = pattern + "/" + &segment;
        }
        pattern
    }

    fn path(&mut self) -> String {
        let segments = ["a", "b", "c", "d", "", "%61", "%2F", "%zz"];
        let count = 1 + self.below(5);
        let segments: Vec<&str> = (0..count).map(|_| self.of(&segments)).collect();
        format!("/{}", segments.join("/"))
    }
}

/// What a segment is to the one that compares: the least is the most specific.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Literal,
    Param,
    Tail,
}

/// The kinds of a pattern's segments and its parameters' values, if it matches.
fn matches(pattern: &str, path: &str) -> Option<(Vec<Kind>, String)> {
    let (mut kinds, mut params) = (Vec::new(), String::new());
    let mut rest = Some(path.strip_prefix('/')?);
    for segment in pattern[1..].split('/') {
        let here = rest?;
        let (value, behind) = match here.split_once('/') {
            Some((value, behind)) => (value, Some(behind)),
            None => (here, None),
        };
        rest = behind;
        if let Some(name) = segment.strip_suffix(":path}") {
            kinds.push(Kind::Tail);
            params = format!("{params} {}={here}", &name[1..]);
            rest = None;
        } else if let Some(name) = segment.strip_suffix('}') {
            kinds.push(Kind::Param);
            params = format!("{params} {}={value}", &name[1..]);
            if value.is_empty() {
                return None;
            }
        } else {
            kinds.push(Kind::Literal);
            if value.replace("%61", "a") != segment {
                return None;
            }
        }
    }
    rest.is_none().then_some((kinds, params))
}

/// What [`look_up`] should say.
fn expected(routes: &[(String, String)], method: &str, path: &str) -> Option<String> {
    let matching = |pattern: &String| matches(pattern, path);
    let best = routes
        .iter()
        .filter_map(|(_, pattern)| matching(pattern))
        .min()?;
    let there: Vec<&(String, String)> = routes
        .iter()
        .filter(|(_, pattern)| matching(pattern).is_some_and(|(kinds, _)| kinds == best.0))
        .collect();
    let of = |method: &str| there.iter().find(|(other, _)| other == method);
    let found = of(method).or_else(|| (method == "HEAD").then(|| of("GET"))?);
    if let Some((method, pattern)) = found {
        let (_, params) = matching(pattern)?;
        return Some(format!("{method} {pattern}{params}"));
    }
    let mut allowed = Vec::new();
    for (method, _) in &there {
        allowed.push(&**method);
        if method == "GET" && of("HEAD").is_none() {
            allowed.push("HEAD");
        }
    }
    Some(format!("405 {}, OPTIONS", allowed.join(", ")))
}

#[test]
fn finds_what_a_look_at_every_route_finds() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut found, mut not_allowed, mut not_found, mut conflicts) = (0, 0, 0, 0);
    for _ in 0..1_000 {
        let (mut router, mut added) = (Router::new(), Vec::new());
        for _ in 0..=random.below(30) {
            let (method, pattern) = (random.of(&["GET", "HEAD", "POST"]), random.pattern());
            match router.add(method, &pattern) {
                Ok(id) => {
                    assert_eq!(id.index(), added.len());
                    added.push((method.to_owned(), pattern));
                }
                Err(RouteError::Conflict { other, .. }) => {
                    assert!(added.contains(&(method.to_owned(), other)));
                    conflicts += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        for _ in 0..50 {
            let (method, path) = (random.of(&["GET", "HEAD", "POST", "PUT"]), random.path());
            let ours = look_up(&router, method, &path);
            assert_eq!(
                ours,
                expected(&added, method, &path),
                "{method} {path} of {added:?}"
            );
            match ours {
                Some(text) if text.starts_with("405") => not_allowed += 1,
                Some(_) => found += 1,
                None => not_found += 1,
            }
        }
    }
    for count in [found, not_allowed, not_found, conflicts] {
        assert!(count > 500, "{found} {not_allowed} {not_found} {conflicts}");
    }
}
