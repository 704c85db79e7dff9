//! Reading a list of statements that has a fault: part by part, so that each fault is reported and the rest is still judged.

use pest::iterators::Pair;

use super::build::Builder;
use super::fault::Fault;
use super::grammar::{self, Rule};
use super::split::{Split, SplitPart, split};
use super::statement::part;
use super::{message, nesting};
use crate::source::{Fragment, Span};
use crate::syntax::ast::{Block, StatementKind};

/// The statements without a fault, and the faults of the others.
pub(super) fn statements(fragment: &Fragment) -> (Block, Vec<Fault>) {
    let text = fragment.text.as_str();
    let Split { tokens, parts, mut wholes, faults: braces, strays, unclosed } = split(text);
    let mut faults = Vec::new();
    // Tokens alone: what looks like a comment of another language is none here.
    let mut sound = vec![b' '; text.len()];
    for token in tokens {
        sound[token.start..token.end].copy_from_slice(&text.as_bytes()[token.start..token.end]);
    }
    let mut read = vec![false; text.len() + 1];
    for part in &parts {
        read[part.start..part.end].fill(true);
        let found = faults_of(fragment, part);
        match part.of {
            _ if found.is_empty() => {}
            Some(whole) => wholes[whole].faulty = true,
            None => sound[part.start..part.end].fill(b' '),
        }
        faults.extend(found);
    }
    for whole in wholes.iter().filter(|whole| whole.faulty) {
        sound[whole.start..whole.end].fill(b' ');
    }
    faults.extend(braces);
    faults.extend(strays.into_iter().filter(|stray| !read[stray.start]));
    faults.sort_by_key(|fault| fault.start);
    faults.dedup();
    faults.extend(unclosed.iter().take(nesting::MAX_NESTING).map(|brace| {
        Fault::syntax((brace.start, brace.end), "this `{` is not closed").help("a `}` is wanted")
    }));
    let mut sound = String::from_utf8(sound).unwrap_or_default();
    // What is open was reported, and ends with the text.
    sound.push('\n');
    sound.extend(unclosed.iter().map(|_| '}'));
    (read_sound(fragment, &sound).unwrap_or_default(), faults)
}

/// The statements of a text in which faulty ones were blanked out. Their faults were reported.
fn read_sound(fragment: &Fragment, sound: &str) -> Option<Block> {
    nesting::check(sound).ok()?;
    let pair = grammar::parse(Rule::block_text, sound).ok()?;
    let mut block = Builder { fragment, base: 0 }.statements(pair, &mut Vec::new());
    end_within(&mut block, fragment.whole());
    Some(block)
}

/// Ends the statements whose braces were added where the text ends.
fn end_within(mut block: &mut Block, whole: Span) {
    while let Some(last) = block.statements.last_mut() {
        last.span.end = last.span.end.min(whole.end);
        block = match &mut last.kind {
            StatementKind::If(_, Some(block)) | StatementKind::For(_, _, block) => block,
            StatementKind::If(arms, None) => match arms.last_mut() {
                Some((_, block)) => block,
                None => return,
            },
            _ => return,
        };
    }
}

/// The faults of one part, which its rule reads by itself.
fn faults_of(fragment: &Fragment, part: &SplitPart) -> Vec<Fault> {
    let text = fragment.text.get(part.start..part.end).unwrap_or_default();
    let mut faults = Vec::new();
    let read = nesting::check(text).and_then(|()| {
        let pair =
            grammar::parse(part.rule, text).map_err(|stop| message::explain(part.rule, text, &stop))?;
        build(Builder { fragment, base: part.start }, part.rule, pair, &mut faults)
    });
    faults.extend(read.err());
    faults.into_iter().map(|fault| fault.shifted(part.start)).collect()
}

/// Judges what the grammar cannot: names, numbers, escapes, lengths.
fn build(
    builder: Builder<'_>,
    rule: Rule,
    pair: Pair<'_, Rule>,
    faults: &mut Vec<Fault>,
) -> Result<(), Fault> {
    let mut parts = pair.into_inner();
    match rule {
        Rule::expr_text => builder.expr(part(&mut parts)?).map(drop),
        Rule::for_head_text => {
            builder.loop_names(&mut parts)?;
            builder.expr(part(&mut parts)?).map(drop)
        }
        _ => {
            builder.statement(part(&mut parts)?, faults);
            Ok(())
        }
    }
}
