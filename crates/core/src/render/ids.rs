//! Ids that every drawing language can read.

use rustc_hash::FxHashSet;

/// Words that mean something to Mermaid, or to the language it is written in, in small letters. An item never has one as its
/// id, in whatever case.
const WORDS: &[&str] = &[
    "__definegetter__",
    "__definesetter__",
    "__lookupgetter__",
    "__lookupsetter__",
    "__proto__",
    "_blank",
    "_parent",
    "_self",
    "_top",
    "accdescr",
    "acctitle",
    "as",
    "bt",
    "call",
    "choice",
    "class",
    "classdef",
    "click",
    "constructor",
    "default",
    "direction",
    "end",
    "flowchart",
    "fork",
    "graph",
    "hasownproperty",
    "hide",
    "href",
    "interpolate",
    "isprototypeof",
    "join",
    "linkstyle",
    "lr",
    "note",
    "o",
    "propertyisenumerable",
    "prototype",
    "rl",
    "root",
    "scale",
    "state",
    "statediagram",
    "style",
    "subgraph",
    "tb",
    "td",
    "title",
    "tolocalestring",
    "tostring",
    "v",
    "valueof",
    "width",
    "x",
];

/// The ids that are taken.
#[derive(Debug)]
pub(super) struct Ids {
    taken: FxHashSet<String>,
}

impl Ids {
    pub(super) fn new() -> Self {
        let mut ids = Self { taken: FxHashSet::default() };
        ids.reserve("root");
        ids
    }

    /// An id for an item: the name, with as many `_` after it as it takes. The points where a box begins and ends have ids
    /// made of the box's, which nothing else gets.
    pub(super) fn make(&mut self, name: &str, open: bool) -> String {
        let mut id = name.to_owned();
        while self.is_taken(&id) || (open && [start(&id), end(&id)].iter().any(|id| self.taken.contains(id)))
        {
            id.push('_');
        }
        self.taken.insert(id.clone());
        if open {
            self.reserve(&id);
        }
        id
    }

    fn reserve(&mut self, id: &str) {
        self.taken.insert(start(id));
        self.taken.insert(end(id));
    }

    fn is_taken(&self, id: &str) -> bool {
        self.taken.contains(id) || is_word(id)
    }
}

/// Returns true if a name is one of the words, in whatever case. Nearly none is, so this allocates nothing.
fn is_word(id: &str) -> bool {
    let small = || id.bytes().map(|b| b.to_ascii_lowercase());
    WORDS.binary_search_by(|word| word.bytes().cmp(small())).is_ok()
}

/// The id of the point where a box begins.
pub(super) fn start(id: &str) -> String {
    format!("{id}_start")
}

/// The id of the point where a box ends.
pub(super) fn end(id: &str) -> String {
    format!("{id}_end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn no_two_items_share_an_id() {
        let mut ids = Ids::new();
        let names = ["a", "end", "End", "end_", "b_start", "b", "root_start", "constructor", "a"];
        let made: Vec<String> = names.iter().map(|name| ids.make(name, *name == "b")).collect();
        assert_eq!(
            made,
            ["a", "end_", "End_", "end__", "b_start", "b_", "root_start_", "constructor_", "a_"]
        );
    }
}
