//! The reason for which the guards of a loop do not end it: what they compare never changes, or is not compared so that it
//! counts.

use super::change::growth;
use super::judge::LoopJudge;
use super::linear::{Linear, is_exact};
use super::term::Term;
use super::unfold::{ArcId, ArcKind};
use super::{declared::Declared, holds::Atom};
use crate::model::expr::{Expr, ExprKind, SlotKind};
use crate::program::function::Function;

/// Guards that nest deeper than this are not looked into.
const MAX_GUARD_DEPTH: u32 = 16;

/// What would make the guards on a way round end it, if it is known.
pub(super) fn cure_of_guards(judge: &LoopJudge<'_>, round: &[ArcId]) -> Option<String> {
    unchanged(judge, round)
        .or_else(|| guards(judge, round).into_iter().find_map(|guard| uncounted(judge, guard, 0)))
}

/// A sum that a guard asks to be at least 1, and that no step of the way round changes.
fn unchanged(judge: &LoopJudge<'_>, round: &[ArcId]) -> Option<String> {
    let (declared, unfolding) = (judge.declared, judge.unfolding);
    let is_unchanged = |sum: &Linear| {
        round.iter().all(|id| {
            let to = unfolding.graph[unfolding.to(*id)];
            growth(declared, sum, &unfolding.graph[*id], to) == Some(0)
        })
    };
    let sums = round.iter().flat_map(|id| unfolding.graph[*id].holds.iter()).filter_map(|atom| match atom {
        Atom::Positive(sum) => Some(sum),
        Atom::Among(..) => None,
    });
    sums.filter(|sum| is_unchanged(sum)).find_map(|sum| cure(declared, sum))
}

/// A change that lowers a sum.
fn cure(declared: Declared<'_>, sum: &Linear) -> Option<String> {
    let graph = declared.graph;
    let written = |(term, factor): &(Term, i64)| {
        let (slot, path) = term.place()?;
        let is_state = graph.slots[slot.0 as usize].kind != SlotKind::Input;
        is_state.then(|| (declared.written(path), matches!(term, Term::Size(_)), *factor > 0))
    };
    // A counter on the smaller side is what people mean to raise.
    let mut found: Vec<(String, bool, bool)> = sum.terms.iter().filter_map(written).collect();
    found.sort_by_key(|(_, is_size, is_greater)| (*is_greater, *is_size));
    let (name, is_size, is_greater) = found.into_iter().next()?;
    Some(match (is_size, is_greater) {
        (false, false) => format!(
            "a guard would end this loop if `{name}` rose, but no step of it changes `{name}`: add `{name} += 1`"
        ),
        (false, true) => format!(
            "a guard would end this loop if `{name}` fell, but no step of it changes `{name}`: add `{name} = {name} - 1`"
        ),
        (true, true) => format!(
            "a guard would end this loop if `{name}` became shorter, but no step of it surely takes something off (a \
             `filter` may leave all of it): add `{name} = {name}.slice(1, size({name}))`"
        ),
        (true, false) => {
            format!("a guard would end this loop if `{name}` grew, but no step of it surely adds to `{name}`")
        }
    })
}

/// The guards of the edges of a way round.
fn guards<'g>(judge: &LoopJudge<'g>, round: &[ArcId]) -> Vec<&'g Expr> {
    let edges = round.iter().filter_map(|id| match judge.unfolding.graph[*id].kind {
        ArcKind::Edge(edge) => judge.declared.graph.graph[edge].when.as_ref(),
        _ => None,
    });
    edges.collect()
}

/// A comparison of integers that does not count, though another one would.
fn uncounted(judge: &LoopJudge<'_>, guard: &Expr, depth: u32) -> Option<String> {
    let declared = judge.declared;
    if depth > MAX_GUARD_DEPTH {
        return None;
    }
    let args = match &guard.kind {
        ExprKind::Let(id) => return uncounted(judge, &declared.graph.lets[id.0 as usize].body, depth + 1),
        ExprKind::And(a, b) => {
            return uncounted(judge, a, depth + 1).or_else(|| uncounted(judge, b, depth + 1));
        }
        ExprKind::Call(function, args) => (*function, args.as_slice()),
        _ => return None,
    };
    let (function, [a, b]) = args else { return None };
    if !is_exact(&a.ty.kind) || !is_exact(&b.ty.kind) {
        return None;
    }
    let (left, right) = (Linear::of(declared, a), Linear::of(declared, b));
    let is_order = [Function::LESS, Function::LESS_OR_EQUAL, Function::GREATER, Function::GREATER_OR_EQUAL]
        .contains(&function);
    match (left, right) {
        (Some(left), Some(right)) if function == Function::NOT_EQUAL => {
            let sum = left.plus(&right, -1)?;
            let (_, path) = sum.terms.iter().find_map(|(term, _)| term.place())?;
            let name = declared.written(path);
            Some(format!("a step may pass over a value that `!=` waits for: compare `{name}` with `<` or `>`"))
        }
        (Some(sum), None) | (None, Some(sum)) if is_order && !sum.terms.is_empty() => Some(
            "a guard counts only where it compares constants, stored integers and sizes of stored lists: copy what is \
             read in another way into a state field before the loop"
                .to_owned(),
        ),
        _ => None,
    }
}
