//! Statement lists.

use super::world::World;
use crate::model::expr::{ExprKind, StatementKind};

fn faults(world: &World, text: &str) -> String {
    world.block(text).1.join(" | ")
}

#[test]
fn assignments() {
    let world = World::new();
    let cases = [
        ("count = 1; text = 'a'; rate = 2; cost = 1.5; answer = null", ""),
        ("count = 'a'", "type-mismatch: `int` is wanted here, this is `string`"),
        ("count = number", "maybe-null: `number` may be null here"),
        ("number = 1; count = number", ""),
        ("number = 1; number = null; count = number", "maybe-null: `number` may be null here"),
        ("act = 'go'; act = 'gone'", "not-a-member: 'gone' is not a member of `Action`"),
        ("question = 'x'", "read-only: `question` is an input and cannot be written"),
        ("rounds = 3", "read-only: `rounds` is a budget and cannot be written"),
        ("cuont = 3", "unknown-name: there is no `cuont`"),
        ("error = 3", "read-only: `error` is supplied by the machine and cannot be written"),
        ("last.score = 1; last.tags[0] = 'x'; ages['bob'] = 3; ages.eve = 4", ""),
        ("last.scor = 1", "unknown-field: `Decision` has no field `scor`"),
        ("answer.score = 1", "maybe-null: `answer` may be null here, and null has no parts to write to"),
        ("if answer != null { answer.score = 1 }", ""),
        ("last.tags['a'] = 'x'", "type-mismatch: `string` is not an index here: a list takes an int"),
        ("json.a.b = 1; json[0] = 2", ""),
        ("last.call = Call{id: 'x', params: {}}; last.call.note = 'n'; text = last.call.note", ""),
        ("text = last.call.note", "maybe-null: `last.call.note` may be null here"),
        (
            "last.call = null; last.call.id = 'x'",
            "maybe-null: `last.call` may be null here, and null has no parts to write to",
        ),
        ("answer = Decision{action: 'go'}; rate = answer.score; act = answer.action", ""),
        ("digit = count; digit = 10", "type-mismatch: 10 lies outside `int(0..9)`"),
        ("tree.children[0].children[1].name = 'x'", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(faults(&world, text), expected, "{text}");
    }
}

#[test]
fn additions() {
    let world = World::new();
    let cases = [
        ("count += 1; rate += 2; cost += 0.5; span += 3s; text += 'x'; names += 'x'; json += 1", ""),
        ("count += 1.5", "type-mismatch: `int` is wanted here, this is `float`"),
        ("number += 1", "maybe-null: `number` may be null here"),
        ("names += 1", "type-mismatch: `string` is wanted here, this is `int`"),
        (
            "names += ['a']",
            "type-mismatch: `+=` appends one item of type `string` to a list, this is `list<string>`",
        ),
        ("acts += 'go'; acts += 'run'", "not-a-member: 'run' is not a member of `Action`"),
        (
            "flag += true",
            "type-mismatch: `+=` adds to numbers, amounts, durations, strings and lists, not to `bool`",
        ),
        ("if has(ages.bob) { ages.bob += 1 }", ""),
        ("ages.bob += 1", "maybe-missing: the map may not have `bob`"),
        ("calls += {'id': 'x', 'params': {}}", ""),
        ("digit += 1; few += 1; id += 'x'", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(faults(&world, text), expected, "{text}");
    }
}

#[test]
fn bounded_places_are_checked_when_they_grow() {
    let world = World::new();
    let (block, _, _) = world.block("digit += 1; count += 1");
    let is_checked = |at: usize| match &block.statements[at].kind {
        StatementKind::Assign { add, value, .. } => !add && matches!(value.kind, ExprKind::Coerce(..)),
        _ => false,
    };
    assert!(is_checked(0));
    assert!(!is_checked(1));
}

#[test]
fn other_statements() {
    let actions = [("reset", "answer = null; count = 0"), ("note", "number = 1"), ("stop", "fail lost")];
    let world = World::with(&[], &actions);
    assert_eq!(world.faults, []);
    assert_eq!(world.actions.len(), 3);
    let cases = [
        ("let x = count + 1; count = x", ""),
        ("let count = 1", "shadowed-name: the name `count` is taken"),
        ("if flag { let x = 1 }; let x = 'a'; text = x", ""),
        ("if flag { let x = 1 }; count = x", "unknown-name: there is no `x`"),
        ("spend rounds; spend rounds by 2; spend stage[text].explore; spend rounds by count", ""),
        ("spend rounds by 0", "bad-amount: at least 1 is spent, not 0"),
        ("spend rounds by 'a'", "type-mismatch: `int` is wanted here, this is `string`"),
        ("spend count", "unknown-budget: `count` is not a budget"),
        ("spend stage[text].x", "unknown-budget: the family `stage` has no meter `x`"),
        ("emit seen {'a': count}; emit plain", ""),
        ("fail lost 'gone'", ""),
        ("fail lots", "unknown-error-kind: there is no error kind `lots`"),
        ("fail timeout count", "type-mismatch: `string` is wanted here, this is `int`"),
        ("fail lost; count = 1", "unreachable-statement: this statement is never reached"),
        ("stop(); count = 1", "unreachable-statement: this statement is never reached"),
        ("for n in names { count += n.size() }", ""),
        ("for n in names { n = 'x' }", "read-only: `n` is a local name and cannot be written"),
        ("for i, n in names { count += i; text += n }", ""),
        ("for i, n in names { i = 1 }", "read-only: `i` is a local name and cannot be written"),
        ("for i, x in json { json = x; count = i }", ""),
        ("for k, v in ages { }", "type-mismatch: only a list counts its items, this is `map<int>`"),
        ("for k in ages { count += ages[k] }", ""),
        ("for x in json { json = x }", ""),
        ("for x in count { }", "type-mismatch: `for` iterates over a list, this is `int`"),
        ("for names in names { }", "shadowed-name: the name `names` is taken"),
        ("reset()", ""),
        ("rest()", "unknown-action: there is no action `rest`"),
        ("count()", "unknown-action: `count` is not an action"),
        ("if count { }", "type-mismatch: `bool` is wanted here, this is `int`"),
        ("answer = last; reset(); rate = answer.score", "maybe-null: `answer.score` may be null here"),
        ("note(); count = number", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(faults(&world, text), expected, "{text}");
    }
}

#[test]
fn facts_flow_through_statements() {
    let world = World::new();
    let cases = [
        ("if number == null { fail lost }; count = number", ""),
        ("if number == null { number = 3 }; count = number", ""),
        ("if flag { number = 3 } else { number = 4 }; count = number", ""),
        ("if flag { number = 3 }; count = number", "maybe-null: `number` may be null here"),
        ("if flag { number = 3 } else if number == null { fail lost }; count = number", ""),
        ("number = 1; for n in names { count = number }", ""),
        (
            "number = 1; for n in names { count = number; number = null }",
            "maybe-null: `number` may be null here",
        ),
        (
            "number = 1; for n in names { number = null }; count = number",
            "maybe-null: `number` may be null here",
        ),
        ("for n in names { number = 1 }; count = number", "maybe-null: `number` may be null here"),
        ("if answer != null && answer.call != null { text = answer.call.id }", ""),
        ("if answer.call != null { answer.call.note = 'x'; text = answer.call.note }", ""),
        (
            "if answer.call != null { answer.call = null; text = answer.call.id }",
            "maybe-null: `answer.call.id` may be null here",
        ),
        ("if answer != null { answer = last; rate = answer.score }", ""),
        ("for c in calls { if c.note != null { text = c.note } }", ""),
        ("let d = answer; if d != null { rate = d.score }", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(faults(&world, text), expected, "{text}");
    }
}
