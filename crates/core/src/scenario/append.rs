//! Scenarios put after those of a file, whose own text stays as it is.

use thiserror::Error;

use super::record::ScenarioItem;
use crate::source::FileId;
use crate::syntax::yaml::{self, Node, NodeKind};

/// The columns before the dash in the text of an item.
const ITEM_INDENT: usize = 2;

/// A reason for which nothing can be put at the end of a list of scenarios without a change of what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ListRefusal {
    /// Another section comes after the list.
    #[error("`scenarios` is not the last section: move it to the end of the file")]
    NotLast,
    /// The list is in brackets.
    #[error("`scenarios` is a list in brackets: write it as `- …`, one scenario an item")]
    InBrackets,
    /// The file is a mapping in braces.
    #[error("the file is one mapping in braces: write `graph:` and `scenarios:` on lines of their own")]
    InBraces,
    /// There is no list.
    #[error("there is no list `scenarios`: write `scenarios:` as the last line")]
    NoList,
    /// What follows would be part of the last text.
    #[error("the last text of the file has no end of its line, which is part of it: end the line")]
    OpenText,
}

/// The text of a scenario file with more scenarios at its end. All that was there is its beginning, byte for byte.
///
/// # Errors
/// The reason for which that cannot be.
pub fn append(text: &str, items: &[ScenarioItem]) -> Result<String, ListRefusal> {
    let document = yaml::parse(text, FileId(0), &mut Vec::new());
    let Some(Node { kind: NodeKind::Mapping(entries), span }) = &document.root else {
        return Err(ListRefusal::NoList);
    };
    if text[span.start as usize..].starts_with('{') {
        return Err(ListRefusal::InBraces);
    }
    let at = entries.iter().position(|entry| entry.key.text == "scenarios").ok_or(ListRefusal::NoList)?;
    if at + 1 < entries.len() {
        return Err(ListRefusal::NotLast);
    }
    let indent = match &entries[at].value.kind {
        NodeKind::Sequence(own) => match own.first() {
            Some(first) => dash_column(text, first).ok_or(ListRefusal::InBrackets)?,
            None => return Err(ListRefusal::InBrackets),
        },
        NodeKind::Scalar(scalar) if scalar.is_empty() && scalar.span.start == scalar.span.end => ITEM_INDENT,
        _ => return Err(ListRefusal::NoList),
    };
    let is_open = !text.ends_with('\n');
    let is_whole = ends_in_whole_block(text);
    if is_open && is_whole {
        return Err(ListRefusal::OpenText);
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = text.to_owned();
    if is_open {
        out += line_end;
    }
    // Scenarios that have empty lines between them have one before those that follow.
    let is_spaced =
        !matches!(&entries[at].value.kind, NodeKind::Sequence(own) if own.len() > 1 && !has_space(text, own));
    for (number, item) in items.iter().enumerate() {
        let is_part_of_text = is_whole && number == 0;
        if is_spaced
            && !is_part_of_text
            && !out.ends_with(&format!(":{line_end}"))
            && !out.ends_with(&line_end.repeat(2))
        {
            out += line_end;
        }
        for line in shifted(item, indent) {
            out += &line;
            out += line_end;
        }
    }
    Ok(out)
}

/// The lines of an item with its dash in a column.
fn shifted(item: &ScenarioItem, indent: usize) -> impl Iterator<Item = String> {
    let pad = " ".repeat(indent);
    let comment = item.comment.iter().map(|comment| format!("{pad}# {comment}"));
    let lines = item.text.lines().map(|line| match line.get(ITEM_INDENT..) {
        Some(rest) if !line.trim().is_empty() => format!("{pad}{rest}"),
        _ => String::new(),
    });
    comment.chain(lines).collect::<Vec<_>>().into_iter()
}

/// The column of the dash before an item; none in brackets.
fn dash_column(text: &str, item: &Node<'_>) -> Option<usize> {
    let before = &text[..item.span.start as usize];
    let dash = before.rfind(['-', '[', ',']).filter(|at| before.as_bytes()[*at] == b'-')?;
    let line = before[..dash].rfind('\n').map_or(0, |end| end + 1);
    before[line..dash].chars().all(|c| c == ' ').then_some(dash - line)
}

/// True if an empty line lies between the last two of some items.
fn has_space(text: &str, items: &[Node<'_>]) -> bool {
    let Some([.., one, other]) = items.get(items.len().saturating_sub(2)..) else { return true };
    let between = &text[one.span.start as usize..other.span.start as usize];
    between.lines().any(|line| line.trim().is_empty())
}

/// True for a text whose last line may be that of a block scalar in which empty lines at its end count.
fn ends_in_whole_block(text: &str) -> bool {
    let mut lines = text.lines().rev();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(mut inner) = lines.next().map(indent) else { return false };
    for line in lines.filter(|line| !line.trim().is_empty()) {
        if indent(line) < inner {
            let header = line.split(" #").next().unwrap_or_default();
            let sign = header.split_whitespace().next_back().unwrap_or_default();
            if sign.starts_with(['|', '>']) && sign.contains('+') {
                return true;
            }
            inner = indent(line);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{ListRefusal, append};
    use crate::scenario::ScenarioItem;

    fn item(name: &str) -> ScenarioItem {
        ScenarioItem { text: format!("  - name: {name}\n    expect:\n      ok: true\n"), comment: None }
    }

    #[test]
    fn items_take_the_column_of_those_that_are_there() {
        for (text, wanted) in [
            ("graph: g\nscenarios:\n- name: a\n", "- name: b\n  expect:\n    ok: true\n"),
            ("graph: g\nscenarios:\n    - name: a", "\n\n    - name: b\n      expect:\n        ok: true\n"),
            (
                "graph: g\nscenarios:\n  - name: >+ # all\n      a\n",
                "  - name: b\n    expect:\n      ok: true\n",
            ),
            ("graph: g\nscenarios:\n  - name: |\n      a", "\n  - name: b\n    expect:\n      ok: true\n"),
            ("graph: g\nscenarios:\n  -\n    name: a\n", "  - name: b\n    expect:\n      ok: true\n"),
            ("graph: g\nscenarios:\n", "  - name: b\n    expect:\n      ok: true\n"),
            (
                "graph: g\nscenarios:\n  - {name: a}\n  - {name: c}\n",
                "  - name: b\n    expect:\n      ok: true\n",
            ),
            ("graph: g\r\nscenarios:\r\n- name: a\r\n", "\r\n- name: b\r\n  expect:\r\n    ok: true\r\n"),
        ] {
            let out = append(text, &[item("b")]).expect("it can be appended");
            let added = out.strip_prefix(text).expect("what was there is the beginning");
            assert_eq!(added.trim_start_matches('\n'), wanted.trim_start_matches('\n'), "{text}");
        }
    }

    #[test]
    fn other_layouts_are_refused() {
        for (text, wanted) in [
            ("scenarios:\n  - name: a\ngraph: g\n", ListRefusal::NotLast),
            ("graph: g\nscenarios: [{name: a}]\n", ListRefusal::InBrackets),
            ("graph: g\nscenarios: []\n", ListRefusal::InBrackets),
            ("graph: g\nscenarios:\n  [{name: -a}]\n", ListRefusal::InBrackets),
            ("{graph: g, scenarios: [{name: a}]}\n", ListRefusal::InBraces),
            ("graph: g\n", ListRefusal::NoList),
            ("graph: g\nscenarios:\n  - name: |+\n      a", ListRefusal::OpenText),
        ] {
            assert_eq!(append(text, &[item("b")]), Err(wanted), "{text}");
        }
    }
}
