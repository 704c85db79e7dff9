//! Links between documents: each leads to a file that is there, and to a heading of it.

use std::fs;
use std::path::Path;

use super::documents;

/// The targets of the links in a page, with their lines. Code says nothing of links.
fn targets(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if !fenced {
            let links = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(links.map(|(target, _)| (at + 1, target)));
        }
    }
    found
}

/// The fragments that lead to the headings of a page.
fn headings(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if !fenced && line.starts_with('#') {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
            found.push(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    found
}

/// The fault of a link in a page of this folder, or [`None`].
fn fault(folder: &Path, own: &str, target: &str) -> Option<String> {
    if target.contains("://") {
        return None;
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let place = folder.join(path);
    let text = if path.is_empty() {
        own.to_owned()
    } else if fragment.is_empty() {
        // It may be a folder, or a picture.
        return place.metadata().err().map(|e| format!("{target}: {e}"));
    } else {
        match fs::read_to_string(place) {
            Ok(text) => text,
            Err(e) => return Some(format!("{target}: {e}")),
        }
    };
    let there = fragment.is_empty() || headings(&text).iter().any(|heading| heading == fragment);
    (!there).then(|| format!("{target}: no heading of that name"))
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut links = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document can be read");
        let folder = path.parent().expect("a document lies in a folder");
        for (line, target) in targets(&text) {
            links += 1;
            wrong.extend(
                fault(folder, &text, target).map(|fault| format!("{}:{line}: {fault}", path.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(links > 100, "the documents have only {links} links");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = "# A title, *twice*\n[a](#a-title-twice) [b](README.md)\n```\n[c](nowhere.md)\n```\n[d](nowhere.md)\n";
    assert_eq!(targets(page), [(2, "#a-title-twice"), (2, "README.md"), (6, "nowhere.md")]);
    assert_eq!(fault(root, page, "#a-title-twice"), None);
    assert_eq!(fault(root, page, "README.md#start"), None);
    assert_eq!(fault(root, page, "docs"), None);
    for wrong in ["#another", "nowhere.md", "README.md#nowhere"] {
        assert!(fault(root, page, wrong).is_some(), "{wrong}");
    }
}
