//! Compiling small models made by hand.

mod shapes;

use std::sync::Arc;

use petgraph::graph::DiGraph;

use super::{CompileFault, compile};
use crate::diag::rule;
use crate::model::Model;
use crate::model::cfg::CfgBuilder;
use crate::model::expr::{
    Block, BudgetId, BudgetRef, Expr, ExprKind, LetId, Place, SlotId, SlotKind, Statement, StatementKind,
};
use crate::model::graph::{Budget, Graph, Let, Slot};
use crate::model::node::{Edge, FinalNode, Node, NodeId, NodeKind, Trigger};
use crate::model::types::{Kind, Type};
use crate::model::typing::Facts;
use crate::program::Program;
use crate::program::function::Function;
use crate::program::graph::{Gate, LimitStep};
use crate::program::op::{BudgetQuery, Op};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::tree::MigrateDecl;
use crate::value::Value;

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, ty: Type::of(Kind::Any), span: Span::default() }
}

fn constant(value: impl Into<Value>) -> Expr {
    expr(ExprKind::Const(value.into()))
}

fn slot(id: u32) -> Expr {
    expr(ExprKind::Slot(SlotId(id)))
}

fn call(function: Function, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Call(function, args))
}

fn limit_of(id: u32) -> Expr {
    expr(ExprKind::Budget(BudgetQuery::Limit, BudgetRef::Counter(BudgetId(id))))
}

fn named<T: From<&'static str>>(name: &'static str) -> Spanned<T> {
    Spanned::new(name.into(), Span::default())
}

fn node(name: &'static str, kind: NodeKind, entry: Vec<StatementKind>) -> Node {
    let statements = entry.into_iter().map(|kind| Statement { kind, span: Span::default() }).collect();
    Node {
        name: named(name),
        title: None,
        doc: None,
        parent: None,
        kind,
        entry: Block { statements },
        then: Block::default(),
        timeout: None,
        retry: None,
        edges: Vec::new(),
        known: Facts::default(),
        span: Span::default(),
    }
}

fn budget(name: &'static str, limit: Expr) -> Budget {
    Budget {
        name: named(name),
        scope: None,
        family: None,
        limit,
        grace: None,
        gate: Gate::Hard,
        unit: None,
        charge: None,
    }
}

/// Two nodes and an edge with a guard between them; one input `x`, one state field `text`.
fn model(budgets: Vec<Budget>, guard: Expr) -> Model {
    let int = Type::of(Kind::Int(None));
    let string = Type::of(Kind::String(None)).or_null();
    let variable = |name, ty, kind| Slot { name: named(name), ty, kind, init: None, condition: None };
    let place = Place { slot: SlotId(1), steps: Vec::new(), ty: string.clone(), span: Span::default() };
    let write = |value: Expr| StatementKind::Assign { place: place.clone(), add: false, value };
    let guarded = call(Function::EQUAL, vec![slot(0), constant(1)]);
    let inner = Block { statements: vec![Statement { kind: write(constant("one")), span: Span::default() }] };
    let entry = vec![StatementKind::If(vec![(guarded, inner)], None), write(constant(Value::Null))];
    let mut graph = DiGraph::default();
    let first = graph.add_node(node("first", NodeKind::Action, entry));
    let last = NodeKind::Final(Box::new(FinalNode { outcome: None, ok: None, as_end: false }));
    let last = graph.add_node(node("last", last, Vec::new()));
    let edge = Edge {
        label: Some("go".into()),
        outer: None,
        on: vec![Trigger::Done],
        when: Some(guard),
        action: Block::default(),
        span: Span::default(),
    };
    let edge = graph.add_edge(first, last, edge);
    graph[first].edges.push(edge);
    let mut cfg = CfgBuilder::new(vec![None; 2]);
    cfg.begins(None, first);
    cfg.edge(edge, (first, last), (true, false));
    cfg.finishes(last);
    let graph = Graph {
        path: "test.yaml".into(),
        id: named("test"),
        title: None,
        doc: None,
        version: None,
        slots: vec![variable("x", int, SlotKind::Input), variable("text", string, SlotKind::State)],
        budgets,
        families: Vec::new(),
        lets: vec![Let { name: named("half"), body: slot(0) }],
        actions: Vec::new(),
        texts: Vec::new(),
        renderings: Vec::new(),
        roles: Vec::new(),
        errors: Vec::new(),
        start: first,
        start_label: None,
        pause: None,
        graph,
        cfg: Arc::new(cfg.build()),
        output: Vec::new(),
        properties: Vec::new(),
        views: Vec::new(),
        migrate: MigrateDecl::default(),
    };
    Model { graphs: vec![graph], ..Model::default() }
}

fn program(guard: Expr) -> Program {
    compile(&model(Vec::new(), guard)).expect("the model has no fault")
}

fn guard(program: &Program) -> Op {
    let guard = program.graphs[0].edges[0].when.expect("the edge has a guard");
    program.ops[guard.0 as usize]
}

#[test]
fn a_comparison_with_a_constant_is_one_op() {
    let is_null = program(call(Function::NOT_EQUAL, vec![constant(Value::Null), slot(1)]));
    let Op::IsConst { target, constant: place, negate: true } = guard(&is_null) else {
        panic!("found {:?}", guard(&is_null));
    };
    assert_eq!(is_null.ops[target.0 as usize], Op::Slot(1));
    assert_eq!(is_null.constants[place as usize], Value::Null);
    let of_two = program(call(Function::EQUAL, vec![slot(0), slot(1)]));
    assert!(matches!(guard(&of_two), Op::Binary(Function::EQUAL, ..)));
}

#[test]
fn lists_of_constants_are_constants_and_equal_ones_share_a_place() {
    let list = || expr(ExprKind::List(vec![constant(1), constant(2)]));
    let or = expr(ExprKind::Or(
        Box::new(call(Function::IN, vec![slot(0), list()])),
        Box::new(call(Function::IN, vec![slot(1), list()])),
    ));
    let program = program(or);
    let lists: Vec<_> = program.constants.iter().filter(|value| value.as_list().is_some()).collect();
    assert_eq!(lists.len(), 1);
    assert!(!program.ops.iter().any(|op| matches!(op, Op::List(_))));
}

#[test]
fn an_int_and_the_float_of_its_value_are_two_constants() {
    let both = expr(ExprKind::And(
        Box::new(call(Function::LESS, vec![slot(0), constant(7)])),
        Box::new(call(Function::LESS, vec![slot(0), constant(7.0)])),
    ));
    let sevens = program(both).constants.into_iter().filter(|value| *value == Value::Int(7)).count();
    assert_eq!(sevens, 2);
}

#[test]
fn operands_stand_before_their_operators() {
    let program = program(call(Function::EQUAL, vec![slot(0), call(Function::ADD, vec![slot(0), slot(0)])]));
    for (place, op) in program.ops.iter().enumerate() {
        op.each_operand(&program.operands, |operand| assert!((operand.0 as usize) < place));
    }
}

#[test]
fn branches_are_numbered_and_have_places() {
    let program = program(constant(true));
    assert_eq!(program.branches, 2, "one arm and the missing else");
    assert_eq!(program.branch_spans.len(), 2);
}

#[test]
fn limits_come_after_those_they_read_also_through_lets() {
    let through_let = expr(ExprKind::Let(LetId(0)));
    let budgets = vec![
        budget("a", call(Function::ADD, vec![limit_of(2), constant(1)])),
        budget("b", through_let),
        budget("c", constant(3)),
    ];
    let mut model = model(budgets, constant(true));
    model.graphs[0].lets[0].body = limit_of(0);
    let program = compile(&model).expect("the limits have an order");
    let order = [LimitStep::Counter(2), LimitStep::Counter(0), LimitStep::Counter(1)];
    assert_eq!(*program.graphs[0].limits, order);
}

#[test]
fn limits_in_a_circle_are_a_fault() {
    let budgets = vec![budget("a", limit_of(1)), budget("b", limit_of(0)), budget("c", constant(3))];
    let faults = compile(&model(budgets, constant(true))).expect_err("a and b wait for each other");
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].kind, CompileFault::LimitCycle(vec!["a".into(), "b".into()]));
    let finding = crate::diag::Diagnostic::from(&faults[0]);
    assert_eq!((finding.rule, finding.span()), (rule::NOT_COMPILED, faults[0].span));
}

#[test]
fn what_could_not_be_typed_is_a_fault() {
    let faults = compile(&model(Vec::new(), expr(ExprKind::Error))).expect_err("the guard has no meaning");
    assert_eq!(faults[0].kind, CompileFault::Unresolved);
    let unknown = expr(ExprKind::Is(Box::new(slot(0)), Type::of(Kind::Error)));
    let faults = compile(&model(Vec::new(), unknown)).expect_err("the type has no meaning");
    assert_eq!(faults[0].kind, CompileFault::Unresolved);
}

#[test]
fn nesting_ends_at_a_bound() {
    let deep = |levels| (0..levels).fold(slot(0), |inner, _| expr(ExprKind::Not(Box::new(inner))));
    assert!(compile(&model(Vec::new(), deep(200))).is_ok());
    let faults = compile(&model(Vec::new(), deep(2000))).expect_err("too deep");
    assert_eq!(faults.len(), 1);
    assert!(matches!(faults[0].kind, CompileFault::TooDeep(_)));
}

#[test]
fn the_digest_covers_meaning_and_nothing_else() {
    let plain = || model(Vec::new(), call(Function::EQUAL, vec![slot(0), constant(1)]));
    let digest = |model: &Model| compile(model).expect("the model has no fault").digest;
    let base = digest(&plain());
    assert_eq!(base.len(), 64);

    let mut dressed = plain();
    let graph = &mut dressed.graphs[0];
    (graph.title, graph.doc, graph.version) = (Some("T".into()), Some("D".into()), Some("2".into()));
    graph.graph[NodeId::new(0)].title = Some("first of all".into());
    graph.graph[NodeId::new(0)].span = Span::new(FileId(3), 5, 9);
    for edge in graph.graph.edge_weights_mut() {
        edge.label = Some("other".into());
    }
    assert_eq!(digest(&dressed), base, "titles, labels and places decide nothing");

    let float = model(Vec::new(), call(Function::EQUAL, vec![slot(0), constant(1.0)]));
    assert_ne!(digest(&float), base, "another constant");
    let budgets = vec![budget("a", constant(3))];
    let budgets = model(budgets, call(Function::EQUAL, vec![slot(0), constant(1)]));
    assert_ne!(digest(&budgets), base, "a budget more");
    let mut renamed = plain();
    renamed.graphs[0].graph[NodeId::new(1)].name = named("end");
    assert_ne!(digest(&renamed), base, "the outcome of a final is its name");
}

#[test]
fn a_listing_reads_like_the_graph() {
    let list = Type::of(Kind::List(Arc::new(Type::of(Kind::Int(Some((0, 9))))), Some(5)));
    let coerced = expr(ExprKind::Coerce(Box::new(slot(0)), list));
    let sum = call(Function::MULTIPLY, vec![call(Function::ADD, vec![slot(0), constant(2)]), constant(3)]);
    let less = call(Function::LESS, vec![sum, constant(1.5)]);
    let size = call(Function::EQUAL, vec![call(Function::SIZE, vec![coerced]), constant(1)]);
    let not = expr(ExprKind::Not(Box::new(expr(ExprKind::Or(Box::new(less), Box::new(size))))));
    let null = call(Function::NOT_EQUAL, vec![slot(1), constant(Value::Null)]);
    let both = expr(ExprKind::And(Box::new(not), Box::new(null)));
    let program = compile(&model(vec![budget("rounds", slot(0))], both)).expect("the model has no fault");
    insta::assert_snapshot!(crate::program::listing(&program));
}
