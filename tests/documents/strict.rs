//! Graphs on pages: each passes `check --strict`, unless its page shows what is found.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::{copy, documents, named_file, run};

/// The last text of each graph file on a page.
fn graphs(page: &str) -> BTreeMap<&str, String> {
    let mut found = BTreeMap::new();
    let mut open: Option<(&str, String)> = None;
    for line in page.lines() {
        match &mut open {
            Some((name, body)) if line == "```" => {
                found.insert(*name, std::mem::take(body));
                open = None;
            }
            Some((_, body)) => {
                body.push_str(line);
                body.push('\n');
            }
            None => open = named_file(line).map(|name| (name, format!("{line}\n"))),
        }
    }
    found
}

/// The rules of the errors and warnings in what a command printed.
fn severe(printed: &str) -> impl Iterator<Item = &str> {
    let rule = |line: &'_ str| {
        let (severity, rest) = line.split_once('[')?;
        matches!(severity, "error" | "warning").then_some(rest.find(']')?)
    };
    printed
        .lines()
        .filter_map(move |line| rule(line).map(|end| &line[line.find('[').unwrap_or(0) + 1..][..end]))
}

/// Files of scenarios and scripts.
fn is_world(name: &str) -> bool {
    [".scenarios.yaml", ".script.yaml"].iter().any(|end| name.ends_with(end))
}

#[test]
fn graphs_on_pages_pass_a_strict_check_unless_the_page_shows_what_is_found() {
    let (mut wrong, mut count) = (String::new(), 0);
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    for path in documents().iter().filter(|path| !path.starts_with(&rules)) {
        let page = fs::read_to_string(path).expect("a document can be read");
        let graphs = graphs(&page);
        let folder = tempfile::tempdir().expect("a folder can be made");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs"), &folder.path().join("graphs"));
        for (name, text) in &graphs {
            fs::write(folder.path().join(name), text).expect("a file can be written");
        }
        let names: Vec<&str> = graphs.keys().copied().filter(|name| !is_world(name)).collect();
        if names.is_empty() {
            continue;
        }
        count += names.len();
        let printed = run(&format!("loopwright check --strict {}", names.join(" ")), folder.path());
        // A file that only serves others, by `use` or `extends`, is no graph by itself.
        let serves = |rule: &str| matches!(rule, "no-graph" | "missing-key");
        for rule in severe(&printed).filter(|rule| !serves(rule) && !page.contains(rule)) {
            let _ = writeln!(wrong, "{}: {rule}\n{printed}", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 30, "the pages have only {count} graphs");
}
