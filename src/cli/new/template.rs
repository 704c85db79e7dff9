//! The graphs that `new` begins with: files, and the name that each gets.

use super::super::args::TemplateName;

/// A graph with all that is beside it.
pub(super) struct Template {
    /// The graph: the place of the file, with `NAME` for the graph's name, and its text.
    pub(super) graph: TemplateFile,
    /// Its scenarios.
    pub(super) scenarios: TemplateFile,
    /// A script for it; a graph without models has none.
    pub(super) script: Option<TemplateFile>,
    /// The content of its `loopwright.toml`.
    pub(super) config: &'static str,
    /// The other files.
    pub(super) others: &'static [TemplateFile],
    /// Replacements in the texts, old and new, with `NAME` for the graph's name.
    texts: &'static [(&'static str, &'static str)],
    /// Words after those that run the graph with its script.
    pub(super) arguments: &'static str,
}

/// The place of a file and its text.
pub(super) type TemplateFile = (&'static str, &'static str);

/// A graph in YAML with scenarios, and a script where it has models.
macro_rules! yaml {
    ($folder:literal, $script:expr) => {
        Template {
            graph: ("NAME.yaml", include_str!(concat!("../../../templates/", $folder, "/graph.yaml"))),
            scenarios: (
                "NAME.scenarios.yaml",
                include_str!(concat!("../../../templates/", $folder, "/scenarios.yaml")),
            ),
            script: $script,
            config: include_str!(concat!("../../../templates/", $folder, "/loopwright.toml")),
            others: &[],
            texts: &[],
            arguments: "",
        }
    };
    ($folder:literal) => {
        yaml!(
            $folder,
            Some(("NAME.script.yaml", include_str!(concat!("../../../templates/", $folder, "/script.yaml"))))
        )
    };
}

const SMALL: Template = yaml!("small");
const REACT: Template = yaml!("react");
const PLAN: Template = yaml!("plan");
const REVIEW: Template = yaml!("review");
const EMPTY: Template = yaml!("empty", None);

/// The shipped conversation with tools.
const CHAT: Template = Template {
    graph: ("NAME.loop", include_str!("../../../graphs/chat/agent.loop")),
    scenarios: ("NAME.scenarios.yaml", include_str!("../../../graphs/chat/agent.scenarios.yaml")),
    script: Some(("NAME.script.yaml", include_str!("../../../graphs/chat/agent.script.yaml"))),
    config: include_str!("../../../graphs/chat/loopwright.toml"),
    others: &[
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
            TemplateName::React => &REACT,
            TemplateName::Plan => &PLAN,
            TemplateName::Review => &REVIEW,
            TemplateName::Empty => &EMPTY,
        }
    }

    /// Its files but for the configuration, the graph first.
    pub(super) fn files(&self) -> impl Iterator<Item = TemplateFile> + '_ {
        [self.graph, self.scenarios].into_iter().chain(self.script).chain(self.others.iter().copied())
    }

    /// A text of the template for a graph of this name.
    pub(super) fn named(&self, text: &str, name: &str) -> String {
        let text = self.texts.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
        text.replace("NAME", name)
    }
}
