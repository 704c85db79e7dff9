//! Rust functions as tools: the schema of their arguments follows from a type.

use std::fmt::{self, Display};
use std::future::Future;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::Tools;
use super::registry::misfits;
use crate::machine::Outcome;
use crate::port::ToolInfo;
use crate::program::error::ErrorKind;
use crate::value::{Map, Value};

/// The fault of a type that cannot be the arguments of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the arguments of the tool `{tool}` cannot be of the type {of}: {fault}")]
pub struct SchemaError {
    /// The tool.
    pub tool: String,
    /// The type.
    pub of: &'static str,
    /// The reason.
    pub fault: SchemaFault,
}

/// The reason for which a type cannot be the arguments of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaFault {
    /// It is no struct with named fields, and no map.
    NoObject,
    /// It contains itself: its schema has no end.
    Recursive,
    /// Its schema is no JSON Schema, or names something that lies elsewhere.
    NoSchema(String),
}

impl Display for SchemaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoObject => f.write_str("arguments have names; use a struct with named fields"),
            Self::Recursive => {
                f.write_str("it contains itself; give the inner level a type of its own, or take a JSON text")
            }
            Self::NoSchema(why) => write!(f, "its schema is not a JSON Schema: {why}"),
        }
    }
}

impl Tools {
    /// Adds a function as a tool that needs no grant. The schema of its arguments is that of the type `A`, what
    /// `schemars` derives for it; the documentation of `A` describes the tool. A call whose arguments do not fit is
    /// refused before the function is called, as with every tool. Its delivery is `at_most_once`; [`Tools::add_with`]
    /// says more.
    ///
    /// ```
    /// use loopwright::Tools;
    ///
    /// /// Finds pages.
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Search {
    ///     /// Words that are on the page.
    ///     query: String,
    ///     #[serde(default)]
    ///     limit: Option<u8>,
    /// }
    ///
    /// #[derive(serde::Serialize)]
    /// struct Hit {
    ///     title: String,
    /// }
    ///
    /// let tools = Tools::new().add("search", |search: Search| async move {
    ///     let limit = usize::from(search.limit.unwrap_or(3));
    ///     let hits = (1..=limit).map(|n| Hit { title: format!("{} {n}", search.query) });
    ///     Ok::<_, std::io::Error>(hits.collect::<Vec<_>>())
    /// })?;
    /// # Ok::<(), loopwright::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// The type is no struct with named fields, contains itself, or has no valid schema.
    pub fn add<A, F, R, T, E>(self, name: &str, work: F) -> Result<Self, SchemaError>
    where
        A: DeserializeOwned + JsonSchema + 'static,
        F: Fn(A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize,
        E: Display,
    {
        self.add_with(ToolInfo::new(name, Value::Null), work)
    }

    /// As [`Tools::add`], with a description of your own. The schema in `info` is replaced; so is a description that is
    /// empty.
    ///
    /// # Errors
    /// As [`Tools::add`].
    pub fn add_with<A, F, R, T, E>(self, mut info: ToolInfo, work: F) -> Result<Self, SchemaError>
    where
        A: DeserializeOwned + JsonSchema + 'static,
        F: Fn(A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Serialize,
        E: Display,
    {
        let (schema, description) = schema_of::<A>().map_err(|fault| SchemaError {
            tool: info.name.to_string(),
            of: std::any::type_name::<A>(),
            fault,
        })?;
        info.schema = schema;
        if info.description.is_empty() {
            info.description = description.into();
        }
        let name = info.name.clone();
        Ok(self.function(info, move |args: Map| {
            // A type may want more than a schema can say.
            let called = Value::Map(args).deserialize::<A>().map(&work);
            let name = name.clone();
            async move {
                match called {
                    Err(fault) => misfits(&name, &[fault.to_string()]),
                    Ok(work) => answer(work.await),
                }
            }
        }))
    }
}

/// The outcome of a call from what a function gave.
fn answer<T: Serialize, E: Display>(found: Result<T, E>) -> Outcome {
    match found.map(|found| Value::from_serde(&found)) {
        Ok(Ok(value)) => Outcome::answer(value),
        Ok(Err(fault)) => {
            Outcome::failed(ErrorKind::ToolFailed, format!("what it found is not a value: {fault}"))
        }
        Err(error) => Outcome::failed(ErrorKind::ToolFailed, error.to_string()),
    }
}

/// The schema of a type, whole and without references, and the documentation of the type.
fn schema_of<A: JsonSchema>() -> Result<(Value, String), SchemaFault> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    let Some(root) = schema.as_object_mut() else { return Err(SchemaFault::NoObject) };
    root.remove("title");
    let description = match root.remove("description") {
        Some(Json::String(text)) => text,
        _ => String::new(),
    };
    if root.get("type").is_none_or(|kind| kind != "object") {
        return Err(SchemaFault::NoObject);
    }
    if refers(&schema) {
        return Err(SchemaFault::Recursive);
    }
    let schema = Value::from_json(&schema);
    crate::config::validator(&schema).map_err(SchemaFault::NoSchema)?;
    Ok((schema, description))
}

/// Returns true if a part of a schema is reported elsewhere. All that can be is written out, so only what holds itself
/// is left.
fn refers(schema: &Json) -> bool {
    match schema {
        Json::Object(map) => map.get("$ref").is_some_and(Json::is_string) || map.values().any(refers),
        Json::Array(items) => items.iter().any(refers),
        _ => false,
    }
}
