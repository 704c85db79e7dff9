//! Sets of guards, decided together.

use rustc_hash::FxHashMap;

use super::normal::Normalizer;
use super::reads::Reads;
use super::subject::{Classes, Subject, SubjectKey, classes_of, pair_classes};
use super::term::{Head, TermId, Terms};
use super::verdict::Truth;
use crate::decide::{Diagram, DiagramVariable, Diagrams, TooLarge};
use crate::model::expr::{Expr, SlotKind};
use crate::model::{Graph, Model};

/// Conditions that nest deeper than this once they are taken apart are not decided.
pub(super) const MAX_DEPTH: u32 = 128;

/// The most statements and parts of conditions that are looked at for one set: actions that run actions, and values by cases,
/// are looked at again for each use.
const MAX_WORK: u32 = 10_000;

/// The most subjects of a set of guards.
const MAX_SUBJECTS: usize = 64;

/// Guards over one vocabulary: each is true in one set of states, false in another, and fails in the rest. States are
/// sorted into classes that all the guards treat alike.
///
/// Both sets of a guard may be larger than they are (what is not known counts as possible), never smaller: where their
/// cut is empty, no state is in both.
pub(in crate::check) struct GuardSet<'g> {
    pub(super) model: &'g Model,
    pub(super) graph: &'g Graph,
    pub(super) terms: Terms,
    pub(super) subjects: Vec<Subject>,
    pub(super) by_key: FxHashMap<SubjectKey, usize>,
    pub(super) diagrams: Diagrams,
    /// While subjects and points are gathered there are no diagrams yet.
    pub(super) gathering: bool,
    /// By term, once it is known.
    pub(super) truths: Vec<Option<Truth>>,
    pub(super) depth: u32,
    guards: Vec<TermId>,
    /// Inputs that are read and have conditions, as places among the variables.
    pub(super) inputs: Vec<usize>,
    decided: Vec<Truth>,
    all: Diagram,
    /// By subject, what its value is read from.
    pub(super) reads: Vec<Reads>,
    /// The number of statements and parts of conditions that were looked at.
    worked: u32,
}

impl<'g> GuardSet<'g> {
    /// Decides these guards of a graph.
    ///
    /// # Errors
    /// They are too many, or too large.
    pub(in crate::check) fn new(
        model: &'g Model,
        graph: &'g Graph,
        guards: impl IntoIterator<Item = &'g Expr>,
    ) -> Result<Self, TooLarge> {
        let mut terms = Terms::default();
        let mut lets = FxHashMap::default();
        let mut normal = Normalizer::new(graph, &mut terms, &mut lets);
        let guards: Vec<TermId> = guards.into_iter().map(|guard| normal.term(guard)).collect();
        let inputs = inputs(graph, normal.terms());
        let conditions = inputs.iter().filter_map(|slot| graph.slots[*slot].condition.as_ref());
        let conditions: Vec<TermId> = conditions.map(|condition| normal.term(condition)).collect();
        if terms.is_full() {
            return Err(TooLarge);
        }
        terms.settle_types();
        let mut set = Self { guards, inputs, gathering: true, ..Self::of_terms(model, graph, terms) };
        for guard in set.guards.iter().chain(&conditions).copied().collect::<Vec<_>>() {
            set.truth(guard)?;
        }
        set.settle()?;
        for guard in set.guards.clone() {
            let truth = set.truth(guard)?;
            set.decided.push(truth);
        }
        set.all = set.ties()?;
        for condition in conditions {
            let truth = set.truth(condition)?;
            set.all = set.diagrams.and(set.all, truth.yes)?;
        }
        let of = |subject: &Subject| Reads::of(graph, &set.terms, subject.key);
        set.reads = set.subjects.iter().map(of).collect();
        Ok(set)
    }

    /// A set without guards.
    pub(super) fn empty(model: &'g Model, graph: &'g Graph) -> Self {
        Self::of_terms(model, graph, Terms::default())
    }

    fn of_terms(model: &'g Model, graph: &'g Graph, terms: Terms) -> Self {
        Self {
            model,
            graph,
            terms,
            subjects: Vec::new(),
            by_key: FxHashMap::default(),
            diagrams: Diagrams::default(),
            gathering: false,
            truths: Vec::new(),
            depth: 0,
            guards: Vec::new(),
            inputs: Vec::new(),
            decided: Vec::new(),
            all: Diagram::ALL,
            reads: Vec::new(),
            worked: 0,
        }
    }

    /// The states in which the guard of that index may be true.
    pub(in crate::check) fn when_true(&self, guard: usize) -> Diagram {
        self.decided[guard].yes
    }

    /// The states in which it may be false.
    pub(in crate::check) fn when_false(&self, guard: usize) -> Diagram {
        self.decided[guard].no
    }

    /// All states: those that nothing rules out, whatever happened before.
    pub(in crate::check) const fn all(&self) -> Diagram {
        self.all
    }

    /// The diagrams, to cut and join what the guards give.
    pub(in crate::check) const fn diagrams(&mut self) -> &mut Diagrams {
        &mut self.diagrams
    }

    /// The diagrams, to look at them.
    pub(in crate::check) const fn seen(&self) -> &Diagrams {
        &self.diagrams
    }

    /// Counts one more thing that is looked at.
    pub(super) const fn work(&mut self) -> Result<(), TooLarge> {
        self.worked += 1;
        if self.worked > MAX_WORK { Err(TooLarge) } else { Ok(()) }
    }

    /// The subject of that key. While subjects are gathered, a new one is added.
    pub(super) fn subject(&mut self, key: SubjectKey) -> Result<usize, TooLarge> {
        if let Some(known) = self.by_key.get(&key) {
            return Ok(*known);
        }
        if self.subjects.len() >= MAX_SUBJECTS {
            return Err(TooLarge);
        }
        let place = self.subjects.len();
        self.subjects.push(Subject::new(key));
        self.by_key.insert(key, place);
        if !self.gathering {
            self.classify(place)?;
        }
        Ok(place)
    }

    /// The subjects whose values last until a statement or an answer is written to what they read.
    pub(in crate::check) fn lasting(&self) -> Vec<DiagramVariable> {
        let lasting = self.subjects.iter().zip(&self.reads).filter(|(_, reads)| !reads.changes);
        lasting.map(|(subject, _)| subject.variable).collect()
    }

    pub(super) fn by_variable(&self, variable: DiagramVariable) -> &Subject {
        &self.subjects[variable.0 as usize]
    }

    /// Ends the gathering: the classes are known now.
    fn settle(&mut self) -> Result<(), TooLarge> {
        self.gathering = false;
        self.truths.clear();
        (0..self.subjects.len()).try_for_each(|place| self.classify(place))
    }

    fn classify(&mut self, place: usize) -> Result<(), TooLarge> {
        let declared = (self.graph, &self.model.types);
        let subject = &self.subjects[place];
        let classes: Classes = match subject.key {
            SubjectKey::One(id) => classes_of(declared, &self.terms, id, &subject.points).ok_or(TooLarge)?,
            SubjectKey::Pair(a, b) => pair_classes(declared, &self.terms, (a, b), &subject.differences),
        };
        let subject = &mut self.subjects[place];
        subject.classes = classes;
        subject.variable = self.diagrams.variable(subject.len());
        Ok(())
    }
}

/// The inputs with conditions that the terms read.
fn inputs(graph: &Graph, terms: &Terms) -> Vec<usize> {
    let read = terms.heads().filter_map(|head| match head {
        Head::Slot(slot) => Some(slot.0 as usize),
        _ => None,
    });
    let conditional = |slot: &usize| {
        graph.slots.get(*slot).is_some_and(|own| own.kind == SlotKind::Input && own.condition.is_some())
    };
    read.filter(conditional).collect()
}
