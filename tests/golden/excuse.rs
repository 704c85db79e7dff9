//! The keys that are not compared: the table of `tests/golden/README.md`, which gives the reason for each.

/// A row of the table.
struct Excuse {
    /// The file, or `*` for all.
    file: &'static str,
    /// The path of the key: `cases[].input.box`. A `*` stands for any one name.
    path: &'static str,
    /// The row counts only where a case has `ours`, which is compared in place of what was recorded.
    beside_ours: bool,
}

/// Checks that the table excuses a key of a file.
pub(super) fn excused(file: &str, path: &str, has_ours: bool) -> bool {
    rows().any(|row| (has_ours || !row.beside_ours) && row.names(file, path))
}

impl Excuse {
    fn names(&self, file: &str, path: &str) -> bool {
        let (mut wanted, mut found) = (self.path.split('.'), path.split('.'));
        let same = |wanted: &str, found: &str| {
            wanted == found || wanted == "*" || wanted == "*[]" && found.ends_with("[]")
        };
        (self.file == "*" || self.file == file)
            && loop {
                match (wanted.next(), found.next()) {
                    (None, None) => break true,
                    (Some(wanted), Some(found)) if same(wanted, found) => {}
                    _ => break false,
                }
            }
    }
}

fn rows() -> impl Iterator<Item = Excuse> {
    let page = include_str!("README.md");
    let (_, table) = page.split_once("## Keys that are not compared").expect("the page has the table");
    let lines = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    lines.take_while(|line| line.starts_with('|')).map(row)
}

fn row(line: &'static str) -> Excuse {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [file, path, when, why] = cells[..] else { panic!("a row has four cells: {line}") };
    assert!(why.len() > 20, "no reason is given: {line}");
    let beside_ours = match when {
        "always" => false,
        "beside `ours`" => true,
        _ => panic!("a row holds always, or beside `ours`: {line}"),
    };
    Excuse { file: file.trim_matches('`'), path: path.trim_matches('`'), beside_ours }
}

/// A row that excuses nothing any more goes.
#[test]
fn each_row_excuses_a_key_that_is_there() {
    let own: Vec<_> = super::own_files();
    for row in rows() {
        let there = own.iter().any(|(name, json)| {
            let unread = all_paths(json, "");
            unread.iter().any(|path| row.names(name, path))
        });
        assert!(there, "{} {}", row.file, row.path);
    }
}

fn all_paths(json: &serde_json::Value, path: &str) -> Vec<String> {
    match json {
        serde_json::Value::Object(entries) => entries
            .iter()
            .flat_map(|(key, value)| {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let mut found = all_paths(value, &path);
                found.push(path);
                found
            })
            .collect(),
        serde_json::Value::Array(items) => {
            items.iter().flat_map(|item| all_paths(item, &format!("{path}[]"))).collect()
        }
        _ => Vec::new(),
    }
}
