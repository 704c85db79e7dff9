//! Named statement lists.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::cx::{Cx, Here};
use super::effect::Effect;
use super::scope::{Entry, Scope};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{ActionId, Block};
use crate::model::graph::Action;
use crate::model::record::TypeTable;
use crate::source::Spanned;
use crate::syntax::ast::{self, StatementKind};
use crate::syntax::tree::ActionDecl;
use crate::value::Str;

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
            let mut cx = Cx::new(self, types, Here::default(), sink);
            bodies[at] = cx.block(&decls[at].body);
            let after = cx.facts.of_slots();
            let effect = Effect { after, ..std::mem::take(&mut cx.effect) };
            let renderings = std::mem::take(&mut cx.renderings);
            self.actions[at] = effect;
            self.renderings.extend(renderings);
            let mut fails = BTreeSet::new();
            self.add_fail_kinds(&decls[at].body, &mut fails);
            self.actions[at].fails = fails;
        }
        let named = |d: &ActionDecl| Spanned::new(Str::from(d.name.as_str()), d.name.span);
        decls.iter().zip(bodies).map(|(d, body)| Action { name: named(d), body }).collect()
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
