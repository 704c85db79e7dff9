//! The grammar as it is shipped, beside the reader of whole `.loop` files: both accept the same, and put the expressions,
//! types and statements that stand in them where the other one puts them.

use std::collections::BTreeSet;

use loopwright::check::check_file;
use loopwright::diag::{Diagnostic, Severity};
use loopwright::model::Files;
use loopwright::source::Sources;
use loopwright::syntax::tree::Tree;
use pest_vm::Vm;

use super::shipped::{JUDGED, Parts, by_grammar, graphs, shipped};
use crate::dice::{Dice, rounds, tokens};
use crate::loop_dsl::{fixture, parse};
use crate::loop_grammar::{PUT, accepted, cases};

/// The places of all that has one in a tree, by what has it. They are taken from its debug form, which leaves nothing out.
fn places(tree: &Tree) -> BTreeSet<(String, usize, usize)> {
    let shown = format!("{tree:#?}");
    let (mut open, mut found, mut start) = (Vec::new(), BTreeSet::new(), 0);
    for line in shown.lines().map(str::trim) {
        let number = |name| line.strip_prefix(name)?.strip_suffix(',')?.parse().ok();
        if let Some(name) = line.strip_suffix([' ', '{', '(', '[']) {
            open.push(name.trim_end());
        } else if line.starts_with(['}', ')', ']']) {
            open.pop();
        } else if open.last() != Some(&"span: Span") {
        } else if let Some(at) = number("start: ") {
            start = at;
        } else if let Some(end) = number("end: ") {
            let of = open[open.len() - 2];
            found.insert((of.rsplit(' ').next().unwrap_or(of).to_owned(), start, end));
        }
    }
    found
}

/// Holds that the parts of a text that is accepted stand in its tree.
fn hold(text: &str, parts: &Parts, tree: &Tree) {
    let read = places(tree);
    let holds = |of: &[&str], (start, end): (usize, usize)| {
        assert!(
            of.iter().any(|of| read.contains(&((*of).to_owned(), start, end))),
            "{of:?}: `{}` at {start}..{end} of\n{text}\n{read:?}",
            &text[start..end]
        );
    };
    // The name of a text is no expression.
    parts.expressions.iter().for_each(|part| holds(&["Expr", "Spanned"], *part));
    parts.types.iter().for_each(|part| holds(&["TypeExpr"], *part));
    parts.statements.iter().for_each(|part| holds(&["Statement"], *part));
    let counted = |of: &str| read.iter().filter(|(name, ..)| name == of).count();
    assert_eq!(
        (counted("TypeExpr"), counted("Statement")),
        (parts.types.len(), parts.statements.len()),
        "{text}"
    );
}

/// Holds that both accept a text or none does, and where they put its parts. Whether it is accepted.
fn agree(grammar: &Vm, text: &str) -> bool {
    let (_, tree, mut found) = parse("a.loop", text);
    found.retain(|d| d.severity == Severity::Error);
    let Some(parts) = by_grammar(grammar, "file", text) else {
        // That the name of a target is none is told by who knows the names.
        let told = !found.is_empty() || {
            let mut files = Files::new().with("a.loop", text);
            !check_file(&mut Sources::new(), &mut files, "a.loop").is_sound()
        };
        assert!(told, "read, and refused by the grammar:\n{text}");
        return false;
    };
    let judged = |d: &Diagnostic| {
        !d.rule.slug().ends_with("-syntax") || JUDGED.iter().any(|part| d.message.contains(part))
    };
    assert!(found.iter().all(judged), "accepted by the grammar:\n{text}\n{found:?}");
    if found.is_empty() {
        hold(text, &parts, &tree);
    }
    true
}

#[test]
fn the_shipped_grammar_reads_files() {
    let grammar = shipped();
    let mut texts = graphs();
    texts.extend(accepted());
    for text in &texts {
        assert!(agree(&grammar, text), "refused:\n{text}");
    }
    for text in cases(&fixture("refused.txt")) {
        agree(&grammar, &text);
    }
    // A long one takes long, and shows no more.
    texts.retain(|text| text.len() < 3_000);
    let (tokens, mut dice) = (tokens(), Dice::new(5));
    let (rounds, mut accepted) = (rounds(2_000), 0);
    for _ in 0..rounds {
        let text = &texts[dice.below(texts.len())];
        accepted += u32::from(agree(&grammar, &dice.changed(text, &tokens, &PUT)));
    }
    assert!(accepted > rounds / 10 && accepted < rounds / 10 * 9, "{accepted} of {rounds} are accepted");
}
