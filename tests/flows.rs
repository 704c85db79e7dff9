//! Graphs under `tests/flows/`: what is said to flow in each, and what a policy beside it denies.

use std::fmt::Write as _;
use std::path::Path;

use loopwright::app::ApprovedTools;
use loopwright::check::{Checked, Flows, TargetFlows, check_file};
use loopwright::config::Config;
use loopwright::diag::text;
use loopwright::model::{LoadError, Loader, beside};
use loopwright::source::Sources;

/// Reads files below a folder; messages print paths relative to it.
struct Folder<'a>(&'a Path);

impl Loader for Folder<'_> {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let name = beside(from, path);
        match std::fs::read_to_string(self.0.join(&name)) {
            Ok(text) => Ok((name, text)),
            Err(_) => Err("there is no such file".into()),
        }
    }
}

/// A fixture, without errors.
pub(crate) fn checked(path: &Path, sources: &mut Sources) -> Checked {
    let folder = path.parent().expect("a fixture has a folder");
    let name = path.file_name().and_then(|n| n.to_str()).expect("fixtures have plain names");
    let checked = check_file(sources, &mut Folder(folder), name);
    assert!(checked.is_sound(), "{}", text::render(&checked.findings, sources, false));
    checked
}

fn listed(flows: &[TargetFlows], sources: &Sources) -> String {
    let mut said = String::new();
    for own in flows {
        let (line, column) = sources.line_col(own.span);
        let from = own.sources.iter().map(|(source, cuts)| {
            let words: Vec<&str> = cuts.iter().map(loopwright::check::Cut::word).collect();
            if words.is_empty() { source.to_string() } else { format!("{source} ({})", words.join(", ")) }
        });
        let from = from.collect::<Vec<_>>().join(", ");
        let file = sources.name(own.span.file);
        let _ = writeln!(said, "{file}:{line}:{column}: {} <- {from}", own.target);
    }
    said
}

#[test]
fn flows_are_listed_and_denied() {
    insta::glob!("flows/*.{yaml,loop}", |path| {
        let mut sources = Sources::new();
        let checked = checked(path, &mut sources);
        let flows = Flows::of(checked.model.as_ref().expect("a sound graph has a model"));
        let mut said = listed(&flows.list(), &sources);
        let policy = path.with_extension("toml");
        if let Ok(text) = std::fs::read_to_string(&policy) {
            let file = sources.add("loopwright.toml", text.as_str());
            let config = Config::read(&text, file)
                .unwrap_or_else(|faults| panic!("{}", text::render(&faults, &sources, false)));
            let approved = ApprovedTools::of(&config);
            let denied = flows.denied(&config.policy.deny, &|tool| approved.contain(tool));
            let _ = write!(said, "\n{}", text::render(&denied, &sources, false));
        }
        insta::assert_snapshot!(said);
    });
}
