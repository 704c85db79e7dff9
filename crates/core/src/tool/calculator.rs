//! `calculator`: the value of an arithmetic expression.

use futures::FutureExt;
use futures::future::ready;

use super::Tool;
use super::arithmetic::evaluate;
use super::schema::{ArgType, closed};
use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, ToolInfo};
use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::value::{Map, Value};

/// The tool `calculator`: `{expression: "1 + 2*3"}` gives `7`.
#[derive(Debug)]
pub struct Calculator(ToolInfo);

impl Calculator {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let text = "An expression of + - * / % ^, brackets, numbers, pi, e, and abs round floor ceil sqrt min max sum.";
        let schema = closed(&[("expression", ArgType::String, text)], &["expression"]);
        let info = ToolInfo::new("calculator", schema)
            .description("Calculates the value of an arithmetic expression.")
            .delivery(Delivery::Pure);
        Self(info)
    }
}

impl Default for Calculator {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Calculator {
    fn info(&self) -> &ToolInfo {
        &self.0
    }

    fn call(&self, _: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        let expression = args.get("expression").and_then(Value::as_str).unwrap_or_default();
        let outcome = match evaluate(expression) {
            Ok(value) => Outcome::answer(value),
            Err(fault) => Outcome::failed(ErrorKind::ToolFailed, fault.to_string()),
        };
        ready(outcome).boxed()
    }
}
