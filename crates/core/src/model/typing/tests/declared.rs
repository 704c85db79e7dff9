//! Declarations: types, lets, actions.

use super::world::{World, alias, record, rendered};
use crate::model::record::TypeTable;
use crate::model::typing::{Builtins, TypeNames, declare_types};
use crate::syntax::tree::TypeDecl;

fn declared(decls: &[TypeDecl]) -> Vec<String> {
    let (mut table, mut names, mut faults) = (TypeTable::default(), TypeNames::new(), Vec::new());
    let builtins = Builtins::declare(&mut table);
    declare_types(decls, &mut names, &mut table, &builtins, &mut faults);
    faults.iter().map(rendered).collect()
}

#[test]
fn types_that_cannot_be() {
    let cases = [
        (
            vec![record("A", &["a: B"]), record("B", &["b: A"])],
            "recursive-type: `A` contains itself without end",
        ),
        (vec![record("A", &["a: A?"]), record("B", &["b: list<B>"])], ""),
        (vec![alias("A", "list<B>"), alias("B", "A")], "recursive-type: the type `A` refers to itself"),
        (vec![alias("B", "A"), alias("A", "int")], ""),
        (vec![record("A", &["x: Strng"])], "unknown-type: there is no type `Strng`"),
        (vec![record("A", &["x: int", "x: int"])], "duplicate-name: the field `x` is declared twice"),
        (vec![record("A", &[]), alias("A", "int")], "duplicate-name: the type `A` is declared twice"),
        (vec![alias("A", "enum(x, x)")], "duplicate-name: the member `x` occurs twice in this enum"),
        (vec![record("A", &["x: int = 'a'"])], "type-mismatch: `int` is wanted here, this is `string`"),
        (vec![record("A", &["x: A? = A{}"])], "recursive-type: the default of `A.x` needs itself"),
        (
            vec![record("A", &["x: list<int> = [1].map(i, i)"])],
            "not-here: a macro is not allowed in the default of a field",
        ),
        (vec![record("A", &["x: B = B{}"]), record("B", &["y: int = 3"])], ""),
        (
            vec![alias("int", "float")],
            "type-name: the type `int` starts with a small letter | reserved-word: `int` is the name of a built-in type",
        ),
    ];
    for (decls, expected) in cases {
        assert_eq!(declared(&decls).join(" | "), expected, "{decls:?}");
    }
}

#[test]
fn lets_and_actions_do_not_circle() {
    let heads = [
        ("a", "b + 1"),
        ("b(x)", "x"),
        ("c", "d"),
        ("d", "c"),
        ("e(x)", "e(x)"),
        ("f", "c"),
        ("g(x)", "x + nobody"),
    ];
    let world = World::with(&heads, &[("one", "two()"), ("two", "one()"), ("three", "one()")]);
    let rendered: Vec<String> = world.faults.iter().map(rendered).collect();
    assert_eq!(
        rendered,
        [
            "recursive-let: the lets c -> d use each other in a circle",
            "recursive-let: the let `e` uses itself",
            "wrong-arguments: the let `b` takes parameters",
            "unknown-name: there is no `nobody`",
            "recursive-action: the actions one -> two run each other in a circle",
        ]
    );
}

#[test]
fn one_namespace() {
    let world = World::with(
        &[("count", "1"), ("tools", "1"), ("fine(rounds)", "1"), ("a(b, b)", "1")],
        &[("text", "")],
    );
    let rules: Vec<&str> = world.faults.iter().map(|f| f.rule.slug()).collect();
    assert_eq!(rules, ["shadowed-name"; 5]);
}

#[test]
fn lets_that_double_at_each_step_end() {
    let heads: Vec<(String, String)> =
        (0..40).map(|i| (format!("f{}(x)", i + 1), format!("f{i}(x) + f{i}(x)"))).collect();
    let mut heads: Vec<(&str, &str)> = heads.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    heads.push(("f0(x)", "x"));
    let world = World::with(&heads, &[]);
    assert!(world.faults.iter().all(|f| f.rule.slug() == "expression-limit"), "{:?}", world.faults);
    assert!(world.ty("f40(1)").starts_with("expression-limit: "));
}

#[test]
fn long_ways_from_let_to_let_end() {
    let heads: Vec<(String, String)> =
        (0..300).map(|i| (format!("f{}(x)", i + 1), format!("[[[[f{i}(x)]]]].size()"))).collect();
    let mut heads: Vec<(&str, &str)> = heads.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    heads.push(("f0(x)", "x"));
    let world = World::with(&heads, &[]);
    assert!(world.faults.iter().all(|f| f.rule.slug() == "expression-limit"), "{:?}", world.faults);
    assert_eq!(world.ty("f5(1)"), "int");
    assert!(world.ty("f300(1)").starts_with("expression-limit: "));
}
