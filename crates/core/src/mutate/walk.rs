//! All sites of a tree, in an order that depends on the tree alone.

use std::sync::Arc;

use super::names::GraphNames;
use super::site::MutationSite;
use crate::syntax::ast::{Block, Expr, ExprKind, Place, PlaceStep, StatementKind};
use crate::syntax::tree::{
    BudgetBody, BudgetDecl, EdgeDecl, FieldDecl, KeyValue, MeterDecl, NodeDecl, PauseDecl, RetryDecl,
    StartDecl, Tree, TypeBody,
};

/// The surroundings of a site.
#[derive(Debug, Default)]
pub(super) struct SiteContext {
    /// The declaration it is part of, in words.
    pub(super) owner: String,
    /// The names of its graph.
    pub(super) names: GraphNames,
}

/// Calls `seen` for each site of a tree. Properties, views and what else is only shown have none.
pub(super) fn each_site(tree: &mut Tree, seen: &mut dyn FnMut(MutationSite<'_>, &SiteContext)) {
    TreeWalk { seen, at: SiteContext::default() }.tree(tree);
}

struct TreeWalk<'s> {
    seen: &'s mut dyn FnMut(MutationSite<'_>, &SiteContext),
    at: SiteContext,
}

impl TreeWalk<'_> {
    fn site(&mut self, site: MutationSite<'_>) {
        (self.seen)(site, &self.at);
    }

    fn owned(&mut self, what: &str, name: &str) {
        self.at.owner = format!("{what} `{name}`");
    }

    fn tree(&mut self, tree: &mut Tree) {
        let around = std::mem::replace(
            &mut self.at,
            SiteContext { owner: "the graph".to_owned(), names: GraphNames::of(tree) },
        );
        self.start(tree.start.as_mut());
        for decl in &mut tree.types {
            if let TypeBody::Record { fields, .. } = &mut decl.body {
                self.fields(&format!("type `{}`, field", decl.name.value), fields);
            }
        }
        self.fields("input", &mut tree.input);
        self.fields("state", &mut tree.state);
        self.budgets(&mut tree.budgets);
        for decl in &mut tree.lets {
            self.owned("let", &decl.name);
            self.expr(&mut decl.body);
        }
        for decl in &mut tree.actions {
            self.owned("action", &decl.name);
            self.block(&mut decl.body);
        }
        if let Some(pause) = &mut tree.pause {
            "the pause".clone_into(&mut self.at.owner);
            self.pause(pause);
        }
        tree.nodes.iter_mut().for_each(|node| self.node(node));
        for (name, value) in &mut tree.output {
            self.owned("output", name);
            self.expr(value);
        }
        self.at = around;
    }

    fn fields(&mut self, what: &str, fields: &mut [FieldDecl]) {
        for field in fields {
            self.owned(what, &field.name);
            field.default.iter_mut().for_each(|expr| self.expr(expr));
            field.condition.iter_mut().for_each(|expr| self.condition(expr));
        }
    }

    fn budgets(&mut self, budgets: &mut [BudgetDecl]) {
        for decl in budgets {
            self.owned("budget", &decl.name);
            match &mut decl.body {
                BudgetBody::Counter(meter) => self.meter(meter),
                BudgetBody::Family { each, meters, .. } => {
                    self.expr(each);
                    for (_, meter) in meters {
                        self.meter(meter);
                    }
                }
            }
        }
    }

    fn meter(&mut self, meter: &mut MeterDecl) {
        self.expr(&mut meter.limit);
        meter.grace.iter_mut().for_each(|grace| self.expr(grace));
    }

    fn start(&mut self, start: Option<&mut StartDecl>) {
        if let Some(start) = start {
            self.site(MutationSite::Start(&mut start.to));
        }
    }

    fn pause(&mut self, pause: &mut PauseDecl) {
        self.condition(&mut pause.when);
        pause.ask.iter_mut().for_each(|ask| self.expr(ask));
    }

    fn node(&mut self, node: &mut NodeDecl) {
        self.owned("node", &node.name);
        self.site(MutationSite::Node(node));
        if self.at.names.is_entered(&node.name.value) {
            // Another start of a composite that is entered by its inner nodes alone changes nothing.
            self.start(node.start.as_mut());
        }
        node.entry.iter_mut().for_each(|block| self.block(block));
        self.site(MutationSite::Keys(&mut node.keys));
        let owner = self.at.owner.clone();
        node.keys.iter_mut().for_each(|(_, value)| self.value(value));
        for branch in &mut node.branches {
            self.at.owner = format!("{owner}, branch `{}`", branch.name.value);
            branch.keys.iter_mut().for_each(|(_, value)| self.value(value));
        }
        self.at.owner.clone_from(&owner);
        node.then.iter_mut().for_each(|block| self.block(block));
        if let Some(pause) = &mut node.pause {
            self.pause(pause);
        }
        if let Some(edges) = &mut node.edges {
            self.site(MutationSite::Edges(edges));
            for edge in edges {
                self.edge(edge);
            }
        }
        self.fields(&format!("{owner}, state"), &mut node.state);
        self.budgets(&mut node.budgets);
        node.nodes.iter_mut().for_each(|inner| self.node(inner));
    }

    fn edge(&mut self, edge: &mut EdgeDecl) {
        self.site(MutationSite::Target(&mut edge.to));
        self.site(MutationSite::Triggers(&mut edge.on));
        edge.when.iter_mut().for_each(|guard| self.condition(guard));
        edge.action.iter_mut().for_each(|block| self.block(block));
    }

    fn value(&mut self, value: &mut KeyValue) {
        match value {
            KeyValue::Expr(expr) => self.expr(expr),
            KeyValue::Fields(fields) => {
                self.site(MutationSite::Values(fields));
                for (_, value) in fields {
                    self.expr(value);
                }
            }
            KeyValue::Place(place) => {
                self.site(MutationSite::Place(place));
                self.place(place);
            }
            KeyValue::Graph(inner) => self.tree(Arc::make_mut(inner)),
            KeyValue::Graphs(candidates) => {
                for candidate in candidates {
                    self.value(&mut candidate.graph);
                }
            }
            KeyValue::Retry(RetryDecl { attempts, first, factor, max, jitter, .. }) => {
                let all = [attempts, first, factor, max, jitter].into_iter().flatten();
                all.for_each(|expr| self.expr(expr));
            }
            KeyValue::Name(_)
            | KeyValue::Names(_)
            | KeyValue::Type(_)
            | KeyValue::File(_)
            | KeyValue::Bool(_) => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        for step in &mut place.steps {
            if let PlaceStep::Index(index) = step {
                self.expr(index);
            }
        }
    }

    fn block(&mut self, block: &mut Block) {
        self.site(MutationSite::Block(block));
        for statement in &mut block.statements {
            match &mut statement.kind {
                StatementKind::Assign { place, value, .. } => {
                    self.place(place);
                    self.expr(value);
                }
                StatementKind::Let(_, value) => self.expr(value),
                StatementKind::Spend(budget, amount) => {
                    self.expr(budget);
                    if let Some(amount) = amount {
                        self.expr(amount);
                    }
                }
                StatementKind::Emit(_, extra) | StatementKind::Fail(_, extra) => {
                    if let Some(extra) = extra {
                        self.expr(extra);
                    }
                }
                StatementKind::If(arms, otherwise) => {
                    for (condition, inner) in arms {
                        self.condition(condition);
                        self.block(inner);
                    }
                    if let Some(inner) = otherwise {
                        self.block(inner);
                    }
                }
                StatementKind::Call(_) => {}
                StatementKind::For(_, list, inner) => {
                    self.expr(list);
                    self.block(inner);
                }
            }
        }
    }

    fn condition(&mut self, expr: &mut Expr) {
        self.site(MutationSite::Condition(expr));
        self.expr(expr);
    }

    fn expr(&mut self, expr: &mut Expr) {
        self.inner(expr, false);
    }

    fn inner(&mut self, expr: &mut Expr, nested: bool) {
        self.site(MutationSite::Expr { expr, nested });
        let nested = !matches!(expr.kind, ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Record(..));
        expr.for_each_child_mut(&mut |child| self.inner(child, nested));
    }
}
