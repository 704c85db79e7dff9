//! Follows values into texts.

use super::builder::{Destination, FlowBuilder, FlowPlace};
use super::network::VertexId;
use super::path::FieldPath;
use super::source::FlowSource;
use crate::model::Graph;
use crate::model::expr::{BudgetId, LetId, SlotId, TextId};
use crate::model::graph::Text;
use crate::program::template::TemplateTexts;
use crate::program::template::scan::{Tag, TokenKind, tags};
use crate::program::template::syntax::{pieces, sliced_variables};
use crate::source::Span;
use crate::value::Str;

/// The variables that the texts of a graph use, each with the fields that are read of it.
#[derive(Debug, Default)]
pub(super) struct TextUses(Vec<Vec<String>>);

impl TextUses {
    pub(super) fn of(graph: &Graph) -> Self {
        let all = graph.texts.iter().map(|text| (text.name.value.clone(), text.body.text.as_str()));
        let Ok(texts) = TemplateTexts::new(all) else { return Self::default() };
        let engine = minijinja::Environment::new();
        Self(graph.texts.iter().map(|text| used(text, &texts, &engine)).collect())
    }

    fn of_text(&self, id: TextId) -> &[String] {
        self.0.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }
}

fn used(text: &Text, texts: &TemplateTexts, engine: &minijinja::Environment<'_>) -> Vec<String> {
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
fn fields_read(source: &str, engine: &minijinja::Environment<'_>) -> Vec<String> {
    let tags: Vec<Tag<'_>> = tags(source).collect();
    let takes_in = |tag: &Tag<'_>| matches!(tag.keyword(), Some("include" | "import" | "from" | "extends"));
    let calls = |tag: &Tag<'_>| {
        let is_call = |words: &[crate::program::template::scan::Token<'_>]| {
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

impl FlowBuilder<'_> {
    /// Lets everything that a text uses flow into it.
    pub(super) fn fill_text(&mut self, at: FlowPlace, id: TextId, vertex: VertexId) {
        let instance = self.of(at.instance);
        let (uses, span) = (instance.text_uses.clone(), instance.graph.texts[id.0 as usize].name.span);
        let to = Destination::of(vertex).whole();
        for path in uses.of_text(id) {
            self.variable(at, path, &to, span);
        }
    }

    fn variable(&mut self, at: FlowPlace, path: &str, to: &Destination, span: Span) {
        let instance = self.of(at.instance);
        let (graph, failure, answers) = (instance.graph, instance.failure, instance.answers);
        let mut words = path.split('.');
        let name = words.next().unwrap_or_default();
        let slot = (0..).map(SlotId).zip(&graph.slots).find(|(_, slot)| slot.name.value == name);
        let own = (0..).map(LetId).zip(&graph.lets).find(|(_, own)| own.name.value == name);
        let vertex = match (slot, own, name) {
            (Some((slot, _)), ..) => self.slot(at.instance, slot, at.component),
            (_, Some((own, _)), _) => self.let_value(at, own),
            (_, _, "tools") => self.source(FlowSource::Operator),
            (_, _, "error") => at.error.unwrap_or(failure),
            (_, _, "result") => at.result.unwrap_or(answers),
            (_, _, "budgets") => {
                for (budget, _) in (0..).map(BudgetId).zip(&graph.budgets) {
                    self.carry(self.budget(at.instance, budget), to, span);
                }
                return;
            }
            _ => return,
        };
        let read: FieldPath = words.map(|field| self.network.names.step(&Str::from(field))).collect();
        self.carry_at(vertex, read, to, span);
    }
}
