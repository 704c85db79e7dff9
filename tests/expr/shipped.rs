//! The grammar as it is shipped, beside the reader: `grammar/*.pest`, run from the files, accept what is read, and put
//! its parts where the reader puts them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use loopwright::diag::{Diagnostic, Severity};
use loopwright::source::{FileId, Fragment, Sources, Span};
use loopwright::syntax::ast::{Block, Expr, ExprKind, Place, PlaceStep, StatementKind, TypeExpr, TypeKind};
use loopwright::syntax::tree::PropertyBody;
use loopwright::syntax::{self, Syntax, expr};
use pest_vm::Vm;

use super::PIECES;
use crate::dice::{Dice, rounds, tokens};

/// Each reader's name in `inputs/`, and its rule.
const READERS: [(&str, &str); 8] = [
    ("expr", "expr_text"),
    ("type", "type_text"),
    ("place", "place_text"),
    ("field", "field_text"),
    ("trigger", "trigger_text"),
    ("property", "property_text"),
    ("let", "let_head_text"),
    ("block", "block_text"),
];

/// What the grammar does not judge: what numbers, escapes and some names mean, and that a line ends between statements.
pub(super) const JUDGED: [&str; 12] = [
    "a second statement begins on the same line",
    "is neither a number nor a duration",
    "is not a number",
    "is not a hexadecimal number",
    "is not an integer",
    "is not an escape",
    "is not a whole number of nanoseconds",
    "are out of order",
    "is a value and cannot be called",
    "`is` takes a value and a type",
    "needs its members",
    "needs the",
];

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

pub(crate) fn shipped() -> Vm {
    let text = ["expr.pest", "loop.pest"]
        .map(|name| fs::read_to_string(root("grammar").join(name)).expect("the grammar can be read"))
        .concat();
    let (_, rules) = pest_meta::parse_and_optimize(&text).unwrap_or_else(|faults| panic!("{faults:?}"));
    Vm::new(rules)
}

/// Where expressions, types and statements stand.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(super) expressions: BTreeSet<(usize, usize)>,
    pub(super) types: BTreeSet<(usize, usize)>,
    pub(super) statements: BTreeSet<(usize, usize)>,
}

impl Parts {
    fn expr(&mut self, expr: &Expr) {
        self.expressions.insert(bytes(expr.span));
        if let ExprKind::Is(_, ty) = &expr.kind {
            self.ty(ty);
        }
        expr.for_each_child(&mut |inner| self.expr(inner));
    }

    fn ty(&mut self, ty: &TypeExpr) {
        self.types.insert(bytes(ty.span));
        if let TypeKind::List(inner, _) | TypeKind::Map(inner) = &ty.kind {
            self.ty(inner);
        }
    }

    fn place(&mut self, place: &Place) {
        for step in &place.steps {
            if let PlaceStep::Index(index) = step {
                self.expr(index);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statements.insert(bytes(statement.span));
            match &statement.kind {
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
                StatementKind::Emit(_, with) | StatementKind::Fail(_, with) => {
                    if let Some(with) = with {
                        self.expr(with);
                    }
                }
                StatementKind::Call(_) => {}
                StatementKind::For(_, list, block) => {
                    self.expr(list);
                    self.block(block);
                }
                StatementKind::If(arms, otherwise) => {
                    for (condition, block) in arms {
                        self.expr(condition);
                        self.block(block);
                    }
                    if let Some(block) = otherwise {
                        self.block(block);
                    }
                }
            }
        }
    }
}

fn bytes(span: Span) -> (usize, usize) {
    (span.start as usize, span.end as usize)
}

/// The parts of a text as the program reads it.
fn by_reader(kind: &str, text: &str) -> Result<Parts, Vec<Diagnostic>> {
    let fragment = Fragment::verbatim(text, FileId(0), 0);
    let (mut parts, mut found) = (Parts::default(), Vec::new());
    let out = &mut found;
    match kind {
        "expr" => expr::expression(&fragment, out).iter().for_each(|e| parts.expr(e)),
        "type" => expr::type_expr(&fragment, out).iter().for_each(|ty| parts.ty(ty)),
        "place" => expr::place(&fragment, out).iter().for_each(|place| parts.place(place)),
        "field" => {
            if let Some((ty, default, condition)) = expr::field_line(&fragment, out) {
                parts.ty(&ty);
                default.iter().chain(&condition).for_each(|e| parts.expr(e));
            }
        }
        "trigger" => {
            let trigger = expr::trigger(&fragment, out);
            trigger.iter().filter_map(|t| t.arg.as_ref()).for_each(|arg| parts.expr(arg));
        }
        "property" => match expr::property(&fragment, out) {
            Some(PropertyBody::Never(e) | PropertyBody::Always(e) | PropertyBody::Eventually(e)) => {
                parts.expr(&e);
            }
            Some(PropertyBody::Precedes(first, second)) => {
                parts.expr(&first);
                parts.expr(&second);
            }
            None => {}
        },
        "let" => drop(expr::let_head(&fragment, out)),
        _ => parts.block(&expr::block(&fragment, out)),
    }
    if found.is_empty() { Ok(parts) } else { Err(found) }
}

/// The parts of a text as the shipped grammar reads it. What stands in parentheses is one expression with them.
pub(crate) fn by_grammar(grammar: &Vm, rule: &str, text: &str) -> Option<Parts> {
    let mut parts = Parts::default();
    let mut parentheses = BTreeSet::new();
    for pair in grammar.parse(rule, text).ok()?.flatten() {
        let span = (pair.as_span().start(), pair.as_span().end());
        match pair.as_rule() {
            "paren" => parentheses.extend(pair.into_inner().next().map(|inner| inner.as_span().start())),
            "expr" if !parentheses.remove(&span.0) => drop(parts.expressions.insert(span)),
            "type_expr" => drop(parts.types.insert(span)),
            "statement" => drop(parts.statements.insert(span)),
            _ => {}
        }
    }
    Some(parts)
}

/// Holds that both accept a text or none does, and where they put its parts. Whether it is accepted.
fn agree(grammar: &Vm, kind: &str, text: &str) -> bool {
    let (_, rule) = READERS.iter().find(|(name, _)| *name == kind).expect("the reader is known");
    let accepted = by_grammar(grammar, rule, text);
    match (accepted, by_reader(kind, text)) {
        (Some(parts), Ok(read)) => {
            assert_eq!(parts.types, read.types, "{kind}: {text}");
            assert_eq!(parts.statements, read.statements, "{kind}: {text}");
            // The reader has parts for each operator, too.
            assert!(parts.expressions.is_subset(&read.expressions), "{kind}: {text}\n{parts:?}\n{read:?}");
            true
        }
        (None, Err(_)) => false,
        (None, Ok(_)) => panic!("read, and refused by the grammar: {kind}: {text}"),
        (Some(_), Err(found)) => {
            let judged = |d: &Diagnostic| {
                d.rule.slug() != "expression-syntax" || JUDGED.iter().any(|part| d.message.contains(part))
            };
            assert!(found.iter().all(judged), "accepted by the grammar: {kind}: {text}\n{found:?}");
            false
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "yaml" || end == "loop") {
            found.push(path);
        }
    }
}

/// All graphs, as they are written in the loop DSL.
pub(crate) fn graphs() -> Vec<String> {
    let mut paths = Vec::new();
    files(&root("graphs"), &mut paths);
    let mut graphs = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("the graph can be read");
        let mut sources = Sources::new();
        let file = sources.add(path.to_string_lossy(), text);
        let sound = syntax::read(&sources, file).1.iter().all(|found| found.severity != Severity::Error);
        // Scenarios and scripts stand beside the graphs.
        graphs.extend(sound.then(|| syntax::write(&sources, file, Syntax::Loop).ok()).flatten());
    }
    assert!(graphs.len() > 20, "{} graphs", graphs.len());
    graphs
}

/// The expressions, types, places and statements of all graphs.
fn of_graphs(grammar: &Vm) -> BTreeSet<(&'static str, String)> {
    let mut texts = BTreeSet::new();
    for text in graphs() {
        let pairs = grammar.parse("file", &text).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
        let mut end = 0;
        for pair in pairs.flatten() {
            let kind = match pair.as_rule() {
                "expr" => "expr",
                "type_expr" => "type",
                "place" => "place",
                "statement" => "block",
                _ => continue,
            };
            if pair.as_span().start() >= end {
                end = pair.as_span().end();
                texts.insert((kind, pair.as_str().to_owned()));
            }
        }
    }
    texts
}

fn of_fixtures() -> BTreeSet<(&'static str, String)> {
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(root("tests/expr/inputs")).expect("the folder can be listed") {
        let path = entry.expect("its entries can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("the file has a name");
        let kind = READERS.iter().find(|(kind, _)| name.starts_with(kind)).map_or("expr", |(kind, _)| kind);
        let file = fs::read_to_string(&path).expect("the file can be read");
        texts.extend(super::texts(&file).into_iter().map(|text| (kind, text.to_owned())));
    }
    texts
}

#[test]
fn the_shipped_grammar_is_the_reader() {
    let grammar = shipped();
    let graphs = of_graphs(&grammar);
    for (kind, text) in &graphs {
        assert!(agree(&grammar, kind, text), "refused: {kind}: {text}");
    }
    let mut texts = of_fixtures();
    for (kind, text) in &texts {
        agree(&grammar, kind, text);
    }
    texts.extend(graphs);
    let texts: Vec<_> = texts.into_iter().collect();
    let tokens = tokens();
    let mut dice = Dice::new(1);
    let rounds = rounds(4_000);
    let mut accepted = 0;
    for _ in 0..rounds {
        let (kind, text) = &texts[dice.below(texts.len())];
        accepted += u32::from(agree(&grammar, kind, &dice.changed(text, &tokens, PIECES)));
    }
    assert!(accepted > rounds / 10 && accepted < rounds / 10 * 9, "{accepted} of {rounds} are accepted");
}
