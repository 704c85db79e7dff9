//! Every graph file under `tests/check/` with all that is said of it.

use std::path::Path;

use loopwright::check::{Checked, check_file};
use loopwright::diag::text;
use loopwright::model::{Loader, beside};
use loopwright::source::Sources;

/// Reads files below a folder; messages print paths relative to it.
struct Folder<'a>(&'a Path);

impl Loader for Folder<'_> {
    fn load(
        &mut self,
        from: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        let name = beside(from, path);
        match std::fs::read_to_string(self.0.join(&name)) {
            Ok(text) => Ok((name, text)),
            Err(_) => Err("there is no such file".into()),
        }
    }
}

/// What is said of a fixture.
pub(crate) fn said(path: &Path) -> (Checked, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut sources = Sources::new();
    let name = path.file_name().and_then(|n| n.to_str()).expect("fixtures have plain names");
    let checked = check_file(&mut sources, &mut Folder(&folder), name);
    let said = text::render(&checked.findings, &sources, false);
    (checked, said)
}

#[test]
fn fixtures_say_what_their_snapshots_say() {
    insta::glob!("check/*.{yaml,loop}", |path| {
        let (checked, said) = said(path);
        let name = path.file_name().and_then(|n| n.to_str()).expect("fixtures have plain names");
        if name.starts_with("good-") {
            assert!(checked.is_sound() && said.is_empty(), "{name} is a good graph, but:\n{said}");
        } else {
            insta::assert_snapshot!(said);
        }
    });
}
