//! Places that statements and `into` write to.

use super::cx::{Cx, Meaning};
use super::effect::Write;
use super::facts::{Path, Root};
use super::fit::{Fit, fit, position};
use super::scope::Entry;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, ExprKind, Place, PlaceStep, SlotId, SlotKind};
use crate::model::name_use::NameKind;
use crate::model::types::{Kind, Type};
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::value::{Str, Value};

/// A place with what reading it gives and what writing to it makes uncertain.
pub(super) struct Target {
    pub(super) place: Place,
    /// The place as an expression, with what is known of it.
    pub(super) read: Expr,
    pub(super) write: Write,
}

impl Cx<'_> {
    /// The place that `into` writes a value of type `value` to. A value that can never fit is reported; one that only the
    /// run can tell of is checked by the machine against [`Place::ty`]. [`None`]: reported.
    ///
    /// Facts about the place are forgotten, and those that the value tells are added.
    pub fn into_place(&mut self, place: &ast::Place, value: &Type) -> Option<Place> {
        let target = self.target(place)?;
        let found = fit(self.types, value, &target.place.ty);
        if found > Fit::AtRunTime {
            let (a, b) = (self.show(value), self.show(&target.place.ty));
            let fault = Diagnostic::error(
                rule::TYPE_MISMATCH,
                place.span,
                format!("this place takes `{b}`, the answer is `{a}`"),
            );
            self.report(match found {
                Fit::AllButNull => fault.help("the answer may be null: append `?` to the type of the place"),
                _ => fault.help("write it to a state field of that type, or make one under `state`"),
            });
            return None;
        }
        self.note_write(&target.write);
        let non_null = !value.nullable && !matches!(value.kind, Kind::Any | Kind::Null);
        if !target.write.below && (non_null || !target.place.ty.nullable) {
            self.facts.write(target.write.path, &target.place.ty);
        }
        Some(target.place)
    }

    pub(super) fn target(&mut self, place: &ast::Place) -> Option<Target> {
        let (slot, ty) = self.root(&place.root)?;
        let read = Expr { kind: ExprKind::Slot(slot), ty: ty.clone(), span: place.root.span };
        let mut target = Target {
            place: Place { slot, steps: Vec::with_capacity(place.steps.len()), ty, span: place.span },
            read: self.narrow(read),
            write: Write { path: Path::root(Root::Slot(slot)), below: false },
        };
        for step in &place.steps {
            self.step(&mut target, step)?;
        }
        Some(target)
    }

    fn root(&mut self, name: &Name) -> Option<(SlotId, Type)> {
        if let Some(local) = self.local(&name.value) {
            // A local that hides a declaration was reported as such.
            if self.scope.lookup(&name.value, self.here.composite).is_some() {
                return None;
            }
            let what = match local {
                Meaning::Stack(..) => "a local name",
                Meaning::Path(_) => "a parameter",
            };
            let message = format!("`{}` is {what} and cannot be written", name.value);
            let fault = Diagnostic::error(rule::READ_ONLY, name.span, message);
            self.report(fault.help("it is a copy; write to the state field itself"));
            return None;
        }
        if self.scope.is_refused(&name.value) {
            return None;
        }
        let fault = match self.scope.lookup(&name.value, self.here.composite) {
            Some(bound) => match &bound.entry {
                Entry::Slot(id, ty, SlotKind::State | SlotKind::Inner(_)) => {
                    self.scope.note_bound(bound, &name.value, name.span, Some(ty));
                    return Some((*id, ty.clone()));
                }
                Entry::Error => return None,
                Entry::Slot(..) => self.read_only(name, "an input", "copy it into a state field first"),
                Entry::Let(_) | Entry::Template(_) => {
                    self.read_only(name, "a let", "write to the state it is made of")
                }
                Entry::Budget(..) | Entry::Family(..) => {
                    self.read_only(name, "a budget", "a budget can only be spent: `spend name`")
                }
                Entry::Action(_) => self.read_only(name, "an action", "write to a state field"),
            },
            None if matches!(name.as_str(), "result" | "error" | "outcome" | "tools") => {
                self.read_only(name, "supplied by the machine", "copy it into a state field")
            }
            None => {
                self.scope.offer_names(&name.value, self.here.composite, |kind| kind == NameKind::State);
                let fault =
                    Diagnostic::error(rule::UNKNOWN_NAME, name.span, format!("there is no `{}`", name.value));
                fault.meant_or(
                    self.scope.nearest(&name.value, self.here.composite),
                    "declare it under `state`",
                )
            }
        };
        self.report(fault);
        None
    }

    fn read_only(&self, name: &Name, what: &str, hint: &str) -> Diagnostic {
        let message = format!("`{}` is {what} and cannot be written", name.value);
        let fault = Diagnostic::error(rule::READ_ONLY, name.span, message).help(hint);
        match self.scope.lookup(&name.value, self.here.composite) {
            Some(bound) => fault.also(bound.span, "declared here"),
            None => fault,
        }
    }

    /// The place that a step of another leads into: a value for null would not make it writable.
    fn not_null_place(&mut self, read: Expr) -> Expr {
        let whole = self.describe(&read).filter(|_| read.ty.nullable && !matches!(read.ty.kind, Kind::Any));
        let Some(whole) = whole else { return self.not_null(read) };
        let message = format!("`{whole}` may be null here, and null has no parts to write to");
        let fault = Diagnostic::error(rule::MAYBE_NULL, read.span, message);
        let value = match &read.ty.kind {
            Kind::Record(id) => format!("`{whole} = {}{{…}}`", self.types.record(*id).name),
            Kind::List(..) => format!("`{whole} = […]`"),
            _ => format!("`{whole} = {{…}}`"),
        };
        self.report(
            fault.help(format!("write `if {whole} != null {{ … }}` around it, or assign the whole: {value}")),
        );
        Expr { ty: read.ty.not_null(), ..read }
    }

    fn step(&mut self, target: &mut Target, step: &ast::PlaceStep) -> Option<()> {
        let parent = self.not_null_place(target.read.clone());
        match step {
            ast::PlaceStep::Field(name) => self.field_step(target, parent, name),
            ast::PlaceStep::Index(index) => {
                let key = self.typed(index, None);
                let key = self.not_null(key);
                match (&key.kind, &parent.ty.kind) {
                    (ExprKind::Const(Value::Str(text)), Kind::Record(_)) => {
                        let name = Name::new(text.to_string(), key.span);
                        self.field_step(target, parent, &name)
                    }
                    _ => self.index_step(target, parent, key),
                }
            }
        }
    }

    fn field_step(&mut self, target: &mut Target, parent: Expr, name: &Name) -> Option<()> {
        let field: Str = name.as_str().into();
        let (ty, step) = match &parent.ty.kind {
            Kind::Error => return None,
            Kind::Record(id) => {
                let record = self.types.record(*id);
                match position(record, &name.value) {
                    Some(at) => {
                        let ty = &record.fields[at].ty;
                        self.scope.note_field(*id, &name.value, name.span, Some(ty));
                        let step = PlaceStep::Field(field.clone(), u32::try_from(at).unwrap_or(u32::MAX));
                        (record.fields[at].ty.clone(), step)
                    }
                    None if record.open => (Type::of(Kind::Any), key_step(&field, name.span)),
                    None => {
                        let id = *id;
                        self.report_unknown_field(id, name);
                        return None;
                    }
                }
            }
            Kind::Map(value) => ((**value).clone(), key_step(&field, name.span)),
            Kind::Any => (Type::of(Kind::Any), key_step(&field, name.span)),
            _ => {
                let message = format!("`{}` has no fields", self.show(&parent.ty));
                self.report(Diagnostic::error(rule::UNKNOWN_FIELD, name.span, message));
                return None;
            }
        };
        target.place.steps.push(step);
        target.place.ty = ty;
        let span = parent.span.to(name.span);
        target.read = self.field_of(parent, name, span);
        if !target.write.below {
            target.write.path.fields.push(field);
        }
        Some(())
    }

    fn index_step(&mut self, target: &mut Target, parent: Expr, key: Expr) -> Option<()> {
        let ty = match &parent.ty.kind {
            Kind::List(item, _) => (**item).clone(),
            Kind::Map(value) => (**value).clone(),
            Kind::Any => Type::of(Kind::Any),
            Kind::Error => return None,
            _ => {
                let message = format!("`{}` has no items to write to", self.show(&parent.ty));
                self.report(Diagnostic::error(rule::TYPE_MISMATCH, parent.span, message));
                return None;
            }
        };
        let span = parent.span.to(key.span);
        target.read = self.index_of(parent, key.clone(), span);
        if matches!(target.read.kind, ExprKind::Error) {
            return None;
        }
        match &key.kind {
            ExprKind::Const(Value::Str(text)) if !target.write.below => {
                target.write.path.fields.push(text.clone());
            }
            _ => target.write.below = true,
        }
        target.place.steps.push(PlaceStep::Index(key));
        target.place.ty = ty;
        Some(())
    }

    /// The known names closest to an unknown error kind.
    pub(super) fn unknown_kind(&self, name: &Name) -> Diagnostic {
        let fault = Diagnostic::error(
            rule::UNKNOWN_ERROR_KIND,
            name.span,
            format!("there is no error kind `{}`", name.value),
        );
        let mut kinds: Vec<&str> = self.scope.kind_names().collect();
        kinds.sort_unstable();
        fault.meant_or(nearest(&name.value, kinds), "declare it under `errors` with its class")
    }
}

fn key_step(name: &Str, span: Span) -> PlaceStep {
    let kind = ExprKind::Const(Value::Str(name.clone()));
    PlaceStep::Index(Expr { kind, ty: Type::of(Kind::String(None)), span })
}
