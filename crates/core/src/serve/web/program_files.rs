//! The texts of a program under names that a folder of their own could have.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The name of a folder of which only the place is known.
const UNNAMED: &str = "_";

/// The texts of a program. Their names are relative and without `..`, and lead from one to the other as the stored ones do.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProgramFiles {
    /// The name of the graph's own file.
    pub(super) main: String,
    /// The texts by the names of their files.
    pub(super) files: BTreeMap<String, String>,
    /// The names that the files had, by those that they have here.
    pub(super) names: BTreeMap<String, String>,
}

impl ProgramFiles {
    /// The texts of a program that was read from the file `main`, by the names of their files.
    pub(super) fn of<'t>(main: &str, texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let texts: Vec<_> = texts.into_iter().collect();
        let base = base(texts.iter().map(|(name, _)| *name));
        let above = texts.iter().map(|(name, _)| above(&within(name, &base))).max().unwrap_or(0);
        let portable = |name: &str| {
            let path = within(name, &base);
            let named = path.components().filter(|part| matches!(part, Component::Normal(_)));
            let unnamed = vec![Component::Normal(UNNAMED.as_ref()); above - self::above(&path).min(above)];
            let path: PathBuf = unnamed.into_iter().chain(named).collect();
            path.to_string_lossy().into_owned()
        };
        let files = texts.iter().map(|(name, text)| (portable(name), (*text).to_owned())).collect();
        let names = texts.iter().map(|(name, _)| (portable(name), (*name).to_owned())).collect();
        Self { main: portable(main), files, names }
    }

    /// The same in a folder of that name.
    pub(super) fn below(self, folder: &str) -> Self {
        let place = |name: &str| format!("{folder}/{name}");
        let moved = |all: BTreeMap<String, String>| {
            all.into_iter().map(|(name, value)| (place(&name), value)).collect::<BTreeMap<_, _>>()
        };
        Self { main: place(&self.main), files: moved(self.files), names: moved(self.names) }
    }
}

/// The folder that all of them are in.
fn base<'n>(names: impl Iterator<Item = &'n str>) -> PathBuf {
    let folder = |name| Path::new(name).parent().unwrap_or(Path::new("")).to_owned();
    let shared = |one: PathBuf, other: PathBuf| {
        one.components().zip(other.components()).take_while(|(a, b)| a == b).map(|(part, _)| part).collect()
    };
    names.map(folder).reduce(shared).unwrap_or_default()
}

fn within(name: &str, base: &Path) -> PathBuf {
    let path = Path::new(name);
    path.strip_prefix(base).unwrap_or(path).to_owned()
}

/// The number of folders that a path goes up.
fn above(path: &Path) -> usize {
    path.components().filter(|part| matches!(part, Component::ParentDir)).count()
}

#[cfg(test)]
mod tests {
    use super::ProgramFiles;

    fn names(main: &str, others: &[&str]) -> Vec<String> {
        let texts = [main].iter().chain(others).map(|name| (*name, "graph: g\n")).collect::<Vec<_>>();
        let ProgramFiles { main, files, names } = ProgramFiles::of(main, texts);
        assert_eq!(files.keys().collect::<Vec<_>>(), names.keys().collect::<Vec<_>>());
        std::iter::once(main.clone()).chain(files.into_keys().filter(|name| *name != main)).collect()
    }

    #[test]
    fn names_lead_from_one_to_the_other_as_before() {
        assert_eq!(names("desk/a.yaml", &["desk/parts/b.yaml"]), ["a.yaml", "parts/b.yaml"]);
        assert_eq!(names("/home/ana/a.yaml", &["/home/ana/b.yaml"]), ["a.yaml", "b.yaml"]);
        assert_eq!(names("../desk/a.yaml", &["../lib/b.yaml"]), ["desk/a.yaml", "lib/b.yaml"]);
        assert_eq!(names("a.yaml", &["../lib/b.yaml"]), ["_/a.yaml", "lib/b.yaml"]);
        assert_eq!(names("a.yaml", &[]), ["a.yaml"]);
    }
}
