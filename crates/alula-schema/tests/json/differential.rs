//! Agreement with `serde_json` and the standard library, on numbers and documents made at random.
//!
//! What is compared, and the one declared difference, is in the fuzz target `json`.

use alula_schema::json;

use super::{target, value};

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
        (self.next() >> 8) as usize % bound.max(1)
    }

    fn digits(&mut self, most: usize) -> String {
        let length = 1 + self.below(most);
        (0..length)
            .map(|_| char::from(b'0' + self.below(10) as u8))
            .collect()
    }

    /// Something like a number: mostly right, sometimes out of the grammar or the range.
    fn number(&mut self) -> String {
        let sign = ["", "-"][self.below(2)];
        let edge = [1_u128 << 53, 1 << 63, 1 << 64, 10_000_000_000_000_000_000][self.below(4)];
        let near = edge + self.below(5) as u128 - 2;
        let float = f64::from_bits(self.next());
        match self.below(8) {
            0 => format!("{sign}{}", self.digits(25)),
            1 => format!("{sign}{near}"),
            2 => format!("{float:e}"),
            3 => format!("{float:?}"),
            4 => format!("{sign}{}.{}", self.digits(20), self.digits(20)),
            5 => format!(
                "{sign}{}e{}",
                self.digits(20),
                350 - self.below(700).cast_signed()
            ),
            // Half way between two floats, where rounding is hardest.
            6 => format!("{sign}{}.5e0", (1 << 52) + self.next() % (1 << 52)),
            _ => format!(
                "{sign}{}.{}E+{}",
                self.digits(3),
                self.digits(800),
                self.below(310)
            ),
        }
    }
}

/// Tells of the input if the test dies of it.
struct Reporter<'a>(&'a [u8]);

impl Drop for Reporter<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input was b\"{}\"", self.0.escape_ascii());
        }
    }
}

/// Runs the comparison; tells whether the input was taken.
fn agree(input: &[u8]) -> bool {
    let _reporter = Reporter(input);
    target::run(input)
}

#[test]
fn numbers_are_those_of_serde_json() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..40_000 {
        let text = random.number();
        *if agree(text.as_bytes()) {
            &mut taken
        } else {
            &mut refused
        } += 1;
    }
    assert!(
        taken >= 20_000 && refused >= 1_000,
        "{taken} taken, {refused} refused"
    );
}

#[test]
fn floats_are_written_in_as_few_digits_as_by_the_standard_library() {
    // How many, not which: two may be equally near.
    let digits = |text: &str| {
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').len()
    };
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut finite = 0;
    for _ in 0..20_000 {
        let float = f64::from_bits(random.next());
        let Ok(number) = json::Value::try_from(float) else {
            continue;
        };
        finite += 1;
        let written = json::to_string(&number);
        assert_eq!(value(&written), number);
        let theirs = format!("{float:e}");
        assert_eq!(digits(&written), digits(&theirs), "{written} and {theirs}");
    }
    assert!(finite > 19_000);
}

#[test]
fn integers_of_every_length_keep_their_digits() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for length in 1..=400 {
        for sign in ["", "-"] {
            let text = format!("{sign}1{}", random.digits(length));
            assert_eq!(json::to_string(&value(&text)), text);
        }
    }
}

/// Where mutation begins: each feature of the grammar somewhere.
const DOCUMENTS: [&str; 12] = [
    r#"{"id":1,"name":"A name","tags":["a","b"],"price":12.50,"ok":true,"none":null}"#,
    r"[0,-0,1,-1,0.0,-0.0,1.5e3,1E-7,18446744073709551616,9007199254740993]",
    r#"{"a":{"b":{"c":{"d":[[[[{}]]]]}}}}"#,
    r#"["\"\\\/\b\f\n\r\t","\u0041\u00e9\ud83d\ude00","é€😀","12345678\u0000"]"#,
    "{\n  \"a\" : [ 1 ,\t2 ,\r\n3 ] ,\n  \"b\" : { }\n}\n",
    r#"{"a":1,"b":2,"a":3,"\u0061":4,"c":{"a":5,"a":6}}"#,
    r#"{"k0":0,"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"l0":10,"l1":11,"l2":12,"l3":13,"l4":14,"l5":15,"l6":16,"k0":17,"l6":18}"#,
    r"[true,false,null,[true,[false,[null]]]]",
    r#"{"":"","é":"é","\n":"\n"}"#,
    r#"[[1,2],[3,4],[5,6],{"x":[7,8]},[]]"#,
    r#""just a string, longer than one word of the machine""#,
    r"[1e308,-1e308,1e-308,4.9e-324,123456789012345678901234567890]",
];

const PARTS: [&[u8]; 32] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b" ",
    b"\n",
    b"0",
    b"1",
    b"-",
    b".",
    b"e",
    b"E+",
    b"\\u",
    b"\\ud800",
    b"\\udc00",
    b"\\u0061",
    b"\xff",
    b"\xc3\xa9",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\0",
    b"true",
    b"false",
    b"null",
    b"NaN",
    b"\"a\":",
    b"1e999",
    b"[[[[[[[[",
];

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    let until = (at + random.below(12)).min(bytes.len());
    match random.below(8) {
        0 if at < bytes.len() => bytes[at] = random.next() as u8,
        1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 => drop(bytes.drain(at..until)),
        3 if random.below(4) == 0 => bytes.truncate(at),
        4 => bytes.extend_from_within(at..),
        5 => {
            let part = bytes[at..until].to_vec();
            let to = random.below(bytes.len() + 1);
            drop(bytes.splice(to..to, part));
        }
        6 => {
            let number = random.number();
            drop(bytes.splice(at..until, number.into_bytes()));
        }
        _ => {
            let part = PARTS[random.below(PARTS.len())];
            drop(bytes.splice(at..at, part.iter().copied()));
        }
    }
}

#[test]
fn mutated_documents_are_judged_as_by_serde_json() {
    let mut random = Random(0xfeed_beef_dead_cafe);
    let (mut taken, mut refused) = (0, 0);
    for round in 0..30_000 {
        let mut bytes = DOCUMENTS[round % DOCUMENTS.len()].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            mutate(&mut random, &mut bytes);
        }
        *if agree(&bytes) {
            &mut taken
        } else {
            &mut refused
        } += 1;
    }
    assert!(
        taken >= 2_000 && refused >= 10_000,
        "{taken} taken, {refused} refused"
    );
}

#[test]
fn generated_documents_are_read_as_by_serde_json() {
    let mut random = Random(0x0dd_ba11_5eed_1234);
    let mut taken = 0;
    for _ in 0..2_000 {
        let mut text = String::new();
        generate(&mut random, 0, &mut text);
        taken += usize::from(agree(text.as_bytes()));
    }
    assert!(taken >= 1_000, "{taken} taken");
}

/// A document of any shape, right but for numbers out of range.
fn generate(random: &mut Random, depth: usize, out: &mut String) {
    let space = |random: &mut Random| ["", "", "", " ", "\n", "\r\n\t"][random.below(6)];
    *out += space(random);
    let kinds = if depth < 6 { 8 } else { 6 };
    match random.below(kinds) {
        0 => *out += "null",
        1 => *out += ["true", "false"][random.below(2)],
        2 | 3 => *out += &random.number(),
        4 | 5 => string(random, out),
        kind => {
            let brackets = if kind == 6 { ['[', ']'] } else { ['{', '}'] };
            out.push(brackets[0]);
            for at in 0..random.below(20) {
                *out += if at > 0 { "," } else { "" };
                if kind == 7 {
                    *out += space(random);
                    string(random, out);
                    *out += space(random);
                    out.push(':');
                }
                generate(random, depth + 1, out);
            }
            *out += space(random);
            out.push(brackets[1]);
        }
    }
    *out += space(random);
}

fn string(random: &mut Random, out: &mut String) {
    const ESCAPES: [&str; 8] = [r#"\""#, r"\\", r"\/", r"\b", r"\f", r"\n", r"\r", r"\t"];
    out.push('"');
    for _ in 0..random.below(12) {
        match random.below(6) {
            0 => out.push_str(ESCAPES[random.below(8)]),
            1 => out.push_str(&unit(random.below(0xd800))),
            2 => {
                out.push_str(&unit(0xd800 + random.below(0x400)));
                out.push_str(
                    &unit(0xdc00 + random.below(0x400))
                        .to_uppercase()
                        .replace('U', "u"),
                );
            }
            3 => out.extend(char::from_u32(0x80 + random.below(0x800) as u32)),
            _ => out.push(char::from(b'a' + random.below(26) as u8)),
        }
    }
    out.push('"');
}

/// A UTF-16 unit as an escape.
fn unit(unit: usize) -> String {
    format!("\\u{unit:04x}")
}
