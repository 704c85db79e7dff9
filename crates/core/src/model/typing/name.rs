//! Names: what they stand for at the place where they are used.

use super::cx::{Cx, ErrorScope, Meaning, poison, special_name};
use super::library::{GLOBALS, queries};
use super::scope::{Entry, Reach};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, ExprKind, SlotKind};
use crate::model::name_use::NameKind;
use crate::model::types::{Kind, Type};
use crate::program::op::Special;
use crate::source::Span;
use crate::value::Value;

/// CEL's names of types as values, each with the name that `type(x)` gives.
const TYPE_VALUES: [(&str, &str); 13] = [
    ("bool", "bool"),
    ("int", "int"),
    ("float", "float"),
    ("double", "float"),
    ("string", "string"),
    ("duration", "duration"),
    ("usd", "usd"),
    ("list", "list"),
    ("map", "map"),
    ("null_type", "null"),
    ("type", "type"),
    ("uint", "uint"),
    ("bytes", "bytes"),
];

impl Cx<'_> {
    pub(super) fn name(&mut self, name: &str, span: Span) -> Expr {
        if let Some(local) = self.local(name) {
            let (kind, ty) = match local {
                Meaning::Stack(id, ty) => (ExprKind::Local(*id), ty.clone()),
                Meaning::Path(path) => (path.kind.clone(), path.ty.clone()),
            };
            let read = self.narrow(Expr { kind, ty, span });
            self.note_local(name, span, &read.ty);
            return read;
        }
        if self.scope.is_refused(name) {
            return poison(span);
        }
        if let Some(special) = self.special(name, span) {
            let read = self.narrow(special);
            self.scope.builtins.names.note(NameKind::Supplied, name, span, None, Some(&read.ty));
            return read;
        }
        if let Some(bound) = self.scope.lookup(name, self.here.composite) {
            let entry = self.entry(&bound.entry, name, span);
            let read = self.narrow(entry);
            self.scope.note_bound(bound, name, span, Some(&read.ty));
            return read;
        }
        if let Some((_, value)) = TYPE_VALUES.iter().find(|(own, _)| *own == name) {
            return Expr {
                kind: ExprKind::Const(Value::Str((*value).into())),
                ty: Type::of(Kind::Type),
                span,
            };
        }
        self.offer_values(name, span);
        self.report_unknown(name, span);
        poison(span)
    }

    /// Offers the values that can be read here in the place of a name.
    fn offer_values(&self, name: &str, span: Span) {
        let recorder = self.recorder();
        if !recorder.is_probe(name) {
            return;
        }
        recorder.meet(name, span);
        let locals = self.locals_in_scope().map(|(name, ty)| (name, Some(ty)));
        recorder.offer(name, NameKind::Local, locals);
        let result = self.here.result.as_ref().map(|ty| ("result", Some(ty)));
        let error =
            (self.here.error == ErrorScope::Present).then_some(("error", Some(&self.scope.builtins.error)));
        let outcome = self.here.outcome.then_some(("outcome", None));
        let tools = (self.here.reach >= Reach::State).then_some(("tools", Some(&self.scope.builtins.tools)));
        let constants = ["true", "false", "null"].map(|name| Some((name, None)));
        let supplied = [result, error, outcome, tools].into_iter().chain(constants).flatten();
        recorder.offer(name, NameKind::Supplied, supplied);
        self.scope.offer_names(name, self.here.composite, |kind| {
            matches!(kind, NameKind::Input | NameKind::State | NameKind::Let)
        });
        let functions = GLOBALS.keys().copied().chain(queries()).map(|name| (name, None));
        recorder.offer(name, NameKind::Function, functions);
    }

    fn special(&mut self, name: &str, span: Span) -> Option<Expr> {
        let (special, ty) = match name {
            "result" => (Special::Result, self.here.result.clone()),
            "error" => {
                let is_here = self.here.error == ErrorScope::Present;
                (Special::Error, is_here.then(|| self.scope.builtins.error.clone()))
            }
            "outcome" => (Special::Outcome, self.here.outcome.then(|| Type::of(Kind::String(None)))),
            "tools" => {
                let seen = self.here.reach >= Reach::State;
                (Special::Tools, seen.then(|| self.scope.builtins.tools.clone()))
            }
            _ => return None,
        };
        let Some(ty) = ty else {
            let fault = not_here(special, span);
            self.report(if special == Special::Error && self.here.error == ErrorScope::Mixed {
                fault.help("use two edges: one for the errors alone, and one for the rest")
            } else {
                fault
            });
            return Some(poison(span));
        };
        Some(Expr { kind: ExprKind::Special(special), ty, span })
    }

    fn entry(&mut self, entry: &Entry, name: &str, span: Span) -> Expr {
        match entry {
            Entry::Slot(id, ty, kind) => {
                let needs = if *kind == SlotKind::Input { Reach::Inputs } else { Reach::State };
                if !self.reaches(needs, name, span) {
                    return poison(span);
                }
                Expr { kind: ExprKind::Slot(*id), ty: ty.clone(), span }
            }
            Entry::Let(id) => {
                let Some(info) = self.scope.lets.get(id.0 as usize) else { return poison(span) };
                if !self.reaches(info.reach, name, span) {
                    return poison(span);
                }
                self.use_let(*id, info, span)
            }
            Entry::Template(decl) => {
                let params: Vec<&str> = decl.params.iter().map(|p| p.as_str()).collect();
                let message = format!("the let `{name}` takes parameters");
                let fault = Diagnostic::error(rule::WRONG_ARGUMENTS, span, message);
                self.report(fault.help(format!("write {name}({})", params.join(", "))));
                poison(span)
            }
            Entry::Budget(..) => {
                let message = format!("the budget `{name}` is not a value");
                let fault = Diagnostic::error(rule::TYPE_MISMATCH, span, message);
                self.report(
                    fault.help(format!("use used({name}), limit({name}), left({name}) or exhausted({name})")),
                );
                poison(span)
            }
            Entry::Family(..) => {
                let message = format!("the family of budgets `{name}` is not a value");
                let fault = Diagnostic::error(rule::TYPE_MISMATCH, span, message);
                self.report(fault.help(format!("use left({name}[key].meter) or `key in {name}`")));
                poison(span)
            }
            Entry::Action(_) => {
                let message = format!("the action `{name}` is not a value");
                let fault = Diagnostic::error(rule::TYPE_MISMATCH, span, message);
                self.report(fault.help(format!("run it as a statement: {name}()")));
                poison(span)
            }
            Entry::Error => poison(span),
        }
    }

    /// True if this place may read what needs that reach; reported if not.
    pub(super) fn reaches(&mut self, needs: Reach, what: &str, span: Span) -> bool {
        if needs <= self.here.reach {
            return true;
        }
        let sees = match self.here.reach {
            Reach::Constants => "only literals are allowed here",
            Reach::Inputs => "only the input and values computed from it can be read here",
            Reach::State | Reach::All => "only the state can be read here",
        };
        self.report(
            Diagnostic::error(rule::NOT_HERE, span, format!("`{what}` cannot be read here")).caret(sees),
        );
        false
    }

    fn report_unknown(&mut self, name: &str, span: Span) {
        let elsewhere = self.scope.bound(name).first().map(|b| b.span);
        if let Some(declared) = elsewhere {
            let fault = Diagnostic::error(
                rule::UNKNOWN_NAME,
                span,
                format!("`{name}` belongs to a composite this is not in"),
            );
            self.report(fault.also(declared, "declared here"));
            return;
        }
        let fault = Diagnostic::error(rule::UNKNOWN_NAME, span, format!("there is no `{name}`"));
        self.report(if self.scope.types.get(name).is_some() {
            fault.help(format!("`{name}` is a type; a record is written {name}{{field: value}}"))
        } else if self.scope.node(name).is_some() {
            let otherwise = format!("`{name}` is a node: ask visits({name}) or in_state({name})");
            fault.meant_or(self.nearest(name), otherwise)
        } else {
            let otherwise = match constant_elsewhere(name) {
                Some(constant) => format!("write `{constant}`"),
                None => format!("declare it, or write '{name}' if the text is meant"),
            };
            fault.meant_or(self.nearest(name), otherwise)
        });
    }

    /// The name in scope that is closest to an unknown one.
    fn nearest(&self, name: &str) -> Option<&str> {
        let local = nearest(name, self.local_names());
        let special = || nearest(name, ["result", "error", "outcome", "tools"]);
        local.or_else(|| self.scope.nearest(name, self.here.composite)).or_else(special)
    }
}

/// The constant that a word stands for in other languages.
pub(in crate::model) fn constant_elsewhere(word: &str) -> Option<&'static str> {
    Some(match word {
        "no" | "off" | "No" | "Off" | "NO" | "OFF" | "False" | "FALSE" => "false",
        "yes" | "on" | "Yes" | "On" | "YES" | "ON" | "True" | "TRUE" => "true",
        "nil" | "None" | "undefined" | "Null" | "NULL" => "null",
        _ => return None,
    })
}

fn not_here(special: Special, span: Span) -> Diagnostic {
    let name = special_name(special);
    let hint = match special {
        Special::Result => "it is in scope in `then` and on edges after an answer",
        Special::Error => "it is in scope on edges `on error`, `on timeout` and `on unknown`",
        Special::Outcome => "it is in scope on the `done` edges of a composite",
        Special::Tools => "the catalogue is known once the run has started",
    };
    Diagnostic::error(rule::NOT_HERE, span, format!("`{name}` is not in scope here")).help(hint)
}
