//! Explorations as text and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::report::{Exploration, Finding};
use super::run_work::AMOUNTS;
use crate::scenario::NamedPart;
use crate::source::display::line;
use crate::source::{Sources, Span};

/// Lists are cut after so many lines.
const MAX_LISTED: usize = 20;

/// An exploration as text for people.
#[must_use]
pub fn text(found: &Exploration, sources: &Sources) -> String {
    let mut out = extent(found);
    out.push_str("\noutcomes\n");
    for (end, inputs) in &found.outcomes {
        let mark = if end.ok { "" } else { " (no success)" };
        let outcome = if end.outcome.is_empty() { "(none)".into() } else { line(&end.outcome) };
        let _ = writeln!(out, "  {outcome}{mark}  after {}", counted(*inputs as u64, "answer"));
    }
    if !found.missed.is_empty() {
        out.push_str("\nnever taken\n");
        let lines = found
            .missed
            .iter()
            .map(|own| format!("{}  {}", place(own.span, sources), line(&missed_name(own))));
        listed(&mut out, lines.collect());
    }
    out += &sampled(found, sources);
    out += &longest(found);
    for finding in &found.findings {
        finding_text(&mut out, finding, sources);
    }
    let _ = writeln!(out, "\n{}", verdict(found));
    out
}

/// The longest run beside its bound; nothing where the space was not searched in full.
fn longest(found: &Exploration) -> String {
    let Some(longest) = found.longest else { return String::new() };
    let amounts = longest.into_iter().zip(found.bound).zip(AMOUNTS);
    let amounts: Vec<String> = amounts
        .filter(|((most, bound), _)| *most > 0 || bound.is_none_or(|bound| bound > 0))
        .map(|((most, bound), what)| {
            let of = bound.map(|bound| format!(" of {bound} at most")).unwrap_or_default();
            format!("{}{of}", counted(most, what))
        })
        .collect();
    format!("\nlongest run: {}\n", amounts.join(", "))
}

/// The number of states, and how far the search went.
#[must_use]
pub fn extent(found: &Exploration) -> String {
    let mut out = String::new();
    let Exploration { states, transitions, depth, walks, .. } = found;
    let answers = counted(u64::from(*depth), "answer");
    let _ = writeln!(
        out,
        "{}: {} in {answers}, {}",
        line(&found.graph),
        counted(*states as u64, "state"),
        counted(*transitions, "transition")
    );
    if *walks > 0 {
        let _ = writeln!(out, "then {}", counted(*walks, "random walk"));
    }
    out
}

/// The fields that are sampled; nothing where there are none.
#[must_use]
pub fn sampled(found: &Exploration, sources: &Sources) -> String {
    let mut out = String::new();
    if !found.sampled.is_empty() {
        out.push_str("\nsampled, so that other values may do something else\n");
        let lines = found.sampled.iter().map(|own| {
            let at = if own.span == Span::default() {
                String::new()
            } else {
                format!(", {}", place(own.span, sources))
            };
            if own.name.is_empty() {
                format!("{}{at}", own.why)
            } else {
                format!("{}: it is {}{at}", line(&own.name), own.why)
            }
        });
        listed(&mut out, lines.collect());
    }
    out
}

fn finding_text(out: &mut String, finding: &Finding, sources: &Sources) {
    let _ = writeln!(out, "\nFOUND  {}  ({})", line(&finding.message), place(finding.span, sources));
    let _ = writeln!(out, "       after {}", counted(finding.inputs as u64, "answer"));
    match &finding.scenario {
        Ok(scenario) => scenario.lines().for_each(|line| {
            let _ = writeln!(out, "  {line}");
        }),
        Err(why) => {
            let _ = writeln!(out, "  no scenario file can show it: {}", line(why));
        }
    }
}

/// The verdict of an exploration, with the runs that it is about.
#[must_use]
pub fn verdict(found: &Exploration) -> String {
    let runs = match (found.is_whole, found.sampled.is_empty()) {
        (true, true) => "all runs".to_owned(),
        (false, true) => format!("all runs of up to {}", counted(u64::from(found.depth), "answer")),
        (true, false) => "all runs with the values that were tried".to_owned(),
        (false, false) => {
            format!(
                "all runs of up to {} with the values that were tried",
                counted(u64::from(found.depth), "answer")
            )
        }
    };
    match found.findings.len() {
        0 => format!("nothing found in {runs}"),
        count => format!("{} in {runs}", counted(count as u64, "finding")),
    }
}

fn listed(out: &mut String, lines: Vec<String>) {
    let more = lines.len().saturating_sub(MAX_LISTED);
    for line in lines.into_iter().take(MAX_LISTED) {
        let _ = writeln!(out, "  {line}");
    }
    if more > 0 {
        let _ = writeln!(out, "  {more} more");
    }
}

/// `edge a -> b`
fn missed_name(own: &NamedPart) -> String {
    format!("{} {}", own.part.word(), own.name)
}

fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

fn place(span: Span, sources: &Sources) -> String {
    crate::scenario::print::place(span, sources)
}

/// An exploration as JSON.
#[must_use]
pub fn json(found: &Exploration, sources: &Sources) -> Json {
    let at = |span: Span| if span == Span::default() { Json::Null } else { place(span, sources).into() };
    let outcome = |(end, inputs): &(super::search::RunEnd, usize)| json!({"outcome": end.outcome.as_str(), "ok": end.ok, "answers": inputs});
    let missed = |own: &NamedPart| json!({"name": missed_name(own), "at": at(own.span)});
    let sampled =
        |own: &super::report::SampledPlace| json!({"name": own.name, "why": own.why, "at": at(own.span)});
    let finding = |own: &Finding| {
        let (scenario, unsaid) = match &own.scenario {
            Ok(text) => (Json::from(text.as_str()), Json::Null),
            Err(why) => (Json::Null, Json::from(why.as_str())),
        };
        json!({"message": own.message, "at": at(own.span), "answers": own.inputs, "scenario": scenario, "no_scenario": unsaid})
    };
    json!({
        "v": 1,
        "graph": found.graph.as_str(),
        "verdict": verdict(found),
        "states": found.states,
        "inputs": found.inputs,
        "transitions": found.transitions,
        "depth": found.depth,
        "whole": found.is_whole,
        "walks": found.walks,
        "outcomes": found.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        "missed": found.missed.iter().map(missed).collect::<Vec<_>>(),
        "sampled": found.sampled.iter().map(sampled).collect::<Vec<_>>(),
        "longest": found.longest.map(|longest| amounts(longest.map(Some))),
        "bound": amounts(found.bound),
        "findings": found.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn amounts([transitions, model_calls, tool_calls]: [Option<u64>; 3]) -> Json {
    json!({"transitions": transitions, "model_calls": model_calls, "tool_calls": tool_calls})
}
