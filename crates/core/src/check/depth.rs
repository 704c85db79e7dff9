//! Expressions that are short enough as they are written, but not with the lets and texts written out that they name; lets and
//! texts that need each other, or so many others that evaluating them fails.

use rustc_hash::FxHashMap;

use super::uses::{UsePlace, Uses};
use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::{Expr, ExprKind, LetId, TextId};
use crate::model::graph::Text;
use crate::model::typing::dependencies_first;
use crate::program::level::{LEVELS_OF_A_TEXT, LEVELS_TO_A_VARIABLE, MAX_LEVELS, MAX_NESTED_LETS};
use crate::program::template::TemplateTexts;
use crate::source::{Span, Spanned};
use crate::value::Str;

/// Judges the lets and texts of a graph, and all that names them.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    if graph.lets.is_empty() && graph.texts.is_empty() {
        return;
    }
    let mut judge =
        Judge { graph, levels: vec![None; graph.lets.len() + graph.texts.len()], found: Vec::new() };
    judge.names();
    let uses = Uses::outside_of_lets(graph);
    let lets = uses.lets.iter().map(|(id, place)| (of_let(*id), place));
    let texts = uses.texts.iter().filter_map(|(id, place)| Some((judge.of_text(*id), place.as_ref()?)));
    let places: Vec<(usize, UsePlace)> = lets.chain(texts).map(|(name, place)| (name, *place)).collect();
    for (name, place) in places {
        judge.within(name, place);
    }
    findings.append(&mut judge.found);
}

/// The name of a let is its index.
const fn of_let(id: LetId) -> usize {
    id.0 as usize
}

struct Judge<'g> {
    graph: &'g Graph,
    /// By name, the lets first and the texts after them: how deep it nests, unless it is too deep or needs itself.
    levels: Vec<Option<u32>>,
    found: Vec<Diagnostic>,
}

impl Judge<'_> {
    fn of_text(&self, id: TextId) -> usize {
        self.graph.lets.len() + id.0 as usize
    }

    /// Finds how deep each let and each text nests.
    fn names(&mut self) {
        let mut own: Vec<(u32, Vec<(usize, UsePlace)>)> =
            self.graph.lets.iter().map(|entry| self.named_by(&entry.body)).collect();
        own.extend(self.named_by_texts().into_iter().map(|named| (LEVELS_OF_A_TEXT, named)));
        let needs: Vec<Vec<usize>> =
            own.iter().map(|(_, named)| named.iter().map(|(name, _)| *name).collect()).collect();
        let (order, circles) = dependencies_first(&needs);
        self.circles(&circles);
        for at in &order {
            let at = *at;
            let (levels, named) = &own[at];
            let deepest = named.iter().map(|(name, place)| self.within(*name, *place));
            self.levels[at] =
                deepest.collect::<Option<Vec<u32>>>().map(|all| all.into_iter().fold(*levels, u32::max));
        }
        // What is too deep as one expression is reported already.
        if self.found.iter().all(|fault| fault.rule != rule::EXPRESSION_LIMIT) {
            self.chains(&order, &needs);
        }
    }

    /// Reports lets that need themselves by way of a text. Of those that need no text another rule tells.
    fn circles(&mut self, circles: &[Vec<usize>]) {
        for circle in circles {
            let (lets, texts): (Vec<usize>, Vec<usize>) =
                circle.iter().partition(|at| **at < self.graph.lets.len());
            if let ([first, ..], [text, ..]) = (lets.as_slice(), texts.as_slice()) {
                let (first, text) = (self.declared(*first), self.declared(*text));
                let message = format!(
                    "this always fails: `{}` needs itself, by way of the text `{}`",
                    first.value, text.value
                );
                let fault = Diagnostic::warning(rule::ALWAYS_FAILS, first.span, message);
                let fault = fault.also(text.span, "the text");
                self.found
                    .push(fault.help("write into the text what it shows, or assign it to a state field"));
            }
        }
    }

    /// Reports lets and texts that need more others, one in another, than a run evaluates.
    fn chains(&mut self, order: &[usize], needs: &[Vec<usize>]) {
        let mut chains: Vec<u32> = vec![0; needs.len()];
        for at in order {
            let deepest = needs[*at].iter().map(|name| chains[*name]).max().unwrap_or(0);
            chains[*at] = deepest + 1;
            if deepest == MAX_NESTED_LETS {
                let name = self.declared(*at);
                let message = format!(
                    "this fails: `{}` needs {deepest} lets and texts one in another, and {} may be",
                    name.value,
                    MAX_NESTED_LETS - 1
                );
                let fault = Diagnostic::warning(rule::ALWAYS_FAILS, name.span, message);
                self.found
                    .push(fault.help("assign the value of an inner let to a state field and name that"));
            }
        }
    }

    /// The name of a let or a text, where it is declared.
    fn declared(&self, name: usize) -> &'_ Spanned<Str> {
        match self.graph.lets.get(name) {
            Some(entry) => &entry.name,
            None => &self.graph.texts[name - self.graph.lets.len()].name,
        }
    }

    /// The depth of an expression as it is written, and what it names where.
    fn named_by(&self, expr: &Expr) -> (u32, Vec<(usize, UsePlace)>) {
        let (mut deepest, mut named) = (0, Vec::new());
        expr.each_level(&mut |expr, level| {
            deepest = deepest.max(level);
            let name = match expr.kind {
                ExprKind::Let(id) => of_let(id),
                ExprKind::Render(id) => self.of_text(id),
                _ => return,
            };
            named.push((name, UsePlace { level, span: expr.span }));
        });
        (deepest, named)
    }

    /// The lets that each text names. Nothing is named by texts that are no templates, which is a fault of its own.
    fn named_by_texts(&self) -> Vec<Vec<(usize, UsePlace)>> {
        let texts = &self.graph.texts;
        let known =
            TemplateTexts::new(texts.iter().map(|text| (text.name.value.clone(), text.body.text.as_str())));
        let known = known.unwrap_or_default();
        let lets: FxHashMap<&str, usize> =
            (0..).zip(&self.graph.lets).map(|(at, entry)| (entry.name.value.as_str(), at)).collect();
        let named = |text: &Text| {
            let place = UsePlace { level: LEVELS_TO_A_VARIABLE, span: text.name.span };
            let variables = known.variables(&text.name.value).iter();
            variables.filter_map(|name| Some((*lets.get(name.as_str())?, place))).collect()
        };
        texts.iter().map(named).collect()
    }

    /// The depth of an expression that names this there; [`None`] and a fault if that is too deep.
    fn within(&mut self, name: usize, place: UsePlace) -> Option<u32> {
        let levels = self.levels[name]? + place.level;
        if levels <= MAX_LEVELS {
            return Some(levels);
        }
        if self.found.iter().all(|fault| fault.span() != place.span) {
            let fault = self.fault(name, levels, place.span);
            self.found.push(fault);
        }
        None
    }

    fn fault(&self, name: usize, levels: u32, span: Span) -> Diagnostic {
        let declared = self.declared(name);
        let kind = if name < self.graph.lets.len() { "let" } else { "text" };
        let message = format!(
            "this nests {levels} levels deep once the lets it names are written out; {MAX_LEVELS} are allowed"
        );
        let there = format!(
            "{} of them are those of the {kind} `{}`",
            self.levels[name].unwrap_or(0),
            declared.value
        );
        Diagnostic::error(rule::EXPRESSION_LIMIT, span, message)
            .also(declared.span, there)
            .help("write fewer levels, or assign the value of an inner let to a state field and name that")
    }
}
