//! All texts of the repository in a language: files, and blocks of its documents.

use std::fs;
use std::path::Path;

/// The folders in which files are looked for.
const FOLDERS: [&str; 6] = ["docs", "editors", "examples", "graphs", "templates", "tests"];

/// The texts of files with one of these endings and of blocks with this word, each with its place.
pub(super) fn texts(word: &str, endings: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in FOLDERS {
        collect(&root.join(folder), word, endings, &mut found);
    }
    found
}

fn collect(folder: &Path, word: &str, endings: &[&str], found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "node_modules") {
                collect(&path, word, endings, found);
            }
            continue;
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let place = path.display().to_string();
        if ending == "md" {
            let blocks = blocks(&text, word).into_iter();
            found.extend(blocks.map(|(line, text)| (format!("{place}:{line}"), text)));
        } else if endings.contains(&ending) {
            found.push((place, text));
        }
    }
}

/// The blocks of a document with a word behind their backticks, each with its line.
fn blocks(text: &str, word: &str) -> Vec<(usize, String)> {
    let (mut found, mut inside) = (Vec::<(usize, String)>::new(), None);
    for (at, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), inside) {
            (Some(own), None) => {
                inside = Some(own == word);
                if own == word {
                    found.push((at + 1, String::new()));
                }
            }
            (Some(_), Some(_)) => inside = None,
            (None, Some(true)) => {
                let (_, block) = found.last_mut().expect("a block was begun");
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    found
}
