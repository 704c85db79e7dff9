//! Texts of a graph, as far as they are templates.

use crate::model::Graph;
use crate::program::template::TemplateTexts;
use crate::program::template::scan::Tag;

/// Signs and words of an operation that may fail, or that takes part of a value.
const FAILING: [&str; 10] = ["/", "//", "%", "-", "*", "**", "+", "[", "range", "int"];

/// The texts of a graph, looked through; nothing where one of them is no template.
pub(super) fn template_texts(graph: &Graph) -> Option<TemplateTexts> {
    let texts = graph.texts.iter().map(|text| (text.name.value.clone(), text.body.text.as_str()));
    TemplateTexts::new(texts).ok()
}

/// True for a tag of a text that may have no value.
pub(super) fn may_fail(tag: &Tag<'_>) -> bool {
    tag.tokens.iter().any(|token| FAILING.contains(&token.text))
}
