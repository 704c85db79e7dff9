use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::collection::vec;
use proptest::prelude::*;

use super::json::{JsonFaultKind, JsonLimits, canonical, parse_strict};
use super::sample::{key, scalar, value};
use super::*;

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Size and depth counted from scratch.
fn weigh(value: &Value) -> (usize, u32) {
    let sum = |parts: Vec<(usize, u32)>| {
        let size = parts.iter().map(|part| part.0).sum::<usize>() + 24;
        (size, parts.iter().map(|part| part.1).max().unwrap_or(0) + 1)
    };
    match value {
        Value::Str(text) => (24 + text.len(), 0),
        Value::List(list) => sum(list.iter().map(weigh).collect()),
        Value::Map(map) => sum(map
            .iter()
            .map(|(key, value)| {
                let (size, depth) = weigh(value);
                (size + key.len() + 16, depth)
            })
            .collect()),
        _ => (24, 0),
    }
}

fn same_weight(value: &Value) {
    assert_eq!((value.size_estimate(), value.depth()), weigh(value), "{value:?}");
}

fn back(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}

#[test]
fn a_value_is_small() {
    assert!(size_of::<Value>() <= 24, "{}", size_of::<Value>());
}

#[test]
fn numbers_compare_exactly() {
    assert_eq!(Value::Int(1), Value::Float(1.0));
    assert_ne!(Value::Int(i64::MAX), Value::Float(9_223_372_036_854_775_807.0));
    assert!(Value::Int(i64::MAX) < Value::Float(9_223_372_036_854_775_808.0));
    assert_eq!(Value::Int(i64::MIN), Value::Float(-9_223_372_036_854_775_808.0));
    assert!(Value::Int(-1) < Value::Float(-0.5));
    assert_eq!(Value::Int(1).compare(&Value::Float(f64::NAN)), None);
    assert!(Value::Float(f64::INFINITY) < Value::Float(f64::NAN));
    // The language compares an integer with a float as floats, as CEL does.
    assert!(Value::Int(i64::MAX).equals(&Value::Float(9_223_372_036_854_775_808.0)));
    assert_eq!(
        Value::Int(i64::MAX).compare(&Value::Float(9_223_372_036_854_775_808.0)),
        Some(Ordering::Equal)
    );
    assert_eq!(
        Value::Int(i64::MIN).compare(&Value::Float(-9_223_372_036_854_777_857.0)),
        Some(Ordering::Greater)
    );
    assert!(!Value::Float(f64::NAN).equals(&Value::Float(f64::NAN)));
    let nan: Value = vec![f64::NAN].into();
    assert!(!nan.equals(&nan.clone()));
    assert_eq!(nan, nan.clone());
}

#[test]
fn tags_do_not_clash_with_maps() {
    for text in [
        r#"{"$usd":"0.5"}"#,
        r#"{"$duration":"1m30s"}"#,
        r#"{"$float":"NaN"}"#,
        r#"{"$$usd":"0.5"}"#,
        r#"{"$$x":1,"$y":2}"#,
        r#"{"x":1,"$usd":"1"}"#,
        "[1,1.0,null,true]",
    ] {
        assert_eq!(serde_json::to_string(&back(text)).expect("writes"), text);
    }
    assert!(matches!(back(r#"{"$usd":"0.5"}"#), Value::Usd(500_000_000)));
    for bad in [
        r#"{"$usd":"0.5","x":1}"#,
        r#"{"$usd":1}"#,
        r#"{"$nix":"1"}"#,
        r#"{"a":1,"a":2}"#,
        "9223372036854775808",
    ] {
        assert!(serde_json::from_str::<Value>(bad).is_err(), "{bad}");
    }
}

#[test]
fn durations_and_amounts_have_one_text() {
    for (text, nanos) in [
        ("1m30s", 90_000_000_000),
        ("0s", 0),
        ("-1d2h", -93_600_000_000_000),
        ("250ms", 250_000_000),
        ("1s1ns", 1_000_000_001),
        ("-106751d23h47m16s854ms775us808ns", i64::MIN),
    ] {
        assert_eq!(duration::parse(text), Ok(nanos), "{text}");
        assert_eq!(duration::text(nanos), text);
    }
    for (text, nanos) in [
        ("1.5h", 5_400_000_000_000),
        ("0", 0),
        (".5s", 500_000_000),
        ("90m", 5_400_000_000_000),
        ("1µs", 1000),
    ] {
        assert_eq!(duration::parse(text), Ok(nanos), "{text}");
    }
    for bad in ["", "-", "1", "s", "1x", "1m-3s", "1 s", ".s", "1..5s"] {
        assert_eq!(duration::parse(bad), Err(TextFault::Malformed), "{bad}");
    }
    for far in ["320000000000s", "99999999999999999999999999999999999999999s", "106752d"] {
        assert_eq!(duration::parse(far), Err(TextFault::OutOfRange), "{far}");
    }
    for (text, nanos) in [("0.5", 500_000_000), ("-12.000000001", -12_000_000_001), ("3", 3_000_000_000)] {
        assert_eq!(usd::parse(text), Ok(nanos), "{text}");
        assert_eq!(usd::text(nanos), text);
    }
    for bad in ["", "-", "1.", ".5", "1.0000000001", "1e3", "$1", "+1"] {
        assert_eq!(usd::parse(bad), Err(TextFault::Malformed), "{bad}");
    }
    assert_eq!(usd::parse("99999999999"), Err(TextFault::OutOfRange));
    assert_eq!(usd::from_float(0.1), Ok(100_000_000));
    assert_eq!(usd::from_float(f64::NAN), Err(TextFault::OutOfRange));
}

#[test]
fn canonical_json_is_one_text_per_value() {
    let map: Map = [("b", Value::Float(1.0)), ("a", Value::Float(0.1)), ("\u{1}\"\n", Value::Float(-0.0))]
        .into_iter()
        .collect();
    assert_eq!(canonical(&map.into()), r#"{"\u0001\"\n":0,"a":0.1,"b":1}"#);
    assert_eq!(digest(&Value::Int(1)), digest(&Value::Float(1.0)));
    assert_ne!(digest(&Value::Usd(usd::ONE)), digest(&"1".into()));
    assert_ne!(
        digest(&Value::Usd(usd::ONE)),
        digest(&Value::Map([("$usd", "1".into())].into_iter().collect()))
    );
    assert_eq!(digest(&Value::Null).to_string().len(), 64);
}

#[test]
fn strict_json_says_what_and_where() {
    let parse = |text: &str| parse_strict(text, JsonLimits::default()).map_err(|fault| fault.to_string());
    assert_eq!(
        parse(r#" {"a": [1, -2.5e1, "\u00e9\ud83d\ude00\n"], "b": null} "#).map(|v| canonical(&v)),
        Ok(r#"{"a":[1,-25,"é😀\n"],"b":null}"#.to_owned())
    );
    for (text, fault) in [
        ("", "the text ends where a value was wanted at byte 0"),
        ("{'a': 1}", "found `'` where a key in double quotes was wanted at byte 1"),
        (r#"{"a": 1, "a": 2}"#, "the key \"a\" comes twice in one object at byte 9"),
        ("1 2", "found more text after the value at byte 2"),
        ("[1,]", "found `]` where a value was wanted at byte 3"),
        ("01", "found more text after the value at byte 1"),
        ("9223372036854775808", "the number is out of range at byte 0"),
        ("[1e999]", "the number is out of range at byte 1"),
        ("1.", "the text ends where a digit was wanted at byte 2"),
        ("NaN", "found `N` where a value was wanted at byte 0"),
        ("nul", "found `n` where a value was wanted at byte 0"),
        ("\"a\nb\"", "a control character in a string must be escaped at byte 2"),
        (r#""\ud800""#, "the escape in the string is not valid at byte 1"),
        (r#""\x""#, "the escape in the string is not valid at byte 1"),
        (r#""abc"#, "the text ends where `\"` was wanted at byte 4"),
        ("{\"a\" 1}", "found `1` where `:` was wanted at byte 5"),
        ("[é]", "found `é` where a value was wanted at byte 1"),
    ] {
        assert_eq!(parse(text), Err(fault.to_owned()), "{text}");
    }
    assert_eq!(parse(r#"["\""#), Err("the text ends where `\"` was wanted at byte 4".to_owned()));
    let deep = "[".repeat(20_000);
    let fault = parse_strict(&deep, JsonLimits::default()).expect_err("too deep");
    assert_eq!((fault.kind, fault.offset), (JsonFaultKind::TooDeep(MAX_DEPTH), 64));
    assert!(parse_strict("[1,2,3]", JsonLimits { bytes: 5, depth: 9 }).is_err());
    assert!(
        parse_strict(
            &"[".repeat(64).chars().chain("]".repeat(64).chars()).collect::<String>(),
            JsonLimits::default()
        )
        .is_ok()
    );
}

#[test]
fn paths_write_into_the_middle() {
    let key = |name: &str| PathSeg::Key(name.into());
    let mut value = back(r#"{"rows":[{"n":1},{"n":2}],"x":null}"#);
    let before = value.clone();
    value.set_path(&[key("rows"), PathSeg::Index(1), key("new")], "v".into()).expect("fits");
    value.append_path(&[key("rows")], Value::Int(3)).expect("fits");
    value.set_path(&[key("y")], Value::Bool(true)).expect("fits");
    assert_eq!(value, back(r#"{"rows":[{"n":1},{"n":2,"new":"v"},3],"x":null,"y":true}"#));
    assert_eq!(before, back(r#"{"rows":[{"n":1},{"n":2}],"x":null}"#));
    assert_eq!(value.get_path(&[key("rows"), PathSeg::Index(2)]), Some(&Value::Int(3)));
    same_weight(&value);
    let fault = |path: &[PathSeg]| {
        let fault = value.clone().set_path(path, Value::Null).expect_err("does not fit");
        format!("{}: {}", fault.at, fault.kind)
    };
    assert_eq!(fault(&[key("nix"), key("a")]), "0: the map has no key `nix`");
    assert_eq!(fault(&[key("x"), key("a")]), "1: found null where a map was wanted");
    assert_eq!(
        fault(&[key("rows"), PathSeg::Index(-1)]),
        "1: the list has 3 elements, so there is no element -1 (they are counted from 0)"
    );
    assert_eq!(fault(&[key("rows"), key("a")]), "1: found list where a map was wanted");
    assert_eq!(fault(&[PathSeg::Index(0)]), "0: found map where a list was wanted");
    let mut deep = Value::Null;
    let mut levels = 0;
    while {
        let mut next = Value::List(List::new());
        let fits = next.append_path(&[], deep.clone()).is_ok();
        deep = next;
        fits
    } {
        levels += 1;
    }
    assert_eq!(levels, MAX_DEPTH);
}

#[test]
fn a_value_that_doubles_is_known_to_be_huge_at_once() {
    let mut value: Value = vec![1_i64].into();
    for _ in 0..200 {
        value = Value::List([value.clone(), value].into_iter().collect());
    }
    assert_eq!(value.size_estimate(), usize::MAX);
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(value in value()) {
        let text = serde_json::to_string(&value).expect("writes");
        let read = back(&text);
        prop_assert_eq!(&read, &value);
        // Equality is by numeric value and without order; the text shows the variants and the order.
        prop_assert_eq!(format!("{read:?}"), format!("{value:?}"));
        prop_assert_eq!(read.size_estimate(), value.size_estimate());
    }

    #[test]
    fn plain_json_and_the_strict_parser_agree(value in value()) {
        let text = serde_json::to_string(&value.to_json()).expect("writes");
        let json: serde_json::Value = serde_json::from_str(&text).expect("reads");
        let strict = parse_strict(&text, JsonLimits::default()).expect("reads");
        prop_assert_eq!(format!("{:?}", Value::from_json(&json)), format!("{strict:?}"));
        prop_assert_eq!(canonical(&strict), canonical(&value));
    }

    #[test]
    fn the_strict_parser_takes_what_serde_takes(text in r#"[\[\]{}",:0-9.eE+\-tfn\\u a-c]{0,24}"#) {
        let strict = parse_strict(&text, JsonLimits::default());
        match serde_json::from_str::<serde_json::Value>(&text) {
            Err(_) => prop_assert!(strict.is_err(), "{text}"),
            Ok(_) => prop_assert!(
                strict.as_ref().map_or_else(
                    |fault| matches!(fault.kind, JsonFaultKind::DuplicateKey(_) | JsonFaultKind::NumberRange),
                    |_| true
                ),
                "{text}: {strict:?}"
            ),
        }
    }

    #[test]
    fn the_order_is_total_and_the_hash_and_digest_agree(one in value(), two in value(), three in value()) {
        prop_assert_eq!(one.cmp(&one), Ordering::Equal);
        prop_assert_eq!(one.cmp(&two), two.cmp(&one).reverse());
        prop_assert_eq!(one == two, one.cmp(&two) == Ordering::Equal);
        prop_assert_eq!(one == two, digest(&one) == digest(&two));
        let mut sorted = [&one, &two, &three];
        sorted.sort();
        prop_assert!(sorted[0] <= sorted[2]);
        if one == two {
            prop_assert_eq!(hash(&one), hash(&two));
        }
        // Where no float is involved, the language's `==` is the same relation.
        if one == two && !format!("{one:?}").contains("NaN") {
            prop_assert!(one.equals(&two));
        }
    }

    #[test]
    fn scalars_are_ordered_transitively(values in vec(scalar(), 12)) {
        for one in &values {
            for two in &values {
                prop_assert_eq!(one == two, digest(one) == digest(two));
                if one == two {
                    prop_assert_eq!(hash(one), hash(two));
                }
                for three in &values {
                    if one <= two && two <= three {
                        prop_assert!(one <= three, "{:?} {:?} {:?}", one, two, three);
                    }
                }
            }
        }
    }

    #[test]
    fn a_list_is_a_vector(start in 0_usize..140, writes in vec((0_usize..160, scalar(), any::<bool>()), 0..60)) {
        let mut model: Vec<Value> = (0..start).map(|n| Value::Str(format!("{n}").into())).collect();
        let mut list = List::from(model.clone());
        for (place, value, push) in writes {
            let copy = list.clone();
            let before: Vec<Value> = model.clone();
            if push {
                list.push(value.clone());
                model.push(value);
            } else {
                prop_assert_eq!(list.set(place, value.clone()), place < model.len());
                if let Some(slot) = model.get_mut(place) { *slot = value; }
            }
            prop_assert!(copy.iter().eq(before.iter()));
        }
        prop_assert_eq!(list.len(), model.len());
        prop_assert!(list.iter().rev().eq(model.iter().rev()));
        prop_assert_eq!(list.get(model.len()), None);
        prop_assert_eq!(list.last(), model.last());
        same_weight(&Value::List(list.clone()));
        prop_assert_eq!(list, List::from(model));
    }

    #[test]
    fn a_map_is_a_vector_of_pairs(start in 0_usize..60, writes in vec((0_usize..80, value(), 0_u8..4), 0..120)) {
        let mut model: Vec<(Str, Value)> = (0..start).map(|n| (ecow::eco_format!("k{n}"), Value::Null)).collect();
        let mut map: Map = model.iter().cloned().collect();
        for (number, value, action) in writes {
            let key: Str = ecow::eco_format!("k{number}");
            let place = model.iter().position(|entry| entry.0 == key);
            prop_assert_eq!(map.get_at(number, &key), place.map(|place| &model[place].1));
            let copy = map.clone();
            let before = model.clone();
            if action == 0 {
                prop_assert_eq!(map.remove(&key), place.map(|place| model.remove(place).1));
            } else {
                let former = map.insert(key.clone(), value.clone());
                if let Some(place) = place { prop_assert_eq!(former, Some(std::mem::replace(&mut model[place].1, value))) } else { prop_assert_eq!(former, None); model.push((key, value)); }
            }
            prop_assert!(copy.iter().eq(before.iter().map(|(key, value)| (key, value))));
        }
        prop_assert_eq!(map.len(), model.len());
        prop_assert_eq!(map.iter().len(), model.len());
        prop_assert!(map.iter().eq(model.iter().map(|(key, value)| (key, value))));
        same_weight(&Value::Map(map.clone()));
        model.reverse();
        let turned: Map = model.into_iter().collect();
        prop_assert_eq!(hash(&Value::Map(turned.clone())), hash(&Value::Map(map.clone())));
        prop_assert_eq!(turned, map);
    }

    #[test]
    fn a_large_map_keeps_its_order_through_removals(keys in vec(key(), 40..90), gone in vec(any::<prop::sample::Index>(), 0..80)) {
        let mut map: Map = keys.iter().map(|key| (key.clone(), Value::Null)).collect();
        let mut model: Vec<Str> = map.keys().cloned().collect();
        for index in gone {
            if model.is_empty() { break; }
            let key = model.remove(index.index(model.len()));
            prop_assert!(map.remove(&key).is_some());
            prop_assert!(map.keys().eq(model.iter()));
        }
        same_weight(&Value::Map(map));
    }

    #[test]
    fn unit_texts_read_back(nanos in any::<i64>()) {
        prop_assert_eq!(duration::parse(&duration::text(nanos)), Ok(nanos));
        prop_assert_eq!(duration::parse(&duration::seconds_text(nanos)), Ok(nanos));
        prop_assert_eq!(usd::parse(&usd::text(nanos)), Ok(nanos));
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = (duration::parse(&text), usd::parse(&text), parse_strict(&text, JsonLimits::default()));
    }
}
