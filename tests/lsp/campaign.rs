//! Random edits: whatever is typed, the findings are those of `check` from scratch.
//!
//! `LOOPWRIGHT_ROUNDS` edits are made, in folders of both syntaxes.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use loopwright::app::trust::{Consent, Digests, Notes};
use loopwright::app::{CheckRound, Configurations, FileKind, files_below};
use loopwright::drive::Disk;
use loopwright::folder::Folder;
use loopwright::lsp::{FindingPlaces, LanguageServer, Message, PlacedFinding};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};

use super::client::{EditedFolder, is_source, position, server};

/// Edits of an ordinary test.
const ROUNDS: usize = 120;

/// After so many edits all findings are compared, those of scenarios and scripts too.
const WHOLE_EVERY: usize = 20;

/// Pieces that people type.
const PIECES: [&str; 24] = [
    "\n",
    " ",
    "  ",
    ":",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "#",
    "é𝄞",
    "\t",
    "when: ",
    "do: spend rounds",
    "next:\n",
    "exhausted(rounds)",
    "->",
    "null",
    "kind: final",
    "== ",
    "{{ ",
    "\r\n",
];

struct Typist {
    folder: EditedFolder,
    server: LanguageServer,
    random: StdRng,
    files: Vec<String>,
    texts: BTreeMap<String, String>,
    /// Earlier texts, to go back to.
    earlier: Vec<(String, String)>,
    version: i32,
}

impl Typist {
    fn new(folder: EditedFolder, seed: u64) -> Self {
        let mut server = server();
        tell(&mut server, json!({"id": 1, "method": "initialize", "params": folder.initialize()}));
        tell(&mut server, json!({"method": "initialized", "params": {}}));
        let mut files: Vec<String> = fs::read_dir(folder.path(""))
            .expect("the folder can be listed")
            .flatten()
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| is_source(name))
            .collect();
        files.sort();
        let texts = files.iter().map(|name| (name.clone(), folder.text(name))).collect();
        let random = StdRng::seed_from_u64(seed);
        let mut typist = Self { folder, server, random, files, texts, earlier: Vec::new(), version: 1 };
        for name in typist.files.clone() {
            typist.send("textDocument/didOpen", &json!({"textDocument": {
                "uri": typist.folder.uri(&name), "languageId": "", "version": 1, "text": typist.texts[&name],
            }}));
        }
        typist
    }

    fn send(&mut self, method: &str, params: &Json) {
        tell(&mut self.server, json!({"method": method, "params": params}));
    }

    /// A place in a text where a character begins.
    fn at(&mut self, text: &str) -> usize {
        let mut at = self.random.random_range(0..=text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn part(&mut self, text: &str, most: usize) -> (usize, usize) {
        let start = self.at(text);
        let mut end = (start + self.random.random_range(0..=most)).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (start, end)
    }

    /// Makes an edit. Gives what it was.
    fn edit(&mut self) -> String {
        let name = self.files.choose(&mut self.random).expect("there are files").clone();
        let old = self.texts[&name].clone();
        let is_undo = !self.earlier.is_empty() && self.random.random_bool(0.4);
        if is_undo {
            let (name, text) = self.earlier.pop().expect("there is one");
            self.put(&name, &text, &json!({"text": text}));
            return format!("undo in {name}");
        }
        let (start, end) = match self.random.random_range(0..3) {
            0 => {
                let at = self.at(&old);
                (at, at)
            }
            1 => self.part(&old, 4),
            _ => self.part(&old, 60),
        };
        let new = match self.random.random_range(0..4) {
            0 => String::new(),
            1 | 2 => (*PIECES.choose(&mut self.random).expect("there are pieces")).to_owned(),
            _ => {
                let from = self.files.choose(&mut self.random).expect("there are files").clone();
                let text = self.texts[&from].clone();
                let (start, end) = self.part(&text, 80);
                text[start..end].to_owned()
            }
        };
        let text = format!("{}{new}{}", &old[..start], &old[end..]);
        // What is nested deep is another test's.
        let change = if old.contains('𝄞') || new.contains('\r') || old.contains('\r') {
            json!({"text": text})
        } else {
            json!({"range": {"start": position(&old, start), "end": position(&old, end)}, "text": new})
        };
        self.earlier.push((name.clone(), old.clone()));
        self.put(&name, &text, &change);
        format!("{name}: {start}..{end} becomes {new:?}")
    }

    fn put(&mut self, name: &str, text: &str, change: &Json) {
        self.version += 1;
        self.texts.insert(name.to_owned(), text.to_owned());
        fs::write(self.folder.path(name), text).expect("a file can be written");
        let document = json!({"uri": self.folder.uri(name), "version": self.version});
        self.send("textDocument/didChange", &json!({"textDocument": document, "contentChanges": [change]}));
    }

    fn settle(&mut self) {
        while self.server.has_work() {
            self.server.work();
        }
        self.server.take_messages();
    }

    /// The findings of the server, in graph files or in all.
    fn found(&self, all: bool) -> HashSet<PlacedFinding> {
        let files = self.server.published().iter().filter(|(file, _)| all || is_graph_name(file));
        files.flat_map(|(_, findings)| findings.iter().cloned()).collect()
    }

    fn run(&mut self, rounds: usize) {
        for round in 0..rounds {
            let edit = self.edit();
            self.settle();
            let wanted = from_scratch(&self.folder.path(""));
            same(&self.found(false), &wanted, &format!("edit {round}, {edit}"));
            if round % WHOLE_EVERY == 0 {
                let mut other = server();
                tell(
                    &mut other,
                    json!({"id": 1, "method": "initialize", "params": self.folder.initialize()}),
                );
                tell(&mut other, json!({"method": "initialized", "params": {}}));
                while other.has_work() {
                    other.work();
                }
                let wanted = other.published().values().flatten().cloned().collect();
                same(&self.found(true), &wanted, &format!("edit {round}, {edit}, with all files"));
            }
        }
    }
}

fn tell(server: &mut LanguageServer, message: Json) {
    let message: Message = serde_json::from_value(message).expect("it is a message");
    server.receive(message);
}

fn same(found: &HashSet<PlacedFinding>, wanted: &HashSet<PlacedFinding>, edit: &str) {
    let more: Vec<_> = found.difference(wanted).collect();
    let missing: Vec<_> = wanted.difference(found).collect();
    assert!(more.is_empty() && missing.is_empty(), "{edit}\nmore: {more:#?}\nmissing: {missing:#?}");
}

/// The findings of `check FOLDER`.
fn from_scratch(path: &Path) -> HashSet<PlacedFinding> {
    let folder = Folder::open(path).expect("the folder is there");
    let mut disk = Disk::default();
    disk.name_folder(path);
    let consent = Consent { notes: Notes::new(|_| {}), digests: Digests::default() };
    let mut configurations = Configurations::new(consent, |_| {});
    let mut round = CheckRound::new(false);
    for file in files_below(&folder, FileKind::Graph).expect("the folder can be listed") {
        let file = path.join(file).to_string_lossy().into_owned();
        let examined = round.examine(&file, &mut disk, &mut configurations);
        round.settle(&file, examined.checked, Vec::new(), &mut configurations);
    }
    round.leave_to_callers();
    let mut places = FindingPlaces::utf16(&round.sources);
    let all = round.findings().iter().map(|finding| places.placed(finding));
    all.filter(|finding| is_graph_name(&finding.place().file)).collect()
}

/// False for scenarios and scripts. A script with a line that begins a graph is one to `check`.
fn is_graph_name(file: &str) -> bool {
    !(file.contains(".scenarios.") || file.contains(".script."))
}

fn rounds() -> usize {
    std::env::var("LOOPWRIGHT_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS)
}

#[test]
fn edits_of_yaml() {
    Typist::new(EditedFolder::of(&["graphs/tour"]), 1).run(rounds() / 2);
}

#[test]
fn edits_of_the_loop_language() {
    Typist::new(EditedFolder::of(&["graphs/parallel", "graphs/chat"]), 2).run(rounds() / 2);
}
