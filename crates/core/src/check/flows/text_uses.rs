//! The variables that texts use, with the fields that are read of them.

use minijinja::Environment;

use crate::model::Graph;
use crate::model::expr::TextId;
use crate::model::graph::Text;
use crate::program::template::TemplateTexts;
use crate::program::template::scan::{Tag, Token, TokenKind, tags};
use crate::program::template::syntax::{pieces, sliced_variables};

/// The variables that the texts of a graph use, each with the fields that are read of it.
#[derive(Debug, Default)]
pub(super) struct TextUses(Vec<Vec<String>>);

impl TextUses {
    pub(super) fn of(graph: &Graph) -> Self {
        let all = graph.texts.iter().map(|text| (text.name.value.clone(), text.body.text.as_str()));
        let Ok(texts) = TemplateTexts::new(all) else { return Self::default() };
        let engine = Environment::new();
        Self(graph.texts.iter().map(|text| used(text, &texts, &engine)).collect())
    }

    /// Those of one text.
    pub(super) fn of_text(&self, id: TextId) -> &[String] {
        self.0.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }
}

fn used(text: &Text, texts: &TemplateTexts, engine: &Environment<'_>) -> Vec<String> {
    let fields = fields_read(&text.body.text, engine);
    let root = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
    let mut used = Vec::new();
    for variable in texts.variables(&text.name.value) {
        let before = used.len();
        used.extend(fields.iter().filter(|path| root(path) == variable.as_str()).cloned());
        if used.len() == before {
            used.push(variable.to_string());
        }
    }
    used
}

/// The variables of a text with their fields; none where only the roots are surely known: the text takes in others, or calls
/// something of a value.
fn fields_read(source: &str, engine: &Environment<'_>) -> Vec<String> {
    let tags: Vec<Tag<'_>> = tags(source).collect();
    let takes_in = |tag: &Tag<'_>| matches!(tag.keyword(), Some("include" | "import" | "from" | "extends"));
    let calls = |tag: &Tag<'_>| {
        let is_call = |words: &[Token<'_>]| {
            words[0].is_sign(".") && words[1].kind == TokenKind::Name && words[2].text == "("
        };
        tag.tokens.windows(3).any(is_call)
    };
    if tags.iter().any(|tag| takes_in(tag) || calls(tag)) {
        return Vec::new();
    }
    let Ok(template) = engine.template_from_str(source) else { return Vec::new() };
    let mut read: Vec<String> = template.undeclared_variables(true).into_iter().collect();
    read.extend(sliced_variables(&pieces(&tags)).into_iter().map(str::to_owned));
    read.sort_unstable();
    read.dedup();
    read
}
