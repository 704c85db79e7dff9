//! The needs of a text together with all that it takes in.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::Environment;

use super::fault::TemplateFault;
use super::inclusion::{Computed, Inclusion, Inclusions};
use super::metered::Metered;
use super::scan::tags;
use super::syntax::{pieces, sliced_variables};
use crate::value::Str;

/// Names that templates have without being given them.
const GLOBALS: [&str; 5] = ["range", "dict", "namespace", "self", "super"];

/// The deepest chain of texts that include each other.
const MAX_CHAIN: usize = 16;

/// So often the texts of one graph take in others, counted once for each text that they end up in, and so often they are
/// followed to find what a text reaches.
const MAX_INCLUSIONS: usize = 50_000;

/// The length of all texts of a graph with what they include, in bytes.
const MAX_LENGTH: usize = 8 << 20;

/// The needs of a text.
pub(super) struct Needs {
    pub(super) variables: BTreeSet<Str>,
    /// Further ones, which are only cut slices of.
    pub(super) sliced: BTreeSet<Str>,
    /// True if it takes in a text whose name is computed.
    pub(super) is_computed: bool,
}

/// Looks through texts with what they take in. Its limits count over all of them.
pub(super) struct Expansion<'t> {
    sources: &'t BTreeMap<Str, &'t str>,
    inclusions: &'t BTreeMap<Str, Inclusions>,
    /// Texts that some text imports or extends.
    taken_otherwise: BTreeSet<&'t str>,
    engine: Environment<'static>,
    /// The texts that are being written out, outermost first.
    open: Vec<&'t str>,
    /// The number of times that a text may still be taken in.
    left: usize,
    /// The number of times that one may still be followed.
    inclusions_left: usize,
    /// The number of bytes that may still be written out.
    room: usize,
}

impl<'t> Expansion<'t> {
    pub(super) fn new(
        sources: &'t BTreeMap<Str, &'t str>,
        inclusions: &'t BTreeMap<Str, Inclusions>,
    ) -> Self {
        let named = inclusions.values().flat_map(|own| &own.named);
        Self {
            sources,
            inclusions,
            taken_otherwise: named.filter(|other| !other.inline).map(|other| other.name.as_str()).collect(),
            engine: Environment::new(),
            open: Vec::new(),
            left: MAX_INCLUSIONS,
            inclusions_left: MAX_INCLUSIONS,
            room: MAX_LENGTH,
        }
    }

    /// The variables of a text with all it takes in.
    ///
    /// # Errors
    /// A limit.
    pub(super) fn needs(&mut self, name: &'t str) -> Result<Needs, TemplateFault> {
        let (mut variables, mut sliced) = (BTreeSet::new(), BTreeSet::new());
        let reached = self.reach(name)?;
        for (place, other) in reached.iter().enumerate() {
            // What is put in place is seen there, with the variables that are set around it.
            if place == 0 || self.taken_otherwise.contains(other) {
                let mut whole = String::new();
                self.write(other, &mut whole)?;
                let paying = Metered::new(&whole).text;
                let Ok(template) = self.engine.template_from_str(&paying) else { continue };
                let own = template.undeclared_variables(false).into_iter();
                variables.extend(own.filter(|name| !GLOBALS.contains(&name.as_str())).map(Str::from));
                let pieces = pieces(&tags(&whole).collect::<Vec<_>>());
                sliced.extend(sliced_variables(&pieces).into_iter().map(Str::from));
            }
        }
        sliced.retain(|name| !variables.contains(name));
        let computed = |name: &&str| self.inclusions.get(*name).is_some_and(|own| !own.computed.is_empty());
        Ok(Needs { is_computed: reached.iter().any(computed), variables, sliced })
    }

    /// The text and all it takes in, directly or not.
    fn reach(&mut self, name: &'t str) -> Result<Vec<&'t str>, TemplateFault> {
        let mut reached = vec![name];
        let mut seen: BTreeSet<&str> = BTreeSet::from([name]);
        let mut at = 0;
        while let Some(name) = reached.get(at).copied() {
            for other in self.inclusions.get(name).into_iter().flat_map(|own| &own.named) {
                self.inclusions_left = self.one_less(self.inclusions_left, name, other)?;
                if seen.insert(&other.name) {
                    reached.push(&other.name);
                }
            }
            at += 1;
        }
        Ok(reached)
    }

    /// Writes a text with the included ones in their places.
    fn write(&mut self, name: &'t str, out: &mut String) -> Result<(), TemplateFault> {
        let (Some(source), Some(inclusions)) = (self.sources.get(name), self.inclusions.get(name)) else {
            return Ok(());
        };
        let named = inclusions.named.iter().filter(|other| other.inline).map(Taken::Named);
        let mut taken: Vec<_> = named.chain(inclusions.computed.iter().map(Taken::Computed)).collect();
        taken.sort_by_key(Taken::start);
        self.open.push(name);
        let mut from = 0;
        for taken in taken {
            self.put(&source[from..taken.start()], out);
            match taken {
                Taken::Named(other) => {
                    from = other.block.end;
                    self.left = self.one_less(self.left, name, other)?;
                    self.include(name, other, out)?;
                }
                Taken::Computed(other) => {
                    from = other.block.end;
                    // The variables of the name count as well.
                    out.extend(["{{ ", &other.expression, " }}"]);
                }
            }
        }
        self.put(&source[from..], out);
        self.open.pop();
        Ok(())
    }

    fn include(
        &mut self,
        name: &'t str,
        other: &'t Inclusion,
        out: &mut String,
    ) -> Result<(), TemplateFault> {
        // Inside itself a text needs nothing that it does not need outside.
        if self.open.contains(&other.name.as_str()) {
            return Ok(());
        }
        if self.open.len() > MAX_CHAIN {
            let message = format!("texts include each other more than {MAX_CHAIN} deep");
            return Err(self.fault(name, other, message));
        }
        if self.room == 0 {
            let most = MAX_LENGTH >> 20;
            let message = format!("with what they include, the texts up to here are longer than {most} MiB");
            return Err(self.fault(name, other, message));
        }
        self.write(&other.name, out)
    }

    fn put(&mut self, text: &str, out: &mut String) {
        self.room = self.room.saturating_sub(text.len());
        out.push_str(text);
    }

    fn one_less(&self, left: usize, name: &str, other: &Inclusion) -> Result<usize, TemplateFault> {
        left.checked_sub(1).ok_or_else(|| {
            let message = format!("the texts up to here take in others more than {MAX_INCLUSIONS} times");
            self.fault(name, other, message)
        })
    }

    fn fault(&self, name: &str, other: &Inclusion, message: String) -> TemplateFault {
        let source = self.sources.get(name).copied().unwrap_or_default();
        TemplateFault::new(name.into(), source, other.range.clone(), message)
    }
}

/// A place where something is taken in.
enum Taken<'t> {
    Named(&'t Inclusion),
    Computed(&'t Computed),
}

impl Taken<'_> {
    fn start(&self) -> usize {
        match self {
            Self::Named(other) => other.block.start,
            Self::Computed(other) => other.block.start,
        }
    }
}
