//! Statements of random graphs.

use super::types::Type;
use super::writer::Writer;

/// Those beside changes of variables.
const STATEMENTS: &[&str] = &[
    "if $bool {\n%block\n}",
    "if $bool {\n%block\n} else {\n%block\n}",
    "for !int in [1, 2] {\n%block\n}",
    "for !int in #ints {\n%block\n}",
    "for !text in #texts {\n%block\n}",
    "let !int = $int",
    "let !text = $text",
    "let !bool = $bool",
    "spend @budget",
    "spend @budget",
    "spend @budget by (#small + 1)",
    "@action()",
    "@action()",
    "if $bool { fail @error 'x' }",
    "emit one {'k': $int}",
    "emit one {'k': $text}",
];

impl Writer {
    /// Up to three statements, a line each or more.
    pub(super) fn block(&mut self) -> String {
        let names = self.names.len();
        let statements: Vec<String> = (0..=self.below(3)).map(|_| self.statement()).collect();
        self.names.truncate(names);
        statements.join("\n")
    }

    fn statement(&mut self) -> String {
        let depth = 1 + self.below(2);
        let changed = if self.chance(65) { self.name(|own| own.is_variable) } else { None };
        let made = if let Some(name) = changed {
            let change = self.pick(Type::of(name.word).changes).replace("self", &name.text);
            self.expand(&change, depth)
        } else {
            self.any_of(STATEMENTS, depth)
        };
        made.unwrap_or_else(|| "emit one".to_owned())
    }
}
