//! Graphs on pages: each passes `check --strict`, unless its page shows what is found, or it is listed here with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::{copy, documents, named_file, run};

/// A finding in a graph on a page that the page does not show.
struct UnshownFinding {
    page: &'static str,
    /// The file and line that it is found in.
    place: &'static str,
    rule: &'static str,
    #[expect(dead_code, reason = "it is for readers of this list")]
    reason: &'static str,
}

const fn unshown(
    page: &'static str,
    place: &'static str,
    rule: &'static str,
    reason: &'static str,
) -> UnshownFinding {
    UnshownFinding { page, place, rule, reason }
}

const CALLED: &str = "a called graph: the graph that calls it answers";

/// Findings that pages do not show.
const UNSHOWN: &[UnshownFinding] = &[
    unshown("docs/reference/language/budgets.md", "asks.yaml:5", "unhandled", CALLED),
    unshown("docs/reference/language/calls.md", "child.yaml:8", "unhandled", CALLED),
    unshown("docs/reference/language/calls.md", "asks.yaml:6", "unhandled", CALLED),
    unshown(
        "docs/reference/language/edges.md",
        "inside.yaml:10",
        "no-otherwise",
        "the scenario beside it shows where a node without a matching edge leads to",
    ),
    unshown(
        "docs/reference/language/graphs.md",
        "part.yaml:2",
        "missing-key",
        "a file for `use`, which is no graph by itself",
    ),
];

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

/// An error or a warning as it is printed: its first line and its place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PrintedFinding<'t> {
    headline: &'t str,
    /// `file:line:column`
    place: &'t str,
}

impl<'t> PrintedFinding<'t> {
    /// The errors and warnings in what a command printed, or in what a page shows of it.
    fn all(printed: &'t str) -> impl Iterator<Item = Self> {
        let lines = printed.lines().zip(printed.lines().skip(1));
        lines.filter_map(|(headline, place)| {
            let place = place.trim_start().strip_prefix("--> ")?;
            let severe = ["error[", "warning["].iter().any(|start| headline.starts_with(start));
            severe.then_some(Self { headline, place })
        })
    }

    fn rule(&self) -> &str {
        let (_, rest) = self.headline.split_once('[').unwrap_or_default();
        rest.split(']').next().unwrap_or_default()
    }

    fn is_listed_as(&self, page: &str, listed: &UnshownFinding) -> bool {
        let line = self.place.rsplit_once(':').map_or("", |(line, _)| line);
        listed.page == page && listed.place == line && listed.rule == self.rule()
    }
}

/// Files of scenarios and scripts.
fn is_world(name: &str) -> bool {
    [".scenarios.yaml", ".script.yaml"].iter().any(|end| name.ends_with(end))
}

#[test]
fn graphs_on_pages_pass_a_strict_check_unless_the_page_shows_what_is_found() {
    let (mut wrong, mut count) = (String::new(), 0);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = BTreeSet::new();
    for path in documents().iter().filter(|path| !path.starts_with(root.join("docs/rules"))) {
        let page = fs::read_to_string(path).expect("a document can be read");
        let graphs = graphs(&page);
        let folder = tempfile::tempdir().expect("a folder can be made");
        copy(&root.join("graphs"), &folder.path().join("graphs"));
        for (name, text) in &graphs {
            fs::write(folder.path().join(name), text).expect("a file can be written");
        }
        let own = path.strip_prefix(root).expect("it is a page of ours").to_string_lossy().into_owned();
        let shown: BTreeSet<PrintedFinding<'_>> = PrintedFinding::all(&page).collect();
        for name in graphs.keys().filter(|name| !is_world(name)) {
            count += 1;
            let printed = run(&format!("loopwright check --strict {name}"), folder.path());
            for finding in PrintedFinding::all(&printed).filter(|finding| !shown.contains(finding)) {
                match UNSHOWN.iter().position(|listed| finding.is_listed_as(&own, listed)) {
                    Some(listed) => drop(used.insert(listed)),
                    None => {
                        let _ = writeln!(wrong, "{own}: {name} is not clean: {finding:?}");
                    }
                }
            }
        }
    }
    for (_, listed) in UNSHOWN.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
        let _ = writeln!(
            wrong,
            "{}: {} at {} is not found any more; take its row out",
            listed.page, listed.rule, listed.place
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 30, "the pages have only {count} graphs");
}
