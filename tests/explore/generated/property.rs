//! Properties of random graphs.

use super::writer::Writer;

const PROPERTIES: &[(&str, usize)] =
    &[("never", 1), ("never", 1), ("always", 1), ("always", 1), ("eventually", 1), ("precedes", 2)];

/// What properties say of states. `self` stands for a number, the same one each time.
const CONDITIONS: &[&str] = &[
    "$bool",
    "$bool",
    "(in_state(@node) && $bool)",
    "(in_state(@node) || $bool)",
    "(self < (previous(self) ?? 0))",
    "(self >= (previous(self) ?? 0))",
    "(self == (previous(self) ?? 0))",
    "((previous($bool) ?? false) && $bool)",
    "((previous(in_state(@node)) ?? false) && in_state(@node) && $bool)",
];

impl Writer {
    pub(super) fn property(&mut self) -> String {
        let (word, conditions) = *self.pick(PROPERTIES);
        let first = self.condition();
        if conditions == 1 {
            return format!("{word} {first}");
        }
        format!("{first} {word} {}", self.condition())
    }

    fn condition(&mut self) -> String {
        let number = self.expression("int", 1);
        let template = self.pick(CONDITIONS).replace("self", &number);
        self.expand(&template, 2).expect("graphs have nodes")
    }
}
