//! Random text from templates.
//!
//! In a template, a mark and a word stand for text that is made for them:
//!
//! - `$bool`: an expression of the type;
//! - `#bool`: a name or a constant of the type;
//! - `@node`: a name that is seen, of a type or of another kind;
//! - `&bool`: a variable of the type that can be changed;
//! - `!int`: a new local name of the type, seen from the next block on;
//! - `%block`: some statements;
//! - `~`: a number that no other template gets.

use super::types::Type;
use crate::dice::Dice;

const MARKS: [char; 6] = ['$', '#', '@', '&', '!', '%'];

/// How often another template is taken in place of one that needs a name of a kind of which none is seen.
const TRIES: usize = 8;

/// A name that templates can use.
#[derive(Clone)]
pub(super) struct Name {
    /// The word that templates have for its kind: that of a type or another.
    pub(super) word: &'static str,
    pub(super) text: String,
    /// True for one that statements can change.
    pub(super) is_variable: bool,
    /// The number of the first node that sees it.
    pub(super) since: usize,
}

impl Name {
    /// A name that statements cannot change and that all nodes see.
    pub(super) fn fixed(word: &'static str, text: impl Into<String>) -> Self {
        Self { word, text: text.into(), is_variable: false, since: 0 }
    }
}

/// Writes random text.
pub(super) struct Writer {
    dice: Dice,
    /// The names that are seen: who adds some to it takes them away again.
    pub(super) names: Vec<Name>,
    /// How deep blocks may still be in each other.
    nesting: usize,
    templates: usize,
}

impl Writer {
    pub(super) const fn new(seed: u64) -> Self {
        // Numbers that follow each other are no good seeds: the first choices would be the same.
        let dice = Dice::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        Self { dice, names: Vec::new(), nesting: 2, templates: 0 }
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        self.dice.below(count)
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of the names that are seen.
    pub(super) fn name(&mut self, is_wanted: impl Fn(&Name) -> bool) -> Option<Name> {
        let wanted: Vec<&Name> = self.names.iter().filter(|own| is_wanted(own)).collect();
        // Not `pick`: the names are borrowed.
        (!wanted.is_empty()).then(|| wanted[self.dice.below(wanted.len())].clone())
    }

    /// An expression of a type; its parts are at most so deep in each other.
    pub(super) fn expression(&mut self, word: &str, depth: usize) -> String {
        let names = if depth == 0 { 95 } else { 40 };
        if self.chance(names)
            && let Some(name) = self.name(|own| own.word == word)
        {
            return name.text;
        }
        let ty = Type::of(word);
        let made = if depth == 0 || self.chance(6) {
            None
        } else if self.chance(8) {
            self.expand(&format!("($bool ? ${word} : ${word})"), depth - 1)
        } else {
            self.any_of(ty.made, depth - 1)
        };
        made.unwrap_or_else(|| (*self.pick(ty.constants)).to_owned())
    }

    /// The text of one of some templates. None where those that were tried need names that are not there.
    pub(super) fn any_of(&mut self, templates: &[&str], depth: usize) -> Option<String> {
        let tries = if templates.is_empty() { 0 } else { TRIES };
        (0..tries).find_map(|_| {
            let template = *self.pick(templates);
            self.expand(template, depth)
        })
    }

    /// The text of a template; its expressions are so deep. None where it needs a name that is not there.
    pub(super) fn expand(&mut self, template: &str, depth: usize) -> Option<String> {
        self.templates += 1;
        let number = self.templates.to_string();
        let template = template.replace('~', &number);
        let before = self.names.len();
        let (mut text, mut rest, mut local) = (String::new(), template.as_str(), None);
        while let Some((start, mark, word, end)) = next_mark(rest) {
            text += start;
            rest = end;
            match mark {
                '$' => text += &self.expression(word, depth),
                '#' => text += &self.expression(word, 0),
                '@' => text += &self.name(|own| own.word == word)?.text,
                '&' => text += &self.name(|own| own.word == word && own.is_variable)?.text,
                '!' => {
                    let name = format!("i{number}");
                    text += &name;
                    local = Some(Name::fixed(Type::of(word).word, name));
                }
                _ if self.nesting == 0 => return None,
                _ => {
                    self.names.extend(local.take());
                    text += &indented(&self.nested_block());
                    self.names.truncate(before);
                }
            }
        }
        self.names.extend(local);
        Some(text + rest)
    }

    fn nested_block(&mut self) -> String {
        self.nesting -= 1;
        let block = self.block();
        self.nesting += 1;
        block
    }
}

/// What comes before the first mark with a word, the two, and what comes after them.
fn next_mark(text: &str) -> Option<(&str, char, &str, &str)> {
    text.match_indices(MARKS).find_map(|(at, mark)| {
        let after = &text[at + 1..];
        let is_in_word = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        let (word, end) = after.split_at(after.find(|letter| !is_in_word(letter)).unwrap_or(after.len()));
        (!word.is_empty()).then(|| (&text[..at], mark.chars().next().expect("a mark"), word, end))
    })
}

/// The lines of a text, two columns further in.
pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
