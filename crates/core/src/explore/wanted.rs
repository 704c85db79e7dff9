//! Values that a JSON Schema wants.
//!
//! A schema leads the choice of values: of those that the graph tells apart, the ones that it allows. It is followed as far as
//! types, enumerations, properties and items go; a value that it refuses for something else is an answer that does not fit.

use crate::value::{List, Map, Str, Value};

/// The most values of an enumeration that are tried.
const MAX_NAMED: usize = 64;

/// A schema, or none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WantedValues<'s> {
    schema: Option<&'s Map>,
    /// True if null is as good.
    or_null: bool,
}

impl<'s> WantedValues<'s> {
    pub(super) fn of(schema: &'s Value) -> Self {
        let Some(Value::List(options)) = schema.as_map().and_then(|schema| schema.get("anyOf")) else {
            return Self { schema: schema.as_map(), or_null: false };
        };
        let is_null = |option: &&Value| {
            option.as_map().is_some_and(|option| option.get("type") == Some(&"null".into()))
        };
        let option = options.iter().find(|option| !is_null(option));
        Self {
            schema: option.and_then(Value::as_map),
            or_null: options.iter().any(|option| is_null(&option)),
        }
    }

    fn key(self, name: &str) -> Option<&'s Value> {
        self.schema?.get(name)
    }

    /// True if there is a schema.
    pub(super) fn is_given(self) -> bool {
        self.schema.is_some_and(|schema| !schema.is_empty())
    }

    /// The schema of a part: of a field `.name`, or of the items.
    pub(super) fn part(self, name: &str) -> Self {
        let own = match name.strip_prefix('.') {
            Some(name) => self.key("properties").and_then(|all| all.as_map()?.get(name)),
            None => self.key("items"),
        };
        own.or_else(|| self.key("additionalProperties")).map(Self::of).unwrap_or_default()
    }

    /// The names of the fields that have to be there.
    pub(super) fn required(self) -> Vec<Str> {
        match self.key("required") {
            Some(Value::List(names)) => names.iter().filter_map(Value::as_str).map(Str::from).collect(),
            _ => Vec::new(),
        }
    }

    /// Keeps the values that are wanted. There is always one; those that an enumeration names are all tried if something is `used`
    /// that depends on the value.
    pub(super) fn keep(self, all: &mut Vec<Value>, is_used: bool) {
        let types = self.types();
        if let Some(named) = self.named() {
            all.clear();
            all.extend(named.iter().take(if is_used { MAX_NAMED } else { 1 }).cloned());
        } else if !types.is_empty() {
            all.retain(|value| types.iter().any(|name| is_of(name, value)));
            if all.is_empty() {
                all.push(self.plainest());
            }
        }
        let may_be_null = self.or_null || types.contains(&"null");
        if is_used && may_be_null && !all.contains(&Value::Null) {
            all.push(Value::Null);
        }
    }

    fn named(self) -> Option<List> {
        match (self.key("enum"), self.key("const")) {
            (Some(Value::List(named)), _) if !named.is_empty() => Some(named.clone()),
            (_, Some(only)) => Some(List::from_iter([only.clone()])),
            _ => None,
        }
    }

    fn types(self) -> Vec<&'s str> {
        match self.key("type") {
            Some(Value::Str(name)) => vec![name.as_str()],
            Some(Value::List(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn plainest(self) -> Value {
        if let Some(named) = self.named() {
            return named.get(0).cloned().unwrap_or_default();
        }
        match self.types().first() {
            Some(&"object") => {
                let fields = self.required().into_iter().map(|name| {
                    let value = self.part(&format!(".{name}")).plainest();
                    (name, value)
                });
                Value::Map(fields.collect::<Map>())
            }
            Some(&"array") => Value::List(List::new()),
            Some(&("integer" | "number")) => self.key("minimum").cloned().unwrap_or(Value::Int(0)),
            Some(&"boolean") => Value::Bool(false),
            Some(&"null") => Value::Null,
            _ => Value::from("text"),
        }
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Int(_) => name == "integer" || name == "number",
        Value::Float(_) => name == "number",
        Value::List(_) => name == "array",
        Value::Map(_) => name == "object",
        _ => name == "string",
    }
}
