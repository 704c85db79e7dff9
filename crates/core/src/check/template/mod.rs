//! Templates: their syntax, whether every variable, function, filter and included text exists, and values that may be null.
//!
//! # Why
//! A text is judged for null once for each place where it is rendered, with the facts of that place: what the flow knows is
//! known in its texts as well. Names do not depend on the place, so they are judged once.

mod names;
mod value;
mod value_of;
mod walk;

use std::collections::BTreeMap;

use minijinja::{Environment, context};
use rustc_hash::FxHashSet;

use self::names::Names;
use self::value::TemplateValue;
use self::walk::Walk;
use super::paths::paths;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{LetId, SlotId};
use crate::model::graph::Text;
use crate::model::name_use::NameKind;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Builtins, Facts, Path, Rendering, Root, Scope, position};
use crate::model::{Graph, Model};
use crate::program::template::library::FILTERS;
use crate::program::template::scan::{Tag, TokenKind, tags};
use crate::program::template::syntax::{TemplatePiece, pieces, sliced_variables};
use crate::source::Span;

/// Functions that minijinja supplies, and names it binds itself.
const FUNCTIONS: [&str; 8] = ["range", "dict", "namespace", "debug", "caller", "self", "super", "loop"];

/// The counters of a budget that a template can read.
const COUNTERS: [&str; 3] = ["used", "limit", "left"];

/// Judges the texts of a graph. Those that are `shared` with graphs in place are judged where they are rendered.
pub(super) fn judge(
    model: &Model,
    graph: &Graph,
    scope: &Scope,
    shared: &FxHashSet<Span>,
    findings: &mut Vec<Diagnostic>,
) {
    if graph.texts.is_empty() {
        return;
    }
    let lets = graph.lets.iter().map(|own| (own.name.value.as_str(), &own.body.ty));
    let slots = graph.slots.iter().map(|slot| (slot.name.value.as_str(), &slot.ty));
    let mut judge = Judge {
        model,
        graph,
        scope,
        variables: lets.chain(slots).collect(),
        texts: (0..).zip(&graph.texts).map(|(at, text)| (text.name.value.as_str(), at)).collect(),
        engine: Environment::new(),
        trees: Vec::new(),
    };
    judge.trees = graph.texts.iter().map(|text| judge.tree(text, findings)).collect();
    let rendered = if shared.is_empty() { FxHashSet::default() } else { judge.rendered() };
    for (at, (text, tree)) in graph.texts.iter().zip(&judge.trees).enumerate() {
        if shared.contains(&text.name.span) && !rendered.contains(&at) {
            continue;
        }
        judge.text(text, tree, findings);
    }
    judge.renderings(findings);
}

/// A text is judged by what is known at so many places; at further ones by what all of them know.
const MAX_RENDERINGS: usize = 16;

struct Judge<'m> {
    model: &'m Model,
    graph: &'m Graph,
    scope: &'m Scope,
    /// Inputs, state and lets with their types.
    variables: BTreeMap<&'m str, &'m Type>,
    /// The texts by their names.
    texts: BTreeMap<&'m str, usize>,
    engine: Environment<'static>,
    /// Each text as a tree; without pieces where it is no template.
    trees: Vec<Vec<TemplatePiece<'m>>>,
}

impl<'m> Judge<'m> {
    /// A text as a tree. One that is no template is reported.
    fn tree(&self, text: &'m Text, findings: &mut Vec<Diagnostic>) -> Vec<TemplatePiece<'m>> {
        let source = text.body.text.as_str();
        if !source.contains('{') {
            return Vec::new();
        }
        match self.engine.template_from_str(source) {
            Ok(_) => pieces(&tags(source).collect::<Vec<_>>()),
            Err(error) => {
                findings.push(syntax(text, &error));
                Vec::new()
            }
        }
    }

    fn text_of(&self, name: &str) -> Option<usize> {
        self.texts.get(name).copied()
    }

    /// The texts that the graph renders, with those they include.
    fn rendered(&self) -> FxHashSet<usize> {
        let mut open: Vec<usize> = self.graph.renderings.iter().map(|r| r.text.0 as usize).collect();
        let mut rendered = FxHashSet::default();
        while let Some(at) = open.pop() {
            let Some(text) = self.graph.texts.get(at).filter(|_| rendered.insert(at)) else { continue };
            let tokens = tags(&text.body.text).flat_map(|tag| tag.tokens);
            let quoted = tokens.filter(|token| token.kind == TokenKind::Quoted);
            open.extend(quoted.filter_map(|token| self.text_of(token.word())));
        }
        rendered
    }

    /// Follows each text for the values that may be null where it is rendered.
    fn renderings(&self, findings: &mut Vec<Diagnostic>) {
        let mut places: BTreeMap<u32, Vec<Rendering>> = BTreeMap::new();
        for rendering in &self.graph.renderings {
            let known = places.entry(rendering.text.0).or_default();
            if known.iter().any(|other| other.facts == rendering.facts) {
                continue;
            }
            let is_full = known.len() >= MAX_RENDERINGS;
            match known.last_mut() {
                Some(last) if is_full => last.facts = last.facts.meet(&rendering.facts),
                _ => known.push(rendering.clone()),
            }
        }
        let mut found = Vec::new();
        let mut walk = Walk::new(self, &mut found);
        places.values().flatten().for_each(|rendering| walk.follow(rendering));
        // A field that is named by its path was judged with the names.
        found
            .retain(|one| !findings.iter().any(|other| other.rule == one.rule && other.span() == one.span()));
        findings.append(&mut found);
    }

    /// The value of a variable of the graph, as the run looks it up.
    fn variable(&self, name: &str, facts: &Facts, findings: &mut Vec<Diagnostic>) -> Option<TemplateValue> {
        let graph = self.graph;
        if let Some(at) = graph.slots.iter().position(|slot| slot.name.value == name) {
            let path = Path::root(Root::Slot(SlotId(u32::try_from(at).ok()?)));
            return Some(TemplateValue::of(graph.slots[at].ty.clone(), path, name.to_owned()));
        }
        let at = graph.lets.iter().position(|own| own.name.value == name)?;
        let id = LetId(u32::try_from(at).ok()?);
        let path = Path::of(&graph.lets[at].body).unwrap_or(Path::root(Root::Let(id)));
        let (ty, found) = self.scope.let_at(id, facts, &self.model.types, Span::default());
        findings.extend(found);
        Some(TemplateValue::of(ty, path, name.to_owned()))
    }

    fn text(&self, text: &'m Text, tree: &[TemplatePiece<'m>], findings: &mut Vec<Diagnostic>) {
        let source = text.body.text.as_str();
        if tree.is_empty() {
            return;
        }
        let Ok(template) = self.engine.template_from_str(source) else { return };
        let called = Names::judge(self, text, tree, findings);
        let tags: Vec<Tag<'_>> = tags(source).collect();
        let mut names: Vec<String> = template.undeclared_variables(true).into_iter().collect();
        names.extend(sliced_variables(tree).into_iter().map(str::to_owned));
        names.retain(|name| !called.contains(name.as_str()));
        names.sort_unstable();
        names.dedup();
        let paths = paths(source, &tags);
        for name in &names {
            let path: Vec<&str> = name.split('.').collect();
            findings.extend(self.path(text, paths.get(name.as_str()), &path));
        }
        for tag in &tags {
            self.words(text, tag, findings);
        }
    }

    /// The fault of a dotted path, if it has one.
    fn path(&self, text: &Text, places: Option<&Vec<usize>>, path: &[&str]) -> Option<Diagnostic> {
        let place = |i: usize| match places {
            Some(places) => text.body.span(places[i], places[i] + path[i].len()),
            None => text.name.span,
        };
        if path[0] == "budgets" {
            return self.budget(path, &place);
        }
        if path[0] == "error" || path[0] == "tools" || FUNCTIONS.contains(&path[0]) {
            return special(path, &place);
        }
        let Some(ty) = self.variables.get(path[0]) else {
            let recorder = self.scope.recorder();
            let all = self.variables.iter().map(|(name, ty)| (*name, Some(*ty)));
            recorder.offer(path[0], NameKind::State, all);
            recorder.offer(
                path[0],
                NameKind::Supplied,
                ["budgets", "tools", "error"].map(|name| (name, None)),
            );
            let message = format!("the template uses `{}`, which does not exist", path[0]);
            let fault = Diagnostic::error(rule::UNKNOWN_VARIABLE, place(0), message);
            let known = self.variables.keys().copied().chain(["budgets", "tools", "error"]);
            let otherwise = if self.graph.budgets.iter().any(|b| b.name.value == path[0]) {
                format!("a budget's counters are budgets.{0}.used, .limit and .left", path[0])
            } else {
                "a template sees inputs, state, lets without parameters, `budgets`, `tools` and `error`"
                    .to_owned()
            };
            return Some(fault.meant_or(nearest(path[0], known), otherwise));
        };
        self.fields(ty, path, &place)
    }

    /// The fault of the first field below a value that its type does not have.
    fn fields(&self, ty: &Type, path: &[&str], place: &dyn Fn(usize) -> Span) -> Option<Diagnostic> {
        let mut ty = ty.clone();
        for (i, field) in path.iter().enumerate().skip(1) {
            match &ty.kind {
                Kind::Record(id) => {
                    let record = self.model.types.record(*id);
                    match position(record, field) {
                        Some(at) => ty = record.fields[at].ty.clone(),
                        None if record.open => return None,
                        None => {
                            let all = record.fields.iter().map(|one| (one.name.as_str(), Some(&one.ty)));
                            self.scope.recorder().offer(field, NameKind::Field, all);
                            let message = format!("`{}` has no field `{field}`", record.name);
                            let fault = Diagnostic::error(rule::UNKNOWN_VARIABLE, place(i), message);
                            let near = nearest(field, record.fields.iter().map(|f| f.name.as_str()));
                            return Some(fault.meant(near));
                        }
                    }
                }
                Kind::Map(value) => ty = Type::clone(value),
                Kind::Any | Kind::Error | Kind::List(..) => return None,
                _ => {
                    let message =
                        format!("`{}` is not a record, so it has no field `{field}`", path[..i].join("."));
                    return Some(Diagnostic::error(rule::UNKNOWN_VARIABLE, place(i), message));
                }
            }
        }
        None
    }

    fn budget(&self, path: &[&str], place: &dyn Fn(usize) -> Span) -> Option<Diagnostic> {
        let name = path.get(1)?;
        if self.graph.families.iter().any(|family| family.name.value == *name) {
            return None;
        }
        let plain =
            || self.graph.budgets.iter().filter(|b| b.family.is_none()).map(|b| b.name.value.as_str());
        if !plain().any(|own| own == *name) {
            self.scope.recorder().offer(name, NameKind::Budget, plain().map(|name| (name, None)));
            let fault =
                Diagnostic::error(rule::UNKNOWN_VARIABLE, place(1), format!("there is no budget `{name}`"));
            return Some(fault.meant(nearest(name, plain())));
        }
        let counter = path.get(2)?;
        if COUNTERS.contains(counter) {
            return None;
        }
        let fault =
            Diagnostic::error(rule::UNKNOWN_VARIABLE, place(2), format!("a budget has no `{counter}`"));
        Some(fault.help("it has `used`, `limit` and `left`"))
    }

    /// Filters and included texts of a tag.
    fn words(&self, text: &Text, tag: &Tag<'_>, findings: &mut Vec<Diagnostic>) {
        for (i, word) in tag.tokens.iter().enumerate().skip(1) {
            let before = &tag.tokens[i - 1];
            let range = word.word_range();
            let span = text.body.span(range.start, range.end);
            if before.is_sign("|") && word.kind == TokenKind::Name && !self.is_filter(word.text) {
                let message = format!("there is no filter `{}`", word.text);
                let fault = Diagnostic::error(rule::UNKNOWN_VARIABLE, span, message);
                // Only those are offered that there are.
                let known = FILTERS.iter().map(|item| item.name).filter(|name| self.is_filter(name));
                findings.push(fault.meant_or(
                    nearest(word.text, known),
                    "the filters are those of Jinja: `join`, `length`, `tojson`, `upper`, …",
                ));
            }
            let takes_in = matches!(tag.keyword(), Some("include" | "import" | "from" | "extends"));
            if i == 1 && takes_in && word.kind == TokenKind::Quoted {
                self.scope.note_text(word.word(), span);
            }
            if i == 1 && takes_in && word.kind == TokenKind::Quoted && !self.texts.contains_key(word.word()) {
                let message = format!("there is no text `{}`", word.word());
                let near = nearest(word.word(), self.texts.keys().copied());
                let fault = Diagnostic::error(rule::UNKNOWN_TEXT, span, message);
                findings.push(fault.meant_or(near, "declare it under `texts`"));
            }
        }
    }

    /// True if minijinja knows a filter of that name.
    fn is_filter(&self, name: &str) -> bool {
        let question = self.engine.compile_expression("name is filter");
        question.and_then(|question| question.eval(context! { name })).map_or(true, |answer| answer.is_true())
    }
}

/// The fault of a path below `error`.
fn special(path: &[&str], place: &dyn Fn(usize) -> Span) -> Option<Diagnostic> {
    let mut scratch = crate::model::record::TypeTable::default();
    if path[0] != "error" {
        return None;
    }
    let Kind::Record(id) = Builtins::declare(&mut scratch).error.kind else { return None };
    let record = scratch.record(id);
    let field = path.get(1)?;
    if position(record, field).is_some() {
        return None;
    }
    let fault =
        Diagnostic::error(rule::UNKNOWN_VARIABLE, place(1), format!("`error` has no field `{field}`"));
    Some(fault.meant_or(
        nearest(field, record.fields.iter().map(|f| f.name.as_str())),
        "its fields are kind, class, message, details, attempt",
    ))
}

/// Reports a template that minijinja cannot read. It gives a line; the place is that line's tag.
fn syntax(text: &Text, error: &minijinja::Error) -> Diagnostic {
    let source = text.body.text.as_str();
    let line = error.line().unwrap_or(1).max(1) - 1;
    let start: usize = source.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = source.get(start..).unwrap_or_default();
    let row = rest.lines().next().unwrap_or_default();
    let tag = row.find("{%").into_iter().chain(row.find("{{")).min();
    let from = start + tag.unwrap_or(row.len() - row.trim_start().len());
    let to = start + row.trim_end().len();
    let reason = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let message = format!("the text `{}` is not a template: {reason}", text.name.value);
    let fault = Diagnostic::error(rule::TEMPLATE_SYNTAX, text.body.span(from, to.max(from)), message);
    fault.help(
        "values are written {{ name }}, blocks {% if … %} … {% endif %}; for a plain brace write {{ '{' }}",
    )
}
