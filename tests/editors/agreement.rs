//! The parser of the editors and our own reader accept the same files.

use loopwright::diag::{Diagnostic, Severity};
use pest_vm::Vm;

use super::reader::{program, verdicts};
use super::texts::{all, changed};
use crate::dice::{Dice, rounds, tokens};
use crate::expr::shipped::{by_grammar, shipped};
use crate::loop_dsl::parse;

/// Faults of another kind that stand for a whole text, expression or name: what else is wrong there is not looked for.
const HIDING: [&str; 8] = [
    "control-character",
    "duplicate-key",
    "expression-limit",
    "number-range",
    "reserved-word",
    "too-large",
    "unknown-name",
    "unsupported-literal",
];

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Verdict {
    Accepted,
    Refused,
    /// Another fault may hide one of the syntax.
    Open,
}

/// The verdict of our reader: a file is refused by the grammar, or by a finding of the syntax.
fn ours(grammar: &Vm, text: &str) -> Verdict {
    let (_, _, mut found) = parse("a.loop", text);
    found.retain(|d: &Diagnostic| d.severity == Severity::Error);
    let has = |test: &dyn Fn(&str) -> bool| found.iter().any(|d| test(d.rule.slug()));
    if has(&|slug| slug.ends_with("-syntax")) {
        Verdict::Refused
    } else if has(&|slug| HIDING.contains(&slug)) {
        Verdict::Open
    } else if by_grammar(grammar, "file", text).is_none() {
        Verdict::Refused
    } else {
        Verdict::Accepted
    }
}

/// Counts of verdicts: accepted, refused, open.
fn agree(grammar: &Vm, texts: &[String]) -> Option<[usize; 3]> {
    let theirs = verdicts(&program()?, texts);
    let (mut counts, mut faults) = ([0; 3], Vec::new());
    for (text, theirs) in texts.iter().zip(theirs) {
        let ours = ours(grammar, text);
        counts[ours as usize] += 1;
        let same = match ours {
            Verdict::Accepted => theirs.is_none(),
            Verdict::Refused => theirs.is_some(),
            Verdict::Open => true,
        };
        if !same {
            faults.push(format!("{ours:?} by us, by tree-sitter {theirs:?}:\n{text}\n"));
        }
    }
    let shortest = faults.iter().min_by_key(|fault| fault.len());
    assert!(faults.is_empty(), "{} of {} differ, the shortest:\n{}", faults.len(), texts.len(), shortest?);
    Some(counts)
}

#[test]
fn all_texts_of_the_repository_have_one_verdict() {
    let texts = all();
    assert!(texts.len() > 200, "{} texts", texts.len());
    let Some(counts) = agree(&shipped(), &texts) else { return };
    println!("{} texts: {counts:?} accepted, refused, open", texts.len());
    assert!(counts[0] > 60 && counts[1] > 60, "{counts:?}");
}

#[test]
fn changed_texts_have_one_verdict() {
    let (grammar, tokens, mut dice) = (shipped(), tokens(), Dice::new(seed()));
    // A long one takes long, and shows no more; a broken one is refused still.
    let sound = |text: &String| text.len() < 3_000 && ours(&grammar, text) == Verdict::Accepted;
    let texts: Vec<_> = all().into_iter().filter(sound).collect();
    let change = |_| {
        let at = dice.below(texts.len());
        changed(&texts[at], &tokens, &mut dice)
    };
    let texts: Vec<_> = (0..rounds(1_000)).map(change).collect();
    let Some(counts) = agree(&grammar, &texts) else { return };
    println!("{} texts: {counts:?} accepted, refused, open", texts.len());
    assert!(counts[0] * 10 > texts.len() && counts[1] * 10 > texts.len(), "{counts:?}");
}

/// The number that decides the changes: that of `LOOPWRIGHT_SEED`, or always the same.
fn seed() -> u64 {
    std::env::var("LOOPWRIGHT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(11)
}
