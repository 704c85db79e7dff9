//! Rings of imports between files.
//!
//! A file imports another one if a path in it (`crate::…`, `super::…`, `self::…`, in a `use`, an expression or a macro)
//! leads there. What a `mod.rs` takes in under a name is followed to the file that defines it, so a ring cannot hide
//! behind a re-export. The step from a `mod.rs` to what lies in its folder does not count: a parent may build on its
//! children and lend them its items.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

/// A path of modules below the crate.
type ModPath = Vec<String>;

/// The files of a crate, as module paths with their text. Rings come sorted, each with the imports that make it.
pub(super) fn rings(files: &[(String, String)]) -> Vec<String> {
    let modules: BTreeMap<ModPath, Module> =
        files.iter().map(|(file, text)| (mod_path(file), Module::read(file, text))).collect();
    let mut edges: BTreeMap<(&ModPath, &ModPath), usize> = BTreeMap::new();
    for (from, module) in &modules {
        for (path, line) in &module.paths {
            for to in targets(&modules, path) {
                // Below the file, or the file itself.
                if !to.starts_with(from) {
                    edges.entry((from, to)).or_insert(*line);
                }
            }
        }
    }
    let mut graph = DiGraph::<&ModPath, ()>::new();
    let places: BTreeMap<&ModPath, _> = modules.keys().map(|path| (path, graph.add_node(path))).collect();
    for (from, to) in edges.keys() {
        graph.add_edge(places[from], places[to], ());
    }
    let mut rings: Vec<String> = tarjan_scc(&graph)
        .into_iter()
        .filter(|ring| ring.len() > 1)
        .map(|ring| {
            let ring: BTreeSet<&ModPath> = ring.into_iter().map(|place| graph[place]).collect();
            let inner = edges.iter().filter(|((from, to), _)| ring.contains(from) && ring.contains(to));
            let lines: Vec<String> = inner
                .map(|((from, to), line)| {
                    format!("  {}:{line} imports {}", modules[*from].file, modules[*to].file)
                })
                .collect();
            format!("{} files import each other in a ring:\n{}", ring.len(), lines.join("\n"))
        })
        .collect();
    rings.sort();
    rings
}

/// `program/eval/mod.rs` is `program::eval`.
fn mod_path(file: &str) -> ModPath {
    let path = file.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

/// The files that define what a path names; none for what is not of this crate.
fn targets<'m>(modules: &'m BTreeMap<ModPath, Module>, path: &[String]) -> BTreeSet<&'m ModPath> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![path.to_vec()];
    while let Some(path) = open.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let file = (1..=path.len()).rev().find_map(|len| modules.get_key_value(&path[..len]));
        let Some((own, module)) = file else { continue };
        let renamed = path.get(own.len()).and_then(|name| module.names.get(name));
        match renamed {
            Some(sources) => {
                let rest = &path[own.len() + 1..];
                open.extend(sources.iter().map(|source| [source, rest].concat()));
            }
            None => {
                found.insert(own);
            }
        }
    }
    found
}

/// What a file says of other files.
struct Module {
    file: String,
    /// All paths in it that begin in this crate, with their lines.
    paths: Vec<(ModPath, usize)>,
    /// The names it takes in by `use`, and what they stand for.
    names: BTreeMap<String, Vec<ModPath>>,
}

impl Module {
    fn read(file: &str, text: &str) -> Self {
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let own = mod_path(file);
        let children = parsed.items.iter().filter_map(|item| match item {
            syn::Item::Mod(item) => Some(item.ident.to_string()),
            _ => None,
        });
        let mut reader =
            Reader { children: children.collect(), own, depth: 0, paths: Vec::new(), names: BTreeMap::new() };
        reader.visit_file(&parsed);
        Self { file: file.to_owned(), paths: reader.paths, names: reader.names }
    }
}

struct Reader {
    own: ModPath,
    children: BTreeSet<String>,
    /// How many modules written within the file are open.
    depth: usize,
    paths: Vec<(ModPath, usize)>,
    names: BTreeMap<String, Vec<ModPath>>,
}

impl Reader {
    /// A path as one from the crate, if it is one of this crate.
    fn absolute(&self, segments: &[String]) -> Option<ModPath> {
        let first = segments.first()?;
        let ups = segments.iter().take_while(|segment| *segment == "super").count();
        let (base, rest) = match first.as_str() {
            "crate" => (Vec::new(), &segments[1..]),
            "self" => (self.own.clone(), &segments[1..]),
            "super" => {
                let ups_of_file = ups.saturating_sub(self.depth);
                (self.own[..self.own.len().checked_sub(ups_of_file)?].to_vec(), &segments[ups..])
            }
            child if self.depth == 0 && self.children.contains(child) => (self.own.clone(), segments),
            _ => return None,
        };
        Some([base, rest.to_vec()].concat())
    }

    fn add(&mut self, segments: &[String], line: usize) {
        self.paths.extend(self.absolute(segments).map(|path| (path, line)));
    }

    fn take_in(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |ident: &syn::Ident| {
            let own = (ident != "self" || before.is_empty()).then(|| ident.to_string());
            before.iter().cloned().chain(own).collect::<ModPath>()
        };
        let (path, name, line) = match tree {
            syn::UseTree::Path(path) => return self.take_in(&path.tree, &with(&path.ident)),
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.take_in(tree, before));
            }
            syn::UseTree::Name(name) => {
                let path = with(&name.ident);
                let last = path.last().cloned().unwrap_or_default();
                (path, last, name.ident.span().start().line)
            }
            syn::UseTree::Rename(name) => {
                (with(&name.ident), name.rename.to_string(), name.ident.span().start().line)
            }
            syn::UseTree::Glob(glob) => {
                (before.to_vec(), "*".to_owned(), glob.star_token.spans[0].start().line)
            }
        };
        self.add(&path, line);
        if let Some(path) = self.absolute(&path).filter(|_| self.depth == 0) {
            self.names.entry(name).or_default().push(path);
        }
    }

    /// The paths in what a macro is given.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: ModPath = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if path.is_empty() || colons == 2 => {
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && colons < 2 => colons += 1,
                TokenTree::Ident(ident) => {
                    self.add(&std::mem::replace(&mut path, vec![ident.to_string()]), line);
                    colons = 0;
                }
                other => {
                    self.add(&std::mem::take(&mut path), line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.add(&path, line);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = item.attrs.iter().any(|attr| {
            attr.path().is_ident("cfg")
                && attr.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
        });
        if !is_test {
            self.depth += 1;
            syn::visit::visit_item_mod(self, item);
            self.depth -= 1;
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.take_in(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: ModPath = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A single word is a name that a `use` has brought in or that the file defines.
        if let Some(first) = path.segments.first().filter(|_| segments.len() > 1) {
            self.add(&segments, first.ident.span().start().line);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // `pub(in crate::…)` names a module and imports nothing.
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(item.tokens.clone());
        syn::visit::visit_macro(self, item);
    }
}

/// Rings of files given by name and text.
fn rings_of(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<_> = files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    rings(&files)
}

#[test]
fn a_ring_of_three_files_is_found() {
    let found = rings_of(&[
        ("room/mod.rs", "mod a; mod b; mod c;"),
        ("room/a.rs", "use super::b::B;\npub struct A(B);"),
        ("room/b.rs", "pub struct B;\nfn b() { crate::room::c::c(); }"),
        ("room/c.rs", "pub fn c() { println!(\"{}\", super::a::A::len()); }"),
    ]);
    assert_eq!(
        found,
        ["3 files import each other in a ring:\n  \
          room/a.rs:1 imports room/b.rs\n  \
          room/b.rs:2 imports room/c.rs\n  \
          room/c.rs:1 imports room/a.rs"]
    );
}

#[test]
fn a_ring_behind_the_names_of_a_parent_is_found() {
    let found = rings_of(&[
        ("room/mod.rs", "mod a; mod b; mod tests; use b::B; pub use self::a::A as First;"),
        ("room/a.rs", "use super::B;\npub struct A(B);"),
        ("room/b.rs", "pub enum B { One(Box<crate::room::First>) }"),
    ]);
    assert_eq!(
        found,
        [
            "2 files import each other in a ring:\n  room/a.rs:1 imports room/b.rs\n  room/b.rs:1 imports room/a.rs"
        ]
    );
}

#[test]
fn a_parent_and_its_child_are_no_ring() {
    let found = rings_of(&[
        ("room/mod.rs", "mod a; mod b; use a::A; pub struct Room(A); pub struct Plan;"),
        ("room/a.rs", "use super::{Plan, b::B}; pub struct A(Plan, B);"),
        (
            "room/b.rs",
            "pub struct B; mod inner { use super::B; } #[cfg(test)] mod tests { use crate::room::a::A; }",
        ),
    ]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
