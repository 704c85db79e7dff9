//! Comments, and what they belong to.

use super::Syntax;
use super::item::{Comment, Item, Value};
use super::lines::{blank_before, line_start};
use crate::source::Spanned;

/// Gives each comment to the item it is at. What belongs to none, in a file that holds nothing else, is given back.
pub(super) fn attach(
    items: &mut [Item],
    comments: &[Spanned<String>],
    text: &str,
    from: Syntax,
) -> Vec<Comment> {
    let mut slots = Vec::new();
    slots_of(items, &mut Vec::new(), None, text, &mut slots);
    let slots = in_order(slots);
    for slot in &slots {
        item_at(items, &slot.path).blank = starts_line(text, slot.start) && blank_before(text, slot.start);
    }
    let mut rest = Vec::new();
    let mut known = Places { text, from, slots, run: (0, 0) };
    for comment in comments {
        let at = comment.span.start as usize;
        let text = comment.value.trim_end().to_owned();
        let own = Comment { text: text.clone(), blank: blank_before(known.text, at) };
        match known.place(at) {
            CommentPlace::Inside => {}
            CommentPlace::Before(slot) => item_at(items, &known.slots[slot].path).before.push(own),
            CommentPlace::Beside(slot) => {
                let item = item_at(items, &known.slots[slot].path);
                // A line has room for one comment; another, such as one after the end of a block, goes above it.
                if item.beside.is_empty() { item.beside.push(text) } else { item.before.push(own) }
            }
            CommentPlace::After(slot) => item_at(items, &known.slots[slot].path).after.push(own),
            CommentPlace::Nowhere => rest.push(own),
        }
    }
    rest
}

/// An item's place in the text.
struct Slot {
    path: Vec<usize>,
    /// The slot of the item around it.
    parent: Option<usize>,
    start: usize,
    end: usize,
    column: usize,
    code: bool,
}

enum CommentPlace {
    /// In an expression or between statements: written with them.
    Inside,
    Before(usize),
    Beside(usize),
    After(usize),
    Nowhere,
}

struct Places<'t> {
    text: &'t str,
    from: Syntax,
    slots: Vec<Slot>,
    /// A run of comments and blanks, from the first of them to what follows.
    run: (usize, usize),
}

fn slots_of(
    items: &mut [Item],
    path: &mut Vec<usize>,
    parent: Option<usize>,
    text: &str,
    slots: &mut Vec<Slot>,
) {
    for (i, item) in items.iter_mut().enumerate() {
        path.push(i);
        let mut around = parent;
        if !item.gathered {
            let start = first_sign(text, item);
            let column = start - line_start(text, start);
            let code = matches!(item.value, Value::Code(_));
            around = Some(slots.len());
            slots.push(Slot { path: path.clone(), parent, start, end: item.end, column, code });
        }
        slots_of(item.children_mut(), path, around, text, slots);
        path.pop();
    }
}

/// The slots by their place in the text: declarations that were gathered are apart again.
fn in_order(mut slots: Vec<Slot>) -> Vec<Slot> {
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|i| (slots[*i].start, slots[*i].path.len()));
    let mut place = vec![0; slots.len()];
    for (to, from) in order.iter().enumerate() {
        place[*from] = to;
    }
    for slot in &mut slots {
        slot.parent = slot.parent.map(|parent| place[parent]);
    }
    slots.sort_by_key(|slot| (slot.start, slot.path.len()));
    slots
}

/// Finds where an item starts: at its dash, if it is one of a list; at the word before its name, if declared alone.
fn first_sign(text: &str, item: &Item) -> usize {
    let before = &text[line_start(text, item.start)..item.start];
    let blanks = before.len() - before.trim_start_matches([' ', '\t']).len();
    let word = before[blanks..].trim_end_matches([' ', '\t']);
    let dashes = item.key.is_empty() && word.ends_with('-') && word.trim_matches([' ', '-']).is_empty();
    if dashes {
        return item.start - before.len() + blanks + word.len() - 1;
    }
    let declared = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
    if declared { item.start - before.len() + blanks } else { item.start }
}

/// Returns true if nothing but dashes is before a byte on its line.
fn starts_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim_matches([' ', '\t', '-']).is_empty()
}

fn item_at<'i>(items: &'i mut [Item], path: &[usize]) -> &'i mut Item {
    let (first, rest) = path.split_first().expect("a path has a step");
    let item = &mut items[*first];
    if rest.is_empty() { item } else { item_at(item.children_mut(), rest) }
}

impl Places<'_> {
    fn place(&mut self, at: usize) -> CommentPlace {
        let next = self.slots.partition_point(|slot| slot.start <= at);
        let chain = next.checked_sub(1).map(|last| self.chain(last)).unwrap_or_default();
        if chain.iter().any(|i| self.slots[*i].code && at < self.slots[*i].end && self.from == Syntax::Loop) {
            return CommentPlace::Inside;
        }
        let line = line_start(self.text, at);
        if !self.text[line..at].trim().is_empty() {
            let starts = |i: &&usize| self.slots[**i].start >= line;
            let ends = |i: &&usize| (line..=at).contains(&self.slots[**i].end);
            let whole = chain.iter().find(|i| starts(i) && ends(i));
            // A list of YAML ends with its last item, a block of the loop DSL after all it holds.
            let inner = || chain.iter().rev().find(ends).filter(|_| self.from == Syntax::Yaml);
            let outer = || chain.iter().find(ends);
            let found = whole.or_else(|| chain.iter().find(starts)).or_else(inner).or_else(outer);
            if let Some(slot) = found {
                return CommentPlace::Beside(*slot);
            }
        }
        let previous = match self.from {
            Syntax::Loop => {
                let closes = self.closes(at);
                closes.then(|| chain.iter().find(|i| self.slots[**i].end <= at)).flatten()
            }
            Syntax::Yaml => {
                let column = at - line;
                let deeper = self.slots.get(next).is_none_or(|next| column > next.column);
                let fits = |i: &&usize| {
                    self.slots[**i].column <= column && starts_line(self.text, self.slots[**i].start)
                };
                if deeper { chain.iter().rev().find(fits) } else { None }
            }
        };
        match previous {
            Some(slot) => CommentPlace::After(*slot),
            None if next < self.slots.len() => CommentPlace::Before(next),
            None => chain.first().map_or(CommentPlace::Nowhere, |slot| CommentPlace::After(*slot)),
        }
    }

    /// The items around an item, outermost first, and itself.
    fn chain(&self, slot: usize) -> Vec<usize> {
        let mut chain: Vec<_> = std::iter::successors(Some(slot), |slot| self.slots[*slot].parent).collect();
        chain.reverse();
        chain
    }

    /// Returns true if the next sign that is not part of a comment closes a block, or the file ends.
    fn closes(&mut self, at: usize) -> bool {
        if !(self.run.0..self.run.1).contains(&at) {
            let mut rest = &self.text[at..];
            while rest.starts_with('#') {
                rest = rest.find('\n').map_or("", |i| &rest[i..]).trim_start();
            }
            self.run = (at, self.text.len() - rest.len());
        }
        let rest = &self.text[self.run.1..];
        rest.is_empty() || rest.starts_with('}')
    }
}
