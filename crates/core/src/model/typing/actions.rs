//! Named statement lists.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cx::{Cx, Here};
use super::effect::Effect;
use super::scope::{Entry, JudgedAction, Scope, is_of_uses};
use crate::diag::{Diagnostic, Severity, nearest, rule};
use crate::model::expr::{ActionId, Block};
use crate::model::graph::Action;
use crate::model::record::TypeTable;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{self, StatementKind};
use crate::syntax::tree::ActionDecl;
use crate::value::Str;

/// What running an action counts beside its expressions.
const PARTS_OF_A_RUN: u32 = 8;

impl Cx<'_> {
    /// Judges the statements of an action where it is run.
    pub(super) fn judge_run(&mut self, id: ActionId, span: Span) {
        let Some(judged) = self.scope.judged_actions.get(&id).cloned() else { return };
        if self.judge_action_here(judged.parts, span, &judged.body) {
            return;
        }
        // What is said of it is what holds where nothing is known.
        self.renderings.extend(judged.renderings.iter().cloned());
        for finding in &judged.findings {
            if self.has_reported(finding) {
                continue;
            }
            let finding = finding.clone().also(span, "run here");
            self.report(finding.help(format!(
                "`{}` is too long for what is known where it is run to count in it: cut it into several actions, or \
                 test for null in it",
                judged.name
            )));
        }
    }
}

impl Scope {
    /// Declares and types the actions of a graph; everything else is in scope already. The ids follow the order of the
    /// declarations.
    pub fn add_actions(
        &mut self,
        decls: &[ActionDecl],
        types: &TypeTable,
        sink: &mut Vec<Diagnostic>,
    ) -> Vec<Action> {
        let mut added: FxHashMap<&str, usize> = FxHashMap::default();
        for (at, decl) in decls.iter().enumerate() {
            let id = ActionId(u32::try_from(at).unwrap_or(u32::MAX));
            self.actions.push(Effect::default());
            if self.add(&decl.name, None, Entry::Action(id), sink) {
                added.insert(&decl.name.value, at);
            }
        }
        let calls: Vec<Vec<usize>> = decls.iter().map(|d| called(&d.body, &added)).collect();
        let (order, circles) = super::order::dependencies_first(&calls);
        for circle in circles {
            let names: Vec<&str> = circle.iter().map(|at| decls[*at].name.as_str()).collect();
            let message = if let [only] = names.as_slice() {
                format!("the action `{only}` runs itself")
            } else {
                format!("the actions {} run each other in a circle", names.join(" -> "))
            };
            let fault = Diagnostic::error(rule::RECURSIVE_ACTION, decls[circle[0]].name.span, message);
            sink.push(fault.help("repeat with `for`, or with an edge back to the node"));
            for at in circle {
                self.replace(&decls[at].name.value, Entry::Error);
            }
        }
        let mut bodies: Vec<Block> = vec![Block::default(); decls.len()];
        for at in order {
            bodies[at] = self.type_action(&decls[at], at, types, sink);
            let mut fails = BTreeSet::new();
            self.add_fail_kinds(&decls[at].body, &mut fails);
            self.actions[at].fails = fails;
        }
        let named = |d: &ActionDecl| Spanned::new(Str::from(d.name.as_str()), d.name.span);
        decls.iter().zip(bodies).map(|(d, body)| Action { name: named(d), body }).collect()
    }

    fn type_action(
        &mut self,
        decl: &ActionDecl,
        at: usize,
        types: &TypeTable,
        sink: &mut Vec<Diagnostic>,
    ) -> Block {
        let known = sink.len();
        let mut cx = Cx::new(self, types, Here::default(), sink);
        let body = cx.block(&decl.body);
        let (after, parts) = (cx.facts.of_slots(), cx.all_parts().saturating_add(PARTS_OF_A_RUN));
        let effect = Effect { after, ..std::mem::take(&mut cx.effect) };
        let renderings = std::mem::take(&mut cx.renderings);
        // Whether something may be null depends on where the action is run.
        let (findings, faults): (Vec<_>, Vec<_>) = sink.split_off(known).into_iter().partition(is_of_uses);
        let is_sound = faults.iter().all(|fault| fault.severity != Severity::Error);
        sink.extend(faults);
        self.actions[at] = effect;
        if is_sound && (!findings.is_empty() || !renderings.is_empty()) {
            let (name, body) = (decl.name.as_str().into(), decl.body.clone());
            let judged = JudgedAction { name, body, parts, findings, renderings };
            self.judged_actions.insert(ActionId(u32::try_from(at).unwrap_or(u32::MAX)), Arc::new(judged));
        } else {
            sink.extend(findings);
            self.renderings.extend(renderings);
        }
        body
    }

    /// Adds the kinds that the `fail` statements of a list name, and those of the actions that it runs.
    pub fn add_fail_kinds(&self, block: &ast::Block, kinds: &mut BTreeSet<Str>) {
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for statement in &block.statements {
                match &statement.kind {
                    StatementKind::Fail(kind, _) => {
                        kinds.insert(kind.as_str().into());
                    }
                    StatementKind::Call(name) => {
                        if let Some(Entry::Action(id)) = self.lookup(&name.value, None).map(|b| &b.entry)
                            && let Some(effect) = self.actions.get(id.0 as usize)
                        {
                            kinds.extend(effect.fails.iter().cloned());
                        }
                    }
                    other => open.extend(inner(other)),
                }
            }
        }
    }

    pub(super) fn nearest_action(&self, name: &str) -> Option<&str> {
        let mut names: Vec<&str> = self.action_names().collect();
        names.sort_unstable();
        nearest(name, names)
    }
}

/// The actions that a block runs.
fn called(block: &ast::Block, actions: &FxHashMap<&str, usize>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Call(name) => found.extend(actions.get(name.as_str())),
                other => open.extend(inner(other)),
            }
        }
    }
    found
}

/// The lists inside a statement.
fn inner(kind: &StatementKind) -> impl Iterator<Item = &ast::Block> {
    let (arms, one) = match kind {
        StatementKind::If(arms, otherwise) => (arms.as_slice(), otherwise.as_ref()),
        StatementKind::For(_, _, body) => (&[][..], Some(body)),
        _ => (&[][..], None),
    };
    arms.iter().map(|(_, body)| body).chain(one)
}
