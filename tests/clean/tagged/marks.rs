//! Marks in texts: each text that comes from a source holds the source's number, wherever the run carries it.

use loopwright::model::record::TypeTable;
use loopwright::model::types::{Kind, Type};
use loopwright::value::{List, Map, Value};
use regex::Regex;

use super::tags::Sources;

/// The sources whose marks are in a text.
pub(super) fn marks_in(text: &str) -> Sources {
    thread_local! {
        static MARK: Regex = Regex::new("~([0-9]+);").expect("the pattern is one");
    }
    MARK.with(|mark| {
        let numbers = mark.captures_iter(text).filter_map(|found| found[1].parse::<u32>().ok());
        numbers.filter(|number| *number < 64).fold(0, |all, number| all | 1 << number)
    })
}

/// The marks of sources. Read backwards they are none.
pub(super) fn marks(set: Sources) -> String {
    let numbers: Vec<String> =
        (0..64).filter(|number| set >> number & 1 == 1).map(|number| format!("~{number};")).collect();
    numbers.concat()
}

/// A value with marks in all its texts that may hold any text.
pub(super) fn marked(types: &TypeTable, ty: &Type, value: Value, marks: &str) -> Value {
    let text = |text: &str| Value::from(format!("{text}{marks}").as_str());
    match (&ty.kind, value) {
        (Kind::String(None) | Kind::Any, Value::Str(own)) => text(&own),
        (Kind::String(Some(most)), Value::Str(own)) => {
            let fits = (own.chars().count() + marks.chars().count()) as u64 <= *most;
            if fits { text(&own) } else { Value::Str(own) }
        }
        (Kind::List(item, _), Value::List(items)) => {
            Value::List(items.iter().map(|own| marked(types, item, own.clone(), marks)).collect::<List>())
        }
        (Kind::Any, Value::List(items)) => {
            Value::List(items.iter().map(|own| marked(types, ty, own.clone(), marks)).collect::<List>())
        }
        (Kind::Map(item), Value::Map(map)) => Value::Map(keyed(types, item, &map, marks)),
        (Kind::Any, Value::Map(map)) => Value::Map(keyed(types, ty, &map, marks)),
        (Kind::Record(id), Value::Map(map)) => {
            let record = types.record(*id);
            let fields = map.iter().map(|(name, own)| {
                let own = match record.fields.get(name) {
                    Some(field) => marked(types, &field.ty, own.clone(), marks),
                    None => own.clone(),
                };
                (name.clone(), own)
            });
            Value::Map(fields.collect::<Map>())
        }
        (_, other) => other,
    }
}

/// A map with the same keys, and one more that is a mark.
fn keyed(types: &TypeTable, item: &Type, map: &Map, marks: &str) -> Map {
    let entries = map.iter().map(|(name, own)| (name.clone(), marked(types, item, own.clone(), marks)));
    let mut found: Map = entries.collect();
    if let Some(own) = map.values().next() {
        found.insert(format!("k{marks}").as_str().into(), marked(types, item, own.clone(), marks));
    }
    found
}
