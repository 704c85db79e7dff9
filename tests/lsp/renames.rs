//! Every name of the shipped graphs can be given another one: nothing is found then that was not found before.
//!
//! Some names are tried in an ordinary test, all of them with `LOOPWRIGHT_LONG`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use loopwright::lsp::{LanguageServer, Message, PlacedFinding};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::{Value as Json, json};

use super::client::{EditedFolder, is_source, position, server};

/// Words that an ordinary test tries in one folder; half of them are no names.
const SAMPLE: usize = 50;

fn tell(server: &mut LanguageServer, message: Json) -> Json {
    let message: Message = serde_json::from_value(message).expect("it is a message");
    server.receive(message);
    let mut answers =
        server.take_messages().into_iter().filter(|message| matches!(message, Message::Response(_)));
    answers.next_back().map_or(Json::Null, |message| serde_json::to_value(message).expect("it is JSON"))
}

fn begun(folder: &EditedFolder) -> LanguageServer {
    let mut server = server();
    tell(&mut server, json!({"id": 1, "method": "initialize", "params": folder.initialize()}));
    tell(&mut server, json!({"method": "initialized", "params": {}}));
    while server.has_work() {
        server.work();
    }
    server
}

/// The rules of all findings by file.
fn rules(server: &LanguageServer) -> Vec<(String, String)> {
    let all = server.published().values().flatten();
    let mut rules: Vec<_> =
        all.map(|found: &PlacedFinding| (found.place().file.clone(), found.rule.slug().to_owned())).collect();
    rules.sort();
    rules
}

/// The byte at a position of a text without characters outside of the basic plane.
fn offset(text: &str, position: &Json) -> usize {
    let number = |key: &str| usize::try_from(position[key].as_u64().expect("a number")).expect("it fits");
    let start: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
    let column = number("character");
    start + text[start..].chars().take(column).map(char::len_utf8).sum::<usize>()
}

/// The places of words in a text.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            found.push((at, word));
        }
        at += word.len() + 1;
        while !text.is_char_boundary(at.min(text.len())) {
            at += 1;
        }
    }
    found
}

/// The edits of each name that can be changed: by file the ranges and the new name.
type RenameEdits = BTreeMap<String, BTreeSet<(usize, usize)>>;

/// Words of all files: some in an ordinary test.
fn tried_words(folder: &EditedFolder) -> Vec<(String, usize, String)> {
    let mut all = Vec::new();
    for name in files(folder) {
        let text = folder.text(&name);
        all.extend(words(&text).into_iter().map(|(at, word)| (name.clone(), at, word.to_owned())));
    }
    if !crate::long::is_long() {
        all.shuffle(&mut StdRng::seed_from_u64(7));
        all.truncate(SAMPLE);
    }
    all
}

fn all_renames(
    folder: &EditedFolder,
    server: &mut LanguageServer,
) -> BTreeMap<RenameEdits, (String, String)> {
    let mut found: BTreeMap<RenameEdits, (String, String)> = BTreeMap::new();
    let mut covered: BTreeSet<(String, usize)> = BTreeSet::new();
    for (name, at, word) in tried_words(folder) {
        let text = folder.text(&name);
        if !covered.contains(&(name.clone(), at)) {
            let new = if word.starts_with(|c: char| c.is_ascii_uppercase()) { "Renamed" } else { "renamed" };
            let answer = tell(
                server,
                json!({"id": 2, "method": "textDocument/rename", "params": {
                    "textDocument": {"uri": folder.uri(&name)}, "position": position(&text, at), "newName": new,
                }}),
            );
            let Some(changes) = answer["result"]["changes"].as_object() else { continue };
            let mut edits = RenameEdits::new();
            for (uri, list) in changes {
                let file = uri.strip_prefix(&folder.uri("")).expect("it lies in the folder").to_owned();
                let file_text = folder.text(&file);
                for edit in list.as_array().expect("a list") {
                    let range = |end: &str| offset(&file_text, &edit["range"][end]);
                    covered.insert((file.clone(), range("start")));
                    edits.entry(file.clone()).or_default().insert((range("start"), range("end")));
                }
            }
            found.insert(edits, (format!("{name}: {word}"), new.to_owned()));
        }
    }
    found
}

fn files(folder: &EditedFolder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).expect("the folder can be listed").flatten();
    let names = entries.filter(|e| e.path().is_file()).map(|e| e.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| is_source(name)).collect();
    names.sort();
    names
}

fn every_name_can_be_changed(folders: &[&str]) {
    let folder = EditedFolder::of(folders);
    let mut server = begun(&folder);
    let before = rules(&server);
    let renames: Vec<_> = all_renames(&folder, &mut server).into_iter().collect();
    assert!(!renames.is_empty(), "{} names", renames.len());
    let mut failed = Vec::new();
    for (edits, (what, new)) in renames {
        let old: BTreeMap<&String, String> = edits.keys().map(|file| (file, folder.text(file))).collect();
        for (file, ranges) in &edits {
            let mut text = old[file].clone();
            for (start, end) in ranges.iter().rev() {
                text.replace_range(*start..*end, &new);
            }
            fs::write(folder.path(file), text).expect("a file can be written");
        }
        let after = begun(&folder);
        if rules(&after) != before {
            failed.push(format!("{what}: {edits:?}\n{:?}", after.published()));
        }
        for (file, text) in old {
            fs::write(folder.path(file), text).expect("a file can be written");
        }
    }
    assert!(failed.is_empty(), "{} names:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn in_yaml() {
    every_name_can_be_changed(&["graphs/tour"]);
}

#[test]
fn in_the_loop_language() {
    every_name_can_be_changed(&["graphs/arkhon"]);
}

#[test]
fn in_a_large_loop() {
    every_name_can_be_changed(&["graphs/react"]);
}

#[test]
fn in_parallel_graphs() {
    every_name_can_be_changed(&["graphs/parallel"]);
}
