//! Types of expressions, and what is reported of faulty ones.

use super::world::World;
use crate::model::typing::{Here, Reach};

fn types(cases: &[(&str, &str)]) {
    let world = World::new();
    assert_eq!(world.faults, [], "the world itself is sound");
    for (text, expected) in cases {
        assert_eq!(world.ty(text), *expected, "{text}");
    }
}

#[test]
fn literals_and_operators() {
    types(&[
        ("1 + 2 * 3", "int"),
        ("-1", "int"),
        ("rate * 2", "float"),
        ("2 * rate", "float"),
        ("rate + count", "type-mismatch: `+` does not take `float` and `int`"),
        ("cost + 0.25", "usd"),
        ("cost * 2", "usd"),
        ("cost / 2.5", "usd"),
        ("span * 3", "duration"),
        ("3 * span", "duration"),
        ("span + 5s", "duration"),
        ("text + act", "string"),
        ("text + 1", "type-mismatch: `+` does not take `string` and `int`"),
        ("names + ['x']", "list<string>"),
        ("[] + [3]", "list<int>"),
        ("count % 2 == 0", "bool"),
        ("47.5 % 5.5", "type-mismatch: `%` does not take `float` and `float`"),
        ("!flag && true", "bool"),
        ("!0", "type-mismatch: `bool` is wanted here, this is `int`"),
        (
            "'a' && 'b'",
            "type-mismatch: `bool` is wanted here, this is `string` | type-mismatch: `bool` is wanted here, this is `string`",
        ),
        ("1 < rate", "bool"),
        ("'a' < 1", "type-mismatch: `<` does not take `string` and `int`"),
        ("[1] < [2]", "type-mismatch: `<` does not take `list<int>` and `list<int>`"),
        ("act < some", "type-mismatch: `<` does not take `Action` and `Some`"),
        ("1 == 1.0", "bool"),
        ("text == 1", "type-mismatch: `string` and `int` are never equal"),
        ("flag ? 1 : 2", "int"),
        ("flag ? 1 : null", "int?"),
        ("flag ? 1 : 'a'", "type-mismatch: one side of `?:` is `int`, the other `string`"),
        ("maybe ?? 'none'", "string"),
        ("maybe ?? maybe", "string?"),
        ("number ?? 'x'", "type-mismatch: `??` joins `int?` and `string`, which have nothing in common"),
        ("json + 1", "any"),
        ("json.a.b[0]", "any"),
        ("json == 1", "bool"),
    ]);
}

#[test]
fn enums_know_their_members() {
    types(&[
        ("act == 'go'", "bool"),
        ("act == 'Go'", "not-a-member: 'Go' is not a member of `Action`"),
        ("'sotp' != act", "not-a-member: 'sotp' is not a member of `Action`"),
        ("act in ['go', 'run']", "not-a-member: 'run' is not a member of `Action`"),
        ("'walk' in acts", "not-a-member: 'walk' is not a member of `Action`"),
        ("act == some", "bool"),
        ("act == other", "type-mismatch: `Action` and `Other` are never equal"),
        ("act == text", "bool"),
        ("ages[act] ?? 0", "int"),
        ("ages[act]", "maybe-missing: the map may not have this key"),
        ("answer.action ?? 'stop'", "Action"),
        ("answer.action ?? 'none'", "string"),
    ]);
}

#[test]
fn enums_fit_where_their_members_are_known() {
    let world = World::new();
    let cases = [
        ("'go'", "Action", "Action"),
        ("'run'", "Action", "not-a-member: 'run' is not a member of `Action`"),
        ("some", "Action", "Some"),
        ("act", "Some", "type-mismatch: `Some` is wanted here, this is `Action`"),
        ("text", "Action", "type-mismatch: `Action` is wanted here, this is `string`"),
        ("is(text, Action) ? text : 'stop'", "Action", "Action"),
        ("flag ? 'go' : 'stop'", "Action", "Action"),
        ("flag ? 'go' : 'sto'", "Action", "not-a-member: 'sto' is not a member of `Action`"),
        ("act", "string", "Action"),
        ("[act, 'wait']", "list<Action>", "list<Action>"),
    ];
    for (text, want, expected) in cases {
        assert_eq!(world.fits(text, want), expected, "{text} as {want}");
    }
}

#[test]
fn what_fits_where() {
    let world = World::new();
    let cases = [
        ("3", "float", "float"),
        ("3", "usd", "usd"),
        ("-0.5", "usd", "usd"),
        ("count", "float", "type-mismatch: `float` is wanted here, this is `int`"),
        ("12", "int(0..9)", "type-mismatch: 12 lies outside `int(0..9)`"),
        ("count", "int(0..9)", "int(0..9)"),
        ("digit", "int(0..20)", "int(0..9)"),
        ("digit", "int(20..30)", "type-mismatch: `int(20..30)` is wanted here, this is `int(0..9)`"),
        ("'123456789'", "Id", "type-mismatch: the text has 9 characters, at most 8 fit here"),
        ("text", "Id", "string(8)"),
        ("json", "Decision", "Decision"),
        ("json", "string?", "string?"),
        ("null", "string?", "null"),
        ("null", "string", "type-mismatch: null does not fit here, `string` is wanted"),
        ("maybe", "string", "maybe-null: `maybe` may be null here"),
        ("text", "string?", "string"),
        ("[]", "list<Call>", "list<Call>"),
        ("{}", "map<int>", "map<int>"),
        ("[1, 2]", "list<float>", "list<float>"),
        ("[1, 'a']", "list<int>", "type-mismatch: `int` is wanted here, this is `string`"),
        ("[1, 2, 3, 4]", "list<int>(3)", "type-mismatch: 4 items are here, at most 3 fit"),
        ("names", "list<any>", "list<string>"),
        ("holes", "list<string>", "type-mismatch: `list<string>` is wanted here, this is `list<string?>`"),
        ("names", "list<string?>", "list<string>"),
        ("calls[0]", "Pair", "Call"),
        ("tree", "Twig", "Tree"),
        ("last", "Tree", "type-mismatch: `Tree` is wanted here, this is `Decision`"),
        ("calls[0]", "map<any>", "Call"),
        ("{'id': 'x', 'params': {}}", "Call", "Call"),
        (
            "{'id': 'x', 'parms': {}}",
            "Call",
            "unknown-field: `Call` has no field `parms` | missing-field: `Call` lacks `params`",
        ),
        ("{'id': 1, 'params': {}}", "Call", "type-mismatch: `string` is wanted here, this is `int`"),
        ("json.params", "map<any>", "map<any>"),
        ("calls[0].params", "Call", "Call"),
        ("maybe ?? null", "string?", "string?"),
        ("names.map(x, {'id': x, 'params': {}})", "list<Call>", "list<Call>"),
    ];
    for (text, want, expected) in cases {
        assert_eq!(world.fits(text, want), expected, "{text} as {want}");
    }
}

#[test]
fn names_and_fields() {
    types(&[
        ("qestion", "unknown-name: there is no `qestion`"),
        ("answer.actoin", "unknown-field: `Decision` has no field `actoin`"),
        ("text.foo", "unknown-field: `string` has no fields"),
        ("answer.call.params.x ?? null", "any"),
        ("answer.call.params.x", "maybe-missing: the map may not have `x`"),
        ("answer.call.id", "string?"),
        ("last.tags[0]", "string"),
        ("last.tags['a']", "type-mismatch: `string` is not an index here: a list takes an int"),
        ("ages.bob ?? 0", "int"),
        ("last['score']", "float"),
        ("count[0]", "type-mismatch: `int` has no items"),
        ("tries", "unknown-name: `tries` belongs to a composite this is not in"),
        ("rounds", "type-mismatch: the budget `rounds` is not a value"),
        ("error.kind == 'timeout'", "bool"),
        ("result.x", "any"),
        ("outcome", "not-here: `outcome` is not in scope here"),
        ("tools.filter(t, 'a' in t.tags).map(t, t.name)", "list<string>"),
        ("Call{id: 'a', params: {}}.note", "string?"),
        ("Call{id: 'a'}", "missing-field: `Call` lacks `params`"),
        ("Call{id: 'a', params: {}, x: 1}", "unknown-field: `Call` has no field `x`"),
        ("Both{id: 'a'}.inner.id", "string"),
        ("Calll{}", "unknown-type: there is no type `Calll`"),
        ("{count: 1}", "type-mismatch: the keys of a map are strings, this is `int`"),
        ("{key: 1}", "unknown-name: there is no `key`; the key of a map is an expression"),
        ("{'a': 1, 'a': 2}", "duplicate-name: the key 'a' occurs twice"),
        ("{'a': 1, 'b': 'x'}", "map<any>"),
        ("{'a': 1}", "map<int>"),
    ]);
}

#[test]
fn null_is_looked_for() {
    types(&[
        ("number + 1", "maybe-null: `number` may be null here"),
        ("number != null && number + 1 > 0", "bool"),
        ("number == null || number > 0", "bool"),
        ("number != null ? number : 0", "int"),
        ("number == null ? 0 : number", "int"),
        ("!(number == null) && number > 1", "bool"),
        ("flag && number != null && count > 1 && number > 1", "bool"),
        ("(number != null || flag) && number > 1", "maybe-null: `number` may be null here"),
        ("answer.call != null && answer.call.id + 'x' == answer.action", "bool"),
        ("answer.action == 'go' && answer.score > 0.1", "bool"),
        ("answer.action != 'go' && answer.score > 0.1", "maybe-null: `answer.score` may be null here"),
        ("answer.action != 'go' || answer.score > 0.1", "bool"),
        ("has(answer.call) && answer.call.id.size() > 0", "bool"),
        ("maybe in names && maybe.size() > 1", "bool"),
        ("doubt", "bool?"),
        ("doubt && flag", "maybe-null: `doubt` may be null here"),
        ("(doubt ?? false) && flag", "bool"),
        ("((number != null) ?? false) && number > 0", "bool"),
        ("size(maybe)", "maybe-null: `maybe` may be null here"),
        ("maybe.contains('x')", "maybe-null: `maybe` may be null here"),
        ("json(maybe)", "string"),
        ("holes.filter(h, h != null)", "list<string>"),
        ("holes.filter(h, h != null).map(h, h.size())", "list<int>"),
        ("holes.map(h, h != null, h.size())", "list<int>"),
        ("calls.filter(c, c.note != null).map(d, d.note.size())", "list<int>"),
        ("calls.filter(c, c.note != null).map(c, c.note)", "list<string>"),
        ("calls.filter(c, c.note != null).sortBy(c, c.id).map(c, c.note)", "list<string>"),
        ("calls.filter(c, c.note != null).filter(c, c.id != '').all(c, c.note.size() > 1)", "bool"),
        ("calls.filter(c, c.note == null).map(c, c.note)", "list<string?>"),
        ("calls.filter(c, c.note != null || flag).map(c, c.note)", "list<string?>"),
        ("calls.filter(c, maybe != null).map(c, maybe)", "list<string?>"),
        ("calls.filter(c, calls.all(d, d.note != null)).map(d, d.note)", "list<string?>"),
        ("calls.filter(c, false).map(c, c.note)", "list<string?>"),
        ("holes.map(h, h.size())", "maybe-null: `h` may be null here"),
        ("number != null && names.all(n, n.size() > number)", "bool"),
        ("calls.exists(c, c.note != null && c.note.size() > 1)", "bool"),
        ("is(json, Decision) && json.score > 0.5", "bool"),
        ("is(json, Decision) && json.scor > 0.5", "unknown-field: `Decision` has no field `scor`"),
        ("null + 1", "type-mismatch: null is not allowed here"),
        ("answer['call'] != null && answer.call.id == 'x'", "bool"),
        ("names.first().size()", "maybe-null: this may be null here"),
        ("parse_int(text) ?? 0", "int"),
        ("-number", "maybe-null: `number` may be null here"),
        ("maybe == text && maybe.size() > 0", "bool"),
        ("flag ? (number != null && number > 0) : number == null", "bool"),
        ("(flag ? number != null : number != null) && number > 0", "bool"),
    ]);
}

#[test]
fn functions_and_macros() {
    types(&[
        ("size(names) + text.size()", "int"),
        ("size(1)", "wrong-arguments: `size` does not take these arguments: size(int)"),
        ("text.startsWith('a') || text.matches('^b')", "bool"),
        ("text.startswith('a')", "unknown-function: there is no function `.startswith()`"),
        ("len(text)", "unknown-function: there is no function `len`"),
        ("uint(1)", "unknown-function: there is no function `uint`"),
        ("contains(text, 'a')", "unknown-function: there is no function `contains`"),
        ("text.parse_int()", "unknown-function: there is no function `.parse_int()`"),
        ("text.split(',').map(s, s.trim())", "list<string>"),
        ("text.split(1)", "wrong-arguments: `split` does not take these arguments: string.split(int)"),
        ("find_all('a(b)', text)[0][1]", "string"),
        ("parse_json(text).a", "any"),
        ("math.greatest(count, 1, 3)", "int"),
        ("math.greatest(rate, 1)", "float"),
        ("math.least([1, 2])", "int"),
        ("math.abs(rate)", "float"),
        ("math.sin(rate)", "unknown-function: there is no function `math.sin`"),
        ("math.ceil(1)", "wrong-arguments: `math.ceil` does not take these arguments: math.ceil(int)"),
        ("sum(prices)", "usd"),
        ("sum([1, 2])", "int"),
        ("keys(ages)", "list<string>"),
        ("values(ages)", "list<int>"),
        ("merge(ages, {'a': 1})", "map<int>"),
        ("without(names, ['a'])", "list<string>"),
        ("without(ages, 'a')", "map<int>"),
        ("names.slice(0, 2).distinct().reverse()", "list<string>"),
        ("[[1], [2]].flatten()", "list<int>"),
        ("names.last()", "string?"),
        ("type(1) == int", "bool"),
        ("type(type(1)) == type", "bool"),
        ("type(1) == 'int'", "type-mismatch: `type` and `string` are never equal"),
        ("dyn(1) == 'a'", "bool"),
        ("string(cost)", "string"),
        ("string(names)", "wrong-arguments: `string` does not take these arguments: string(list<string>)"),
        ("now() - span", "duration"),
        ("step() > 3 && visits(decide) < 2 && !in_state(decide)", "bool"),
        ("visits(decid)", "unknown-node: there is no node `decid`"),
        ("render(prompt)", "string"),
        ("render(promt)", "unknown-text: there is no text `promt`"),
        ("used(rounds) < limit(rounds) - left(rounds)", "bool"),
        ("used(money)", "usd"),
        ("exhausted(round)", "unknown-budget: there is no budget `round`"),
        ("left(stage[text].explore) > 0 && text in stage", "bool"),
        ("left(stage[text].explor)", "unknown-budget: the family `stage` has no meter `explor`"),
        ("left(stage)", "unknown-budget: `stage` is a family of budgets: say which one"),
        ("names.all(n, n != '')", "bool"),
        ("names.all(names, names != '')", "shadowed-name: the name `names` is taken"),
        ("[1].map(x, [2].map(x, x))", "shadowed-name: the name `x` is taken"),
        ("names.exists(i, n, i > 0 && n != '')", "bool"),
        ("names.map(n, n.size(), n)", "type-mismatch: `bool` is wanted here, this is `int`"),
        ("names.sortBy(n, n.size())", "list<string>"),
        ("ages.map(k, ages[k])", "list<int>"),
        ("ages.transformMap(k, v, v * 2)", "map<int>"),
        ("names.transformList(i, n, n + string(i))", "list<string>"),
        ("names.map(n)", "wrong-arguments: `map` does not take these arguments"),
        ("names.exists(1, true)", "wrong-arguments: the name of a variable is wanted here"),
        ("count.all(x, true)", "type-mismatch: `.all()` works on a list or a map, this is `int`"),
        ("[].transformList(i, v, i / v)", "list<any>"),
        ("cel.bind(x, count + 1, x * x)", "int"),
        ("has(text)", "wrong-arguments: `has` takes a field: has(x.field)"),
        ("has(ages.bob) && ages.bob > 1", "bool"),
        ("has(last.foo)", "unknown-field: `Decision` has no field `foo`"),
        ("violations(json, {'type': 'object'})", "list<string>"),
        ("tokens(names) + tokens(text)", "int"),
        ("'%s'.format([count])", "string"),
        (
            "'a' in text",
            "type-mismatch: `in` looks into a list, a map or a family of budgets, not into `string`",
        ),
        ("1 in names", "type-mismatch: a list of `string` never contains `int`"),
        ("is(text, Acton)", "unknown-type: there is no type `Acton`"),
    ]);
}

#[test]
fn one_fault_is_said_once() {
    let world = World::new();
    let (_, faults) = world.infer("nobody.a[0].b + 1 > size(nobody.c) ? nobody : text");
    assert_eq!(faults.len(), 3, "one for each place of the unknown name: {faults:?}");
}

#[test]
fn places_with_a_short_reach() {
    let world = World::new();
    let rendered = |text: &str, reach| {
        let (_, faults) = world.infer_in(text, Here::new(reach));
        faults.iter().map(|f| f.rule.slug()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(rendered("most + size(question) + limit(rounds)", Reach::Inputs), "");
    assert_eq!(rendered("count", Reach::Inputs), "not-here");
    assert_eq!(rendered("used(rounds)", Reach::Inputs), "not-here");
    assert_eq!(rendered("most", Reach::Constants), "not-here");
    assert_eq!(rendered("tools.size()", Reach::Inputs), "not-here");
    assert_eq!(rendered("step()", Reach::State), "not-here");
}

#[test]
fn long_chains_and_deep_nests_are_judged() {
    let world = World::new();
    let chain = vec!["count == 1"; 120].join(" || ");
    assert_eq!(world.ty(&chain), "bool");
    let chain = vec!["number != null"; 110].join(" && ") + " && number > 1";
    assert_eq!(world.ty(&chain), "bool");
}
