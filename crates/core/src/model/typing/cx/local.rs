//! Local names: loop variables, the items of lists, the arguments of lets.

use super::Cx;
use crate::model::expr::{Expr, LocalId};
use crate::model::name_use::NameKind;
use crate::model::types::Type;
use crate::model::typing::builtin::unusable;
use crate::model::typing::scope::shadowed;
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::value::Str;

/// A local name.
#[derive(Debug, Clone)]
pub(super) struct Local {
    pub(super) name: Str,
    pub(super) span: Span,
    pub(super) meaning: Meaning,
}

/// The meaning of a local name.
#[derive(Debug, Clone)]
pub(in crate::model::typing) enum Meaning {
    /// A place on the stack of locals.
    Stack(LocalId, Type),
    /// The argument of a let: a path, put in the parameter's place.
    Path(Expr),
}

impl Meaning {
    const fn ty(&self) -> &Type {
        match self {
            Self::Stack(_, ty) | Self::Path(Expr { ty, .. }) => ty,
        }
    }
}

impl Cx<'_> {
    /// Adds a local: a loop variable, the item of `each`, the key of a family. Shadowing is reported.
    pub fn push_local(&mut self, name: &Name, ty: Type) -> LocalId {
        self.refuse_shadow(name);
        let id = LocalId(self.next);
        self.next += 1;
        self.push(name, Meaning::Stack(id, ty.named()));
        id
    }

    /// Removes the local that was added last.
    pub fn pop_local(&mut self) {
        if let Some(Local { meaning: Meaning::Stack(id, _), .. }) = self.locals.pop() {
            self.next = id.0;
        }
    }

    /// Removes the last locals without giving their places on the stack back.
    pub(in crate::model::typing) fn drop_locals(&mut self, count: usize) {
        self.locals.truncate(self.locals.len().saturating_sub(count));
    }

    pub(in crate::model::typing) fn push(&mut self, name: &Name, meaning: Meaning) {
        self.scope.builtins.names.define(NameKind::Local, name, Some(meaning.ty()));
        self.locals.push(Local { name: name.as_str().into(), span: name.span, meaning });
    }

    /// A new place on the stack of locals that has no name.
    pub(in crate::model::typing) fn anonymous(&mut self) -> LocalId {
        let id = LocalId(self.next);
        self.next += 1;
        id
    }

    pub(in crate::model::typing) fn release(&mut self, id: LocalId) {
        self.next = id.0;
    }

    pub(in crate::model::typing) fn local(&self, name: &str) -> Option<&Meaning> {
        self.locals[self.floor..].iter().rev().find(|l| l.name == name).map(|l| &l.meaning)
    }

    /// Notes the use of a local.
    pub(in crate::model::typing) fn note_local(&self, name: &str, span: Span, ty: &Type) {
        if let Some(local) = self.locals[self.floor..].iter().rev().find(|l| l.name == name) {
            self.scope.builtins.names.note(NameKind::Local, name, span, Some(local.span), Some(ty));
        }
    }

    /// The locals with their types, innermost first.
    pub(in crate::model::typing) fn locals_in_scope(&self) -> impl Iterator<Item = (&str, &Type)> {
        let locals = self.locals[self.floor..].iter().rev();
        locals.map(|local| (local.name.as_str(), local.meaning.ty()))
    }

    pub(in crate::model::typing) fn local_names(&self) -> impl Iterator<Item = &str> {
        self.locals[self.floor..].iter().map(|l| l.name.as_str())
    }

    fn refuse_shadow(&mut self, name: &Name) {
        let taken = self.locals[self.floor..].iter().find(|l| l.name == name.value).map(|l| l.span);
        let taken = taken.or_else(|| self.scope.lookup(&name.value, self.here.composite).map(|b| b.span));
        let fault = unusable(name).or_else(|| Some(shadowed(name, taken?)));
        if let Some(fault) = fault {
            self.report(fault);
        }
    }
}
