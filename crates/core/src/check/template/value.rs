//! Values of a template, as far as they are known.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::diag::nearest;
use crate::model::expr::LocalId;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Facts, MapKey, Path, Root, position};
use crate::program::template::syntax::TemplatePiece;
use crate::source::Span;

/// Locals of templates are numbered from here: no local of an expression has such a number.
const FIRST_LOCAL: u32 = 1 << 30;

/// A reason for which a value may be undefined.
#[derive(Debug, Clone)]
pub(super) enum Absence {
    /// It was taken from a value that may be null.
    OfNull(Box<TemplateValue>),
    /// It is a key of a map, and nothing shows that the map has it.
    NoKey { map: Option<Path>, key: Option<MapKey> },
    /// It is a key of a map that the text writes out without it.
    NotWritten(String),
    /// It is a field that its type does not have.
    NoField { name: String, record: Option<String>, meant: Option<String>, word: Span },
}

impl Absence {
    /// True if the facts do not rule it out for the value at the path.
    pub(super) fn may_be(&self, at: Option<&Path>, facts: &Facts) -> bool {
        let has = |map: &Path, key: &MapKey| facts.has_key(map, key);
        let shown = at.is_some_and(|at| {
            facts.contains(at) || map_and_key(at).is_some_and(|(map, key)| has(&map, &key))
        });
        !shown
            && match self {
                Self::OfNull(above) => above.may_be_null(facts),
                Self::NoKey { map: Some(map), key: Some(key) } => !has(map, key),
                Self::NoKey { .. } | Self::NotWritten(_) | Self::NoField { .. } => true,
            }
    }
}

/// The map and the key that a path ends with.
fn map_and_key(path: &Path) -> Option<(Path, MapKey)> {
    let mut map = path.clone();
    let key = map.fields.pop()?;
    Some((map, MapKey::Named(key)))
}

/// A value that is one of more values than this counts as unknown.
const MAX_CHOICES: usize = 8;

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
    /// It may be undefined.
    pub(super) absence: Option<Absence>,
    /// The map that it is, where the text writes it out: each key with its value.
    written: Option<Rc<BTreeMap<String, Self>>>,
    /// The values that it may be, where they are not of one type.
    choices: Vec<Self>,
    /// The map that its items are the keys of.
    keys_of: Option<Path>,
    /// Its items are pairs of a key and a value.
    pub(super) is_pairs: bool,
}

impl TemplateValue {
    /// A value of which nothing is known.
    pub(super) const fn unknown() -> Self {
        Self::plain(Type::of(Kind::Any))
    }

    pub(super) fn null() -> Self {
        Self { nullable: true, ..Self::plain(Type::of(Kind::Null)) }
    }

    /// A value of that kind which the text writes or computes.
    pub(super) const fn made(kind: Kind) -> Self {
        Self::plain(Type::of(kind))
    }

    const fn plain(ty: Type) -> Self {
        Self {
            ty,
            path: None,
            shown: None,
            nullable: false,
            absence: None,
            written: None,
            choices: Vec::new(),
            keys_of: None,
            is_pairs: false,
        }
    }

    /// A map that the text writes out.
    pub(super) fn written(entries: BTreeMap<String, Self>) -> Self {
        Self { written: Some(Rc::new(entries)), ..Self::unknown() }
    }

    pub(super) fn of(ty: Type, path: Path, shown: String) -> Self {
        let nullable = is_nullable(&ty);
        let keys_of = matches!(ty.kind, Kind::Map(_)).then(|| path.clone());
        Self { path: Some(path), shown: Some(shown), nullable, keys_of, ..Self::plain(ty) }
    }

    /// The path of a local with that number.
    pub(super) fn local_path(number: u32) -> Path {
        Path::root(Root::Local(LocalId(FIRST_LOCAL + number)))
    }

    /// A value of that type which a template made or took from a list.
    pub(super) fn local(ty: Type, number: u32, shown: &str) -> Self {
        Self::of(ty, Self::local_path(number), shown.to_owned())
    }

    /// One of two values.
    pub(super) fn either(self, other: Self, facts: &Facts) -> Self {
        let nullable = self.may_be_null(facts) || other.may_be_null(facts);
        let shown = self.shown.clone().filter(|_| nullable);
        let absence = self.absence.clone().or_else(|| other.absence.clone());
        let same = self.ty.kind == other.ty.kind && self.is_of_its_type() && other.is_of_its_type();
        let keys_of = self.keys_of.clone().filter(|own| other.keys_of.as_ref() == Some(own));
        let one = if same { Self::plain(self.ty) } else { Self::one_of(self, other) };
        Self { shown, nullable, absence, keys_of, ..one }
    }

    /// One of two values that are no two of one type. What is null has nothing that could be asked for.
    fn one_of(self, other: Self) -> Self {
        let mut choices = Vec::new();
        for value in [self, other] {
            match value.ty.kind {
                Kind::Null => {}
                _ if value.choices.is_empty() => choices.push(value.not_null()),
                _ => choices.extend(value.choices),
            }
        }
        if choices.len() > MAX_CHOICES {
            return Self::unknown();
        }
        Self { choices, ..Self::unknown() }
    }

    /// True if its type says all that is known of it.
    const fn is_of_its_type(&self) -> bool {
        self.written.is_none() && self.choices.is_empty()
    }

    /// The same where null is out of the question.
    pub(super) fn not_null(self) -> Self {
        Self { nullable: false, path: None, absence: None, ..self }
    }

    /// The same where it is known to be there.
    pub(super) fn there(self) -> Self {
        Self { absence: None, ..self }
    }

    /// The same value as one that a filter gave: facts of the old one do not count for it.
    pub(super) fn filtered(self, facts: &Facts) -> Self {
        Self { nullable: self.may_be_null(facts), path: None, ..self }
    }

    pub(super) fn may_be_null(&self, facts: &Facts) -> bool {
        self.nullable && !self.path.as_ref().is_some_and(|path| facts.contains(path))
    }

    /// The reason for which it may be undefined, unless the facts rule it out.
    pub(super) fn may_be_absent(&self, facts: &Facts) -> Option<&Absence> {
        self.absence.as_ref().filter(|absence| absence.may_be(self.path.as_ref(), facts))
    }

    /// The field or item of that name, which stands at `word`.
    pub(super) fn field(&self, name: &str, word: Span, facts: &Facts, types: &TypeTable) -> Self {
        let below = |path: &Path| {
            let mut path = path.clone();
            path.fields.push(name.into());
            path
        };
        let path = self.path.as_ref().map(below);
        let shown = self.shown.as_ref().map(|above| format!("{above}.{name}"));
        let found = self.named(name, word, facts, types);
        let has_none = matches!(found.absence, Some(Absence::NoField { .. }));
        let of_null = (self.may_be_null(facts) && !has_none).then(|| Absence::OfNull(Box::new(self.clone())));
        let keys_of = path.clone().filter(|_| matches!(found.ty.kind, Kind::Map(_)));
        Self { path, shown, keys_of, absence: of_null.or(found.absence), ..found }
    }

    /// What the value has under the name, if it is not null.
    fn named(&self, name: &str, word: Span, facts: &Facts, types: &TypeTable) -> Self {
        if let Some(written) = &self.written {
            let missing = || Self { absence: Some(Absence::NotWritten(name.to_owned())), ..Self::unknown() };
            return written.get(name).cloned().unwrap_or_else(missing);
        }
        let of_choices = self.choices.iter().map(|choice| choice.named(name, word, facts, types));
        if let Some(value) = of_choices.reduce(|one, other| one.either(other, facts)) {
            return value;
        }
        let narrowed = self.path.as_ref().and_then(|path| facts.narrowed_at(path));
        let none = |record, meant| {
            let name = name.to_owned();
            Self { absence: Some(Absence::NoField { name, record, meant, word }), ..Self::unknown() }
        };
        let ty = match &narrowed.unwrap_or(&self.ty).kind {
            Kind::Record(id) => {
                let record = types.record(*id);
                match position(record, name) {
                    Some(at) => record.fields[at].ty.clone(),
                    None if record.open => Type::of(Kind::Any),
                    None => {
                        let near = nearest(name, record.fields.iter().map(|field| field.name.as_str()));
                        return none(Some(record.name.to_string()), near.map(str::to_owned));
                    }
                }
            }
            Kind::Map(value) => {
                let key = MapKey::Named(name.into());
                return Self::item_of(value, Some(Absence::NoKey { map: self.path.clone(), key: Some(key) }));
            }
            Kind::List(item, _) if name.bytes().all(|byte| byte.is_ascii_digit()) => Type::clone(item),
            Kind::Any | Kind::Error | Kind::Null => Type::of(Kind::Any),
            _ => return none(None, None),
        };
        Self::item_of(&ty, None)
    }

    fn item_of(ty: &Type, absence: Option<Absence>) -> Self {
        Self { nullable: is_nullable(ty), absence, ..Self::plain(ty.clone()) }
    }

    /// The type of its items, if it is a list or a map.
    pub(super) fn items(&self) -> Type {
        match &self.ty.kind {
            Kind::List(item, _) => Type::clone(item),
            Kind::Map(_) => Type::of(Kind::String(None)),
            _ => Type::of(Kind::Any),
        }
    }

    /// An item by a computed index or key; `key` is there if it can be read again.
    pub(super) fn item(&self, key: Option<&MapKey>, facts: &Facts) -> Self {
        let found = self.indexed(key, facts);
        let of_null = self.may_be_null(facts).then(|| Absence::OfNull(Box::new(self.clone())));
        Self { absence: of_null.or(found.absence), ..found }
    }

    fn indexed(&self, key: Option<&MapKey>, facts: &Facts) -> Self {
        let of_choices = self.choices.iter().map(|choice| choice.indexed(key, facts));
        if let Some(value) = of_choices.reduce(|one, other| one.either(other, facts)) {
            return value;
        }
        match &self.ty.kind {
            Kind::List(item, _) => Self::item_of(item, None),
            Kind::Map(item) => {
                Self::item_of(item, Some(Absence::NoKey { map: self.path.clone(), key: key.cloned() }))
            }
            _ => Self::unknown(),
        }
    }

    /// The same value under a name that a text binds: facts about it can be told of the name.
    pub(super) fn named_as(self, number: u32, name: &str) -> Self {
        let Self { path, shown, .. } = self;
        let path = path.unwrap_or_else(|| Self::local_path(number));
        Self { path: Some(path), shown: shown.or_else(|| Some(name.to_owned())), ..self }
    }

    /// Its items as a list.
    pub(super) fn listed(self) -> Self {
        let items = Kind::List(self.items().into(), None);
        Self { keys_of: self.keys_of, is_pairs: self.is_pairs, ..Self::made(items) }
    }

    /// Its keys with their values.
    pub(super) fn pairs(self) -> Self {
        Self { keys_of: self.keys_of, is_pairs: true, ..Self::unknown() }
    }

    /// The value that its items are bound to one after the other, with the facts that a loop over it knows.
    pub(super) fn item_at(&self, number: u32, shown: &str, facts: &mut Facts) -> Self {
        if let Some(map) = &self.keys_of {
            facts.insert_key(map.clone(), MapKey::At(Self::local_path(number)));
        }
        Self::local(self.items(), number, shown)
    }
}

const fn is_nullable(ty: &Type) -> bool {
    matches!(ty.kind, Kind::Null) || ty.nullable && !matches!(ty.kind, Kind::Any | Kind::Error)
}

/// The meaning of a name that a template binds itself.
#[derive(Debug, Clone)]
pub(super) enum TemplateBinding<'p, 't> {
    Value(Box<TemplateValue>),
    Macro(&'p TemplatePiece<'t>),
}
