//! Additions of `new` to files that are there already.

use toml_edit::{DocumentMut, Item, TableLike, TomlError};

/// A configuration with what another one has besides: its tables, and their keys. None where it has all of that.
///
/// # Errors
/// Either is no TOML.
pub(super) fn configuration(existing: &str, wanted: &str) -> Result<Option<String>, TomlError> {
    let mut document: DocumentMut = existing.parse()?;
    let wanted: DocumentMut = wanted.parse()?;
    let is_added = add(document.as_table_mut(), wanted.as_table());
    Ok(is_added.then(|| document.to_string()))
}

/// Adds the entries that a table lacks. True if there were some.
fn add(table: &mut dyn TableLike, wanted: &dyn TableLike) -> bool {
    let mut is_added = false;
    for (key, item) in wanted.iter() {
        if item.as_table_like().is_some_and(TableLike::is_empty) {
            continue;
        }
        match (table.get_mut(key).map(Item::as_table_like_mut), item.as_table()) {
            (Some(Some(own)), Some(wanted)) => is_added |= add(own, wanted),
            (Some(_), _) => {}
            (None, section) => {
                let mut item = item.clone();
                if let (Some(section), Item::Table(made)) = (section, &mut item) {
                    // Its place is after what is there, and the comment above it was for the file that it comes from.
                    made.set_position(None);
                    let decor = made.decor_mut();
                    decor.set_prefix(if section.is_implicit() { "" } else { "\n" });
                }
                table.insert(key, item);
                is_added = true;
            }
        }
    }
    is_added
}

/// The folder that runs are stored in, as Git leaves it out.
const STORE: &str = ".loopwright/";

/// A `.gitignore` that leaves out stored runs; none where it does already.
pub(super) fn ignored(existing: &str) -> Option<String> {
    if existing.lines().any(|line| line.trim().trim_matches('/') == STORE.trim_matches('/')) {
        return None;
    }
    let break_before = if existing.is_empty() || existing.ends_with('\n') { "" } else { "\n" };
    Some(format!("{existing}{break_before}{STORE}\n"))
}

#[cfg(test)]
mod tests {
    use super::{configuration, ignored};

    fn added(existing: &str, wanted: &str) -> Option<String> {
        configuration(existing, wanted).expect("both are TOML")
    }

    #[test]
    fn what_is_there_stays_and_what_is_missing_is_added() {
        let wanted = "# words\n[builtin]\nread_file = {root = \"notes\"}\nlist_files = {root = \"notes\"}\n\n[inputs]\n#a = 1\n";
        assert_eq!(
            added("[models.a]\nmodel = \"m\"\n", wanted).as_deref(),
            Some(
                "[models.a]\nmodel = \"m\"\n\n[builtin]\nread_file = {root = \"notes\"}\nlist_files = {root = \"notes\"}\n"
            )
        );
        assert_eq!(
            added("[builtin]\nread_file = {root = \"mine\"}\n", wanted).as_deref(),
            Some("[builtin]\nread_file = {root = \"mine\"}\nlist_files = {root = \"notes\"}\n")
        );
        assert_eq!(added(wanted, wanted), None);
    }

    #[test]
    fn a_table_is_known_however_it_is_written() {
        let wanted = "[builtin]\nread_file = {root = \"notes\"}\n";
        for existing in [
            "# [builtin] has the files.\nbuiltin.list_files = {root = \"mine\"}\n",
            "[ builtin ] # here\nlist_files = {root = \"mine\"}\n",
            "builtin = {list_files = {root = \"mine\"}}\n",
        ] {
            let text = added(existing, wanted).expect("a tool is missing");
            let table: toml::Table = text.parse().expect("it is TOML");
            assert_eq!(table["builtin"]["list_files"]["root"].as_str(), Some("mine"), "{text}");
            assert_eq!(table["builtin"]["read_file"]["root"].as_str(), Some("notes"), "{text}");
            assert_eq!(added(&text, wanted), None, "{text}");
        }
        assert!(configuration("[builtin", wanted).is_err());
    }

    #[test]
    fn stored_runs_are_left_out_once() {
        assert_eq!(ignored("").as_deref(), Some(".loopwright/\n"));
        assert_eq!(ignored("target").as_deref(), Some("target\n.loopwright/\n"));
        assert_eq!(ignored("target\n/.loopwright\n"), None);
    }
}
