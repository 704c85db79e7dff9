//! Pages with their printed parts: made anew, compared, and without the comments around the parts.

use std::ops::Range;

use super::part::ReferencePart;

/// The comment after a part.
const CLOSING: &str = "<!-- /reference -->";

/// The text of a part in a page: without the comments around it.
fn place(page: &str, part: &ReferencePart) -> Option<Range<usize>> {
    let opening = part.opening() + "\n";
    let start = page.find(&opening)? + opening.len();
    let end = start + page.get(start..)?.find(CLOSING)?;
    Some(start..end)
}

/// A part as it stands in a page.
fn written(part: &ReferencePart) -> String {
    format!("{}\n\n{}\n{CLOSING}\n", part.opening(), part.text)
}

/// A page with its parts printed anew. What stands around them stays; a part that the page lacks is added at its end.
#[must_use]
pub fn renewed(page: &str, parts: &[&ReferencePart]) -> String {
    let mut page = page.to_owned();
    for part in parts {
        if let Some(range) = place(&page, part) {
            page.replace_range(range, &format!("\n{}\n", part.text));
            continue;
        }
        if !page.is_empty() {
            page.push('\n');
        }
        page += &written(part);
    }
    page
}

/// The first cell of a row, or the whole line.
fn head(line: &str) -> &str {
    let cells = line.strip_prefix("| ").and_then(|row| row.split_once(" | "));
    cells.map_or(line, |(first, _)| first)
}

/// The differences between a page and what its parts are now, each in a line.
#[must_use]
pub fn faults(page: &str, parts: &[&ReferencePart]) -> Vec<String> {
    let mut found: Vec<String> = parts.iter().flat_map(|part| faults_of(page, part)).collect();
    let openings: Vec<String> = parts.iter().map(|part| part.opening()).collect();
    let foreign = page.lines().filter(|line| line.starts_with("<!-- reference: "));
    let foreign = foreign.filter(|line| !openings.iter().any(|opening| opening == line));
    found.extend(foreign.map(|line| format!("the program prints no part `{line}`")));
    found
}

fn faults_of(page: &str, part: &ReferencePart) -> Vec<String> {
    let Some(range) = place(page, part) else {
        return vec![match &part.subject {
            Some((kind, name)) => format!("the {kind} `{name}` is missing"),
            None => format!("the part `{}` is missing", part.name),
        }];
    };
    let shown = &page[range];
    let mut found = Vec::new();
    for entry in &part.entries {
        let (kind, name) = (entry.kind, &entry.name);
        let at =
            part.subject.as_ref().map_or(String::new(), |(kind, name)| format!(" of the {kind} `{name}`"));
        if shown.lines().any(|line| line == entry.line) {
            continue;
        }
        let is_there = shown.lines().any(|line| head(line) == head(&entry.line));
        let fault = if is_there { "is not as the program has it" } else { "is missing" };
        found.push(format!("the {kind} `{name}`{at} {fault}"));
    }
    if found.is_empty() && shown.trim() != part.text.trim() {
        found.push(format!("the part `{}` is not as the program prints it", part.name));
    }
    found
}

/// A page without the comments around its parts.
#[must_use]
pub fn stripped(page: &str) -> String {
    let mut out = String::new();
    for line in page.lines() {
        if line.starts_with("<!-- reference: ") || line == CLOSING || line.is_empty() && out.ends_with("\n\n")
        {
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{ReferencePart, faults, renewed, stripped};

    fn part() -> ReferencePart {
        let mut part = ReferencePart::new("page.md", "functions");
        part.table(&["function", "gives"]);
        part.entry("function", "size", "| `size(x)` | a number |".to_owned());
        part.entry("function", "join", "| `join(x)` | a text |".to_owned());
        part
    }

    #[test]
    fn a_part_is_put_into_its_place_and_what_is_around_it_stays() {
        let part = part();
        let before = "# Functions\n\n<!-- reference: functions -->\nold\n<!-- /reference -->\n\nMore.\n";
        let page = renewed(before, &[&part]);
        assert!(page.starts_with("# Functions\n\n<!-- reference: functions -->\n\n| function |"), "{page}");
        assert!(page.ends_with("| `join(x)` | a text |\n\n<!-- /reference -->\n\nMore.\n"), "{page}");
        assert_eq!(renewed(&page, &[&part]), page);
        assert_eq!(faults(&page, &[&part]), [""; 0]);
        assert!(!stripped(&page).contains("<!--"));
        assert_eq!(faults(&renewed("", &[&part]), &[&part]), [""; 0]);
    }

    #[test]
    fn what_a_page_lacks_is_said_by_its_name() {
        let part = part();
        let page = renewed("", &[&part]);
        let without = page.replace("| `size(x)` | a number |\n", "");
        assert_eq!(faults(&without, &[&part]), ["the function `size` is missing"]);
        let other = page.replace("a number", "a word");
        assert_eq!(faults(&other, &[&part]), ["the function `size` is not as the program has it"]);
        let further = page.replace("| function | gives |", "| name | gives |");
        assert_eq!(faults(&further, &[&part]), ["the part `functions` is not as the program prints it"]);
        assert_eq!(faults("", &[&part]), ["the part `functions` is missing"]);
        assert_eq!(faults("", &[&part.clone().about("kind", "model")]), ["the kind `model` is missing"]);
        assert_eq!(faults(&page, &[]), ["the program prints no part `<!-- reference: functions -->`"]);
    }
}
