//! A diff for people: what belongs together under one head, one change a line where it fits.

use std::fmt::Write;

use super::{Change, ChangeEffect, ChangeSide, Diff};
use crate::source::Sources;
use crate::source::display::{self, line};

/// Two texts that are together longer than this are on lines of their own, in characters.
const MAX_LINE_CHARS: usize = 70;
/// Longer texts are cut, in lines.
const MAX_LINES: usize = 20;

/// Colours of a terminal, or nothing. What is painted is written out first, so that no colour but these is in the text.
struct Paint(bool);

impl Paint {
    fn put(&self, code: &str, text: &str) -> String {
        let text = display::lines(text);
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.into_owned() }
    }

    fn gone(&self, text: &str) -> String {
        self.put("31", text)
    }

    fn added(&self, text: &str) -> String {
        self.put("32", text)
    }

    fn faint(&self, text: &str) -> String {
        self.put("2", text)
    }

    fn strong(&self, text: &str) -> String {
        self.put("1", text)
    }
}

/// The diff as text. `colour` adds terminal colours.
#[must_use]
pub fn render(diff: &Diff, sources: &Sources, colour: bool) -> String {
    let paint = Paint(colour);
    let mut out = String::new();
    let mut head = None;
    for change in &diff.changes {
        let group = group(change);
        if head.as_ref() != Some(&group) {
            if head.is_some() {
                out.push('\n');
            }
            let _ = writeln!(out, "{}", paint.strong(&line(&group)));
            head = Some(group);
        }
        one(change, sources, &paint, &mut out);
    }
    let bounds = diff.bound_changes();
    if !out.is_empty() && !bounds.is_empty() {
        let _ = writeln!(out, "\n{}", paint.strong("bound"));
        for (name, before, after) in bounds {
            let _ = writeln!(out, "  ~ {name}: {} -> {}", paint.gone(&before), paint.added(&after));
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out + &summary(diff)
}

/// The summary, on one line.
#[must_use]
pub fn summary(diff: &Diff) -> String {
    let total = diff.changes.len();
    if total == 0 {
        return "no difference\n".to_owned();
    }
    let say = |effect: ChangeEffect, words: &str| match diff.count(effect) {
        0 => None,
        n => Some(format!("{n} {words}")),
    };
    let parts = [
        say(ChangeEffect::Run, "in what runs do"),
        say(ChangeEffect::Order, "in order only"),
        say(ChangeEffect::Shown, "in what is shown only"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let noun = if total == 1 { "difference" } else { "differences" };
    let same = if diff.same_program() { "; runs go the same way" } else { "" };
    format!("{total} {noun}: {}{same}\n", parts.join(", "))
}

/// The heading of a change: its node or section.
fn group(change: &Change) -> String {
    let path = own(change);
    let mut words = path.split('.');
    let first = words.next().unwrap_or_default();
    let head = match (first, words.next()) {
        ("nodes", Some(node)) => format!("node {node}"),
        ("" | "graph" | "title" | "doc" | "version" | "start" | "pause", _) => "graph".to_owned(),
        (section, _) => section.to_owned(),
    };
    match &change.graph {
        Some(graph) => format!("{graph}: {head}"),
        None => head,
    }
}

/// The path within its graph.
fn own(change: &Change) -> &str {
    let prefix = change.graph.as_ref().map_or(0, |graph| "graphs..".len() + graph.len());
    change.path.get(prefix..).unwrap_or_default()
}

/// The rest of the path under the heading.
fn rest(change: &Change) -> &str {
    let path = own(change);
    let skip = if path.starts_with("nodes.") { 2 } else { usize::from(group(change) != "graph") };
    let mut rest = path;
    for _ in 0..skip {
        rest = rest.split_once('.').map_or("", |(_, rest)| rest);
    }
    rest
}

fn one(change: &Change, sources: &Sources, paint: &Paint, out: &mut String) {
    let name = rest(change);
    let mark = match (&change.before, &change.after) {
        (None, Some(_)) => paint.added("+"),
        (Some(_), None) => paint.gone("-"),
        _ => "~".to_owned(),
    };
    let label = match change.kind.slug {
        "node-added" | "node-removed" => String::new(),
        "edge-moved" | "order-changed" | "branch-order-changed" | "field-order-changed" => {
            format!("{name} order").trim().to_owned()
        }
        "node-renamed" | "action-renamed" => format!("{name} name").trim().to_owned(),
        _ => name.to_owned(),
    };
    let mut begun = format!("  {mark} {}", line(&label));
    if change.path.ends_with(']') || change.path.contains("].") {
        let _ = write!(begun, " {}", paint.faint(&format!("({})", line(edge_of(change)))));
    }
    let texts = (text(change.before.as_ref()), text(change.after.as_ref()));
    let counted = matches!(change.kind.slug, "node-added" | "node-removed").then(|| counted(texts));
    let texts = match (&counted, texts) {
        (Some(text), (Some(_), _)) => (Some(text.as_str()), None),
        (Some(text), _) => (None, Some(text.as_str())),
        (None, texts) => texts,
    };
    let fits = |text: &str| !text.contains('\n');
    let short = match texts {
        (Some(one), Some(other)) => {
            let fit =
                fits(one) && fits(other) && one.chars().count() + other.chars().count() <= MAX_LINE_CHARS;
            fit.then(|| format!("{} -> {}", paint.gone(one), paint.added(other)))
        }
        (Some(one), None) => fits(one).then(|| paint.gone(one)),
        (None, Some(other)) => fits(other).then(|| paint.added(other)),
        (None, None) => Some(String::new()),
    };
    let separator = if label.is_empty() { "" } else { ": " };
    let places = paint.faint(&places(change, sources));
    match short {
        Some(short) if short.is_empty() => {
            let _ = writeln!(out, "{begun}  {places}");
        }
        Some(short) => {
            let _ = writeln!(out, "{begun}{separator}{short}  {places}");
        }
        None => {
            let _ = writeln!(out, "{}  {places}", begun.trim_end());
            for (sign, text) in lines(texts.0.unwrap_or_default(), texts.1.unwrap_or_default()) {
                let text = format!("      {sign} {text}");
                let painted = match sign {
                    '-' => paint.gone(&text),
                    '+' => paint.added(&text),
                    _ => paint.faint(&text),
                };
                let _ = writeln!(out, "{}", painted.trim_end());
            }
        }
    }
}

/// A node that came or went: its kind and how many edges it has. The file says the rest.
fn counted((before, after): (Option<&str>, Option<&str>)) -> String {
    let text = before.or(after).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    let kind = first.strip_prefix("kind: ").unwrap_or(first);
    match text.lines().filter(|line| line.starts_with("-> ")).count() {
        0 => kind.to_owned(),
        1 => format!("{kind} with 1 edge"),
        edges => format!("{kind} with {edges} edges"),
    }
}

/// The edge a change is in: `-> exit`.
fn edge_of(change: &Change) -> &str {
    let owner = change.owner.strip_prefix("edge ").unwrap_or(&change.owner);
    owner.split(" of the ").next().unwrap_or_default()
}

fn text(part: Option<&ChangeSide>) -> Option<&str> {
    part.map(|part| part.text.as_str())
}

fn places(change: &Change, sources: &Sources) -> String {
    let place = |part: &ChangeSide| {
        let (row, column) = sources.line_col(part.span);
        format!("{}:{row}:{column}", line(sources.name(part.span.file)))
    };
    let all: Vec<String> = [&change.before, &change.after].into_iter().flatten().map(place).collect();
    all.join(" ")
}

/// The lines that differ, with one equal line around them.
fn lines<'t>(before: &'t str, after: &'t str) -> Vec<(char, &'t str)> {
    let split =
        |text: &'t str| -> Vec<&'t str> { if text.is_empty() { Vec::new() } else { text.lines().collect() } };
    let (old, new) = (split(before), split(after));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let mut out = Vec::new();
    out.extend(head.checked_sub(1).map(|at| (' ', old[at])));
    let cut = |sign: char, lines: &[&'t str], out: &mut Vec<(char, &'t str)>| {
        out.extend(lines.iter().take(MAX_LINES).map(|line| (sign, *line)));
        if lines.len() > MAX_LINES {
            out.push((sign, "…"));
        }
    };
    cut('-', &old[head..old.len() - tail], &mut out);
    cut('+', &new[head..new.len() - tail], &mut out);
    if tail > 0 {
        out.push((' ', old[old.len() - tail]));
    }
    out
}
