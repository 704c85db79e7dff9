//! The calls of tools in a reply, as they arrive.

use serde_json::Value as Json;

use crate::value::json::{JsonLimits, parse_strict};
use crate::value::{Map, Value};

/// A call that a model asks for, as much of it as has arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PartialCall {
    /// The provider's number of it in the reply.
    pub(crate) index: Option<u64>,
    /// The provider's id, if it has one.
    pub(crate) id: String,
    /// The name of the tool as the provider knows it.
    pub(crate) tool: String,
    /// The arguments, as the text of a JSON object.
    pub(crate) args: String,
}

/// The calls of a reply, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PartialCalls(Vec<PartialCall>);

impl PartialCalls {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The bytes that a model wrote for them.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|call| call.tool.len() + call.args.len()).sum()
    }

    /// The call of that number, which is added where it is new. Without a number it is the last one, unless an id says that
    /// another one begins.
    pub(super) fn at(&mut self, index: Option<u64>, id: &str) -> &mut PartialCall {
        let begins = |last: &PartialCall| !id.is_empty() && !last.id.is_empty() && last.id != id;
        let place = match index {
            Some(_) => self.0.iter().position(|call| call.index == index),
            None => self.0.len().checked_sub(1).filter(|last| !begins(&self.0[*last])),
        };
        let place = place.unwrap_or_else(|| {
            self.0.push(PartialCall { index, ..PartialCall::default() });
            self.0.len() - 1
        });
        &mut self.0[place]
    }

    /// Adds a call that came as a whole.
    pub(super) fn push(&mut self, id: &str, tool: &str, args: &Json) {
        let args = if args.is_null() { String::new() } else { args.to_string() };
        self.0.push(PartialCall { index: None, id: id.to_owned(), tool: tool.to_owned(), args });
    }

    /// The calls as values `{id, tool, args}`; `own` gives a tool's own name.
    ///
    /// # Errors
    /// The arguments of one are no JSON object, in words.
    pub(crate) fn values(&self, own: impl Fn(&str) -> String) -> Result<Vec<Value>, String> {
        self.0.iter().map(|call| call.value(&own(&call.tool))).collect()
    }
}

impl PartialCall {
    fn value(&self, tool: &str) -> Result<Value, String> {
        let args = if self.args.trim().is_empty() {
            Value::Map(Map::new())
        } else {
            parse_strict(&self.args, JsonLimits::default())
                .map_err(|fault| format!("the arguments of its call of `{tool}` are no JSON: {fault}"))?
        };
        if !matches!(args, Value::Map(_)) {
            let found = args.type_name();
            return Err(format!("the arguments of its call of `{tool}` are an object, found {found}"));
        }
        let mut call = Map::new();
        call.set("id", self.id.as_str());
        call.set("tool", tool);
        call.set("args", args);
        Ok(Value::Map(call))
    }
}
