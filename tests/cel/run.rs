//! Runs one expression: read, check, compile, evaluate.

use std::sync::Arc;

use loopwright::compile::compile;
use loopwright::diag::Diagnostic;
use loopwright::model::cfg::CfgBuilder;
use loopwright::model::expr::{Block, SlotId, SlotKind};
use loopwright::model::graph::Slot;
use loopwright::model::node::{FinalNode, Node, NodeKind};
use loopwright::model::record::TypeTable;
use loopwright::model::types::{Kind, Type};
use loopwright::model::typing::{Builtins, Cx, Here, Scope, TypeNames};
use loopwright::model::{Graph, Model};
use loopwright::program::eval::{Eval, Scratch, World};
use loopwright::program::frame::Frame;
use loopwright::source::{FileId, Span, Spanned};
use loopwright::syntax::ast::{Expr, Name};
use loopwright::value::{List, Map, Value};
use petgraph::graph::DiGraph;

use super::case::{Case, Typed};

/// How an expression ended.
pub(super) enum Ended {
    Value(Value),
    /// The checker refused it.
    Refused(String),
    /// Its evaluation failed.
    Failed(String),
}

/// The value a test gives, and its type.
fn given(typed: &Typed) -> (Value, Type) {
    let any = || Type::of(Kind::Any);
    let json = &typed.json;
    match typed.kind.as_str() {
        "bool" => (Value::Bool(json.as_bool().expect("a bool")), Type::of(Kind::Bool)),
        "int" => (Value::Int(json.as_i64().expect("an int")), Type::of(Kind::Int(None))),
        "double" => (Value::Float(float(typed)), Type::of(Kind::Float)),
        "string" => (Value::Str(json.as_str().expect("a string").into()), Type::of(Kind::String(None))),
        "null" => (Value::Null, any().or_null()),
        "list" => {
            let items: Vec<(Value, Type)> = typed.parts().iter().map(given).collect();
            let item = uniform(items.iter().map(|(_, ty)| ty));
            let list: List = items.into_iter().map(|(value, _)| value).collect();
            (Value::List(list), Type::of(Kind::List(Arc::new(item), None)))
        }
        "map" => {
            let parts: Vec<(Value, Type)> = typed.parts().iter().map(given).collect();
            let item = uniform(parts.iter().skip(1).step_by(2).map(|(_, ty)| ty));
            let mut map = Map::new();
            for entry in parts.chunks(2) {
                let Value::Str(key) = &entry[0].0 else {
                    panic!("keys other than strings are sorted out before")
                };
                map.insert(key.clone(), entry[1].0.clone());
            }
            (Value::Map(map), Type::of(Kind::Map(Arc::new(item))))
        }
        other => panic!("values of type {other} are sorted out before"),
    }
}

fn uniform<'t>(mut types: impl Iterator<Item = &'t Type>) -> Type {
    let any = Type::of(Kind::Any);
    let Some(first) = types.next() else { return any };
    if types.all(|ty| ty == first) { first.clone() } else { any }
}

/// The number a `double` is written as.
pub(super) fn float(typed: &Typed) -> f64 {
    typed.json.as_str().expect("a double is a text").parse().expect("a double")
}

/// Runs the expression of a test over its bindings.
pub(super) fn run(case: &Case, expr: &Expr) -> Ended {
    let mut table = TypeTable::default();
    let builtins = Builtins::declare(&mut table);
    let mut scope = Scope::new(builtins, TypeNames::new());
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut slots = Vec::new();
    let mut values = Vec::new();
    for (id, (name, typed)) in (0..).zip(&case.bindings) {
        let (value, ty) = given(typed);
        let spanned = Name::new(name.clone(), Span::default());
        let before = found.len();
        scope.add_slot(&spanned, SlotId(id), ty.clone(), SlotKind::State, &mut found);
        // A test may bind a word that nobody can read back, such as `true`.
        found.truncate(before);
        slots.push(Slot {
            name: Spanned::new(name.as_str().into(), Span::default()),
            ty,
            kind: SlotKind::State,
            init: None,
            condition: None,
        });
        values.push(value);
    }
    let typed = Cx::new(&scope, &table, Here::default(), &mut found).infer(expr);
    if let Some(d) = found.iter().find(|d| d.severity == loopwright::diag::Severity::Error) {
        return Ended::Refused(format!("{}: {}", d.rule, d.message));
    }
    let model = Model { types: table, graphs: vec![graph(slots, typed)], ..Model::default() };
    let program = match compile(&model) {
        Ok(program) => program,
        Err(faults) => return Ended::Refused(format!("{:?}", faults[0].kind)),
    };
    let root = &program.graphs[0];
    let frame = Frame { slots: values, visits: vec![0; root.nodes.len()], ..Frame::default() };
    let (world, mut scratch) = (World::default(), Scratch::default());
    let mut eval =
        Eval { program: &program, graph: root, frame: &frame, world: &world, scratch: &mut scratch };
    match eval.eval(root.output[0].1) {
        Ok(value) => Ended::Value(value),
        Err(trouble) => Ended::Failed(trouble.fault.message.to_string()),
    }
}

/// A graph that does nothing but give one value.
fn graph(slots: Vec<Slot>, value: loopwright::model::expr::Expr) -> Graph {
    let name = |text: &str| Spanned::new(text.into(), Span::default());
    let mut nodes = DiGraph::default();
    let start = nodes.add_node(Node {
        name: name("done"),
        title: None,
        doc: None,
        parent: None,
        kind: NodeKind::Final(Box::new(FinalNode { outcome: None, ok: None, as_end: false })),
        entry: Block::default(),
        then: Block::default(),
        timeout: None,
        retry: None,
        edges: Vec::new(),
        known: loopwright::model::typing::Facts::default(),
        span: Span::new(FileId(0), 0, 0),
    });
    let mut cfg = CfgBuilder::new(vec![None]);
    cfg.begins(None, start);
    cfg.finishes(start);
    Graph {
        path: "test".into(),
        id: name("test"),
        title: None,
        doc: None,
        version: None,
        slots,
        budgets: Vec::new(),
        families: Vec::new(),
        lets: Vec::new(),
        actions: Vec::new(),
        texts: Vec::new(),
        renderings: Vec::new(),
        roles: Vec::new(),
        errors: Vec::new(),
        start,
        start_label: None,
        pause: None,
        graph: nodes,
        cfg: Arc::new(cfg.build()),
        output: vec![(name("value"), value)],
        properties: Vec::new(),
        views: Vec::new(),
        migrate: loopwright::syntax::tree::MigrateDecl::default(),
    }
}
