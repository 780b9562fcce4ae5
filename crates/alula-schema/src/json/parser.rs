//! Bytes to a value, in one pass and without recursion.

use core::mem;

use super::{
    DuplicateKeys, JsonError, MAX_DEPTH, Object, Options, Value,
    error::{ErrorKind, Fault},
    number, text,
};

/// Parses one document (RFC 8259).
///
/// The result takes memory in proportion to the input: at most 64 bytes for each of its bytes.
///
/// # Errors
///
/// What is wrong first, and where.
pub fn parse(input: &[u8], options: &Options) -> Result<Value, JsonError> {
    let max_depth = options.max_depth.min(MAX_DEPTH);
    let mut parser = Parser {
        input,
        at: 0,
        max_depth,
        duplicate_keys: options.duplicate_keys,
    };
    parser
        .document()
        .map_err(|fault| JsonError::new(fault, input, max_depth))
}

struct Parser<'a> {
    input: &'a [u8],
    /// Bytes that are done with.
    at: usize,
    max_depth: usize,
    duplicate_keys: DuplicateKeys,
}

/// A container that has not ended.
enum Open {
    Array(Vec<Value>),
    /// With the key whose value comes next.
    Object(Object, String),
}

/// What an opening bracket began.
enum Begun {
    /// It ended at once.
    Empty(Value),
    Open(Open),
}

/// What became of a container by one more value.
enum Added {
    /// Another value must follow.
    More,
    /// It has ended, and is a value itself.
    Whole(Value),
}

impl Parser<'_> {
    fn document(&mut self) -> Result<Value, Fault> {
        let mut open = Vec::new();
        loop {
            let mut value = self.next_scalar(&mut open)?;
            // It may be the last of its container, and that of its own.
            loop {
                self.skip_space();
                let Some(container) = open.last_mut() else {
                    return match self.peek() {
                        None => Ok(value),
                        Some(_) => self.fail(ErrorKind::End),
                    };
                };
                match self.add(container, value)? {
                    Added::More => break,
                    Added::Whole(whole) => value = whole,
                }
                open.pop();
            }
        }
    }

    /// Opens containers up to the first that is empty, or a scalar, and returns that.
    fn next_scalar(&mut self, open: &mut Vec<Open>) -> Result<Value, Fault> {
        let mut expected = ErrorKind::Value;
        loop {
            self.skip_space();
            let container = match self.peek() {
                Some(b'"') => return Ok(Value::String(self.string()?)),
                Some(b'-' | b'0'..=b'9') => return self.number(),
                Some(b'[') => self.array(open.len())?,
                Some(b'{') => self.object(open.len())?,
                Some(b't') => return self.word(b"true", Value::Bool(true), ErrorKind::True),
                Some(b'f') => return self.word(b"false", Value::Bool(false), ErrorKind::False),
                Some(b'n') => return self.word(b"null", Value::Null, ErrorKind::Null),
                _ => return self.fail(expected),
            };
            expected = match container {
                Begun::Empty(value) => return Ok(value),
                Begun::Open(container) => {
                    let is_array = matches!(container, Open::Array(_));
                    open.push(container);
                    if is_array {
                        ErrorKind::FirstItem
                    } else {
                        ErrorKind::Value
                    }
                }
            };
        }
    }

    /// Begins the array whose bracket is next, within as many containers as `depth`.
    fn array(&mut self, depth: usize) -> Result<Begun, Fault> {
        self.enter(depth)?;
        if self.take(b']') {
            return Ok(Begun::Empty(Value::Array(Vec::new())));
        }
        Ok(Begun::Open(Open::Array(Vec::new())))
    }

    /// Begins the object whose brace is next, within as many containers as `depth`.
    fn object(&mut self, depth: usize) -> Result<Begun, Fault> {
        self.enter(depth)?;
        let object = Object::new();
        if self.take(b'}') {
            return Ok(Begun::Empty(Value::Object(object)));
        }
        let key = self.key(&object, ErrorKind::FirstKey)?;
        Ok(Begun::Open(Open::Object(object, key)))
    }

    /// Steps over an opening bracket and the space behind it.
    fn enter(&mut self, depth: usize) -> Result<(), Fault> {
        if depth >= self.max_depth {
            return self.fail(ErrorKind::Depth);
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Adds a value to its container, and reads on to where the next one begins.
    fn add(&mut self, container: &mut Open, value: Value) -> Result<Added, Fault> {
        match container {
            Open::Array(items) => {
                items.push(value);
                if self.take(b',') {
                    return Ok(Added::More);
                }
                if self.take(b']') {
                    return Ok(Added::Whole(Value::Array(mem::take(items))));
                }
                self.fail(ErrorKind::NextItem)
            }
            Open::Object(object, key) => {
                object.insert(mem::take(key), value);
                if self.take(b',') {
                    self.skip_space();
                    *key = self.key(object, ErrorKind::Key)?;
                    return Ok(Added::More);
                }
                if self.take(b'}') {
                    return Ok(Added::Whole(Value::Object(mem::take(object))));
                }
                self.fail(ErrorKind::NextMember)
            }
        }
    }

    /// A key and its colon.
    fn key(&mut self, object: &Object, expected: ErrorKind) -> Result<String, Fault> {
        if self.peek() != Some(b'"') {
            return self.fail(expected);
        }
        let offset = self.at;
        let key = self.string()?;
        if self.duplicate_keys == DuplicateKeys::Refuse && object.contains_key(&key) {
            return Err(Fault::new(ErrorKind::DuplicateKey, offset));
        }
        self.skip_space();
        if self.take(b':') {
            return Ok(key);
        }
        self.fail(ErrorKind::Colon)
    }

    /// The string whose quote is next.
    fn string(&mut self) -> Result<String, Fault> {
        let (string, end) = text::read(self.input, self.at + 1)?;
        self.at = end;
        Ok(string)
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let (number, end) = number::read(self.input, self.at)?;
        self.at = end;
        Ok(Value::Number(number))
    }

    fn word(&mut self, word: &[u8], value: Value, expected: ErrorKind) -> Result<Value, Fault> {
        if !self.input[self.at..].starts_with(word) {
            return self.fail(expected);
        }
        self.at += word.len();
        Ok(value)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.input.get(self.at).copied()
    }

    /// Steps over the byte if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The error, here.
    fn fail<T>(&self, kind: ErrorKind) -> Result<T, Fault> {
        Err(Fault::new(kind, self.at))
    }
}
