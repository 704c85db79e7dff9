//! JSON Schema: what is wrong with a value.

use std::cell::RefCell;
use std::rc::Rc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Validator};
use rustc_hash::FxHashMap;

use super::args::Args;
use super::operator::brief;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{Exact, List, Value};

/// The most messages given for one value.
const MAX_MESSAGES: usize = 50;

/// The cost of compiling a schema, besides its size.
const COMPILING_COST: u64 = 2_000;

/// A part of a value that does not fit a schema.
#[derive(Debug)]
pub(in crate::program) struct SchemaMisfit {
    /// The way to it, as a JSON pointer.
    pub(in crate::program) place: String,
    /// The fault, in words.
    pub(in crate::program) text: String,
    /// The value and those that are allowed, where they are listed.
    pub(in crate::program) found: Option<(Value, List)>,
}

/// Compiled schemas that are remembered for a thread: a graph asks with the same few again and again, and compiling one takes
/// a thousand times as long as a step.
const MAX_COMPILED: usize = 64;

/// The largest schema that is remembered, in bytes.
const MAX_COMPILED_BYTES: usize = 64 << 10;

/// Schemas as they were compiled. In another order a schema lists its faults in another one.
type CompiledSchemas = FxHashMap<Exact<Value>, Result<Rc<Schema>, Fault>>;

thread_local! {
    static COMPILED: RefCell<CompiledSchemas> = RefCell::default();
}

/// A compiled JSON Schema. References to other documents are not followed.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
}

impl Schema {
    /// Compiles a schema. Its patterns run in linear time.
    ///
    /// # Errors
    /// One sentence on what is wrong with it.
    pub fn new(schema: &Value) -> Result<Self, Fault> {
        let patterns = PatternOptions::regex().size_limit(1 << 20);
        jsonschema::options()
            .with_pattern_options(patterns)
            .build(&schema.to_json())
            .map(|validator| Self { validator })
            .map_err(|error| {
                Fault::evaluation(format!("the schema cannot be used: {}", brief(&error.to_string())))
            })
    }

    /// As [`Schema::new`], from what the thread remembers of the schemas that it compiled.
    ///
    /// # Errors
    /// As [`Schema::new`].
    pub fn compiled(schema: &Value) -> Result<Rc<Self>, Fault> {
        if schema.size_estimate() > MAX_COMPILED_BYTES {
            return Self::new(schema).map(Rc::new);
        }
        let key = Exact(schema.clone());
        COMPILED.with_borrow_mut(|compiled| {
            if let Some(known) = compiled.get(&key) {
                return known.clone();
            }
            let made = Self::new(schema).map(Rc::new);
            if compiled.len() >= MAX_COMPILED {
                compiled.clear();
            }
            compiled.insert(key, made.clone());
            made
        })
    }

    /// Lists the faults of `value`, one message each with its place in front, in the order of the schema.
    #[must_use]
    pub fn violations(&self, value: &Value) -> List {
        self.misfits(value)
            .into_iter()
            .map(|SchemaMisfit { place, text, .. }| {
                let place = if place.is_empty() { "/" } else { &place };
                Value::from(format!("{place}: {text}"))
            })
            .collect()
    }

    /// The faults of `value`, in the order of the schema.
    pub(in crate::program) fn misfits(&self, value: &Value) -> Vec<SchemaMisfit> {
        let json = value.to_json();
        let misfits = self.validator.iter_errors(&json).take(MAX_MESSAGES).map(|error| {
            let allowed = match error.kind() {
                ValidationErrorKind::Enum { options } => match Value::from_json(options) {
                    Value::List(options) => Some(options),
                    _ => None,
                },
                ValidationErrorKind::Constant { expected_value } => {
                    Some(List::from_iter([Value::from_json(expected_value)]))
                }
                _ => None,
            };
            SchemaMisfit {
                place: error.instance_path().to_string(),
                text: error.to_string(),
                found: allowed.map(|allowed| (Value::from_json(error.instance()), allowed)),
            }
        });
        misfits.collect()
    }
}

/// `violations(value, schema)`.
pub(super) fn violations(args: Args<'_>, meter: &mut Meter) -> Result<Value, Fault> {
    let (value, schema) = (args.at(0), args.at(1));
    if !matches!(schema, Value::Map(_) | Value::Bool(_)) {
        return Err(args.wrong("a JSON Schema (a map)", schema));
    }
    meter.charge(COMPILING_COST)?;
    meter.charge_items(schema.size_estimate())?;
    // A schema may look at each part of the value once for each of its own parts.
    let parts = |value: &Value| (value.size_estimate() / 64) as u64 + 1;
    meter.charge(parts(value).saturating_mul(parts(schema)) / 16)?;
    meter.charge_whole(value)?;
    Ok(Value::List(Schema::compiled(schema)?.violations(value)))
}
