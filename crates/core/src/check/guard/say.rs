//! The findings about guards, in words.

use super::class::{Example, ValueClass};
use super::names::{cut, name};
use super::node_guards::{NodeGuards, is_true};
use super::replay::Witness;
use super::set::GuardSet;
use super::subject::{PairClass, SubjectKey};
use super::term::TermId;
use super::{GuardOverlap, ShownState};
use crate::diag::{Diagnostic, rule};
use crate::program::listing::literal;
use crate::source::Sources;
use crate::value::Value;

/// The most edges that are marked as those to blame.
const MAX_SHOWN_EDGES: usize = 8;

/// Values are shown up to this length.
const MAX_SHOWN_VALUE: usize = 40;

/// An edge that is never taken, with the edges to blame.
pub(super) fn dead(guards: &NodeGuards<'_>, edge: usize, blamed: &[usize]) -> Diagnostic {
    let span = guards.edges[edge].span;
    let fault = |message: &str| Diagnostic::warning(rule::DEAD_EDGE, span, message);
    match blamed {
        [] => {
            let nothing = guards.set.all();
            let message = if guards.when_true(edge).is_none() || nothing.is_none() {
                "this edge can never be taken: its guard is never true"
            } else {
                "this edge can never be taken: its guard is never true where the node is left"
            };
            fault(message).help("mend the guard, or remove the edge")
        }
        [one] if guards.is_free(*one) => {
            let first = guards.edges[*one];
            let (label, help) = if first.when.as_ref().is_some_and(is_true) {
                (
                    "this one is always taken first: its guard is always true",
                    "put the edge that is always taken last",
                )
            } else {
                ("this one without a guard is always taken first", "put the edge without a guard last")
            };
            fault("this edge can never be taken").also(first.span, label).help(help)
        }
        [one] => fault("this edge can never be taken: an edge before it answers to all that it answers to")
            .also(guards.edges[*one].span, "this one is taken first")
            .help("put it before that one, mend its guard, or remove it"),
        many => {
            let message = "this edge can never be taken: the edges before it leave nothing over";
            let all = many.iter().take(MAX_SHOWN_EDGES).fold(fault(message), |fault, other| {
                fault.also(guards.edges[*other].span, "one of these is taken first")
            });
            all.help("remove it, or mend a guard before it")
        }
    }
}

/// A node of which it was too much to decide.
pub(super) fn not_decided(guards: &NodeGuards<'_>) -> Diagnostic {
    let message = format!(
        "whether an edge of `{}` is always taken was not decided: its guards are about too much at once",
        guards.node.name.value
    );
    Diagnostic::warning(rule::NOT_DECIDED, guards.node.name.span, message)
        .help("add a last edge without a guard")
}

/// A node whose guards may all be false.
pub(super) fn gap(
    sources: &Sources,
    guards: &NodeGuards<'_>,
    last: usize,
    shown: &[ShownState],
    witnesses: &[Witness],
) -> Diagnostic {
    let name = &guards.node.name;
    let is_definite = witnesses.iter().any(|witness| witness.is_definite);
    let (message, intro) = if is_definite {
        ("is stuck in some states: all its edges have guards, and all can be false", "no guard covers")
    } else if shown.iter().all(|one| one.state.is_some()) && !shown.is_empty() {
        ("may be stuck: all its edges have guards, and all may be false", "no guard covers")
    } else {
        (
            "may be stuck: all its edges have guards, and all are false unless something excludes it",
            "nothing excludes",
        )
    };
    let fault = if is_definite { Diagnostic::error } else { Diagnostic::warning };
    let mut fault = fault(rule::NO_OTHERWISE, name.span, format!("`{}` {message}", name.value))
        .also(guards.edges[last].span, "the last guarded edge");
    for one in shown {
        let words = words(sources, &guards.set, one);
        let hint = format!("{intro} {}", words.join(" and "));
        // Where they differ in what is not said, one is enough.
        if !words.is_empty() && !fault.help.contains(&hint) {
            fault = fault.help(hint);
        }
    }
    fault.witnesses = witnesses.iter().map(Witness::to_json).collect();
    fault.help("add a last edge without a guard")
}

/// Two guards that hold at once.
pub(super) fn overlap(
    sources: &Sources,
    guards: &NodeGuards<'_>,
    (first, second): (usize, usize),
    shown: &ShownState,
) -> GuardOverlap {
    GuardOverlap {
        node: guards.node.name.value.clone(),
        first: guards.edges[first].span,
        second: guards.edges[second].span,
        state: words(sources, &guards.set, shown),
        is_definite: shown.state.is_some(),
    }
}

/// The conditions of a state.
fn words(sources: &Sources, set: &GuardSet<'_>, shown: &ShownState) -> Vec<String> {
    let mut words = Vec::new();
    let mut shown_terms: Vec<TermId> = Vec::new();
    for (variable, class) in &shown.cube.0 {
        let subject = set.by_variable(*variable);
        match (&shown.state, subject.key) {
            (Some((chosen, _)), key) => {
                for member in set.members(key) {
                    let value = chosen.iter().find(|(id, _)| *id == member).map(|(_, value)| value);
                    match value {
                        Some(value) if !shown_terms.contains(&member) => {
                            shown_terms.push(member);
                            words.push(equation(&name(sources, set, member), value));
                        }
                        Some(_) => {}
                        None => words.extend(described(sources, set, key, *class)),
                    }
                }
            }
            (None, key) => words.extend(described(sources, set, key, *class)),
        }
    }
    words
}

/// A class of a subject, where no value stands for it.
fn described(sources: &Sources, set: &GuardSet<'_>, key: SubjectKey, class: usize) -> Option<String> {
    match key {
        SubjectKey::One(id) => {
            let place = set.by_key.get(&key)?;
            let own: &ValueClass = &set.subjects[*place].classes()[class];
            let name = name(sources, set, id);
            Some(match &own.example {
                Example::Failed => format!("{name} fails"),
                Example::Value(Value::Bool(true)) => format!("{name} is true"),
                Example::Value(Value::Bool(false)) => format!("{name} is false"),
                Example::Value(value) => equation(&name, value),
            })
        }
        SubjectKey::Pair(a, b) => {
            let place = set.by_key.get(&key)?;
            let (one, other) = (name(sources, set, a), name(sources, set, b));
            Some(match set.subjects[*place].pairs()[class] {
                PairClass::Difference(low, high) if low == high => format!("{one} - {other} = {low}"),
                PairClass::Difference(low, high) => {
                    let near = 0.clamp(low, high);
                    format!("{one} - {other} = {near}")
                }
                PairClass::Less => format!("{one} < {other}"),
                PairClass::Equal | PairClass::Same => format!("{one} == {other}"),
                PairClass::Greater => format!("{one} > {other}"),
                PairClass::Unordered | PairClass::Different => format!("{one} != {other}"),
                PairClass::Failed => return None,
            })
        }
    }
}

/// A value of a name. Of records and maps no more is known than that they are there.
fn equation(name: &str, value: &Value) -> String {
    match value {
        Value::Map(_) => format!("{name} != null"),
        value => format!("{name} = {}", short(value)),
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::Float(float) if float.is_nan() => "NaN".to_owned(),
        Value::List(list) if !list.is_empty() => format!("a list of {}", list.len()),
        value => {
            let text = literal(value);
            if text.chars().count() <= MAX_SHOWN_VALUE { text } else { cut(&text, MAX_SHOWN_VALUE) }
        }
    }
}
