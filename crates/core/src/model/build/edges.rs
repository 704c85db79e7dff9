//! The clauses of edges: triggers, guards, statements, and what is known along each.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::context::{Context, text};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::name_use::NameKind;
use crate::model::node::{Answers, Edge, NodeId, Trigger};
use crate::model::types::Type;
use crate::model::typing::{Cx, ErrorScope, Facts, Here, Reach, Rendering};
use crate::program::error::{ErrorClass, ErrorKind};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::syntax::tree::{EdgeDecl, TriggerDecl};
use crate::value::Str;

/// The words an edge can answer to.
const WORDS: [&str; 5] = ["done", "error", "timeout", "exhausted", "unknown"];

/// A trigger as it is written.
#[derive(Debug, Clone, Copy)]
pub struct TriggerForm {
    /// The form.
    pub form: &'static str,
    /// The case in which an edge with it matches.
    pub matches: &'static str,
}

/// The triggers.
pub const TRIGGER_FORMS: &[TriggerForm] = &[
    TriggerForm { form: "done", matches: "the node succeeded; the default" },
    TriggerForm {
        form: "error",
        matches: "the node failed with any error except `cancelled`, `budget_exhausted` and `unknown`, which must be named",
    },
    TriggerForm { form: "error(kind)", matches: "the node failed with an error of that kind" },
    TriggerForm { form: "error(class)", matches: "the node failed with an error of a kind of that class" },
    TriggerForm {
        form: "timeout",
        matches: "the node's `timeout` passed; `error(timeout)`, `error(transient)` and `error` match, too",
    },
    TriggerForm {
        form: "exhausted(budget)",
        matches: "a spend of that budget, or a call that it charges, was refused; this is no error of the node",
    },
    TriggerForm {
        form: "unknown",
        matches: "nobody knows whether a call took place; if no edge matches, a person is asked",
    },
];

/// The facts where a node is left.
pub(super) struct Leaving {
    /// After the effect, `into` and `then`.
    pub(super) done: Facts,
    /// The facts where it failed.
    pub(super) failed: Facts,
    /// The facts where its effect went wrong after it began.
    pub(super) begun: Option<Begun>,
    /// The type of `result`; [`None`] for a node without an effect.
    pub(super) result: Option<Type>,
    /// The node is a composite, so its `done` edges see `outcome`.
    pub(super) composite: bool,
}

/// The facts once the effect of a leaf has begun: its `do` held.
pub(super) struct Begun {
    /// The facts after its `do`.
    pub(super) facts: Facts,
    /// The kinds that statements of the node and of its edges fail with: they say nothing of the effect.
    pub(super) fails: BTreeSet<Str>,
}

/// Kinds that come from an effect alone, unless a `fail` names them: no `do` and no key of a node comes to one.
const OF_EFFECTS: [ErrorKind; 7] = [
    ErrorKind::InvalidOutput,
    ErrorKind::ToolFailed,
    ErrorKind::ContextLimit,
    ErrorKind::RateLimited,
    ErrorKind::Unavailable,
    ErrorKind::Timeout,
    ErrorKind::Denied,
];

impl Begun {
    /// True if the effect had begun wherever a trigger fires.
    fn is_sure(&self, trigger: &Trigger, class_of: impl Fn(&str) -> Option<Str>) -> bool {
        let of_effects = |kind: &str| {
            let known = ErrorKind::named(kind);
            known.is_none_or(|kind| OF_EFFECTS.contains(&kind)) && !self.fails.contains(kind)
        };
        match trigger {
            Trigger::Unknown => true,
            Trigger::Kind(kind) => of_effects(kind),
            // All kinds of this class are of effects; not so for the others.
            Trigger::Class(class) if class == ErrorClass::Transient.name() => {
                !self.fails.iter().any(|kind| class_of(kind).is_some_and(|own| own == *class))
            }
            Trigger::Done | Trigger::AnyError | Trigger::Class(_) | Trigger::Exhausted(_) => false,
        }
    }
}

/// A typed edge with its target and what is known after it.
pub(super) struct Typed {
    pub(super) edge: Edge,
    pub(super) to: Option<NodeId>,
    pub(super) after: Facts,
    pub(super) renderings: Vec<Rendering>,
}

/// Types the edges of a node, in order.
pub(super) fn edges(
    cx: &Context<'_>,
    home: Option<NodeId>,
    decls: &[EdgeDecl],
    leaving: &Leaving,
    sink: &mut Vec<Diagnostic>,
) -> Vec<Typed> {
    let mut typed: Vec<Typed> = Vec::with_capacity(decls.len());
    let mut done = leaving.done.clone();
    let mut failures: FxHashMap<Answers, Facts> = FxHashMap::default();
    for decl in decls {
        let to = cx.plan.node(&decl.to, sink);
        let on = triggers(cx, home, decl, sink);
        let known = known_at(cx, leaving, &on, &done, &failures);
        let here = here(home, leaving, &on);
        let mut at = Cx::new(&cx.scope, cx.types, here, sink).knowing(known.clone());
        let when = decl.when.as_ref().map(|guard| at.condition(guard));
        if let Some(guard) = &when {
            at.facts = known.and(&cx.scope.facts_when(guard, true));
        }
        let action = decl.action.as_ref().map(|block| at.block(block)).unwrap_or_default();
        let after = at.facts.of_slots();
        let renderings = std::mem::take(&mut at.renderings);
        let (label, outer) = (text(decl.label.as_ref()), text(decl.outer.as_ref()));
        let edge = Edge { label, outer, on, when, action, span: decl.span };
        let guard = edge.when.as_ref();
        let otherwise = guard.map_or_else(Facts::unreached, |guard| cx.scope.facts_when(guard, false));
        for answers in edge.on.iter().filter_map(Trigger::answers) {
            if answers == Answers::Done {
                done = done.and(&otherwise);
            } else if !edge.may_be_barred(&answers) {
                let known = failures.entry(answers).or_default();
                *known = known.and(&otherwise);
            }
        }
        typed.push(Typed { edge, to, after, renderings });
    }
    typed
}

/// The facts where the edge's guard is tested: the earlier guards of the same trigger were false, but for those of
/// edges that may have been passed over.
fn known_at(
    cx: &Context<'_>,
    leaving: &Leaving,
    on: &[Trigger],
    done: &Facts,
    failures: &FxHashMap<Answers, Facts>,
) -> Facts {
    let mut known = Facts::unreached();
    for trigger in on {
        let at = if matches!(trigger, Trigger::Done) {
            done.clone()
        } else {
            let class = |kind: &str| cx.scope.class_of(kind).cloned();
            let begun = leaving.begun.as_ref().filter(|begun| begun.is_sure(trigger, class));
            let known = begun.map_or_else(|| leaving.failed.clone(), |begun| begun.facts.clone());
            let earlier = trigger.covering(class).filter_map(|answers| failures.get(&answers));
            earlier.fold(known, |known, otherwise| known.and(otherwise))
        };
        known = known.meet(&at);
    }
    known
}

fn here(home: Option<NodeId>, leaving: &Leaving, on: &[Trigger]) -> Here {
    let all_done = on.iter().all(|t| matches!(t, Trigger::Done));
    let is_error = |t: &Trigger| !matches!(t, Trigger::Done | Trigger::Exhausted(_));
    let error = match (on.iter().all(is_error), on.iter().any(is_error)) {
        (true, _) => ErrorScope::Present,
        (false, true) => ErrorScope::Mixed,
        (false, false) => ErrorScope::Absent,
    };
    // A failed node may have had an answer, of any form.
    let result = leaving
        .result
        .as_ref()
        .map(|ty| if all_done { ty.clone() } else { Type::of(crate::model::types::Kind::Any) });
    Here { composite: home, result, error, outcome: leaving.composite && all_done, ..Here::new(Reach::All) }
}

fn triggers(
    cx: &Context<'_>,
    home: Option<NodeId>,
    decl: &EdgeDecl,
    sink: &mut Vec<Diagnostic>,
) -> Vec<Trigger> {
    let typed: Vec<Trigger> = decl.on.iter().filter_map(|t| trigger(cx, home, t, sink)).collect();
    // A trigger that was refused leaves an edge that is never judged as one on `done`.
    if decl.on.is_empty() { vec![Trigger::Done] } else { typed }
}

fn trigger(
    cx: &Context<'_>,
    home: Option<NodeId>,
    decl: &TriggerDecl,
    sink: &mut Vec<Diagnostic>,
) -> Option<Trigger> {
    let word = decl.name.as_str();
    match (word, &decl.arg) {
        ("done", None) => Some(Trigger::Done),
        ("error", None) => Some(Trigger::AnyError),
        ("error", Some(arg)) => error_trigger(cx, arg, sink),
        ("timeout", None) => Some(Trigger::Kind("timeout".into())),
        ("unknown", None) => Some(Trigger::Unknown),
        ("exhausted", Some(budget)) => {
            let here = Here { composite: home, ..Here::new(Reach::All) };
            let (budget, _) = Cx::new(&cx.scope, cx.types, here, sink).budget(budget)?;
            Some(Trigger::Exhausted(budget))
        }
        ("exhausted", None) => {
            let fault = Diagnostic::error(
                rule::UNKNOWN_TRIGGER,
                decl.name.span,
                "`exhausted` needs the budget that is meant",
            );
            sink.push(fault.help("write `exhausted(name)`"));
            None
        }
        ("done" | "timeout" | "unknown", Some(arg)) => {
            let message = format!("`{word}` takes nothing in parentheses");
            sink.push(
                Diagnostic::error(rule::UNKNOWN_TRIGGER, arg.span, message).help(format!("write `{word}`")),
            );
            None
        }
        _ => {
            cx.scope.recorder().offer(word, NameKind::Supplied, WORDS.map(|word| (word, None)));
            let fault = Diagnostic::error(
                rule::UNKNOWN_TRIGGER,
                decl.name.span,
                format!("`{word}` is not a trigger"),
            );
            sink.push(if cx.scope.class_of(word).is_some() || ErrorClass::named(word).is_some() {
                fault.help(format!("an error kind or class is written `error({word})`"))
            } else {
                fault.meant_or(
                    nearest(word, WORDS),
                    "write `done`, `error`, `error(kind)`, `error(class)`, `timeout`, `exhausted(budget)` or `unknown`",
                )
            });
            None
        }
    }
}

fn error_trigger(cx: &Context<'_>, arg: &ast::Expr, sink: &mut Vec<Diagnostic>) -> Option<Trigger> {
    let ast::ExprKind::Name(word) = &arg.kind else {
        let fault = Diagnostic::error(
            rule::UNKNOWN_ERROR_KIND,
            arg.span,
            "`error(…)` takes the name of an error kind or class",
        );
        sink.push(fault.help("write `error(invalid_output)` or `error(transient)`"));
        return None;
    };
    cx.scope.note_kind(word, arg.span);
    // `cancelled` is the only kind of its class.
    if cx.scope.class_of(word).is_some() {
        return Some(Trigger::Kind(word.as_str().into()));
    }
    if ErrorClass::named(word).is_some() {
        return Some(Trigger::Class(word.as_str().into()));
    }
    if word == "unknown" {
        let fault = Diagnostic::error(
            rule::UNKNOWN_ERROR_KIND,
            arg.span,
            "`unknown` is not an error: the call may have succeeded",
        );
        sink.push(fault.help("write `on: unknown`"));
        return None;
    }
    sink.push(unknown_kind(cx, word, arg.span));
    None
}

fn unknown_kind(cx: &Context<'_>, word: &str, span: Span) -> Diagnostic {
    cx.scope.offer_kinds(word);
    let fault = Diagnostic::error(
        rule::UNKNOWN_ERROR_KIND,
        span,
        format!("there is no error kind or class `{word}`"),
    );
    let mut names: Vec<&str> = cx.scope.kind_names().chain(ErrorClass::ALL.map(ErrorClass::name)).collect();
    names.sort_unstable();
    fault.meant_or(nearest(word, names), "declare the kind under `errors` with its class")
}

/// True if the word is an error kind or class; one that is neither is reported.
pub(super) fn is_error_word(cx: &Context<'_>, word: &Name, at: &mut Cx<'_>) -> bool {
    let known = cx.scope.class_of(word).is_some() || ErrorClass::named(word).is_some();
    cx.scope.note_kind(word, word.span);
    if !known {
        at.report(unknown_kind(cx, word, word.span));
    }
    known
}
