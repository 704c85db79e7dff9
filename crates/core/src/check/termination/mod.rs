//! The proof that every run ends, and how long it can be at most.
//!
//! A transition is paid if a hard budget was surely spent on it, or if a guard that held for it holds a limited number of
//! times. No run can go round for ever where every way round is paid, or where a measure goes down that guards ask to be
//! at least 1: [`judge`] looks for the ways round of which neither is true. [`bound`] counts what runs can do at most.

mod bound;
mod budgets;
mod cause;
mod change;
mod classes;
mod cost;
mod cycle;
mod declared;
mod formula;
mod hint;
mod holds;
mod interval;
mod judge;
mod linear;
mod lists;
mod measure;
mod payer;
mod range;
mod ranks;
mod region;
mod solve;
mod split;
mod stored;
mod term;
mod unbounding_spends;
mod unchanged;
mod unfold;

pub use self::bound::{Amount, Bound};

use self::budgets::Unknowns;
use self::declared::Declared;
use self::judge::LoopJudge;
use self::region::Component;
use self::split::{AskedGuards, SplitUnfolding};
use self::unfold::{State, Unfolding};
use crate::diag::{Diagnostic, rule};
use crate::machine::Beginning;
use crate::model::typing::dependencies_first;
use crate::model::{Graph, Model};
use crate::source::Span;

/// Looks for loops without end in every graph of a model. Gives the bound of the first graph, if it and all that it calls
/// come to an end. `given`: how a run of the first graph begins, where the bound is that of one run.
pub(super) fn prove(
    model: &Model,
    given: Option<&Beginning>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Bound> {
    let mut bounds: Vec<Option<Bound>> = vec![None; model.graphs.len()];
    let calls: Vec<Vec<usize>> = model.graphs.iter().map(called).collect();
    for id in dependencies_first(&calls).0 {
        let graph = &model.graphs[id];
        let declared = Declared { graph, types: &model.types };
        let unfolding = Unfolding::of(declared, id > 0);
        let unknowns = Unknowns::of(declared, &unfolding, given.filter(|_| id == 0));
        let judge = LoopJudge::new(declared, &unfolding, &unknowns);
        let mut endless = judge.endless(&Component::whole(&unfolding), |_| false);
        let is_bounded = calls[id].iter().all(|called| bounds[*called].is_some());
        if endless.is_empty() {
            bounds[id] = is_bounded.then(|| bound::bound(model, &judge, &bounds));
        } else {
            let given = given.filter(|_| id == 0);
            let (all, mut is_cut) = (endless.clone(), false);
            for asked in [AskedGuards::All, AskedGuards::Inside] {
                let Some(split) = SplitUnfolding::of(model, graph, &unfolding, &all, asked) else { continue };
                let unknowns = Unknowns::of(declared, &split.unfolding, given);
                let judge = LoopJudge::new(declared, &split.unfolding, &unknowns);
                let rest = judge.endless(&Component::whole(&split.unfolding), |_| false);
                endless.retain(|part| rest.iter().any(|own| split.is_of(&own.states, part)));
                is_cut |= split.is_cut();
                if rest.is_empty() {
                    bounds[id] = is_bounded.then(|| bound::bound(model, &judge, &bounds));
                    break;
                }
            }
            let endless = without_dead_ends(graph, &unfolding, endless, findings);
            cycle::report(&judge, &endless, is_cut, findings);
        }
    }
    bounds.into_iter().next().flatten()
}

/// The loops that have a way out, where a dead end was found: mending that mends those without, too.
fn without_dead_ends(
    graph: &Graph,
    unfolding: &Unfolding,
    endless: Vec<Component>,
    reported: &[Diagnostic],
) -> Vec<Component> {
    let here = |place: Span| {
        place == graph.id.span || graph.graph.node_weights().any(|node| node.name.span == place)
    };
    if !reported.iter().any(|finding| finding.rule == rule::DEAD_END && here(finding.span())) {
        return endless;
    }
    let ending = graph.cfg.ending();
    let has_exit = |part: &Component| {
        let mut nodes = part.states.iter().filter_map(|state| match unfolding.graph[*state] {
            State::Work(node) | State::Exit(node, ..) => Some(node),
            State::Start | State::End => None,
        });
        nodes.any(|node| ending[graph.cfg.node(node).index()])
    };
    endless.into_iter().filter(has_exit).collect()
}

/// The graphs that a graph calls, as indices into the model.
fn called(graph: &Graph) -> Vec<usize> {
    graph.called().into_iter().map(|id| id.0 as usize).collect()
}
