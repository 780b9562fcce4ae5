//! Objects: order, look-up, and keys that are there twice.

use alula_schema::json::{self, DuplicateKeys, ErrorKind, Object, Options, Value};

use super::value;

/// Below and above the number of members from which on there is an index.
const SIZES: [usize; 8] = [0, 1, 2, 15, 16, 17, 100, 5_000];

/// Keys of which no two neighbours are in order.
fn key(number: usize) -> String {
    format!("key {}", number * 7919 % 10_007)
}

fn object(size: usize) -> Value {
    let members: Vec<String> = (0..size).map(|n| format!("\"{}\":{n}", key(n))).collect();
    value(format!("{{{}}}", members.join(",")))
}

#[test]
fn members_keep_their_order_and_are_found_by_key() {
    for size in SIZES {
        let value = object(size);
        let object = value.as_object().expect("an object");
        assert_eq!((object.len(), object.is_empty()), (size, size == 0));
        for (number, (name, value)) in object.iter().enumerate() {
            assert_eq!((name, value.as_u64()), (&*key(number), Some(number as u64)));
            assert_eq!(object.get(name), Some(value));
        }
        for absent in ["", "key", "key -1", "KEY 0", "key 0 "] {
            assert!(!object.contains_key(absent) && value.get(absent).is_none());
        }
    }
}

#[test]
fn the_last_of_two_keys_wins_at_the_place_of_the_first() {
    for size in SIZES.into_iter().filter(|&size| size > 0) {
        for twice in [0, size / 2, size - 1] {
            let mut members: Vec<String> =
                (0..size).map(|n| format!("\"{}\":{n}", key(n))).collect();
            members.push(format!("\"{}\":true", key(twice)));
            let value = value(format!("{{{}}}", members.join(",")));
            let object = value.as_object().expect("an object");
            assert_eq!(object.len(), size);
            let (name, last) = object.iter().nth(twice).expect("its place");
            assert_eq!((name, last), (&*key(twice), &Value::Bool(true)));
        }
    }
}

#[test]
fn keys_that_are_there_twice_are_refused_on_demand() {
    let options = Options {
        duplicate_keys: DuplicateKeys::Refuse,
        ..Options::default()
    };
    for size in SIZES {
        let members: Vec<String> = (0..size)
            .map(|n| format!("\"{}\":[{{}}]", key(n)))
            .collect();
        let once = format!("{{{}}}", members.join(","));
        let parsed = json::parse(once.as_bytes(), &options).expect("each key once");
        assert_eq!(parsed, value(&once));
        for twice in members.iter().step_by(size / 3 + 1) {
            let members = members.join(",");
            let error = json::parse(format!("{{{members},{twice}}}").as_bytes(), &options)
                .expect_err("a key twice");
            let place = (ErrorKind::DuplicateKey, members.len() + 2);
            assert_eq!((error.kind(), error.offset()), place);
        }
    }
    let apart = br#"[{"a":{"a":1}},{"a":2}]"#;
    json::parse(apart, &options).expect("the same key in different objects");
}

#[test]
fn objects_are_equal_in_whatever_order() {
    for size in SIZES {
        let value = object(size);
        let members = value.as_object().expect("an object").clone();
        let mut reversed: Vec<_> = members.clone().into_iter().collect();
        reversed.reverse();
        let mut reversed: Object = reversed.into_iter().collect();
        assert_eq!(reversed, members);
        if size > 0 {
            assert_eq!(reversed.insert(key(0), "other"), Some(Value::from(0)));
            assert_ne!(reversed, members);
            assert_ne!(members, reversed);
        }
        reversed.insert("one more", Value::Null);
        assert_ne!(reversed, members);
        assert_ne!(members, reversed);
    }
}

#[test]
fn members_can_be_added_and_changed() {
    for size in SIZES {
        let mut object = Object::new();
        for number in 0..size {
            assert_eq!(object.insert(key(number), number), None);
        }
        for number in 0..size {
            assert_eq!(object.insert(key(number), true), Some(Value::from(number)));
            *object.get_mut(&key(number)).expect("it is there") = Value::from(number);
        }
        assert_eq!(Value::from(object), self::object(size));
    }
}
