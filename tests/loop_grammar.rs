//! `grammar/loop.pest`, the grammar that is stated, beside the reader that is used: what one accepts, the other accepts.

use std::fs;

use loopwright::diag::Diagnostic;
use loopwright::source::Sources;
use loopwright::syntax::ast::Name;
use loopwright::syntax::tree::NodeDecl;
use pest::Parser as _;

use crate::loop_dsl::{fixture, parse, root, translated};

/// The grammar as it stands in the repository.
#[derive(pest_derive::Parser)]
#[grammar = "grammar/expr.pest"]
#[grammar = "grammar/loop.pest"]
struct Grammar;

/// Texts with a line of dashes between them.
fn cases(text: &str) -> Vec<String> {
    text.split("----\n").filter(|case| !case.trim().is_empty()).map(str::to_owned).collect()
}

/// All texts of the fixtures and of the grammar's page that are accepted.
fn accepted() -> Vec<String> {
    let page = fs::read_to_string(root().join("grammar/GRAMMAR.md")).expect("the page can be read");
    let shown = page.split("```loop\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut texts: Vec<_> = shown.map(str::to_owned).collect();
    assert!(texts.len() >= 2, "the page shows the syntax");
    texts.extend(translated().iter().map(|path| fixture(path.to_str().expect("fixtures have plain names"))));
    texts.push(fixture("every_key.loop"));
    texts.extend(cases(&fixture("accepted.txt")));
    texts
}

/// What is said of a text by hand that the grammar can know: it does not judge what numbers, escapes and prefixes of
/// texts mean, does not tell where a line ends between statements, nor which budget has which keys.
fn faults(text: &str) -> (Sources, Vec<Diagnostic>) {
    const UNKNOWN: &[&str] = &[
        "a second statement begins on the same line",
        "is neither a number nor a duration",
        "is not an escape",
        "are out of order",
        "is not an integer",
    ];
    const BUDGETS: &[&str] = &["limit", "grace", "gate", "unit", "charge", "each", "as", "meters"];
    let (sources, _, mut findings) = parse("a.loop", text);
    findings.retain(|d| {
        let form =
            matches!(d.rule.slug(), "loop-syntax" | "expression-syntax" | "unknown-key" | "unknown-kind");
        let name = d.rule.slug() == "invalid-name" && !sources.slice(d.span()).starts_with(['\'', '"']);
        let budget = d.rule.slug() == "unknown-key"
            && ["a budget", "a family"].iter().any(|what| d.message.starts_with(what))
            && BUDGETS.iter().any(|key| d.message.ends_with(&format!("no key `{key}`")));
        (form || name) && !budget && !UNKNOWN.iter().any(|part| d.message.contains(part))
    });
    (sources, findings)
}

fn by_grammar(text: &str) -> Result<(), String> {
    Grammar::parse(Rule::file, text).map(drop).map_err(|fault| fault.to_string())
}

#[test]
fn the_grammar_reads_what_is_read_by_hand() {
    for case in accepted() {
        let (_, faults) = faults(&case);
        assert!(faults.is_empty(), "accepted by the grammar, refused by hand: {faults:?}\n{case}");
        assert_eq!(by_grammar(&case), Ok(()), "accepted by hand, refused by the grammar:\n{case}");
    }
    for case in cases(&fixture("refused.txt")) {
        assert!(!faults(&case).1.is_empty(), "refused by the grammar, accepted by hand:\n{case}");
        assert!(by_grammar(&case).is_err(), "accepted by the grammar:\n{case}");
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("it has 31 bits") % sides
    }
}

/// The declarations of a text, each with its comments and the lines that are indented under it.
fn declarations(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        let inside = line.starts_with([' ', '}', '\n']) || line.starts_with("'''");
        match all.last_mut() {
            Some(last) if inside => last.push_str(line),
            _ => all.push(line.to_owned()),
        }
    }
    all
}

/// A text with up to three of its tokens lost, doubled, exchanged or put in.
fn changed(text: &str, dice: &mut Dice) -> String {
    const TOKEN: &str = r#"'''(?s:.)*?'''|'[^'\n]*'|"[^"\n]*"|\w+|->|==|&&|\|\||\?\?|\+=|!=|[ \t]+|\n|."#;
    const PUT: [&str; 26] = [
        "{", "}", "(", ")", "[", "]", ",", ":", "=", "->", " ", "\n", ";", "'t'", "1", "x", "when", "do",
        "on", "if", "choice", "tool", "state", "-", ".", "==",
    ];
    let tokens = regex::Regex::new(TOKEN).expect("the pattern is one");
    let mut parts: Vec<&str> = tokens.find_iter(text).map(|found| found.as_str()).collect();
    for _ in 0..=dice.roll(3) {
        if parts.len() < 2 {
            break;
        }
        let at = dice.roll(parts.len());
        let other = dice.roll(parts.len());
        match dice.roll(6) {
            0 | 1 => drop(parts.remove(at)),
            2 => parts.insert(at, parts[at]),
            3 => parts.swap(at, other),
            4 => parts.insert(at, parts[other]),
            _ => parts.insert(at, PUT[dice.roll(PUT.len())]),
        }
    }
    parts.concat()
}

fn is_odd(name: &Name) -> bool {
    !name.value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        || name.value.starts_with(|c: char| c.is_ascii_digit())
}

fn leads_to_odd(node: &NodeDecl) -> bool {
    let mut targets =
        node.edges.iter().flatten().map(|edge| &edge.to).chain(node.start.iter().map(|start| &start.to));
    targets.any(is_odd) || node.nodes.iter().any(leads_to_odd)
}

#[test]
fn both_accept_the_same_changed_texts() {
    let texts: Vec<String> = accepted().iter().flat_map(|text| declarations(text)).collect();
    let mut dice = Dice(3);
    let (mut read, mut refused) = (0, 0);
    let rounds = std::env::var("LOOPWRIGHT_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_500);
    let mut differ = Vec::new();
    for _ in 0..rounds {
        let text = changed(&texts[dice.roll(texts.len())], &mut dice);
        let (_, tree, said) = parse("a.loop", &text);
        let twice = said.iter().any(|d| d.rule.slug() == "duplicate-key");
        if twice || tree.start.iter().any(|start| is_odd(&start.to)) || tree.nodes.iter().any(leads_to_odd) {
            // What is given twice is left out by hand, whatever it is. That a target is no name is told where it is
            // declared, or by the model when it is not.
            continue;
        }
        let (sources, faults) = faults(&text);
        let grammar = by_grammar(&text);
        read += u32::from(grammar.is_ok());
        refused += u32::from(grammar.is_err());
        if grammar.is_ok() != faults.is_empty() {
            let said = loopwright::diag::text::render(&faults, &sources, false);
            differ.push(format!("{text}\n---- by hand: {said}\n---- by the grammar: {grammar:?}"));
        }
    }
    assert!(differ.is_empty(), "{} of {rounds} differ:\n{}", differ.len(), differ.join("\n==========\n"));
    assert!(read > rounds / 10 && refused > rounds / 10, "{read} read, {refused} refused");
}
