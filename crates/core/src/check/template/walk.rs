//! Follows a template from its beginning to its end, with what is known of its values on the way.

use std::ops::Range;

use super::Judge;
use super::value::{Absence, TemplateBinding, TemplateValue};
use crate::diag::{Diagnostic, Label, rule};
use crate::model::graph::Text;
use crate::model::typing::{Facts, MapKey, Path, Rendering};
use crate::program::template::syntax::{TemplateExpr, TemplateExprKind, TemplatePiece, Word};
use crate::source::Span;

/// Texts that take in others and macros that call others are followed no deeper than this.
const MAX_FOLLOWED: usize = 16;

/// Expressions that are looked at for all texts of one graph; after so many nothing more is said of null.
const MAX_LOOKED_AT: u32 = 2_000_000;

/// More places of one text where the same value may be null are not named.
const MAX_NULL_PLACES: usize = 6;

/// One rendering of a text while it is followed.
pub(super) struct Walk<'j, 'm> {
    pub(super) judge: &'j Judge<'m>,
    pub(super) facts: Facts,
    /// The place where it is rendered.
    pub(super) rendering: Option<Span>,
    pub(super) findings: &'j mut Vec<Diagnostic>,
    /// The expressions that may still be looked at.
    pub(super) left: u32,
    /// The texts that are followed, innermost last.
    texts: Vec<usize>,
    /// Macros in progress.
    macros: usize,
    names: Vec<(&'j str, TemplateBinding<'j, 'm>)>,
    locals: u32,
    /// The values that were reported as null: the text, the path, and which finding it is.
    reported: Vec<(Option<usize>, Path, usize)>,
}

impl<'j, 'm> Walk<'j, 'm> {
    pub(super) fn new(judge: &'j Judge<'m>, findings: &'j mut Vec<Diagnostic>) -> Self {
        Self {
            judge,
            facts: Facts::default(),
            rendering: None,
            findings,
            left: MAX_LOOKED_AT,
            texts: Vec::new(),
            macros: 0,
            names: Vec::new(),
            locals: 0,
            reported: Vec::new(),
        }
    }

    /// Follows a text where it is rendered.
    pub(super) fn follow(&mut self, rendering: &Rendering) {
        self.facts = rendering.facts.clone();
        self.rendering = Some(rendering.span);
        self.names.clear();
        self.take_in(rendering.text.0 as usize);
    }

    fn take_in(&mut self, text: usize) {
        let judge = self.judge;
        let Some(pieces) = judge.trees.get(text) else { return };
        if self.texts.contains(&text) || self.texts.len() >= MAX_FOLLOWED {
            return;
        }
        self.texts.push(text);
        self.scoped(|walk| walk.pieces(pieces));
        self.texts.pop();
    }

    /// Names that are bound inside are gone afterwards, and so is what is learned.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        let (names, facts) = (self.names.len(), self.facts.clone());
        inside(self);
        self.names.truncate(names);
        self.facts = facts;
    }

    fn pieces(&mut self, pieces: &'j [TemplatePiece<'m>]) {
        for piece in pieces {
            if self.left == 0 {
                return;
            }
            self.piece(piece);
        }
    }

    fn piece(&mut self, piece: &'j TemplatePiece<'m>) {
        match piece {
            // Null alone is printed as `None`.
            TemplatePiece::Print(expr) => drop(self.used(expr)),
            TemplatePiece::If(arms, otherwise) => self.branches(arms, otherwise),
            TemplatePiece::For { names, list, filter, body, otherwise } => {
                let value = self.used(list);
                self.refuse_null(&value, list, "a loop goes over it");
                self.scoped(|walk| {
                    walk.bind_items(names, &value);
                    walk.filtered(filter.as_ref(), body);
                });
                self.scoped(|walk| walk.pieces(otherwise));
            }
            TemplatePiece::Set(names, value) => {
                let value = self.used(value);
                match names.as_slice() {
                    [name] => self.bind(name, value),
                    names => names.iter().for_each(|name| self.bind_unknown(name)),
                }
            }
            TemplatePiece::SetBlock(names, filters, body) => {
                self.scoped(|walk| walk.pieces(body));
                self.filters(TemplateValue::unknown(), filters);
                for name in names {
                    self.bind_unknown(name);
                }
            }
            TemplatePiece::With(bound, body) => self.scoped(|walk| {
                for (names, value) in bound {
                    let value = walk.used(value);
                    match names.as_slice() {
                        [name] => walk.bind(name, value),
                        names => names.iter().for_each(|name| walk.bind_unknown(name)),
                    }
                }
                walk.pieces(body);
            }),
            TemplatePiece::Macro { name, .. } => self.names.push((name.text, TemplateBinding::Macro(piece))),
            TemplatePiece::CallBlock(names, call, body) => {
                self.used(call);
                self.scoped(|walk| {
                    for name in names {
                        walk.bind_unknown(name);
                    }
                    walk.pieces(body);
                });
            }
            TemplatePiece::FilterBlock(filters, body) => {
                self.scoped(|walk| walk.pieces(body));
                self.filters(TemplateValue::unknown(), filters);
            }
            TemplatePiece::Include(name) | TemplatePiece::Extends(name) => {
                if let TemplateExprKind::Text(other) = &name.kind {
                    self.judge.text_of(other).into_iter().for_each(|text| self.take_in(text));
                } else {
                    let value = self.used(name);
                    self.refuse_null(&value, name, "the name of a text is wanted");
                }
            }
            TemplatePiece::Import(text, names) => {
                self.used(text);
                for name in names {
                    self.bind_unknown(name);
                }
            }
            TemplatePiece::Block(_, body) => self.scoped(|walk| walk.pieces(body)),
            TemplatePiece::Other(exprs, body) => {
                for expr in exprs {
                    self.used(expr);
                }
                self.scoped(|walk| walk.pieces(body));
            }
        }
    }

    /// Binds the names of a loop: to an item, or the first to a key and the second to its value.
    fn bind_items(&mut self, names: &'j [Word<'m>], value: &TemplateValue) {
        let item = match names {
            [first] if !value.is_pairs => Some(first),
            [first, _] if value.is_pairs => Some(first),
            _ => None,
        };
        for name in names {
            self.bind_unknown(name);
        }
        if let Some(name) = item {
            let number = self.next_local();
            let item = value.item_at(number, name.text, &mut self.facts);
            self.bind(name, item);
        }
    }

    fn filtered(&mut self, filter: Option<&'j TemplateExpr<'m>>, body: &'j [TemplatePiece<'m>]) {
        if let Some(filter) = filter {
            self.used(filter);
            self.learn(filter, true);
        }
        self.pieces(body);
    }

    /// Branches see what the conditions tell; a name that one of them binds may be bound afterwards.
    fn branches(
        &mut self,
        arms: &'j [(TemplateExpr<'m>, Vec<TemplatePiece<'m>>)],
        otherwise: &'j [TemplatePiece<'m>],
    ) {
        let before = self.facts.clone();
        let mut bound: Vec<(&'j str, TemplateBinding<'j, 'm>)> = Vec::new();
        for (condition, body) in arms {
            self.used(condition);
            let known = self.facts.clone();
            self.learn(condition, true);
            bound.extend(self.branch(body));
            self.facts = known;
            self.learn(condition, false);
        }
        bound.extend(self.branch(otherwise));
        self.facts = before;
        for (name, value) in bound {
            let older = self.bound(name).cloned();
            let value = match (older, value) {
                (Some(TemplateBinding::Value(older)), TemplateBinding::Value(value)) => {
                    TemplateBinding::Value(Box::new(older.either(*value, &self.facts)))
                }
                (_, value) => value,
            };
            self.names.push((name, value));
        }
    }

    /// The names that a branch binds.
    fn branch(&mut self, body: &'j [TemplatePiece<'m>]) -> Vec<(&'j str, TemplateBinding<'j, 'm>)> {
        let mark = self.names.len();
        self.pieces(body);
        self.names.split_off(mark)
    }

    pub(super) fn call_macro(&mut self, called: &'j TemplatePiece<'m>, arguments: Vec<TemplateValue>) {
        let TemplatePiece::Macro { names, defaults, body, .. } = called else { return };
        if self.macros >= MAX_FOLLOWED {
            return;
        }
        self.macros += 1;
        self.scoped(|walk| {
            let mut arguments = arguments.into_iter();
            let first_default = names.len().saturating_sub(defaults.len());
            for (at, name) in names.iter().enumerate() {
                let value = arguments.next().or_else(|| {
                    at.checked_sub(first_default)
                        .and_then(|at| defaults.get(at))
                        .map(|value| walk.used(value))
                });
                walk.bind(name, value.unwrap_or_else(TemplateValue::unknown));
            }
            walk.pieces(body);
        });
        self.macros -= 1;
    }

    pub(super) fn bound(&self, name: &str) -> Option<&TemplateBinding<'j, 'm>> {
        self.names.iter().rev().find(|(own, _)| *own == name).map(|(_, bound)| bound)
    }

    fn bind(&mut self, name: &'j Word<'m>, value: TemplateValue) {
        let value = value.named_as(self.next_local(), name.text);
        self.names.push((name.text, TemplateBinding::Value(Box::new(value))));
    }

    fn bind_unknown(&mut self, name: &'j Word<'m>) {
        self.bind(name, TemplateValue::unknown());
    }

    const fn next_local(&mut self) -> u32 {
        self.locals += 1;
        self.locals
    }

    /// Reports a value that may be null where null is an error.
    pub(super) fn refuse_null(&mut self, value: &TemplateValue, expr: &TemplateExpr<'_>, why: &str) {
        if !value.may_be_null(&self.facts) {
            return;
        }
        let shown = value.shown.clone();
        let what = shown.as_deref().map_or_else(|| "this".to_owned(), |shown| format!("`{shown}`"));
        let message = format!("{what} may be null here, and {why}");
        let fault = Diagnostic::error(rule::MAYBE_NULL, self.span(expr), message);
        let shown = shown.as_deref().unwrap_or("…");
        self.report_null(value.path.clone(), fault.help(format!(
            "test it first: {{% if {shown} is not none %}} … {{% endif %}}; or give a value for null: ({shown} or …)"
        )));
    }

    /// Reports a value that may be undefined.
    pub(super) fn refuse_undefined(&mut self, value: &TemplateValue, expr: &TemplateExpr<'_>) {
        let Some(absence) = value.may_be_absent(&self.facts).cloned() else { return };
        let span = self.span(expr);
        let shown = self.source(expr).unwrap_or("…");
        let default = format!("{{{{ {shown} | default('…') }}}}");
        match absence {
            Absence::OfNull(above) => {
                let name = above.shown.as_deref().unwrap_or("…");
                let message = match &value.shown {
                    Some(shown) => format!("`{name}` may be null here, and then there is no `{shown}`"),
                    None => format!("`{name}` may be null here, and then it has no items"),
                };
                let shown = value.shown.as_deref().unwrap_or("…");
                let fault = Diagnostic::error(rule::MAYBE_NULL, span, message).help(format!(
                    "test it first: {{% if {name} %}} … {{% endif %}}; or give a value for null: {{{{ {shown} | default('…') }}}}"
                ));
                self.report_null(above.path, fault);
            }
            Absence::NoKey { map, key } => {
                let named = match &key {
                    Some(MapKey::Named(name)) => format!("`{name}`"),
                    _ => "this key".to_owned(),
                };
                let message = format!("the map may not have {named}, and then `{shown}` is undefined");
                self.report(Diagnostic::warning(rule::MAYBE_MISSING, span, message).help(format!(
                    "test it first: {{% if {shown} is defined %}} … {{% endif %}}; or say what there is instead: {default}"
                )));
                if let (Some(map), Some(key)) = (map, key) {
                    self.facts.insert_key(map, key);
                }
            }
            Absence::NotWritten(key) => {
                let message =
                    format!("`{shown}` may be undefined: a map that is written here has no key `{key}`");
                self.report(
                    Diagnostic::warning(rule::MAYBE_MISSING, span, message).help(format!(
                        "write the key in the map, too; or say what there is instead: {default}"
                    )),
                );
            }
            Absence::NoField { name, record, meant, word } => {
                let message = match (record, value.shown.as_deref().and_then(|shown| shown.rsplit_once('.')))
                {
                    (Some(record), _) => format!("`{record}` has no field `{name}`"),
                    (None, Some((above, _))) => {
                        format!("`{above}` is not a record, so it has no field `{name}`")
                    }
                    (None, None) => {
                        format!("`{shown}` may be undefined: a value that is no record has no field `{name}`")
                    }
                };
                self.report(Diagnostic::error(rule::UNKNOWN_VARIABLE, word, message).meant(meant.as_deref()));
            }
        }
    }

    /// Reports that the value at a path may be null. All places of a text where that matters are one finding.
    fn report_null(&mut self, path: Option<Path>, fault: Diagnostic) {
        let span = fault.span();
        let is_reported = |other: &Diagnostic| {
            other.rule == fault.rule && other.labels.iter().any(|label| label.span == span)
        };
        if self.findings.iter().any(is_reported) {
            return;
        }
        let text = self.texts.last().copied();
        let known = self.reported.iter().find(|(own, other, _)| *own == text && Some(other) == path.as_ref());
        if let Some((.., at)) = known {
            if let Some(first) = self.findings.get_mut(*at)
                && first.labels.len() <= MAX_NULL_PLACES
            {
                first.labels.push(Label { span, text: "here too".to_owned() });
            }
            return;
        }
        let at = self.findings.len();
        self.report(fault);
        self.reported.extend(path.filter(|_| self.findings.len() > at).map(|path| (text, path, at)));
    }

    fn span(&self, expr: &TemplateExpr<'_>) -> Span {
        self.place(&expr.range)
    }

    /// The place of bytes of the text that is followed.
    pub(super) fn place(&self, range: &Range<usize>) -> Span {
        self.text().map(|text| text.body.span(range.start, range.end)).unwrap_or_default()
    }

    fn text(&self) -> Option<&'j Text> {
        self.texts.last().and_then(|text| self.judge.graph.texts.get(*text))
    }

    /// An expression as it is written.
    fn source(&self, expr: &TemplateExpr<'_>) -> Option<&'j str> {
        self.text()?.body.text.as_str().get(expr.range.clone())
    }

    /// Reports a finding in a let that the text uses.
    pub(super) fn report_let(&mut self, finding: Diagnostic, expr: &TemplateExpr<'_>) {
        let finding = finding.also(self.span(expr), "used here");
        self.report(finding);
    }

    /// One finding for a place, wherever its text is rendered.
    fn report(&mut self, fault: Diagnostic) {
        let same = |other: &Diagnostic| other.rule == fault.rule && other.span() == fault.span();
        if !self.findings.iter().any(same) {
            let fault = match self.rendering {
                Some(place) => fault.also(place, "rendered here"),
                None => fault,
            };
            self.findings.push(fault);
        }
    }
}
