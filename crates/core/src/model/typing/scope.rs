//! The names of one graph that expressions and statements may use.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::builtin::{Builtins, unusable};
use super::conversation::ConversationTypes;
use super::effect::Effect;
use super::facts::Facts;
use super::few_slots::FewSlots;
use super::rendering::Rendering;
use super::resolve::TypeNames;
use crate::diag::{Diagnostic, nearest_of_unsorted, rule};
use crate::model::expr::{ActionId, BudgetId, Expr, FamilyId, LetId, SlotId, SlotKind, TextId};
use crate::model::name_use::{NameHolder, NameKind, NameRecorder};
use crate::model::node::NodeId;
use crate::model::types::{RecordId, Type};
use crate::program::error::{ErrorClass, ErrorKind};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{self, Name};
use crate::syntax::is_identifier;
use crate::syntax::tree::LetDecl;
use crate::value::Str;

/// A meter of a family: its name, and the type its counter is read as.
pub type Meter = (Str, BudgetId, Type);

/// The meaning of a name.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    /// An input or state field.
    Slot(SlotId, Type, SlotKind),
    /// A parameterless let.
    Let(LetId),
    /// A let with parameters, typed anew at each use.
    Template(Arc<LetDecl>),
    /// A budget and the type its counters are read as.
    Budget(BudgetId, Type),
    /// A family of budgets with its meters.
    Family(FamilyId, Arc<[Meter]>),
    /// An action.
    Action(ActionId),
    /// A declaration with a fault that was reported.
    Error,
}

impl Entry {
    /// The kind of thing that it is; none of a declaration with a fault.
    const fn kind(&self) -> Option<NameKind> {
        Some(match self {
            Self::Slot(_, _, SlotKind::Input) => NameKind::Input,
            Self::Slot(..) => NameKind::State,
            Self::Let(_) | Self::Template(_) => NameKind::Let,
            Self::Budget(..) | Self::Family(..) => NameKind::Budget,
            Self::Action(_) => NameKind::Action,
            Self::Error => return None,
        })
    }
}

/// A name's meaning, its place and the composite that it belongs to.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub(super) entry: Entry,
    pub(super) span: Span,
    pub(super) home: Option<NodeId>,
}

/// The facts about a let without parameters.
#[derive(Debug, Clone)]
pub(super) struct LetInfo {
    pub(super) ty: Type,
    /// The path it is another name of, if it is no more than that.
    pub(super) alias: Option<Expr>,
    pub(super) reads: FewSlots,
    pub(super) reach: Reach,
    pub(super) when_true: Facts,
    pub(super) when_false: Facts,
    /// The facts of each item, if it is a list that is filtered.
    pub(super) of_items: Facts,
    /// The constant keys that it has, if it is a map that is written out.
    pub(super) keys: Vec<Str>,
    /// Its expression, where what is known at a use makes a difference.
    pub(super) judged_at_use: Option<Arc<JudgedLet>>,
}

/// A let that is judged at each use, with what is known there.
#[derive(Debug)]
pub(super) struct JudgedLet {
    pub(super) body: ast::Expr,
    /// The parts of the expression, those of lets in it among them.
    pub(super) parts: u32,
    /// The finding about it where nothing is known.
    pub(super) findings: Vec<Diagnostic>,
    /// The texts that it renders.
    pub(super) renderings: Vec<Rendering>,
}

/// An action that is judged wherever it is run, with what is known there.
#[derive(Debug)]
pub(super) struct JudgedAction {
    pub(super) name: Str,
    pub(super) body: ast::Block,
    /// The parts of its statements, those of actions in it among them.
    pub(super) parts: u32,
    /// The findings about it where nothing is known.
    pub(super) findings: Vec<Diagnostic>,
    /// The texts that it renders.
    pub(super) renderings: Vec<Rendering>,
}

/// True for a finding that depends on what is known where a let is used or an action is run.
pub(super) fn is_of_uses(finding: &Diagnostic) -> bool {
    matches!(finding.rule, rule::MAYBE_NULL | rule::MAYBE_MISSING)
}

/// The most that an expression reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Nothing but literals: defaults of record fields.
    Constants,
    /// The input, input-only lets and limits of budgets: limits, defaults of state.
    Inputs,
    /// All state, but nothing that changes by itself.
    State,
    /// Counters, visits, the clock too.
    All,
}

/// The names of one graph.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The named types.
    pub types: TypeNames,
    pub(super) builtins: Builtins,
    names: FxHashMap<Str, SmallVec<[Bound; 1]>>,
    nodes: FxHashMap<Str, (NodeId, Span)>,
    texts: FxHashMap<Str, (TextId, Span)>,
    /// The class of each kind of error, and the place of its declaration if a graph declares it.
    kinds: FxHashMap<Str, (Str, Option<Span>)>,
    parents: FxHashMap<NodeId, NodeId>,
    pub(super) slots: Vec<Str>,
    pub(super) lets: Vec<LetInfo>,
    pub(super) let_names: Vec<Str>,
    pub(super) actions: Vec<Effect>,
    pub(super) judged_actions: FxHashMap<ActionId, Arc<JudgedAction>>,
    /// The texts that actions render, where that does not depend on where they are run.
    pub renderings: Vec<Rendering>,
}

impl Scope {
    /// A scope with the built-in names and error kinds alone.
    #[must_use]
    pub fn new(builtins: Builtins, types: TypeNames) -> Self {
        let class = |kind: &ErrorKind| (kind.class().name().into(), None);
        let kinds = ErrorKind::ALL.iter().map(|kind| ((*kind).into(), class(kind))).collect();
        Self {
            types,
            builtins,
            names: FxHashMap::default(),
            nodes: FxHashMap::default(),
            texts: FxHashMap::default(),
            kinds,
            parents: FxHashMap::default(),
            slots: Vec::new(),
            lets: Vec::new(),
            let_names: Vec::new(),
            actions: Vec::new(),
            judged_actions: FxHashMap::default(),
            renderings: Vec::new(),
        }
    }

    /// Hears of each name that is resolved.
    pub(crate) const fn recorder(&self) -> &NameRecorder {
        &self.builtins.names
    }

    /// The types of conversations with models.
    #[must_use]
    pub const fn conversation(&self) -> &ConversationTypes {
        &self.builtins.conversation
    }

    /// Adds a variable; false if its name is refused. Slots are added in order of their ids.
    pub fn add_slot(
        &mut self,
        name: &Name,
        id: SlotId,
        ty: Type,
        kind: SlotKind,
        sink: &mut Vec<Diagnostic>,
    ) -> bool {
        let at = id.0 as usize;
        if self.slots.len() <= at {
            self.slots.resize(at + 1, Str::new());
        }
        self.slots[at] = name.as_str().into();
        let home = if let SlotKind::Inner(node) = kind { Some(node) } else { None };
        self.add(name, home, Entry::Slot(id, ty, kind), sink)
    }

    /// Adds a budget; `ty` is what `used`, `limit` and `left` give: int, or usd and duration for metered ones.
    pub fn add_budget(
        &mut self,
        name: &Name,
        id: BudgetId,
        home: Option<NodeId>,
        ty: Type,
        sink: &mut Vec<Diagnostic>,
    ) {
        self.add(name, home, Entry::Budget(id, ty), sink);
    }

    /// Adds a family of budgets with its meters and the types they are read as.
    pub fn add_family(
        &mut self,
        name: &Name,
        id: FamilyId,
        home: Option<NodeId>,
        meters: impl IntoIterator<Item = Meter>,
        sink: &mut Vec<Diagnostic>,
    ) {
        self.add(name, home, Entry::Family(id, meters.into_iter().collect()), sink);
    }

    /// Says that the composite `inner` lies in `outer`, so that it sees the other's state and budgets. To be called before
    /// names that belong to a composite are added.
    pub fn add_composite(&mut self, inner: NodeId, outer: NodeId) {
        self.parents.insert(inner, outer);
    }

    /// Adds a node. Nodes have names of their own; a name that is taken is the caller's to report.
    pub fn add_node(&mut self, name: &Name, id: NodeId) {
        self.builtins.names.define(NameKind::Node, name, None);
        self.nodes.insert(name.as_str().into(), (id, name.span));
    }

    /// Adds a text. Texts have names of their own; a name that is taken is the caller's to report.
    pub fn add_text(&mut self, name: &Name, id: TextId) {
        if is_identifier(name.as_str()) {
            self.builtins.names.define(NameKind::Text, name, None);
        }
        self.texts.insert(name.as_str().into(), (id, name.span));
    }

    /// Adds an error kind of the graph's own, or of one that it calls.
    pub fn add_kind(&mut self, kind: &Spanned<Str>, class: &str) {
        self.builtins.names.note(NameKind::Error, &kind.value, kind.span, Some(kind.span), None);
        self.kinds.insert(kind.value.clone(), (class.into(), Some(kind.span)));
    }

    /// Notes the use of an input, state field, let, action or budget, as it is seen inside the composite.
    pub(crate) fn note_name(&self, name: &str, span: Span, inside: Option<NodeId>) {
        if let Some(bound) = self.lookup(name, inside).or_else(|| self.bound(name).first()) {
            self.note_bound(bound, name, span, None);
        }
    }

    /// Notes the use of a name with that meaning.
    pub(super) fn note_bound(&self, bound: &Bound, name: &str, span: Span, ty: Option<&Type>) {
        let Some(kind) = bound.entry.kind() else { return };
        let ty = ty.or(match &bound.entry {
            Entry::Slot(_, ty, _) => Some(ty),
            _ => None,
        });
        self.builtins.names.note(kind, name, span, Some(bound.span), ty);
    }

    /// Offers names that are seen inside the composite in the place of another one, if that is the probe.
    pub(super) fn offer_names(
        &self,
        instead_of: &str,
        inside: Option<NodeId>,
        wanted: impl Fn(NameKind) -> bool,
    ) {
        let recorder = self.recorder();
        if !recorder.is_probe(instead_of) {
            return;
        }
        for (name, all) in &self.names {
            let seen = all.iter().find(|bound| self.sees(inside, bound.home));
            let Some((bound, kind)) = seen.and_then(|bound| Some((bound, bound.entry.kind()?))) else {
                continue;
            };
            let ty = match &bound.entry {
                Entry::Slot(_, ty, _) | Entry::Budget(_, ty) => Some(ty),
                Entry::Let(id) => self.lets.get(id.0 as usize).map(|info| &info.ty),
                _ => None,
            };
            if wanted(kind) {
                recorder.offer(instead_of, kind, [(name.as_str(), ty)]);
            }
        }
    }

    /// Offers kinds of error in the place of a name, if that is the probe.
    pub(crate) fn offer_kinds(&self, instead_of: &str) {
        let classes = ErrorClass::ALL.map(ErrorClass::name);
        let kinds = self.kind_names().chain(classes).map(|name| (name, None));
        self.recorder().offer(instead_of, NameKind::Error, kinds);
    }

    /// Offers nodes in the place of a name, if that is the probe.
    pub(crate) fn offer_nodes(&self, instead_of: &str) {
        self.recorder().offer(instead_of, NameKind::Node, self.node_names().map(|name| (name, None)));
    }

    /// Offers texts in the place of a name, if that is the probe.
    pub(crate) fn offer_texts(&self, instead_of: &str) {
        self.recorder().offer(instead_of, NameKind::Text, self.text_names().map(|name| (name, None)));
    }

    /// Notes the use of a node.
    pub(crate) fn note_node(&self, name: &str, span: Span) {
        if let Some((_, declared)) = self.nodes.get(name) {
            self.builtins.names.note(NameKind::Node, name, span, Some(*declared), None);
        }
    }

    /// Notes the use of a text.
    pub(crate) fn note_text(&self, name: &str, span: Span) {
        // One that stands where it is used has no name in the file.
        if let Some((_, declared)) = self.texts.get(name).filter(|_| is_identifier(name)) {
            self.builtins.names.note(NameKind::Text, name, span, Some(*declared), None);
        }
    }

    /// Notes the use of a kind of error.
    pub(crate) fn note_kind(&self, name: &str, span: Span) {
        if let Some((_, declared)) = self.kinds.get(name) {
            self.builtins.names.note(NameKind::Error, name, span, *declared, None);
        }
    }

    /// Notes the use of a field of a record.
    pub(crate) fn note_field(&self, record: RecordId, name: &str, span: Span, ty: Option<&Type>) {
        self.builtins.names.note_part(NameHolder::Record(record), NameKind::Field, name, span, ty);
    }

    /// The node of that name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.get(name).map(|(id, _)| *id)
    }

    /// The names of all nodes, for hints.
    pub fn node_names(&self) -> impl Iterator<Item = &str> {
        self.nodes.keys().map(Str::as_str)
    }

    /// The text of that name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<TextId> {
        self.texts.get(name).map(|(id, _)| *id)
    }

    /// The names of all texts, for hints.
    pub fn text_names(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(Str::as_str).filter(|name| is_identifier(name))
    }

    /// The class of an error kind.
    #[must_use]
    pub fn class_of(&self, kind: &str) -> Option<&Str> {
        self.kinds.get(kind).map(|(class, _)| class)
    }

    /// All error kinds, for hints.
    pub fn kind_names(&self) -> impl Iterator<Item = &str> {
        self.kinds.keys().map(Str::as_str)
    }

    /// The slots that a let reads, itself or through other lets.
    #[must_use]
    pub fn let_reads(&self, id: LetId) -> Option<&FewSlots> {
        self.lets.get(id.0 as usize).map(|info| &info.reads)
    }

    /// The family of that name and its meters, for triggers and drawings.
    #[must_use]
    pub fn family(&self, name: &str) -> Option<(FamilyId, &[Meter])> {
        self.bound(name).iter().find_map(|b| match &b.entry {
            Entry::Family(id, meters) => Some((*id, &**meters)),
            _ => None,
        })
    }

    pub(super) fn bound(&self, name: &str) -> &[Bound] {
        self.names.get(name).map_or(&[], SmallVec::as_slice)
    }

    /// The meaning of a name inside the given composites.
    pub(super) fn lookup(&self, name: &str, inside: Option<NodeId>) -> Option<&Bound> {
        self.bound(name).iter().find(|b| self.sees(inside, b.home))
    }

    /// True if what belongs to the composite `home` is seen inside the composite `inside`.
    fn sees(&self, inside: Option<NodeId>, home: Option<NodeId>) -> bool {
        let Some(home) = home else { return true };
        let mut at = inside;
        while let Some(composite) = at {
            if composite == home {
                return true;
            }
            at = self.parents.get(&composite).copied();
        }
        false
    }

    /// The visible name that is closest to an unknown one.
    pub(super) fn nearest(&self, name: &str, inside: Option<NodeId>) -> Option<&str> {
        let names = self.names.iter().filter(|(_, all)| all.iter().any(|b| self.sees(inside, b.home)));
        nearest_of_unsorted(name, names.map(|(name, _)| name.as_str()))
    }

    /// The names of the budgets and families that are seen inside the composite.
    pub(super) fn budget_names(&self, inside: Option<NodeId>) -> impl Iterator<Item = &Str> {
        let is_budget = move |b: &Bound| {
            matches!(b.entry, Entry::Budget(..) | Entry::Family(..)) && self.sees(inside, b.home)
        };
        self.names.iter().filter(move |(_, all)| all.iter().any(is_budget)).map(|(name, _)| name)
    }

    pub(super) fn action_names(&self) -> impl Iterator<Item = &str> {
        let is_action = |b: &Bound| matches!(b.entry, Entry::Action(_));
        self.names.iter().filter(move |(_, all)| all.iter().any(is_action)).map(|(name, _)| name.as_str())
    }

    pub(super) fn replace(&mut self, name: &str, entry: Entry) {
        if let Some(bound) = self.names.get_mut(name).and_then(|all| all.first_mut()) {
            bound.entry = entry;
        }
    }

    /// Adds a name to the one namespace; false if it is taken or reserved, which is reported.
    pub(super) fn add(
        &mut self,
        name: &Name,
        home: Option<NodeId>,
        entry: Entry,
        sink: &mut Vec<Diagnostic>,
    ) -> bool {
        let fault = unusable(name).or_else(|| self.first(name, home).map(|first| shadowed(name, first.span)));
        let is_usable = fault.is_none();
        sink.extend(fault);
        if let (true, Some(kind)) = (is_usable, entry.kind()) {
            let ty = if let Entry::Slot(_, ty, _) = &entry { Some(ty) } else { None };
            self.builtins.names.define(kind, name, ty);
        }
        // A name that was refused stays known, so that its uses are not reported as well.
        let entry = if is_usable { entry } else { Entry::Error };
        self.names.entry(name.as_str().into()).or_default().push(Bound { entry, span: name.span, home });
        is_usable
    }

    /// The declaration that a name of `home` would meet.
    fn first(&self, name: &str, home: Option<NodeId>) -> Option<&Bound> {
        self.bound(name).iter().find(|bound| self.sees(home, bound.home) || self.sees(bound.home, home))
    }

    /// True for a name that cannot be declared in `home` any more.
    pub(in crate::model) fn is_taken(&self, name: &str, home: Option<NodeId>) -> bool {
        self.first(name, home).is_some()
    }

    /// True if a declaration of that name was refused: what its uses mean is not known.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        self.bound(name).iter().any(|bound| matches!(bound.entry, Entry::Error))
    }
}

pub(super) fn shadowed(name: &Name, first: Span) -> Diagnostic {
    let message = format!("the name `{}` is taken", name.value);
    Diagnostic::error(rule::SHADOWED_NAME, name.span, message).also(first, "declared here first").help(
        "inputs, state, lets, actions, budgets and loop variables share one namespace: choose another name",
    )
}
