//! The fuzz targets on the cases, mutated at random: for `ALULA_FUZZ_SECONDS` (5 by default) in
//! all. An input that breaks an invariant is printed.

use std::{
    env,
    time::{Duration, Instant},
};

use crate::{cases, targets};

type Target = fn(&[u8]);

/// What a target is fed with, beside the cases.
const SEEDS: [&[u8]; 4] = [
    b"3;a=b;c=\"d\\\"e\"\r\nabc\r\n00A\r\ndefghijklm\r\n0\r\nX-T: 1\r\n\r\n",
    b"POST /p?q HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\nX-A:  b\r\n\r\nabcdefghij",
    b"OPTIONS http://a.test:80/p HTTP/1.0\r\nHost: b\r\nConnection: keep-alive\r\n\r\n",
    b"\x00\x00\x00\x02\x00\x01\x02\x00\x03abc\x01\x03def\x00",
];

const PARTS: [&[u8]; 14] = [
    b"\r\n",
    b"\r\n\r\n",
    b"\n",
    b"\r",
    b"\0",
    b" ",
    b":",
    b";",
    b",",
    b"chunked",
    b"0\r\n\r\n",
    b"Content-Length: 3\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
];

/// Xorshift: no state but a word.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    let at = random.below(bytes.len() + 1);
    let until = (at + random.below(12)).min(bytes.len());
    match random.below(7) {
        0 if at < bytes.len() => bytes[at] = random.next() as u8,
        1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 => drop(bytes.drain(at..until)),
        3 => bytes.truncate(at),
        4 => bytes.extend_from_within(at..),
        5 => {
            let other = &corpus[random.below(corpus.len())];
            bytes.truncate(at);
            bytes.extend_from_slice(&other[random.below(other.len())..]);
        }
        _ => drop(bytes.splice(at..at, random.of(&PARTS).iter().copied())),
    }
}

/// Tells of the input if the test dies of it.
struct Reporter<'a>(&'a str, &'a [u8]);

impl Drop for Reporter<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input of {} was b\"{}\"", self.0, self.1.escape_ascii());
        }
    }
}

#[test]
fn the_invariants_of_the_fuzz_targets_hold() {
    let seconds = env::var("ALULA_FUZZ_SECONDS").map_or(5, |text| text.parse().expect("seconds"));
    let mut corpus: Vec<Vec<u8>> = cases::all().map(|(_, bytes)| bytes).collect();
    corpus.extend(SEEDS.map(<[u8]>::to_vec));
    let targets: [(&str, Target); 4] = [
        ("head", targets::head::run),
        ("chunked", targets::chunked::run),
        ("connection", targets::connection::run),
        ("answer", targets::answer::run),
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        for (name, run) in targets {
            // Two bytes choose bounds and pieces.
            let mut input = vec![random.next() as u8, random.next() as u8 & 7];
            input.extend_from_slice(&corpus[random.below(corpus.len())]);
            for _ in 0..random.below(5) {
                mutate(&mut random, &mut input, &corpus);
            }
            let _reporter = Reporter(name, &input);
            run(&input);
        }
    }
}
