//! What must hold of any bytes at all. A fuzzer looks for a counterexample (`fuzz/`), and a test tries those that were
//! found and others that reach far (`fuzz/corpus`). A target panics where something does not hold.

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::diag::{self, Diagnostic, Severity};
use loopwright::model::Files;
use loopwright::source::{FileId, Fragment, Sources, Span};
use loopwright::syntax::tree::PropertyBody;
use loopwright::syntax::{Refusal, Syntax, expr, print, read, write};

/// A graph for the fuzzer's file to call or to extend.
const OTHER: &str = "graph: other
inputs: {question: string}
state: {count: int = 0}
budgets: {rounds: 3}
output: {answer: count}
start: again
nodes:
  again:
    do: spend rounds; count += 1
    next: [{to: again}, {to: done, on: exhausted(rounds)}]
  done: {kind: final}
";

/// Any bytes as a YAML file.
pub(crate) fn yaml(bytes: &[u8]) {
    file("it.yaml", bytes);
}

/// Any bytes as a file of the loop DSL.
pub(crate) fn loop_dsl(bytes: &[u8]) {
    file("it.loop", bytes);
}

/// A file is judged, whatever is in it: every finding can be shown, and what is sound compiles.
fn file(name: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut files = Files::new().with(name, text).with("other.yaml", OTHER);
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut files, name);
    can_be_shown(&checked.findings, &sources);
    if let Some(model) = checked.model.as_ref().filter(|_| checked.is_sound()) {
        compile(model).unwrap_or_else(|faults| panic!("a sound graph does not compile: {faults:?}"));
    }
}

fn is_error(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error
}

fn can_be_shown(findings: &[Diagnostic], sources: &Sources) {
    for finding in findings {
        assert!(!finding.message.is_empty(), "{finding:?}");
        assert!(
            finding.labels.iter().all(|label| inside(label.span, sources.text(label.span.file))),
            "{finding:?}"
        );
    }
    let shown = diag::text::render(findings, sources, false);
    let odd = shown.chars().find(|c| c.is_control() && *c != '\n');
    assert!(odd.is_none(), "{odd:?} goes to the terminal: {shown:?}");
    let _ = diag::json::render(findings, sources);
}

fn inside(span: Span, text: &str) -> bool {
    text.get(span.start as usize..span.end as usize).is_some()
}

/// Any bytes as an expression, a statement list, a type and whatever else expressions stand in. What is read is printed so
/// that it is read as the same.
pub(crate) fn expressions(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    if let Some(read) = attempt(text, expr::expression) {
        again(&read, &read.to_string(), expr::expression);
    }
    if let Some(read) = attempt(text, expr::type_expr) {
        again(&read, &read.to_string(), expr::type_expr);
    }
    if let Some(read) = attempt(text, expr::place) {
        again(&read, &read.to_string(), expr::place);
    }
    let printed = |e: &Option<_>, before: &str| e.as_ref().map_or(String::new(), |e| format!("{before}{e}"));
    if let Some(read) = attempt(text, expr::field_line) {
        let (ty, default, condition) = &read;
        let line = format!("{ty}{}{}", printed(default, " = "), printed(condition, " where "));
        again(&read, &line, expr::field_line);
    }
    if let Some(read) = attempt(text, expr::trigger) {
        let arg = read.arg.as_ref().map_or(String::new(), |arg| format!("({arg})"));
        again(&read, &format!("{}{arg}", read.name.value), expr::trigger);
    }
    if let Some(read) = attempt(text, expr::property) {
        let line = match &read {
            PropertyBody::Never(e) => format!("never {e}"),
            PropertyBody::Always(e) => format!("always {e}"),
            PropertyBody::Eventually(e) => format!("eventually {e}"),
            PropertyBody::Precedes(a, b) => format!("{a} precedes {b}"),
        };
        again(&read, &line, expr::property);
    }
    if let Some(read) = attempt(text, expr::let_head) {
        let params: Vec<_> = read.1.iter().map(|param| param.value.as_str()).collect();
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        again(&read, &format!("{}{params}", read.0.value), expr::let_head);
    }
    if let Some(read) = attempt(text, statements) {
        again(&read, &print::block(&read, 0), statements);
    }
}

fn statements(fragment: &Fragment, out: &mut Vec<Diagnostic>) -> Option<loopwright::syntax::ast::Block> {
    let block = expr::block(fragment, out);
    out.is_empty().then_some(block)
}

/// A reader of [`expr`].
type Reader<T> = fn(&Fragment, &mut Vec<Diagnostic>) -> Option<T>;

/// Reads a text. A refusal has findings that can be shown, anything else has none.
fn attempt<T>(text: &str, reader: Reader<T>) -> Option<T> {
    let mut sources = Sources::new();
    let file = sources.add("it", text);
    let mut found = Vec::new();
    let read = reader(&Fragment::verbatim(text, file, 0), &mut found);
    assert_eq!(read.is_some(), found.is_empty(), "{text:?}: {found:?}");
    can_be_shown(&found, &sources);
    read
}

/// Holds that what was printed of a tree is read as that tree, if it is not too long.
fn again<T: std::fmt::Debug>(tree: &T, printed: &str, reader: Reader<T>) {
    let mut found = Vec::new();
    let again = reader(&Fragment::verbatim(printed, FileId(0), 0), &mut found);
    if found.iter().any(|finding| is_limit(&finding.message)) {
        return;
    }
    assert!(found.is_empty(), "{printed:?}: {found:?}");
    let again = again.map(|again| without_places(&format!("{again:?}")));
    assert_eq!(again, Some(without_places(&format!("{tree:?}"))), "{printed:?}");
}

/// What derived `Debug` says of a tree, but for the places.
fn without_places(text: &str) -> String {
    let mut parts = text.split("Span {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('}').map_or(part, |(_, rest)| rest))
}

/// Whether a finding only says that something is too much.
fn is_limit(message: &str) -> bool {
    ["the longest has", "are longer than", "deeper than", "more than", "too large"]
        .iter()
        .any(|words| message.contains(words))
}

/// Any bytes as a file, in the syntax they look like. If it can be read, it is written in both syntaxes, the same each time,
/// and what was written in one can be written in the other.
pub(crate) fn print_parse(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let from = Syntax::guess(text);
    let mut sources = Sources::new();
    let file = sources.add(name_in(from), text);
    if read(&sources, file).1.iter().any(is_error) {
        return;
    }
    for to in [Syntax::Yaml, Syntax::Loop] {
        let Some(once) = rewrite(text, from, to) else { continue };
        if let Some(twice) = rewrite(&once, to, to) {
            assert_eq!(once, twice, "{text:?} is written the same again in {to:?}");
        }
        if to != from {
            rewrite(&once, to, from);
        }
    }
}

fn name_in(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Yaml => "it.yaml",
        Syntax::Loop => "it.loop",
    }
}

/// A text without faults of syntax, written anew. [`None`] where it would be too long, or where the loop DSL cannot
/// hold a reference that is no name.
fn rewrite(text: &str, from: Syntax, to: Syntax) -> Option<String> {
    let mut sources = Sources::new();
    let file = sources.add(name_in(from), text);
    match write(&sources, file, to) {
        Ok(written) => Some(written),
        Err(Refusal::Changed(why)) if is_limit(&why) => None,
        Err(Refusal::Faults(faults))
            if to == Syntax::Loop && faults.iter().all(|fault| fault.rule.slug() == "invalid-name") =>
        {
            can_be_shown(&faults, &sources);
            None
        }
        Err(refusal) => panic!("{from:?} to {to:?}: {refusal:?}\n{text}"),
    }
}
