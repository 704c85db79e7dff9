//! Additions of `new` to files that are there already.

/// A configuration with what another one has besides: its sections, and their keys. None where it has all of that.
pub(super) fn configuration(existing: &str, wanted: &str) -> Option<String> {
    let mut text = existing.to_owned();
    for (header, lines) in sections(wanted) {
        let there = sections(existing).into_iter().find(|(own, _)| *own == header);
        let keys = |lines: &[&str]| -> Vec<String> { lines.iter().filter_map(|line| key(line)).collect() };
        let known = there.as_ref().map(|(_, lines)| keys(lines)).unwrap_or_default();
        let missing: Vec<&str> =
            lines.into_iter().filter(|line| key(line).is_some_and(|key| !known.contains(&key))).collect();
        if missing.is_empty() {
            continue;
        }
        let added = missing.join("\n");
        text = match there {
            Some(_) => text.replacen(header, &format!("{header}\n{added}"), 1),
            None => format!("{}\n\n{header}\n{added}\n", text.trim_end()),
        };
    }
    (text != existing).then_some(text)
}

/// The headers of a configuration, each with the lines below it.
fn sections(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            sections.push((line.trim_end(), Vec::new()));
        } else if let Some((_, lines)) = sections.last_mut() {
            lines.push(line);
        }
    }
    sections
}

/// The key of a line `key = value`.
fn key(line: &str) -> Option<String> {
    let (key, _) = line.split_once('=')?;
    (!line.starts_with([' ', '#'])).then(|| key.trim().to_owned())
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

    #[test]
    fn what_is_there_stays_and_what_is_missing_is_added() {
        let wanted = "# words\n[builtin]\nread_file = {root = \"notes\"}\nlist_files = {root = \"notes\"}\n\n[inputs]\n#a = 1\n";
        assert_eq!(
            configuration("[models.a]\nmodel = \"m\"\n", wanted).as_deref(),
            Some(
                "[models.a]\nmodel = \"m\"\n\n[builtin]\nread_file = {root = \"notes\"}\nlist_files = {root = \"notes\"}\n"
            )
        );
        assert_eq!(
            configuration("[builtin]\nread_file = {root = \"mine\"}\n", wanted).as_deref(),
            Some("[builtin]\nlist_files = {root = \"notes\"}\nread_file = {root = \"mine\"}\n")
        );
        assert_eq!(configuration(wanted, wanted), None);
    }

    #[test]
    fn stored_runs_are_left_out_once() {
        assert_eq!(ignored("").as_deref(), Some(".loopwright/\n"));
        assert_eq!(ignored("target").as_deref(), Some("target\n.loopwright/\n"));
        assert_eq!(ignored("target\n/.loopwright\n"), None);
    }
}
