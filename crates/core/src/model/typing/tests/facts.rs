//! The set of facts by itself, and lets in conditions.

use super::world::World;
use crate::model::expr::SlotId;
use crate::model::typing::{Facts, Path, Root};
use crate::program::op::Special;

fn path(slot: u32, fields: &[&str]) -> Path {
    let mut path = Path::root(Root::Slot(SlotId(slot)));
    path.fields.extend(fields.iter().map(|f| (*f).into()));
    path
}

#[test]
fn a_path_that_is_not_null_has_no_null_above_it() {
    let mut facts = Facts::default();
    facts.insert(path(1, &["a", "b"]));
    assert!(facts.contains(&path(1, &[])) && facts.contains(&path(1, &["a"])));
    assert!(!facts.contains(&path(1, &["b"])) && !facts.contains(&path(2, &[])));
}

#[test]
fn a_write_kills_what_lies_below() {
    let mut facts = Facts::default();
    facts.insert(path(1, &["a", "b"]));
    facts.insert(path(1, &["c"]));
    facts.kill(&path(1, &["a"]));
    assert!(!facts.contains(&path(1, &["a"])) && !facts.contains(&path(1, &["a", "b"])));
    assert!(facts.contains(&path(1, &["c"])) && facts.contains(&path(1, &[])));
    facts.kill_below(&path(1, &[]));
    assert!(facts.contains(&path(1, &[])) && !facts.contains(&path(1, &["c"])));
}

#[test]
fn a_write_anywhere_kills_all_slots() {
    let mut facts = Facts::default();
    let result = Path::root(Root::Special(Special::Result));
    for path in [path(0, &[]), path(1, &["a"]), result.clone()] {
        facts.insert(path);
    }
    facts.kill_slots();
    assert!(facts.contains(&result));
    for path in [path(0, &[]), path(1, &["a"]), path(1, &[])] {
        assert!(!facts.contains(&path));
    }
}

#[test]
fn no_more_facts_are_noted_than_can_be_looked_through() {
    let mut facts = Facts::default();
    for i in 0..1_000 {
        facts.insert(path(0, &[&i.to_string()]));
    }
    // The newest is there, whatever had to go.
    assert!(facts.contains(&path(0, &["999"])));
    let known = (0..1_000).filter(|i| facts.contains(&path(0, &[&i.to_string()]))).count();
    assert_eq!(known, 256);
}

#[test]
fn joins_keep_what_both_ways_know() {
    let (mut a, mut b) = (Facts::default(), Facts::default());
    a.insert(path(1, &[]));
    a.insert(path(2, &[]));
    b.insert(path(2, &[]));
    b.insert(path(3, &[]));
    let both = a.meet(&b);
    assert!(both.contains(&path(2, &[])) && !both.contains(&path(1, &[])) && !both.contains(&path(3, &[])));
    assert_eq!(both, b.meet(&a));
    assert_eq!(Facts::unreached().meet(&a), a);
    assert_eq!(a.meet(&Facts::unreached()), a);
    assert!(a.and(&b).contains(&path(3, &[])) && a.and(&b).contains(&path(1, &[])));
}

#[test]
fn lets_tell_what_their_bodies_tell() {
    let heads = [
        ("ready", "answer != null && answer.call != null"),
        ("call", "answer.call"),
        ("latest", "size(calls) > 0 ? calls[size(calls) - 1] : null"),
        ("above(x)", "number != null && number > x"),
        ("is_set(x)", "x != null"),
        ("twice(x)", "x + x"),
        ("late", "exhausted(rounds) ? null : text"),
        ("noted", "calls.filter(c, c.note != null)"),
        ("by_id", "noted.sortBy(n, n.id)"),
    ];
    let world = World::with(&heads, &[]);
    assert_eq!(world.faults, []);
    for (text, expected) in [
        ("ready && answer.call.id != ''", "bool"),
        ("!ready || answer.call.id.size() > 0", "bool"),
        ("call != null && call.id.size() > 0 && answer.call.id.size() > 1", "bool"),
        ("latest != null && latest.id.size() > 0", "bool"),
        ("latest.id.size() > 0", "maybe-null: `latest.id` may be null here"),
        ("above(3) && number > 1", "bool"),
        ("is_set(number) && number > 1", "bool"),
        ("is_set(answer.call) && answer.call.id.size() > 1", "bool"),
        ("twice(number)", "maybe-null: `number` may be null here | maybe-null: `number` may be null here"),
        ("twice(size(text)) + twice(twice(1))", "int"),
        ("twice('a')", "string"),
        ("twice(1, 2)", "wrong-arguments: the let `twice` takes one argument, 2 given"),
        ("twice", "wrong-arguments: the let `twice` takes parameters"),
        ("ready()", "unknown-function: `ready` is not a function"),
        ("names.map(n, twice(n + 'x'))", "list<string>"),
        ("noted.map(c, c.note)", "list<string>"),
        ("by_id.map(c, c.note.size())", "list<int>"),
        ("calls.map(c, c.note)", "list<string?>"),
    ] {
        assert_eq!(world.ty(text), expected, "{text}");
    }
    let (_, faults, _) = world.block("if latest != null { calls = []; text = latest.id }");
    assert_eq!(faults, ["maybe-null: `latest.id` may be null here"]);
    let (_, faults, _) = world.block("if late != null { text = late; spend rounds; text = late }");
    assert_eq!(faults, ["maybe-null: `late` may be null here"]);
}
