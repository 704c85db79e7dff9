//! Functions of whoever embeds the library.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::args::Args;
use super::row::{Cost, FunctionBody, FunctionForm, FunctionResult, FunctionRow};
use super::signature::{Overload, TypePattern};
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{MAX_DEPTH, Str, Value};

/// The longest part of a message of the embedder's code that becomes part of an error, in characters.
const MAX_MESSAGE: usize = 1_000;

type OwnBody = dyn Fn(&[Value]) -> Result<Value, String> + Send + Sync;

/// A function that graphs call as `name(a, b)`, besides the built-in ones. [`Functions::register`](super::Functions::register) registers it.
///
/// Whoever registers a function promises that it is *pure*: the same arguments give the same result, whenever and wherever it is
/// called, and nothing else happens. A run is replayed by calling its functions again: one that looks at a clock, a file or a
/// random number makes a replay differ from the run, and a run that goes on stands where it never stood. `check` relies on it, too: of
/// two guards with the same call it takes one for the opposite of the other. Whoever changes what a function gives must change its
/// version: the version is part of the digest of every program that calls the function.
///
/// The code must return soon: a step waits for it, and nothing interrupts it. A panic is caught where panics unwind; a program
/// that is built to abort on one ends.
///
/// ```
/// use loopwright::{Functions, OwnFunction, TypePattern};
/// use loopwright::Value;
///
/// let shout = OwnFunction::new("shout", 1, |args: &[Value]| {
///     Ok::<_, String>(args[0].as_str().unwrap_or_default().to_uppercase())
/// });
/// let shout = shout.takes(TypePattern::String).gives(TypePattern::String);
/// let functions = Functions::new().register(shout).expect("the name is free");
/// assert!(functions.own("shout").is_some());
/// ```
pub struct OwnFunction {
    pub(super) name: Str,
    pub(super) version: u32,
    code: OwnCode,
}

/// The code of a function with its types and its cost.
struct OwnCode {
    params: Vec<TypePattern>,
    result: TypePattern,
    per_call: u64,
    per_data: u64,
    code: Arc<OwnBody>,
}

impl OwnFunction {
    /// A function without parameters whose result may be anything. An error of the code is an error of the expression, of the
    /// kind `evaluation`, and so is a panic.
    pub fn new<R: Into<Value>, E: fmt::Display>(
        name: impl Into<Str>,
        version: u32,
        code: impl Fn(&[Value]) -> Result<R, E> + Send + Sync + 'static,
    ) -> Self {
        let code = move |args: &[Value]| code(args).map(Into::into).map_err(|error| error.to_string());
        Self {
            name: name.into(),
            version,
            code: OwnCode {
                params: Vec::new(),
                result: TypePattern::Nullable,
                per_call: 1,
                per_data: 1,
                code: Arc::new(code),
            },
        }
    }

    /// Adds a parameter. The code is only called with arguments of these types, in this order.
    #[must_use]
    pub fn takes(mut self, param: TypePattern) -> Self {
        self.code.params.push(param);
        self
    }

    /// Sets the type of the result. Another result is an error of the expression.
    #[must_use]
    pub fn gives(mut self, result: TypePattern) -> Self {
        self.code.result = result;
        self
    }

    /// Sets the cost that is charged before the code is called: units for each call, and units for every 16 bytes of arguments; one
    /// each unless it is set. A unit is a few dozen nanoseconds, see [`DEFAULT_COST`](crate::program::meter::DEFAULT_COST). The size of the result is
    /// charged besides.
    #[must_use]
    pub const fn cost(mut self, per_call: u64, per_data: u64) -> Self {
        self.code.per_call = per_call;
        self.code.per_data = per_data;
        self
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The types of the parameters, and that of the result after them.
    pub(crate) fn types(&self) -> impl Iterator<Item = TypePattern> {
        self.code.params.iter().copied().chain([self.code.result])
    }

    pub(super) fn into_row(self) -> FunctionRow {
        let Self { name, version, code } = self;
        let overload = Overload { params: Cow::Owned(code.params.clone()), rest: false, result: code.result };
        FunctionRow {
            name: Cow::Owned(name.to_string()),
            version: Some(version),
            form: FunctionForm::Global,
            overloads: Cow::Owned(vec![overload]),
            cost: Cost::Data,
            doc: "",
            example: ("", ""),
            body: FunctionBody::Own(Arc::new(move |args, meter| code.call(args, meter))),
        }
    }
}

impl fmt::Debug for OwnFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnFunction({} {})", self.name, self.version)
    }
}

impl OwnCode {
    fn call(&self, args: Args<'_>, meter: &mut Meter) -> FunctionResult {
        self.pay(args.all(), meter)?;
        for (param, value) in self.params.iter().zip(args.all()) {
            if let Some(found) = param.misfit(value) {
                return Err(args.fault(format_args!("wants {param}, found {}", described(found, value))));
            }
        }
        // The code is not ours: a panic in it must not end the process. What it leaves behind in its own state is its own matter.
        let given = catch_unwind(AssertUnwindSafe(|| (self.code)(args.all())));
        let value = match given {
            Ok(Ok(value)) => value,
            Ok(Err(message)) => return Err(args.fault(format_args!("fails: {}", short(&message)))),
            Err(panic) => return Err(args.fault(format_args!("panicked: {}", short(message(&*panic))))),
        };
        match self.judge(&value, args, meter) {
            Ok(()) => Ok(value),
            Err(fault) => {
                let_go(value);
                Err(fault)
            }
        }
    }

    /// Charges the cost before the code is called.
    fn pay(&self, args: &[Value], meter: &mut Meter) -> Result<(), Fault> {
        meter.charge(self.per_call)?;
        let bytes = args.iter().map(Value::size_estimate).fold(0, usize::saturating_add);
        let factor = usize::try_from(self.per_data).unwrap_or(usize::MAX);
        meter.charge_bytes(bytes.saturating_mul(factor))
    }

    /// Holds a result to its type, and to the limits of results.
    fn judge(&self, value: &Value, args: Args<'_>, meter: &mut Meter) -> Result<(), Fault> {
        if value.depth() > MAX_DEPTH {
            return Err(args.fault(format_args!("gives lists and maps nested deeper than {MAX_DEPTH}")));
        }
        meter.reserve(value.size_estimate())?;
        match self.result.misfit(value) {
            Some(found) => {
                let (result, found) = (self.result, described(found, value));
                Err(args.fault(format_args!("must give {result}, but gives {found}")))
            }
            None => Ok(()),
        }
    }
}

/// The type of what does not fit, and that it lies inside.
fn described(found: &Value, whole: &Value) -> String {
    let inside = if std::ptr::eq(found, whole) { "" } else { " in it" };
    format!("{}{inside}", found.type_name())
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// The beginning of a message that may be long.
fn short(message: &str) -> Cow<'_, str> {
    match message.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => Cow::Owned(format!("{}…", &message[..end])),
        None => Cow::Borrowed(message),
    }
}

/// Lets go of a value of any depth, level by level: dropped as a whole, each level would take stack.
fn let_go(value: Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match &value {
            Value::List(list) => rest.extend(list.iter().filter(|item| item.depth() > 0).cloned()),
            Value::Map(map) => rest.extend(map.values().filter(|item| item.depth() > 0).cloned()),
            _ => {}
        }
    }
}
