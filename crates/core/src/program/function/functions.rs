//! The table of the functions that graphs may call.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::own::OwnFunction;
use super::row::FunctionRow;
use super::{Args, Function};
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::Value;

/// The functions that graphs may call: the built-in ones, and those of whoever embeds the library. Cloning it is cheap.
#[derive(Clone, Default)]
pub struct Functions {
    /// None where all functions are built in.
    own: Option<Arc<OwnRows>>,
}

/// The rows of own functions, numbered after the built-in ones.
#[derive(Clone, Default)]
struct OwnRows {
    rows: Vec<FunctionRow>,
    numbers: FxHashMap<String, Function>,
}

impl Functions {
    /// The most own functions.
    pub const MAX_OWN: usize = 10_000;

    /// The built-in functions alone.
    #[must_use]
    pub const fn new() -> Self {
        Self { own: None }
    }

    /// The row of a function.
    ///
    /// # Panics
    /// The function is one of another table.
    #[must_use]
    pub fn row(&self, function: Function) -> &FunctionRow {
        match (function.built_in(), &self.own) {
            (Some(row), _) => row,
            (None, Some(own)) => &own.rows[function.own_place()],
            (None, None) => panic!("{function:?} is no function of this table"),
        }
    }

    /// The function of that name that is not built in.
    #[must_use]
    pub fn own(&self, name: &str) -> Option<Function> {
        self.own.as_ref()?.numbers.get(name).copied()
    }

    /// The version of the own function of that name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<u32> {
        self.row(self.own(name)?).version
    }

    /// The names of functions that are not built in, in the order in which they were added.
    pub fn own_names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().flat_map(|own| &own.rows).map(|row| &*row.name)
    }

    /// The number of functions that are not built in.
    #[must_use]
    pub fn own_count(&self) -> usize {
        self.own.as_ref().map_or(0, |own| own.rows.len())
    }

    /// Adds a function whose name and types were judged.
    pub(crate) fn push(&mut self, function: OwnFunction) {
        let own = Arc::make_mut(self.own.get_or_insert_default());
        let number = Function::own(own.rows.len());
        own.numbers.insert(function.name.to_string(), number);
        own.rows.push(function.into_row());
    }

    /// Calls a function. The receiver of `a.name(b)` is the first argument.
    ///
    /// # Errors
    /// The function's own error about its arguments; a wrong number of arguments; the limits of size and cost.
    pub fn call(&self, function: Function, args: &[Value], meter: &mut Meter) -> Result<Value, Fault> {
        let row = self.row(function);
        let (least, most) = row.arity();
        if args.len() < least || args.len() > most {
            return Err(Fault::evaluation(format!("`{}` does not take {} arguments", row.name, args.len())));
        }
        row.body.call(Args::new(&row.name, args), meter)
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.own_names()).finish()
    }
}
