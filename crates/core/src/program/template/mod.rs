//! Prompt templates, rendered over the state.
//!
//! Strict: an undefined variable is a fault. Nothing is escaped, no file is read; a text may include another text of
//! its graph by name. Every rendering is limited in steps, in the work of its filters and in the length of what it
//! writes.
//!
//! Values print as templates of this family print them (`None`, `True`, lists in brackets); `tojson` gives canonical
//! JSON. Amounts of money are numbers, durations their text (`1m30s`).

mod expansion;
mod fault;
mod filter;
mod inclusion;
pub mod library;
mod metered;
pub(crate) mod null;
mod object;
pub(crate) mod scan;
pub(crate) mod syntax;
mod texts;

use std::collections::BTreeMap;
use std::io;

use minijinja::value::Value as Dynamic;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};

pub use self::fault::TemplateFault;
use self::fault::template_fault;
use self::metered::Metered;
pub use self::texts::TemplateTexts;
use super::fault::Fault;
use super::meter::MAX_RESULT;
use crate::source::Fragment;
use crate::value::{Str, Value};

/// Steps (instructions of the engine) one rendering may take.
const MAX_ENGINE_STEPS: u64 = 1_000_000;

/// The deepest nesting of blocks, macros and included texts.
const MAX_NESTING: usize = 64;

/// All texts of a graph, compiled.
#[derive(Default)]
pub struct Templates {
    engine: Environment<'static>,
    sources: BTreeMap<Str, Str>,
    metered: BTreeMap<Str, Metered>,
    texts: TemplateTexts,
    /// The places of texts in their files; only shown to people.
    places: BTreeMap<Str, Fragment>,
}

impl Templates {
    /// Compiles the texts of a graph, given by name.
    ///
    /// # Errors
    /// Every text that is no template or includes a text that does not exist.
    pub fn new<'a>(texts: impl IntoIterator<Item = (Str, &'a str)>) -> Result<Self, Vec<TemplateFault>> {
        let sources: BTreeMap<Str, Str> =
            texts.into_iter().map(|(name, source)| (name, source.into())).collect();
        let texts = TemplateTexts::new(sources.iter().map(|(name, source)| (name.clone(), source.as_str())))?;
        let mut engine = engine();
        let mut paying = BTreeMap::new();
        for (name, source) in &sources {
            let metered = Metered::new(source);
            engine
                .add_template_owned(name.to_string(), metered.text.clone())
                .map_err(|error| vec![template_fault(name, source, &metered, &error)])?;
            paying.insert(name.clone(), metered);
        }
        Ok(Self { engine, sources, metered: paying, texts, places: BTreeMap::new() })
    }

    /// The same texts, which know where they are in their files.
    #[must_use]
    pub fn placed<'a>(mut self, texts: impl IntoIterator<Item = (Str, &'a Fragment)>) -> Self {
        self.places = texts.into_iter().map(|(name, text)| (name, text.map_only())).collect();
        self
    }

    /// The source of a text.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&str> {
        self.sources.get(name).map(Str::as_str)
    }

    /// The variables a text needs, those of the texts it includes as well.
    #[must_use]
    pub fn variables(&self, name: &str) -> &[Str] {
        self.texts.variables(name)
    }

    /// True if all that a text does with a variable is to cut slices of it.
    #[must_use]
    pub fn only_slices(&self, name: &str, variable: &str) -> bool {
        self.texts.only_slices(name, variable)
    }

    /// Renders a text. `lookup` is asked once for each variable that the text names; a fault of it counts only where
    /// the variable is really used.
    ///
    /// # Errors
    /// An undefined variable, a fault of `lookup`, a wrong use of a filter, or a limit; the message says where.
    pub fn render(
        &self,
        name: &str,
        lookup: &mut dyn FnMut(&str) -> Result<Option<Value>, Fault>,
    ) -> Result<Str, Fault> {
        let template = self
            .engine
            .get_template(name)
            .map_err(|_| Fault::evaluation(format!("there is no text `{name}`")))?;
        let mut faults = Vec::new();
        let context = object::Context::collect(self.variables(name), lookup, &mut faults);
        let mut out = Limited::default();
        let rendered = template.render_captured_to(Dynamic::from_object(context), &mut out).map(drop);
        match rendered {
            Ok(()) => String::from_utf8(out.bytes)
                .map(Str::from)
                .map_err(|_| Fault::evaluation(format!("text `{name}` did not render as UTF-8"))),
            Err(_) if out.full => Err(filter::too_long()),
            Err(error) => Err(self.fault(name, &error, faults)),
        }
    }

    /// The fault of a rendering, with its place.
    fn fault(&self, name: &str, error: &Error, faults: Vec<Fault>) -> Fault {
        let error = innermost(error);
        let name = error.name().unwrap_or(name);
        let source = self.source(name).unwrap_or_default();
        let unknown = Metered::default();
        let metered = self.metered.get(name).unwrap_or(&unknown);
        let mut found = template_fault(&name.into(), source, metered, error);
        let known = faults.into_iter().find(|fault| found.message == fault.message.as_str());
        match error.kind() {
            ErrorKind::UndefinedError => {
                let written = source.get(found.range.clone()).unwrap_or_default().trim();
                let what = error.detail().map_or_else(|| format!("`{written}` is undefined"), str::to_owned);
                found.message = what;
            }
            ErrorKind::OutOfFuel => {
                found.message = format!("the template takes more than {MAX_ENGINE_STEPS} steps");
            }
            _ => {}
        }
        let too_large = found.message == filter::too_long().message.as_str();
        let kind = known.map_or_else(
            || if too_large { filter::too_long().kind } else { super::fault::FaultKind::Evaluation },
            |fault| fault.kind,
        );
        let range = &found.range;
        let place = self.places.get(&found.text).map(|text| text.span(range.start, range.end));
        Fault { kind, message: found.to_string().into(), place }
    }
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.sources.keys()).finish()
    }
}

fn engine() -> Environment<'static> {
    let mut engine = Environment::new();
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_auto_escape_callback(|_| AutoEscape::None);
    engine.set_fuel(Some(MAX_ENGINE_STEPS));
    engine.set_recursion_limit(MAX_NESTING);
    // Without this, errors would carry no place.
    engine.set_debug(true);
    // It would print the inside of the engine.
    engine.remove_global("debug");
    filter::install(&mut engine);
    engine
}

/// The error at the bottom: an included text's error is after that of the including one.
fn innermost(error: &Error) -> &Error {
    let mut inner = error;
    let mut next = std::error::Error::source(error);
    while let Some(source) = next {
        if let Some(error) = source.downcast_ref::<Error>() {
            inner = error;
        }
        next = source.source();
    }
    inner
}

/// Collects what is written, up to the limit of one value.
#[derive(Default)]
struct Limited {
    bytes: Vec<u8>,
    full: bool,
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.full |= self.bytes.len() + bytes.len() > MAX_RESULT;
        if self.full {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
