//! Values of a template, as far as they are known.

use crate::model::expr::LocalId;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Facts, Path, Root, position};
use crate::program::template::syntax::TemplatePiece;

/// Locals of templates are numbered from here: no local of an expression has such a number.
const FIRST_LOCAL: u32 = 1 << 30;

/// A value of a template.
#[derive(Debug, Clone)]
pub(super) struct TemplateValue {
    pub(super) ty: Type,
    /// The path that facts about it name.
    pub(super) path: Option<Path>,
    /// As it is written.
    pub(super) shown: Option<String>,
    /// It is null if nothing is known.
    pub(super) nullable: bool,
    /// The value that it was taken from, where that may be null: then it is undefined.
    pub(super) parent: Option<Box<Self>>,
}

impl TemplateValue {
    /// A value of which nothing is known.
    pub(super) const fn unknown() -> Self {
        Self { ty: Type::of(Kind::Any), path: None, shown: None, nullable: false, parent: None }
    }

    pub(super) const fn null() -> Self {
        Self { ty: Type::of(Kind::Null), path: None, shown: None, nullable: true, parent: None }
    }

    pub(super) fn of(ty: Type, path: Path, shown: String) -> Self {
        let nullable = is_nullable(&ty);
        Self { ty, path: Some(path), shown: Some(shown), nullable, parent: None }
    }

    /// A value of that type which a template made or took from a list.
    pub(super) fn local(ty: Type, number: u32, shown: &str) -> Self {
        Self::of(ty, Path::root(Root::Local(LocalId(FIRST_LOCAL + number))), shown.to_owned())
    }

    /// One of two values.
    pub(super) fn either(self, other: Self, facts: &Facts) -> Self {
        let nullable = self.may_be_null(facts) || other.may_be_null(facts);
        let same = self.ty.kind == other.ty.kind;
        Self {
            ty: if same { self.ty } else { Type::of(Kind::Any) },
            path: None,
            shown: self.shown.filter(|_| nullable),
            nullable,
            parent: self.parent.or(other.parent),
        }
    }

    /// The same where null is out of the question.
    pub(super) fn not_null(self) -> Self {
        Self { nullable: false, path: None, parent: None, ..self }
    }

    /// The same value as one that a filter gave: facts of the old one do not count for it.
    pub(super) fn filtered(self, facts: &Facts) -> Self {
        Self { nullable: self.may_be_null(facts), path: None, ..self }
    }

    pub(super) fn may_be_null(&self, facts: &Facts) -> bool {
        self.nullable && !self.path.as_ref().is_some_and(|path| facts.contains(path))
    }

    /// The field or item of that name.
    pub(super) fn field(&self, name: &str, facts: &Facts, types: &TypeTable) -> Self {
        let narrowed = self.path.as_ref().and_then(|path| facts.narrowed_at(path));
        let ty = match &narrowed.unwrap_or(&self.ty).kind {
            Kind::Record(id) => {
                let record = types.record(*id);
                match position(record, name) {
                    Some(at) => record.fields[at].ty.clone(),
                    None if record.open => Type::of(Kind::Any),
                    // It was reported that there is no such field.
                    None => return Self::unknown(),
                }
            }
            Kind::Map(value) => Type::clone(value),
            _ => Type::of(Kind::Any),
        };
        let path = self.path.clone().map(|mut path| {
            path.fields.push(name.into());
            path
        });
        Self {
            nullable: is_nullable(&ty),
            ty,
            path,
            shown: self.shown.as_ref().map(|above| format!("{above}.{name}")),
            parent: self.may_be_null(facts).then(|| Box::new(self.clone())),
        }
    }

    /// The type of its items, if it is a list or a map.
    pub(super) fn items(&self) -> Type {
        match &self.ty.kind {
            Kind::List(item, _) => Type::clone(item),
            Kind::Map(_) => Type::of(Kind::String(None)),
            _ => Type::of(Kind::Any),
        }
    }

    /// An item by a computed index or key.
    pub(super) fn item(&self, facts: &Facts) -> Self {
        let ty = match &self.ty.kind {
            Kind::List(item, _) | Kind::Map(item) => Type::clone(item),
            _ => Type::of(Kind::Any),
        };
        Self {
            nullable: is_nullable(&ty),
            ty,
            path: None,
            shown: None,
            parent: self.may_be_null(facts).then(|| Box::new(self.clone())),
        }
    }
}

const fn is_nullable(ty: &Type) -> bool {
    matches!(ty.kind, Kind::Null) || ty.nullable && !matches!(ty.kind, Kind::Any | Kind::Error)
}

/// The meaning of a name that a template binds itself.
#[derive(Debug, Clone)]
pub(super) enum TemplateBinding<'p, 't> {
    Value(TemplateValue),
    Macro(&'p TemplatePiece<'t>),
}
