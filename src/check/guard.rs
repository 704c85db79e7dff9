//! Guards: whether some edge is always taken, and which edges never are.

use petgraph::visit::IntoNodeReferences;
use rustc_hash::FxHashMap;

use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::node::{Answers, Edge, Node, NodeId, NodeKind, Trigger};
use crate::model::types::{Kind, Type};
use crate::program::error::ErrorKind;
use crate::program::function::Function;
use crate::program::graph::Gate;
use crate::value::{Str, Value};

/// Judges the edges of every node.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let classes = graph.errors.iter().map(|(own, class)| (own.value.as_str(), class)).collect();
    for (id, node) in graph.graph.node_references() {
        let edges: Vec<&Edge> = node.edges.iter().map(|id| &graph.graph[*id]).collect();
        dead(graph, &classes, (id, node), &edges, findings);
        open(node, &edges, findings);
    }
}

/// Edges that can never be taken.
fn dead(
    graph: &Graph,
    classes: &FxHashMap<&str, &Str>,
    (id, node): (NodeId, &Node),
    edges: &[&Edge],
    findings: &mut Vec<Diagnostic>,
) {
    let class = |kind: &str| {
        ErrorKind::named(kind)
            .map(|kind| kind.class().name().into())
            .or_else(|| classes.get(kind).map(|class| Str::clone(class)))
    };
    // By what they answer to, the first edges without a guard.
    let mut otherwise: FxHashMap<Answers, usize> = FxHashMap::default();
    for (i, edge) in edges.iter().enumerate() {
        let hidden = |t: &Trigger| t.covering(class).filter_map(|answers| otherwise.get(&answers)).min();
        let covering: Option<Vec<_>> = edge.on.iter().map(hidden).collect();
        if let Some(first) = covering.as_ref().and_then(|all| all.first()).map(|at| edges[**at]) {
            let fault = Diagnostic::warning(rule::DEAD_EDGE, edge.span, "this edge can never be taken");
            findings.push(
                fault
                    .also(first.span, "this one without a guard is always taken first")
                    .help("put the edge without a guard last"),
            );
        } else if edge.on.iter().all(|t| never_fires(graph, t)) && !edge.on.is_empty() {
            let message = "this edge can never be taken: an advisory budget stops nothing";
            let fault = Diagnostic::warning(rule::DEAD_EDGE, edge.span, message);
            findings
                .push(fault.help("test it with `when: exhausted(budget)`, or make the budget's gate `hard`"));
        }
        if edge.when.as_ref().is_none_or(is_true) {
            let answers = edge.on.iter().filter_map(Trigger::answers);
            for answers in answers.filter(|answers| !edge.may_be_barred(answers)) {
                otherwise.entry(answers).or_insert(i);
            }
        }
    }
    if matches!(node.kind, NodeKind::Composite(_))
        && let Some(edge) = edges.iter().find(|e| e.on.iter().all(Trigger::is_done) && !e.on.is_empty())
        && graph.cfg.finals(id).next().is_none()
    {
        let message = format!("this edge can never be taken: `{}` contains no final", node.name.value);
        let fault = Diagnostic::warning(rule::DEAD_EDGE, edge.span, message);
        findings.push(fault.help("a composite is done when a final directly inside it is entered"));
    }
}

fn never_fires(graph: &Graph, trigger: &Trigger) -> bool {
    let Trigger::Exhausted(budget) = trigger else { return false };
    let (BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = budget;
    graph.budgets[id.0 as usize].gate == Gate::Advisory
}

/// A node whose `done` edges all have guards that may all be false.
fn open(node: &Node, edges: &[&Edge], findings: &mut Vec<Diagnostic>) {
    let mut cases = Cases::default();
    let mut last = None;
    for edge in edges.iter().filter(|e| e.on.iter().any(Trigger::is_done)) {
        let Some(guard) = &edge.when else { return };
        if !matches!(guard.kind, ExprKind::Error) {
            cases.add(guard);
        }
        last = Some(edge);
    }
    let Some(last) = last else { return };
    if cases.is_covered() {
        return;
    }
    let message =
        format!("`{}` may be stuck: all its edges have guards, and all may be false", node.name.value);
    let fault = Diagnostic::warning(rule::NO_OTHERWISE, node.name.span, message)
        .also(last.span, "the last guarded edge");
    let fault = match cases.missing() {
        Some(missing) => fault.help(format!("no guard covers {missing}")),
        None => fault,
    };
    findings.push(fault.help("add a last edge without a guard"));
}

fn is_true(guard: &Expr) -> bool {
    matches!(guard.kind, ExprKind::Const(Value::Bool(true)))
}

/// The values that the guards of a list cover, one condition out of each `||` at a time.
#[derive(Default)]
struct Cases<'e> {
    conditions: Vec<&'e Expr>,
    /// The expression that is compared, its type, and the values that are covered.
    subjects: Vec<(&'e Expr, Vec<Value>)>,
}

/// More conditions than this are not compared with each other.
const MAX_CONDITIONS: usize = 64;

impl<'e> Cases<'e> {
    fn add(&mut self, guard: &'e Expr) {
        let mut open = vec![guard];
        while let Some(condition) = open.pop() {
            if let ExprKind::Or(a, b) = &condition.kind {
                open.extend([&**b, &**a]);
                continue;
            }
            if self.conditions.len() < MAX_CONDITIONS {
                self.conditions.push(condition);
                self.note_values(condition);
            }
        }
    }

    fn note_values(&mut self, condition: &'e Expr) {
        match &condition.kind {
            ExprKind::Call(Function::EQUAL, sides) => match (&sides[0].kind, &sides[1].kind) {
                (_, ExprKind::Const(value)) => self.cover(&sides[0], value.clone()),
                (ExprKind::Const(value), _) => self.cover(&sides[1], value.clone()),
                _ => {}
            },
            ExprKind::Call(Function::IN, sides) => match &sides[1].kind {
                ExprKind::Const(Value::List(list)) => {
                    for value in list {
                        self.cover(&sides[0], value.clone());
                    }
                }
                ExprKind::List(items) => {
                    for item in items {
                        if let ExprKind::Const(value) = &item.kind {
                            self.cover(&sides[0], value.clone());
                        }
                    }
                }
                _ => {}
            },
            ExprKind::Not(inner) => self.cover(inner, Value::Bool(false)),
            _ => self.cover(condition, Value::Bool(true)),
        }
    }

    fn cover(&mut self, subject: &'e Expr, value: Value) {
        match self.subjects.iter_mut().find(|(own, _)| same(own, subject)) {
            Some((_, values)) => values.push(value),
            None => self.subjects.push((subject, vec![value])),
        }
    }

    fn is_covered(&self) -> bool {
        self.conditions.iter().any(|c| is_true(c))
            || self
                .subjects
                .iter()
                .any(|(subject, values)| uncovered(&subject.ty, values).is_some_and(|u| u.is_empty()))
            || self
                .conditions
                .iter()
                .enumerate()
                .any(|(i, a)| self.conditions[..i].iter().any(|b| opposite(a, b)))
    }

    /// The values of the most covered subject that no guard covers.
    fn missing(&self) -> Option<String> {
        let partly = self.subjects.iter().filter(|(_, values)| values.len() > 1);
        let open = partly.filter_map(|(subject, values)| uncovered(&subject.ty, values));
        let least = open.min_by_key(Vec::len)?;
        let words: Vec<String> = least.iter().take(5).map(word).collect();
        Some(words.join(", "))
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::Str(text) => format!("'{text}'"),
        Value::Bool(flag) => flag.to_string(),
        _ => "null".to_owned(),
    }
}

/// The values of a type that are not among the given ones; [`None`] for types with too many values.
fn uncovered(ty: &Type, covered: &[Value]) -> Option<Vec<Value>> {
    let mut all: Vec<Value> = match &ty.kind {
        Kind::Bool => vec![Value::Bool(true), Value::Bool(false)],
        Kind::Enum(members) => members.members.iter().map(|m| Value::Str(m.clone())).collect(),
        _ => return None,
    };
    if ty.nullable {
        all.push(Value::Null);
    }
    all.retain(|value| !covered.contains(value));
    Some(all)
}

/// True if one of the two conditions always holds.
fn opposite(one: &Expr, other: &Expr) -> bool {
    let (ExprKind::Call(first, left), ExprKind::Call(second, right)) = (&one.kind, &other.kind) else {
        return false;
    };
    let ordered = !matches!(left.first().map(|e| &e.ty.kind), Some(Kind::Float | Kind::Any));
    let pair = match (*first, *second) {
        (Function::EQUAL, Function::NOT_EQUAL) | (Function::NOT_EQUAL, Function::EQUAL) => true,
        (Function::LESS, Function::GREATER_OR_EQUAL)
        | (Function::GREATER_OR_EQUAL, Function::LESS)
        | (Function::GREATER, Function::LESS_OR_EQUAL)
        | (Function::LESS_OR_EQUAL, Function::GREATER) => ordered,
        _ => false,
    };
    pair && left.iter().zip(right).all(|(left, right)| same(left, right))
}

/// True if two expressions are written alike. Only plain forms are compared; others count as different.
fn same(one: &Expr, other: &Expr) -> bool {
    if !alike(&one.kind, &other.kind) {
        return false;
    }
    let (mut parts, mut others) = (Vec::new(), Vec::new());
    one.for_each_child(&mut |part| parts.push(part));
    other.for_each_child(&mut |part| others.push(part));
    parts.len() == others.len() && parts.into_iter().zip(others).all(|(part, other)| same(part, other))
}

/// True if two expressions are the same but for their parts.
fn alike(one: &ExprKind, other: &ExprKind) -> bool {
    match (one, other) {
        (ExprKind::Const(value), ExprKind::Const(other)) => value == other,
        (ExprKind::Slot(id), ExprKind::Slot(other)) => id == other,
        (ExprKind::Special(value), ExprKind::Special(other)) => value == other,
        (ExprKind::Let(id), ExprKind::Let(other)) => id == other,
        (ExprKind::Field { name, .. }, ExprKind::Field { name: other, .. })
        | (ExprKind::Has(_, name), ExprKind::Has(_, other)) => name == other,
        (ExprKind::Budget(query, budget), ExprKind::Budget(asked, other)) => {
            let id = |budget: &BudgetRef| match budget {
                BudgetRef::Counter(id) | BudgetRef::Meter(id, _) => *id,
            };
            query == asked && id(budget) == id(other)
        }
        (ExprKind::InFamily(_, id), ExprKind::InFamily(_, other)) => id == other,
        (ExprKind::Visits(id), ExprKind::Visits(other))
        | (ExprKind::InState(id), ExprKind::InState(other)) => id == other,
        (ExprKind::Call(function, _), ExprKind::Call(other, _)) => function == other,
        (ExprKind::Step, ExprKind::Step)
        | (ExprKind::RolledBack, ExprKind::RolledBack)
        | (ExprKind::Index(..), ExprKind::Index(..))
        | (ExprKind::Coerce(..), ExprKind::Coerce(..))
        | (ExprKind::Not(_), ExprKind::Not(_))
        | (ExprKind::And(..), ExprKind::And(..)) => true,
        _ => false,
    }
}
