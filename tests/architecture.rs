//! The house: who may import whom, and which modules stay pure.

mod readers;
mod rings;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

use crate::parts;

/// Layer of every module of the crate, as the table in ARCHITECTURE.md has it.
const LAYERS: &[(&str, u32)] = &[
    ("source", 0),
    ("value", 0),
    ("decide", 0),
    ("diag", 1),
    ("program", 1),
    ("syntax", 2),
    ("machine", 2),
    ("model", 3),
    ("compile", 4),
    ("check", 5),
    ("reference", 5),
    ("render", 5),
    ("diff", 6),
    ("scenario", 6),
    ("explore", 7),
    ("mutate", 7),
    ("wire", 7),
    ("config", 8),
    ("folder", 8),
    ("port", 8),
    ("proc", 8),
    ("llm", 9),
    ("tool", 9),
    ("store", 9),
    ("telemetry", 9),
    ("drive", 9),
    ("app", 10),
    ("lsp", 11),
    ("serve", 11),
    ("worker", 11),
    ("cli", 12),
];

/// The first layer that may touch the world.
const WORLD: u32 = 8;

#[derive(Default)]
struct Imports {
    found: Vec<(String, usize)>,
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path.segments.iter();
        if segments.next().is_some_and(|s| is_root(&s.ident))
            && let Some(module) = segments.next()
        {
            self.found.push((module.ident.to_string(), module.ident.span().start().line));
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if let syn::UseTree::Path(path) = &item.tree
            && is_root(&path.ident)
        {
            collect(&path.tree, &mut self.found);
        }
    }
}

/// True if the modules of a package come after this name.
fn is_root(ident: &syn::Ident) -> bool {
    ident == "crate" || ident == "loopwright_core"
}

fn collect(tree: &syn::UseTree, found: &mut Vec<(String, usize)>) {
    match tree {
        syn::UseTree::Path(path) => found.push((path.ident.to_string(), path.ident.span().start().line)),
        syn::UseTree::Name(name) => found.push((name.ident.to_string(), name.ident.span().start().line)),
        syn::UseTree::Rename(name) => found.push((name.ident.to_string(), name.ident.span().start().line)),
        syn::UseTree::Group(group) => group.items.iter().for_each(|t| collect(t, found)),
        syn::UseTree::Glob(_) => found.push(("*".to_owned(), 0)),
    }
}

/// All files in a folder and the folders in it.
fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

fn sources() -> Vec<(String, PathBuf, String)> {
    let roots = parts::code();
    let mut paths = Vec::new();
    for root in &roots {
        files(root, &mut paths);
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    paths.sort();
    paths
        .into_iter()
        .filter_map(|path| {
            let inner = roots.iter().find_map(|root| path.strip_prefix(root).ok())?;
            let module =
                inner.components().next()?.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned();
            let text = fs::read_to_string(&path).expect("a source file can be read");
            (!matches!(module.as_str(), "lib" | "main")).then_some((module, path, text))
        })
        .collect()
}

fn layer(module: &str) -> Option<u32> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

#[test]
fn modules_import_only_lower_layers() {
    let mut wrong = Vec::new();
    for (module, path, text) in sources() {
        let Some(own) = layer(&module) else {
            wrong.push(format!("{}: the module {module} is in no layer", path.display()));
            continue;
        };
        let parsed = syn::parse_file(&text).expect("source parses");
        let mut imports = Imports::default();
        imports.visit_file(&parsed);
        for (other, line) in imports.found {
            let fine = other == module || layer(&other).is_some_and(|other| other < own);
            if !fine {
                wrong.push(format!("{}:{line}: {module} (layer {own}) imports {other}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_runs_does_not_lean_on_what_compiles() {
    let mut wrong = Vec::new();
    for (room, below) in [("program", ["source", "value"]), ("machine", ["program", "value"])] {
        for (module, path, text) in sources().into_iter().filter(|(module, ..)| module == room) {
            let mut imports = Imports::default();
            imports.visit_file(&syn::parse_file(&text).expect("source parses"));
            for (other, line) in imports.found {
                if other != module && !below.contains(&other.as_str()) {
                    wrong.push(format!("{}:{line}: {room} imports {other}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_ring() {
    let roots = parts::code();
    let files: Vec<(String, String)> = sources()
        .into_iter()
        .map(|(_, path, text)| {
            let inner = roots.iter().find_map(|root| path.strip_prefix(root).ok());
            let file = inner.expect("it lies in a folder of sources");
            (file.to_string_lossy().into_owned(), text)
        })
        .collect();
    let found = rings::rings(&files);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_grammar_alone_reads_expressions() {
    let root = parts::core().join("syntax");
    let files: Vec<(String, String)> = sources()
        .into_iter()
        .filter_map(|(_, path, text)| {
            let file = path.strip_prefix(&root).ok()?.to_string_lossy().into_owned();
            (!file.ends_with("tests.rs")).then_some((file, text))
        })
        .collect();
    let found = readers::faults(&files);
    assert!(found.is_empty(), "{}", found.join("\n"));
    // One that reads by itself is found, also inside of a macro.
    for planted in [
        "fn f(text: &str) -> usize { text.chars().count() }",
        "fn f(text: &str) { assert!(text.as_bytes()[0] == b'x'); }",
        "fn f(text: &str) { let digits = text.split('+').map(str::bytes); }",
        "fn f(text: &str) { for token in Scanner::new(text) {} }",
    ] {
        assert_eq!(readers::readings(planted), [1], "{planted}");
        let with = [files.clone(), vec![("lower/planted.rs".to_owned(), planted.to_owned())]].concat();
        assert_eq!(readers::faults(&with).len(), 1, "{planted}");
    }
}

#[test]
fn pure_modules_deny_clocks_files_and_sockets() {
    let root = parts::core();
    let wanted = "#![deny(clippy::disallowed_methods, clippy::disallowed_types)]";
    let mut wrong = Vec::new();
    for (module, _) in LAYERS.iter().filter(|(_, layer)| *layer < WORLD) {
        let path = root.join(module).join("mod.rs");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if !text.contains(wanted) {
            wrong.push(format!("{} lacks {wanted}", path.display()));
        }
    }
    for (module, path, text) in sources() {
        let pure = layer(&module).is_some_and(|l| l < WORLD);
        for word in
            ["tokio::", "std::net", "std::fs", "std::env", "std::process", "Instant::now", "SystemTime"]
        {
            if pure && text.lines().any(|l| !l.trim_start().starts_with("//") && l.contains(word)) {
                wrong.push(format!("{} names {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn architecture_document_shows_the_table_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let text = fs::read_to_string(path).expect("ARCHITECTURE.md can be read");
    let mut by_layer: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (module, layer) in LAYERS {
        by_layer.entry(*layer).or_default().push(module);
    }
    for (layer, modules) in by_layer {
        for module in modules {
            let row = format!("| {layer} | `{module}` |");
            assert!(text.contains(&row), "ARCHITECTURE.md lacks the row {row}");
        }
    }
}

#[test]
fn no_word_of_a_particular_loop_is_in_the_code() {
    let words = [
        "wrapup",
        "wrap_up",
        "overdraft",
        "protocol_verify",
        "replan",
        "arkhon",
        "rheo",
        "human_approval",
        "forbid_guessing",
        "retry_reason",
        "final answer",
        "interrupt_gate",
        "okso",
        "kdcube",
        "exploit",
        "thought",
    ];
    // Names of fields that a provider has chosen.
    let of_providers = [("wire/gemini.rs", "thought")];
    let mut wrong = Vec::new();
    // What is embedded is looked at as the code is.
    let mut paths = Vec::new();
    for root in parts::code() {
        files(&root, &mut paths);
    }
    for path in paths {
        // Fonts are no text.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let chosen = |word: &str| of_providers.iter().any(|(file, own)| path.ends_with(file) && *own == word);
        for (i, line) in text.lines().enumerate() {
            let lower = line.to_lowercase();
            wrong.extend(
                words
                    .iter()
                    .filter(|w| lower.contains(*w) && !chosen(w))
                    .map(|w| format!("{}:{}: {w}", path.display(), i + 1)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
