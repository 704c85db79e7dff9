//! The context an expression or statement list is typed in.

mod local;

use self::local::Local;
pub(super) use self::local::Meaning;
use super::effect::{Effect, Write, Writes};
use super::facts::Facts;
use super::rendering::Rendering;
use super::scope::{Reach, Scope, is_of_uses};
use super::show::show;
use crate::diag::{Diagnostic, Severity, rule};
use crate::model::expr::{Expr, ExprKind, TextId};
use crate::model::name_use::NameRecorder;
use crate::model::node::NodeId;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::program::op::Special;
use crate::source::Span;
use crate::syntax::ast;
use crate::value::Str;

/// The most nodes one expression may have once its lets with parameters are written out.
const MAX_EXPRESSION_NODES: u32 = 20_000;

/// The largest number of findings: more than are ever listed, few enough to search.
const MAX_FINDINGS: usize = 1_000;

/// The deepest nesting of one expression once its lets with parameters are written out.
const MAX_EXPRESSION_DEPTH: u32 = 160;

/// A let without parameters that has more parts than this is not judged where it is used.
const MAX_JUDGED_PARTS: u32 = 120;

/// An action that has more parts than this, with the actions it runs, is not judged where it is run.
const MAX_JUDGED_PARTS_OF_ACTION: u32 = 400;

/// The most parts of actions that are judged where one list runs them.
const MAX_JUDGED_PARTS_OF_LIST: u32 = 100_000;

/// The presence of `error` at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorScope {
    /// No error leads there.
    Absent,
    /// Errors lead there, and something else.
    Mixed,
    /// Errors alone lead there.
    Present,
}

/// The names that can be seen at the place that is typed.
#[derive(Debug, Clone)]
pub struct Here {
    /// The innermost composite the place lies in: its state and budgets are in scope, and those of all around it.
    pub composite: Option<NodeId>,
    /// The type of `result`, where an answer arrived.
    pub result: Option<Type>,
    /// The causes for which the place is reached, as far as `error` is concerned.
    pub error: ErrorScope,
    /// True if `outcome` is in scope.
    pub outcome: bool,
    /// The values that may be read.
    pub reach: Reach,
    /// True if this is a property, which is judged along a run and may look back.
    pub property: bool,
}

impl Here {
    /// A place with that reach and nothing special in scope.
    #[must_use]
    pub const fn new(reach: Reach) -> Self {
        Self {
            composite: None,
            result: None,
            error: ErrorScope::Absent,
            outcome: false,
            reach,
            property: false,
        }
    }
}

impl Default for Here {
    fn default() -> Self {
        Self::new(Reach::All)
    }
}

/// Types expressions and statements at one place. Cheap to make: tables are borrowed, facts are shared.
#[derive(Debug)]
pub struct Cx<'a> {
    pub(super) scope: &'a Scope,
    pub(super) types: &'a TypeTable,
    sink: &'a mut Vec<Diagnostic>,
    /// The facts at this point of the flow. Statements move it on.
    pub facts: Facts,
    pub(super) here: Here,
    locals: Vec<Local>,
    /// Locals below this index belong to the user of the let that is written out: it does not see them.
    floor: usize,
    next: u32,
    fuel: u32,
    depth: u32,
    /// The parts of the lets without parameters that were judged where the expression in hand uses them.
    judged_parts: u32,
    /// The parts of the expressions before the one in hand, those of actions among them.
    earlier_parts: u32,
    /// True for the path on the left of `??`: a key that is not there is none.
    pub(super) is_caught: bool,
    /// The places where the lets that are being written out are used, outermost first.
    uses: Vec<Span>,
    pub(super) effect: Effect,
    /// The texts that are rendered here.
    pub renderings: Vec<Rendering>,
}

impl<'a> Cx<'a> {
    /// A context without locals that knows nothing of its values.
    pub fn new(scope: &'a Scope, types: &'a TypeTable, here: Here, sink: &'a mut Vec<Diagnostic>) -> Self {
        Self {
            scope,
            types,
            sink,
            facts: Facts::default(),
            here,
            locals: Vec::new(),
            floor: 0,
            next: 0,
            fuel: MAX_EXPRESSION_NODES,
            depth: 0,
            judged_parts: 0,
            earlier_parts: 0,
            is_caught: false,
            uses: Vec::new(),
            effect: Effect::default(),
            renderings: Vec::new(),
        }
    }

    /// Notes that a text is rendered here.
    pub fn note_rendering(&mut self, text: TextId, span: Span) {
        self.renderings.push(Rendering { text, facts: self.facts.clone(), span });
    }

    /// Hears of each name that is resolved.
    pub(in crate::model) const fn recorder(&self) -> &NameRecorder {
        self.scope.recorder()
    }

    /// The same context with what is known.
    #[must_use]
    pub fn knowing(mut self, facts: Facts) -> Self {
        self.facts = facts;
        self
    }

    /// Types an expression whatever its type is.
    pub fn infer(&mut self, expr: &ast::Expr) -> Expr {
        self.refuel();
        self.typed(expr, None)
    }

    /// Types an expression that has to fit `want`.
    pub fn check(&mut self, expr: &ast::Expr, want: &Type) -> Expr {
        self.refuel();
        self.checked(expr, want)
    }

    /// Types an expression that has to give a member of an enum, or a text: one that is no member is a fault of the run.
    pub fn check_name(&mut self, expr: &ast::Expr, want: &Type) -> Expr {
        self.refuel();
        let typed = self.typed(expr, Some(want));
        let is_text = matches!(typed.ty.kind, Kind::String(_)) && !matches!(typed.kind, ExprKind::Const(_));
        if is_text { self.adapt(typed, &Type::of(Kind::String(None))) } else { self.adapt(typed, want) }
    }

    const fn refuel(&mut self) {
        self.earlier_parts = self.earlier_parts.saturating_add(self.parts());
        self.fuel = MAX_EXPRESSION_NODES;
        self.judged_parts = 0;
    }

    /// The parts of the expression that was typed last, those of lets in it among them.
    pub(super) const fn parts(&self) -> u32 {
        (MAX_EXPRESSION_NODES - self.fuel).saturating_add(self.judged_parts)
    }

    /// Judges the body of a let of so many parts as if it stood where it is used, with what is known here. [`None`] where
    /// that would be too much.
    pub(super) fn judge_here<T>(
        &mut self,
        parts: u32,
        span: Span,
        body: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let all = self.judged_parts.saturating_add(parts);
        if parts > MAX_JUDGED_PARTS || all > MAX_EXPRESSION_NODES || self.depth + parts > MAX_EXPRESSION_DEPTH
        {
            return None;
        }
        self.judged_parts = all;
        let (fuel, before) = (self.fuel, self.facts.clone());
        self.fuel = MAX_EXPRESSION_NODES;
        let given = self.inside_let(span, body);
        (self.fuel, self.facts, self.judged_parts) = (fuel, before, all);
        Some(given)
    }

    /// The parts of all that was typed here.
    pub(super) const fn all_parts(&self) -> u32 {
        self.earlier_parts.saturating_add(self.parts())
    }

    /// Judges an action of so many parts as if its statements stood where it is run, with what is known here. False where
    /// that would be too much.
    pub(super) fn judge_action_here(&mut self, parts: u32, span: Span, body: &ast::Block) -> bool {
        self.refuel();
        let all = self.earlier_parts.saturating_add(parts);
        if parts > MAX_JUDGED_PARTS_OF_ACTION || all > MAX_JUDGED_PARTS_OF_LIST {
            return false;
        }
        let (before, known) = (self.facts.clone(), self.sink.len());
        self.inside_let(span, |cx| cx.block(body));
        // What is said of it wherever it is run was said where it is declared.
        let found = self.sink.split_off(known);
        let is_new = |found: &Diagnostic| found.severity == Severity::Error || is_of_uses(found);
        self.sink.extend(found.into_iter().filter(is_new));
        self.refuel();
        (self.facts, self.earlier_parts) = (before, all);
        true
    }

    /// Types an expression that should fit `want`; whether it does is not judged.
    pub(super) fn infer_as(&mut self, expr: &ast::Expr, want: &Type) -> Expr {
        self.refuel();
        self.typed(expr, Some(want))
    }

    /// The places where the lets that are being written out are used, outermost first.
    pub(super) fn uses(&self) -> &[Span] {
        &self.uses
    }

    /// Types a condition.
    pub fn condition(&mut self, expr: &ast::Expr) -> Expr {
        self.check(expr, &Type::of(Kind::Bool))
    }

    /// True if a let with parameters is being written out.
    pub(super) const fn is_written_out(&self) -> bool {
        !self.uses.is_empty()
    }

    /// The number of findings.
    pub(super) fn count(&self) -> usize {
        self.sink.len()
    }

    /// True if errors were reported, since there were so many findings, after which facts are [`Facts::error`]. A value that
    /// may be null is none: it counts as one that is not.
    pub(super) fn has_errors_since(&self, count: usize) -> bool {
        self.sink[count..].iter().any(|f| f.severity == Severity::Error && f.rule != rule::MAYBE_NULL)
    }

    /// Reports a finding. Inside a let that is written out it also names the place of use, and the same finding is
    /// reported once.
    pub fn report(&mut self, fault: Diagnostic) {
        if self.sink.len() >= MAX_FINDINGS {
            return;
        }
        let Some(used) = self.uses.first() else {
            self.sink.push(fault);
            return;
        };
        if !self.has_reported(&fault) {
            let fault = fault.also(*used, "used here");
            self.sink.push(fault);
        }
    }

    /// True if the same was reported already.
    pub(super) fn has_reported(&self, fault: &Diagnostic) -> bool {
        let same =
            |d: &Diagnostic| d.rule == fault.rule && d.span() == fault.span() && d.message == fault.message;
        self.sink.iter().any(same)
    }

    /// True if a name stands for something here: a local, a variable, a let, a budget, an action.
    #[must_use]
    pub fn can_see(&self, name: &str) -> bool {
        self.local(name).is_some() || self.scope.lookup(name, self.here.composite).is_some()
    }

    /// Writes out a let used at `span`: `body` sees the graph and what it pushes itself, no local of its user.
    pub(super) fn inside_let<T>(&mut self, span: Span, body: impl FnOnce(&mut Self) -> T) -> T {
        self.uses.push(span);
        let floor = std::mem::replace(&mut self.floor, self.locals.len());
        let mut here = Here::new(self.here.reach);
        std::mem::swap(&mut self.here, &mut here);
        let given = body(self);
        std::mem::swap(&mut self.here, &mut here);
        self.floor = floor;
        self.uses.pop();
        given
    }

    /// Counts one more node; false when the expression has grown too large or too deep, which is reported.
    pub(super) fn enter(&mut self, span: Span) -> bool {
        if self.sink.len() >= MAX_FINDINGS {
            return false;
        }
        if self.fuel == 0 || self.depth >= MAX_EXPRESSION_DEPTH {
            if self.fuel != 0 || self.uses.is_empty() {
                let message = format!("the expression is nested deeper than {MAX_EXPRESSION_DEPTH} levels");
                self.report(
                    Diagnostic::error(rule::EXPRESSION_LIMIT, span, message)
                        .help("give parts of it a name with `let`"),
                );
            } else if self.fuel == 0 {
                self.report_fuel();
            }
            return false;
        }
        self.fuel -= 1;
        self.depth += 1;
        true
    }

    fn report_fuel(&mut self) {
        let Some(used) = self.uses.first().copied() else { return };
        let message = format!(
            "the expression has more than {MAX_EXPRESSION_NODES} parts once its lets are written out"
        );
        let fault = Diagnostic::error(rule::EXPRESSION_LIMIT, used, message)
            .help("make the inner lets parameterless");
        if !self.sink.iter().any(|d| d.rule == fault.rule && d.span() == used) {
            self.sink.push(fault);
        }
    }

    pub(super) const fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn note_write(&mut self, write: &Write) {
        self.scope.forget(&mut self.facts, write);
        self.effect.writes.add(write);
    }

    pub(super) fn note_writes(&mut self, writes: &Writes) {
        self.forget(writes);
        self.effect.writes.add_all(writes);
    }

    /// Forgets what the writes of a list make uncertain.
    pub(super) fn forget(&mut self, writes: &Writes) {
        self.scope.forget_all(&mut self.facts, writes);
    }

    pub(super) fn show(&self, ty: &Type) -> String {
        show(ty, self.types).in_graph(&self.scope.types).to_string()
    }

    /// The expression as it is written, if it is a path.
    pub(super) fn describe(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Slot(id) => self.scope.slots.get(id.0 as usize).map(Str::to_string),
            ExprKind::Let(id) => self.scope.let_names.get(id.0 as usize).map(Str::to_string),
            ExprKind::Special(special) => Some(special_name(*special).to_owned()),
            ExprKind::Local(id) => self.locals.iter().rev().find_map(|l| match &l.meaning {
                Meaning::Stack(own, _) if own == id => Some(l.name.to_string()),
                _ => None,
            }),
            ExprKind::Field { target, name, .. } => Some(format!("{}.{name}", self.describe(target)?)),
            ExprKind::Coerce(inner, _) => self.describe(inner),
            _ => None,
        }
    }
}

/// The word for a value that the machine supplies.
pub(super) const fn special_name(special: Special) -> &'static str {
    match special {
        Special::Result => "result",
        Special::Error => "error",
        Special::Outcome => "outcome",
        Special::Tools => "tools",
    }
}

/// An expression that could not be typed.
pub(super) const fn poison(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, ty: Type::of(Kind::Error), span }
}
