//! Fitting, testing and describing, over the shapes of a few record types.

use std::sync::Arc;

use crate::compile::shapes as compile_shapes;
use crate::model::expr::{Expr, ExprKind};
use crate::model::record::{Field, RecordType, TypeTable};
use crate::model::types::{EnumType, Kind, RecordId, Type};
use crate::program::function::Function;
use crate::program::shape::{Misfit, Shapes};
use crate::source::Span;
use crate::value::json::{JsonLimits, parse_strict};
use crate::value::{Value, usd};

fn constant(value: impl Into<Value>, ty: &Type) -> Expr {
    Expr { kind: ExprKind::Const(value.into()), ty: ty.clone(), span: Span::default() }
}

fn field(name: &str, ty: Type) -> Field {
    Field { name: name.into(), ty, default: None }
}

fn with_default(name: &str, ty: Type, default: impl Into<Value>) -> Field {
    let default = Some(constant(default, &ty));
    Field { name: name.into(), ty, default }
}

fn record(name: &str, fields: Vec<Field>) -> RecordType {
    RecordType { name: name.into(), open: false, fields: fields.into() }
}

fn list(item: Type, most: Option<u64>) -> Type {
    Type::of(Kind::List(Arc::new(item), most))
}

fn of(record: u32) -> Type {
    Type::of(Kind::Record(RecordId(record)))
}

const STEP: u32 = 0;
const PLAN: u32 = 1;
const TREE: u32 = 2;
const OPEN: u32 = 3;
const MONEY: u32 = 4;

fn shapes() -> Shapes {
    let state = Kind::Enum(Arc::new(EnumType {
        name: Some("State".into()),
        members: vec!["open".into(), "done".into()],
    }));
    let string = Type::of(Kind::String(None));
    let step = record(
        "Step",
        vec![
            field("name", Type::of(Kind::String(Some(8)))),
            with_default("state", Type::of(state), "open"),
            field("note", string.clone().or_null()),
            field("rank", Type::of(Kind::Int(Some((0, 9))))),
        ],
    );
    let plan =
        record("Plan", vec![field("steps", list(of(STEP), Some(3))), field("last", of(STEP).or_null())]);
    let tree = record(
        "Tree",
        vec![
            field("label", string.clone()),
            field("kids", list(of(TREE), None)),
            field("best", of(TREE).or_null()),
        ],
    );
    let mut open = record("Open", vec![field("id", Type::of(Kind::Int(None)))]);
    open.open = true;
    let money = record(
        "Money",
        vec![
            field("price", Type::of(Kind::Usd)),
            field("wait", Type::of(Kind::Duration)),
            field("share", Type::of(Kind::Float)),
            field("flags", Type::of(Kind::Map(Arc::new(Type::of(Kind::Bool))))),
            field("rest", Type::of(Kind::Any)),
        ],
    );
    let table = TypeTable { records: vec![step, plan, tree, open, money], ..TypeTable::default() };
    compile_shapes(&table).expect("the types have no fault")
}

fn json(text: &str) -> Value {
    parse_strict(text, JsonLimits::default()).expect("the test's own text is JSON")
}

fn fit(shape: u32, text: &str) -> Result<String, Vec<String>> {
    let fitted = shapes().fit(shape, json(text));
    fitted
        .map(|value| value.to_json().to_string())
        .map_err(|misfits| misfits.iter().map(Misfit::to_string).collect())
}

#[test]
fn missing_fields_take_defaults_and_stand_in_order() {
    let fitted = fit(STEP, r#"{"rank": 3, "name": "a"}"#);
    assert_eq!(fitted.as_deref(), Ok(r#"{"name":"a","state":"open","note":null,"rank":3}"#));
}

#[test]
fn every_fault_has_its_place() {
    let text =
        r#"{"steps": [{"name": "too long a name", "rank": 10}, {"name": "b", "state": null, "ranks": 1}]}"#;
    let faults = fit(PLAN, text).expect_err("nothing of this fits");
    assert_eq!(
        faults,
        [
            "at steps[0].name: wanted string(8), found a string of 15 characters",
            "at steps[0].rank: wanted int(0..9), found 10",
            "at steps[1].state: wanted enum(open, done), found null",
            "at steps[1].rank: wanted int(0..9), found nothing: the field is missing",
            "at steps[1]: wanted no field but name, state, note, rank, found the unknown field \"ranks\"",
        ]
    );
}

#[test]
fn a_list_past_its_bound_is_refused_whole() {
    let step = r#"{"name": "a", "rank": 1}"#;
    let faults = fit(PLAN, &format!(r#"{{"steps": [{step}, {step}, {step}, {step}]}}"#));
    assert_eq!(faults, Err(vec!["at steps: wanted list<Step>(3), found a list of 4 items".to_owned()]));
}

#[test]
fn no_more_faults_than_a_message_can_hold() {
    let items = vec![r#"{"label": 1, "kids": []}"#; 1000].join(", ");
    let faults =
        fit(TREE, &format!(r#"{{"label": "", "kids": [{items}]}}"#)).expect_err("all labels are wrong");
    assert_eq!(faults.len(), 16);
}

#[test]
fn units_are_read_from_their_texts_and_ints_become_floats() {
    let shapes = shapes();
    let value = json(
        r#"{"price": "0.25", "wait": "1m30s", "share": 1, "flags": {"a b": true}, "rest": {"x": [null, "1s"]}}"#,
    );
    assert!(!shapes.is(MONEY, &value), "as it stands it is JSON only");
    let fitted = shapes.fit(MONEY, value).expect("it fits");
    let map = fitted.as_map().expect("a record is a map");
    assert!(matches!(map.get("price"), Some(Value::Usd(nanos)) if *nanos == usd::ONE / 4));
    assert!(matches!(map.get("wait"), Some(Value::Duration(90_000_000_000))));
    assert!(matches!(map.get("share"), Some(Value::Float(share)) if share.to_bits() == 1.0_f64.to_bits()));
    assert!(shapes.is(MONEY, &fitted));
}

#[test]
fn no_guess_is_made() {
    let price = |price: &str, wait: &str, share: &str, flags: &str| {
        let text =
            format!(r#"{{"price": {price}, "wait": {wait}, "share": {share}, "flags": {flags}, "rest": 0}}"#);
        fit(MONEY, &text).expect_err("it must not fit")
    };
    assert_eq!(price("\"a\"", "\"1m\"", "0.5", "{}"), ["at price: wanted usd, found \"a\""]);
    assert_eq!(price("1", "60", "0.5", "{}"), ["at wait: wanted duration, found 60"]);
    assert_eq!(price("1", "\"0\"", "\"0.5\"", "{}"), ["at share: wanted float, found \"0.5\""]);
    assert_eq!(
        price("1", "\"0\"", "0.5", r#"{"a b": 1}"#),
        ["at flags[\"a b\"]: wanted map<bool>, found 1".replace("map<bool>", "bool")]
    );
    assert_eq!(fit(OPEN, r#"{"id": 1.0}"#), Err(vec!["at id: wanted int, found 1.0".to_owned()]));
}

#[test]
fn open_records_keep_what_they_do_not_know() {
    assert_eq!(fit(OPEN, r#"{"x": [1], "id": 7}"#).as_deref(), Ok(r#"{"id":7,"x":[1]}"#));
}

#[test]
fn what_fits_is_given_back_untouched() {
    let shapes = shapes();
    let value = json(r#"{"label": "a", "kids": [{"label": "b", "kids": [], "best": null}], "best": null}"#);
    let fitted = shapes.fit(TREE, value.clone()).expect("it fits");
    assert_eq!(format!("{value:?}"), format!("{fitted:?}"));
    assert!(shapes.is(TREE, &fitted));
}

#[test]
fn is_asks_for_every_field_but_not_for_their_order() {
    let shapes = shapes();
    assert!(shapes.is(STEP, &json(r#"{"rank": 1, "note": null, "state": "done", "name": "a"}"#)));
    assert!(!shapes.is(STEP, &json(r#"{"rank": 1, "name": "a"}"#)));
    assert!(!shapes.is(STEP, &json(r#"{"rank": 1, "note": null, "state": "done", "name": "a", "more": 1}"#)));
}

#[test]
fn schemas_of_flat_and_recursive_records() {
    insta::assert_json_snapshot!("schema_of_a_plan", shapes().schema(PLAN).to_json());
    insta::assert_json_snapshot!("schema_of_a_tree", shapes().schema(TREE).to_json());
    insta::assert_json_snapshot!("schema_of_units", shapes().schema(MONEY).to_json());
}

/// Each record has two fields of the next: written in place the schema would have a million copies of the last.
#[test]
fn a_schema_does_not_grow_past_its_types() {
    let last = 20;
    let records = (0..=last)
        .map(|n| {
            let next = if n == last { Type::of(Kind::Int(None)) } else { of(n + 1) };
            record(&format!("R{n}"), vec![field("a", next.clone()), field("b", next)])
        })
        .collect();
    let shapes =
        compile_shapes(&TypeTable { records, ..TypeTable::default() }).expect("the types have no fault");
    assert!(shapes.schema(0).size_estimate() < 100_000);
}

/// A chain of records, each used once: written in place the schema would nest as deep as the chain is long.
#[test]
fn a_long_chain_of_records_has_a_flat_schema() {
    let last = 20_000;
    let records = (0..=last)
        .map(|n| {
            let next = if n == last { Type::of(Kind::Int(None)) } else { of(n + 1) };
            record("R", vec![field("next", next)])
        })
        .collect();
    let shapes =
        compile_shapes(&TypeTable { records, ..TypeTable::default() }).expect("the types have no fault");
    assert!(shapes.schema(0).depth() < 10);
}

#[test]
fn defaults_are_completed_and_one_that_holds_itself_is_refused() {
    let inner = record("Inner", vec![with_default("n", Type::of(Kind::Int(None)), 3)]);
    let outer = record("Outer", vec![with_default("inner", of(0), json("{}"))]);
    let shapes = compile_shapes(&TypeTable { records: vec![inner, outer], ..TypeTable::default() })
        .expect("the types have no fault");
    let fitted = shapes.fit(1, json("{}")).expect("the default fits");
    assert_eq!(fitted.to_json().to_string(), r#"{"inner":{"n":3}}"#);

    let endless = record("Endless", vec![with_default("again", of(0), json("{}"))]);
    let faults = compile_shapes(&TypeTable { records: vec![endless], ..TypeTable::default() })
        .expect_err("it has no end");
    assert_eq!(faults.len(), 1);

    let wrong = record("Wrong", vec![with_default("n", Type::of(Kind::Int(Some((0, 2)))), 3)]);
    let faults = compile_shapes(&TypeTable { records: vec![wrong], ..TypeTable::default() })
        .expect_err("3 is out of bounds");
    assert_eq!(faults[0].to_string(), "the default of Wrong.n does not fit: wanted int(0..2), found 3");
}

#[test]
fn defaults_that_must_be_computed_are_computed_once() {
    let computed = |function, left: i64, right: i64| {
        let int = Type::of(Kind::Int(None));
        let args = vec![constant(left, &int), constant(right, &int)];
        let kind = ExprKind::Call(function, args);
        let default = Some(Expr { kind, ty: int.clone(), span: Span::default() });
        let records = vec![record("R", vec![Field { name: "n".into(), ty: int, default }])];
        compile_shapes(&TypeTable { records, ..TypeTable::default() })
    };
    let shapes = computed(Function::MULTIPLY, 2, 3).expect("it has a value");
    assert_eq!(shapes.fit(0, json("{}")).expect("the default fits").to_json().to_string(), r#"{"n":6}"#);
    let faults = computed(Function::DIVIDE, 2, 0).expect_err("it has none");
    assert_eq!(faults[0].to_string(), "the default of R.n cannot be computed: `/` by zero");
}

#[test]
fn shapes_are_alike_that_take_the_same_values() {
    let number = |bounds| Type::of(Kind::Int(bounds));
    let tree = |own, item| record("Any name", vec![field("rank", item), field("kids", list(of(own), None))]);
    // The second tree is the first one once more, the third one has other ranks, and the fourth one has other names.
    let mut other = tree(3, number(None));
    other.fields = vec![field("rank", number(None)), field("children", list(of(3), None))].into();
    let mut open = tree(4, number(None));
    open.open = true;
    let small = number(Some((0, 9)));
    let records = vec![tree(0, number(None)), tree(1, number(None)), tree(2, small), other, open];
    let shapes = compile_shapes(&TypeTable { records, ..TypeTable::default() }).expect("they have no fault");
    let alike: Vec<u32> = (0..5).filter(|id| shapes.are_alike(0, *id)).collect();
    assert_eq!(alike, [0, 1]);
    let unknown = u32::try_from(shapes.shapes.len()).expect("few");
    assert!(shapes.are_alike(unknown, unknown) && !shapes.are_alike(unknown, unknown + 1));
}

#[test]
fn shapes_describe_themselves() {
    let shapes = shapes();
    let names: Vec<String> =
        (0..shapes.shapes.len()).map(|id| shapes.describe(u32::try_from(id).expect("few"))).collect();
    for name in
        ["Step", "Step?", "list<Step>(3)", "int(0..9)", "string(8)", "map<bool>", "enum(open, done)", "any"]
    {
        assert!(names.iter().any(|own| own == name), "{name} is missing from {names:?}");
    }
}
