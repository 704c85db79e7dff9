//! Expressions in answers: typed at the nodes that may ask, compiled beside the program, evaluated over a snapshot.

use std::collections::BTreeSet;
use std::fmt;

use rustc_hash::FxHashMap;

use super::data::Expression;
use super::file::{ScriptedAnswer, ScriptedAnswers, ScriptedReply};
use crate::compile::compile;
use crate::diag::{Diagnostic, Severity, rule};
use crate::machine::{Lane, Snapshot};
use crate::model::Model;
use crate::model::expr::ExprKind;
use crate::model::graph::Let;
use crate::model::node::{NameSource, Node, NodeId, NodeKind};
use crate::model::types::{Kind, Type};
use crate::model::typing::{Cx, ErrorScope, Here, Reach};
use crate::program::Program;
use crate::program::eval::{Eval, Scratch};
use crate::program::op::OpId;
use crate::source::Spanned;
use crate::value::{Str, Value};

/// A place an answer may be asked for: a graph, and the composite around the asking node.
type AskPlace = (u32, Option<u32>);

/// The compiled expressions of a scenario file or script.
#[derive(Debug, Default)]
pub struct BoundExpressions {
    /// The program with the expressions added, if there are any.
    program: Option<Program>,
    ops: FxHashMap<(u32, AskPlace), OpId>,
}

/// Compiles the expressions of answers against the graph they are for.
///
/// An expression is typed at every node that may ask for its answer; it must make sense at one of them.
///
/// # Errors
/// What is wrong with them, each at its place.
pub fn bind<'a>(
    model: &Model,
    answers: impl IntoIterator<Item = &'a ScriptedAnswers>,
) -> Result<BoundExpressions, Vec<Diagnostic>> {
    let mut binder = Binder { model: model.clone(), lets: FxHashMap::default(), findings: Vec::new() };
    for answers in answers {
        for answer in &answers.models {
            binder.answer(answer, |node| match &node.kind {
                NodeKind::Model(code) => may_be(&code.role, answer.from.as_ref()),
                _ => false,
            });
        }
        for answer in &answers.tools {
            binder.answer(answer, |node| match &node.kind {
                NodeKind::Tool(code) => may_be(&code.tool, answer.from.as_ref()),
                _ => false,
            });
        }
        for answer in &answers.people {
            binder.answer(answer, |_| true);
        }
    }
    binder.finish()
}

fn may_be(name: &NameSource, wanted: Option<&Spanned<Str>>) -> bool {
    match (name, wanted) {
        (NameSource::Fixed(name), Some(wanted)) => name.value == wanted.value,
        _ => true,
    }
}

struct Binder {
    /// The model, with an unnamed `let` for every expression.
    model: Model,
    lets: FxHashMap<(u32, AskPlace), usize>,
    findings: Vec<Diagnostic>,
}

impl Binder {
    fn answer(&mut self, answer: &ScriptedAnswer, asks: impl Fn(&Node) -> bool) {
        let mut expressions = Vec::new();
        match &answer.reply {
            ScriptedReply::Value(data) | ScriptedReply::Unknown(data) => {
                data.each_expression(&mut |e| expressions.push(e));
            }
            ScriptedReply::Failed { message, details, .. } => {
                message.each_expression(&mut |e| expressions.push(e));
                details.each_expression(&mut |e| expressions.push(e));
            }
        }
        if expressions.is_empty() {
            return;
        }
        let mut places: BTreeSet<AskPlace> = BTreeSet::new();
        for (graph, code) in (0..).zip(&self.model.graphs) {
            let askers = code.graph.node_weights().filter(|n| asks(n));
            let askers =
                askers.filter(|n| answer.node.as_ref().is_none_or(|name| name.value == n.name.value));
            places.extend(askers.map(|n| (graph, n.parent.map(index))));
        }
        for expression in expressions {
            self.expression(expression, &places);
        }
    }

    fn expression(&mut self, expression: &Expression, places: &BTreeSet<AskPlace>) {
        let mut first = None;
        let mut fits = places.is_empty();
        for place in places {
            match self.typed(expression, *place) {
                Ok(()) => fits = true,
                Err(findings) => first = first.or(Some(findings)),
            }
        }
        if !fits {
            self.findings.extend(first.unwrap_or_default());
        }
    }

    /// Types the expression at a place and adds it to the graph.
    fn typed(&mut self, expression: &Expression, place: AskPlace) -> Result<(), Vec<Diagnostic>> {
        let (graph, composite) = place;
        let mut found = Vec::new();
        let Some(scope) = self.model.scopes.get(graph as usize) else { return Err(Vec::new()) };
        let here = Here {
            composite: composite.map(|c| NodeId::new(c as usize)),
            result: Some(Type::of(Kind::Any)),
            error: ErrorScope::Present,
            outcome: true,
            ..Here::new(Reach::All)
        };
        let body = Cx::new(scope, &self.model.types, here, &mut found).infer(&expression.ast);
        // A null is judged by what it does when it comes: nothing is known here of what the graph made sure of.
        found.retain(|f| f.severity == Severity::Error && f.rule != rule::MAYBE_NULL);
        if !found.is_empty() {
            return Err(found);
        }
        if matches!(body.kind, ExprKind::Error) {
            return Err(Vec::new());
        }
        let lets = &mut self.model.graphs[graph as usize].lets;
        self.lets.insert((expression.id, place), lets.len());
        let name = Spanned::new(Str::from("{{}}"), expression.span);
        lets.push(Let { name, body });
        Ok(())
    }

    fn finish(self) -> Result<BoundExpressions, Vec<Diagnostic>> {
        if !self.findings.is_empty() {
            return Err(self.findings);
        }
        if self.lets.is_empty() {
            return Ok(BoundExpressions::default());
        }
        let program = compile(&self.model).map_err(|faults| {
            let finding = |fault: &crate::compile::CompileError| {
                Diagnostic::error(rule::SCENARIO_ANSWER, fault.span, fault.to_string())
            };
            faults.iter().map(finding).collect::<Vec<_>>()
        })?;
        let ops =
            self.lets.iter().map(|(key, at)| (*key, program.graphs[key.1.0 as usize].lets[*at])).collect();
        Ok(BoundExpressions { program: Some(program), ops })
    }
}

fn index(node: NodeId) -> u32 {
    u32::try_from(node.index()).unwrap_or(u32::MAX)
}

/// An expression of an answer has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoValue {
    /// The reason.
    pub message: String,
    /// The expression.
    pub span: crate::source::Span,
}

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl BoundExpressions {
    /// The value of an expression in a lane; `result` is what its last tool gave.
    ///
    /// # Errors
    /// It fails, or makes no sense at the node that asks.
    pub(super) fn value(
        &self,
        expression: &Expression,
        snapshot: &Snapshot,
        lane: &Lane,
        result: &Value,
    ) -> Result<Value, NoValue> {
        let refuse = |message: String| NoValue { message, span: expression.span };
        let graph = lane.frame.graph;
        let Some(program) = &self.program else {
            return Err(refuse("the expression was not compiled".to_owned()));
        };
        let code = &program.graphs[graph as usize];
        let node = &code.nodes[lane.frame.node as usize];
        let Some(op) = self.ops.get(&(expression.id, (graph, node.parent))) else {
            let message =
                format!("the expression names something that the graph has not at node `{}`", node.name);
            return Err(refuse(message));
        };
        let mut frame = lane.frame.clone();
        frame.result = result.clone();
        let world = snapshot.world();
        let mut scratch = Scratch::default();
        let mut eval = Eval { program, graph: code, frame: &frame, world: &world, scratch: &mut scratch };
        eval.eval(*op).map_err(|trouble| refuse(trouble.fault.message.to_string()))
    }
}
