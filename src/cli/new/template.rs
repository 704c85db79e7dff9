//! The files that `new` writes.

use super::super::args::TemplateName;

/// A graph with all that is beside it.
pub(super) struct Template {
    /// The place of each file, with `NAME` for the graph's name, and its text. The first is the graph.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Replacements in the texts, old and new, with `NAME` for the graph's name.
    texts: &'static [(&'static str, &'static str)],
    /// Words after those that run the graph with its script.
    pub(super) arguments: &'static str,
}

/// A model, a tool and a budget.
const SMALL: Template = Template {
    files: &[
        ("NAME.yaml", include_str!("small/graph.yaml")),
        ("NAME.scenarios.yaml", include_str!("small/scenarios.yaml")),
        ("NAME.script.yaml", include_str!("small/script.yaml")),
        ("loopwright.toml", include_str!("small/loopwright.toml")),
    ],
    texts: &[],
    arguments: "",
};

/// The shipped conversation with tools.
const CHAT: Template = Template {
    files: &[
        ("NAME.loop", include_str!("../../../graphs/chat/agent.loop")),
        ("NAME.scenarios.yaml", include_str!("../../../graphs/chat/agent.scenarios.yaml")),
        ("NAME.script.yaml", include_str!("../../../graphs/chat/agent.script.yaml")),
        ("loopwright.toml", include_str!("../../../graphs/chat/loopwright.toml")),
        ("call.loop", include_str!("../../../graphs/chat/call.loop")),
        ("prompts/rules.md", include_str!("../../../graphs/chat/prompts/rules.md")),
        ("prompts/shorten.md", include_str!("../../../graphs/chat/prompts/shorten.md")),
        ("notes/trees.md", include_str!("../../../graphs/chat/notes/trees.md")),
        ("notes/tools.md", include_str!("../../../graphs/chat/notes/tools.md")),
    ],
    texts: &[("graphs/chat/", ""), ("graph agent", "graph NAME"), ("agent.", "NAME.")],
    arguments: " --input 'question=How many baskets do the apples fill?' --grant write_file",
};

impl Template {
    pub(super) const fn of(name: TemplateName) -> &'static Self {
        match name {
            TemplateName::Small => &SMALL,
            TemplateName::Chat => &CHAT,
        }
    }

    /// A text of the template for a graph of this name.
    pub(super) fn named(&self, text: &str, name: &str) -> String {
        let text = self.texts.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
        text.replace("NAME", name)
    }
}
