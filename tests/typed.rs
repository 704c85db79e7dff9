//! Values from and to types of Rust, and Rust functions as tools.

use std::collections::BTreeMap;

use loopwright::machine::{CallId, Outcome};
use loopwright::port::{ToolHost, ToolInfo};
use loopwright::tool::{SchemaFault, Tools};
use loopwright::value::{List, MAX_DEPTH, Map, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Point,
    Circle(f64),
    Pair(i8, i8),
    Square { side: u32 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Whole {
    text: String,
    letter: char,
    small: i8,
    large: u64,
    float: f64,
    yes: bool,
    none: Option<u8>,
    some: Option<u8>,
    unit: (),
    pair: (u8, String),
    list: Vec<Shape>,
    map: BTreeMap<String, i64>,
    /// A value within a type keeps what plain JSON has no word for.
    own: Value,
}

fn whole() -> Whole {
    let mut own = Map::new();
    own.set("$first", Value::Usd(500_000_000));
    own.set("times", [Value::Duration(1), Value::Float(f64::NAN)].into_iter().collect::<List>());
    Whole {
        text: "a\u{0}b".to_owned(),
        letter: 'ß',
        small: -128,
        large: i64::MAX.cast_unsigned(),
        float: 0.1,
        yes: true,
        none: None,
        some: Some(255),
        unit: (),
        pair: (1, "one".to_owned()),
        list: vec![Shape::Point, Shape::Circle(1.5), Shape::Pair(1, -1), Shape::Square { side: 4 }],
        map: [("b".to_owned(), i64::MIN), ("$a".to_owned(), 0)].into(),
        own: Value::Map(own),
    }
}

#[test]
fn a_type_comes_back_as_it_was() {
    let whole = whole();
    let value = Value::from_serde(&whole).expect("it is a value");
    assert_eq!(value.deserialize::<Whole>().as_ref(), Ok(&whole));
    let map = value.as_map().expect("a map");
    assert_eq!(map.get("own"), Some(&whole.own));
    assert_eq!(
        map.get("list").expect("a list").to_json(),
        json!([
            "Point", {"Circle": 1.5}, {"Pair": [1, -1]}, {"Square": {"side": 4}},
        ])
    );
    assert_eq!(Value::from_serde(&value).as_ref(), Ok(&value));
    assert_eq!(value.deserialize::<Value>().as_ref(), Ok(&value));
    // The lossless form in other formats is what it was.
    assert_eq!(
        serde_json::to_string(&whole.own).expect("it is JSON"),
        r#"{"$$first":{"$usd":"0.5"},"times":[{"$duration":"1ns"},{"$float":"NaN"}]}"#
    );
}

/// A text of somebody else cannot become an amount.
#[test]
fn tags_in_maps_of_other_types_are_texts() {
    let map: BTreeMap<String, String> = [("$usd".to_owned(), "0.5".to_owned())].into();
    let value = Value::from_serde(&map).expect("it is a value");
    assert_eq!(value.to_json(), json!({"$usd": "0.5"}));
    assert!(matches!(value, Value::Map(_)));
    assert_eq!(value.deserialize::<BTreeMap<String, String>>(), Ok(map));
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    #[derive(Serialize)]
    struct Row<T> {
        rows: Vec<T>,
    }
    let told =
        |fault: Result<Value, loopwright::value::TypedFault>| fault.expect_err("it does not fit").to_string();
    assert_eq!(
        told(Value::from_serde(&Row { rows: vec![1, u64::MAX] })),
        "rows[1]: the integer 18446744073709551615 does not fit into 64 signed bits; hand it over as a text"
    );
    assert_eq!(
        told(Value::from_serde(&Row { rows: vec![i128::MIN] })),
        "rows[0]: the integer -170141183460469231731687303715884105728 does not fit into 64 signed bits; hand it over as a \
         text"
    );
    assert_eq!(
        told(Value::from_serde(&Row { rows: vec![0.0, f64::NAN] })),
        "rows[1]: the float is NaN, which has no place in a value; use null instead"
    );
    assert!(told(Value::from_serde(&f32::NEG_INFINITY)).starts_with("the float is -Infinity"));
    assert_eq!(
        told(Value::from_serde(&Row { rows: vec![BTreeMap::from([(1, 2)])] })),
        "rows[0]: a key is an integer, and keys are texts"
    );
    let mut deep = json!(0);
    for _ in 0..=MAX_DEPTH {
        deep = json!([deep]);
    }
    assert!(told(Value::from_serde(&deep)).ends_with("lists and maps nest deeper than 64"));
    assert!(Value::from_serde(&deep[0]).is_ok());
}

#[test]
fn a_value_that_is_no_such_type_is_told_with_its_place() {
    let told = |value: serde_json::Value| {
        let fault = Value::from_json(&value).deserialize::<Vec<Shape>>().expect_err("it does not fit");
        fault.to_string()
    };
    assert_eq!(
        told(json!(["Point", {"Circle": "wide"}])),
        "[1].Circle: invalid type: string \"wide\", expected f64"
    );
    assert_eq!(told(json!([{"Pair": [1, 200]}])), "[0].Pair[1]: invalid value: integer `200`, expected i8");
    assert_eq!(
        told(json!([{"Square": {"side": -1}}])),
        "[0].Square.side: invalid value: integer `-1`, expected u32"
    );
    assert_eq!(told(json!([{"Square": {}}])), "[0].Square: missing field `side`");
    assert_eq!(told(json!([{"Point": 1}])), "[0]: the variant `Point` holds nothing");
    assert_eq!(
        told(json!(["Circle"])),
        "[0]: the variant `Circle` holds something; write a map of one entry with its name"
    );
    assert!(told(json!(["Oval"])).starts_with("[0]: unknown variant `Oval`"));
    let large = Value::Int(i64::MAX);
    assert_eq!(
        large.deserialize::<f64>().expect_err("it is rounded").to_string(),
        "the integer 9223372036854775807 would be rounded as a float"
    );
    assert_eq!(Value::Int(1 << 53).deserialize::<f64>(), Ok(9_007_199_254_740_992.0));
    assert_eq!(Value::Usd(500_000_000).deserialize::<String>().as_deref(), Ok("0.5"));
    assert!(Value::from_json(&json!([1, 2, 3])).deserialize::<(u8, u8)>().is_err());
}

/// Finds pages.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// Words that stand on the page.
    query: String,
    #[serde(default)]
    limit: Option<u8>,
}

#[derive(Serialize)]
struct Hit {
    title: String,
    score: f64,
}

async fn search(search: Search) -> Result<Vec<Hit>, String> {
    if search.query == "fail" {
        return Err("there is no index".to_owned());
    }
    let score = if search.query == "odd" { f64::NAN } else { 0.5 };
    let limit = search.limit.unwrap_or(2);
    Ok((0..limit).map(|n| Hit { title: format!("{} {n}", search.query), score }).collect())
}

async fn call(tools: &Tools, args: serde_json::Value) -> Outcome {
    let args = Value::from_json(&args).as_map().cloned().expect("arguments are a map");
    tools.invoke(&CallId("1".into()), &"search".into(), &args).await
}

#[tokio::test]
async fn a_function_is_a_tool() {
    let tools = Tools::new().add("search", search).expect("it has a schema");
    let info = &tools.catalogue()[0];
    assert_eq!(info.description, "Finds pages.");
    insta::assert_snapshot!(format!("{:#}", info.schema.to_json()), @r#"
    {
      "type": "object",
      "properties": {
        "query": {
          "type": "string",
          "description": "Words that stand on the page."
        },
        "limit": {
          "type": [
            "integer",
            "null"
          ],
          "format": "uint8",
          "minimum": 0,
          "maximum": 255,
          "default": null
        }
      },
      "required": [
        "query"
      ]
    }
    "#);
    let Outcome::Answer { value, .. } = call(&tools, json!({"query": "cats", "limit": 1})).await else {
        panic!("it answers")
    };
    assert_eq!(value.to_json(), json!([{"title": "cats 0", "score": 0.5}]));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_refused_as_with_any_tool() {
    let typed = Tools::new().add("search", search).expect("it has a schema");
    let schema = typed.catalogue()[0].schema.to_json();
    let plain = Tools::new().closure("search", &schema, |_| async { Ok(Value::Null) });
    for args in [
        json!({}),
        json!({"query": 1}),
        json!({"query": "a", "limit": 256}),
        json!({"query": "a", "limit": "b"}),
    ] {
        let refused = call(&typed, args.clone()).await;
        assert!(matches!(&refused, Outcome::Failed { kind, .. } if kind == "invalid_args"), "{refused:?}");
        assert_eq!(refused, call(&plain, args).await);
    }
}

#[tokio::test]
async fn a_function_that_fails_is_a_failed_call() {
    let tools = Tools::new().add("search", search).expect("it has a schema");
    let failed = |outcome| match outcome {
        Outcome::Failed { kind, message, .. } => format!("{kind}: {message}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(failed(call(&tools, json!({"query": "fail"})).await), "tool_failed: there is no index");
    assert_eq!(
        failed(call(&tools, json!({"query": "odd"})).await),
        "tool_failed: what it found is not a value: [0].score: the float is NaN, which has no place in a value; use null instead"
    );
}

/// A type may want more than its schema says.
#[tokio::test]
async fn what_only_the_type_refuses_is_refused_before_the_call() {
    #[derive(Deserialize, JsonSchema)]
    struct Even {
        #[serde(deserialize_with = "even")]
        number: u8,
    }
    fn even<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let number = u8::deserialize(deserializer)?;
        if number % 2 == 0 { Ok(number) } else { Err(serde::de::Error::custom("it is odd")) }
    }
    let tools = Tools::new()
        .add_with(ToolInfo::new("search", Value::Null).description("Halves."), |even: Even| async move {
            Ok::<_, String>(even.number / 2)
        })
        .expect("it has a schema");
    assert_eq!(tools.catalogue()[0].description, "Halves.");
    let Outcome::Failed { kind, message, .. } = call(&tools, json!({"number": 3})).await else {
        panic!("odd")
    };
    assert_eq!((&*kind, &*message), ("invalid_args", "the arguments do not fit `search`: number: it is odd"));
    assert_eq!(call(&tools, json!({"number": 4})).await, Outcome::answer(Value::Int(2)));
}

#[test]
fn types_without_a_plain_schema_are_refused() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "the schema of the type is all that is looked at")]
    struct Tree {
        children: Vec<Tree>,
    }
    let fault =
        Tools::new().add("plant", |_: Tree| async { Ok::<_, String>(()) }).expect_err("it is recursive");
    assert_eq!(fault.fault, SchemaFault::Recursive);
    let fault =
        Tools::new().add("add", |_: (u8, u8)| async { Ok::<_, String>(()) }).expect_err("it is a list");
    assert_eq!(fault.fault, SchemaFault::NoObject);
    assert!(
        fault.to_string().starts_with("the arguments of the tool `add` cannot be of the type (u8, u8): ")
    );
}
