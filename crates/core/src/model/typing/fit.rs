//! Decides if a value of one type fits a place of another, and finds what two types have in common.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::model::types::{EnumType, Kind, RecordId, Type};

use crate::model::record::{Field, RecordType, TypeTable};
use crate::value::Str;

/// The degrees to which a value of one type fits a place of another, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Always.
    Yes,
    /// Perhaps: the value is checked when it is there.
    AtRunTime,
    /// All of it but null.
    AllButNull,
    /// Never.
    No,
}

/// Compares the type of a value with the type of its place.
///
/// Records are compared by their fields, recursive ones too; an enum fits another that has all its members.
#[must_use]
pub fn fit(table: &TypeTable, from: &Type, to: &Type) -> Fit {
    let mut fitting =
        Fitting { table, seen: FxHashSet::default(), open: Vec::new(), in_maps: FxHashSet::default() };
    let mut worst = fitting.types(from, to);
    while worst != Fit::No
        && let Some((from, to)) = fitting.open.pop()
    {
        worst = worst.max(fitting.fields(from, to));
    }
    worst
}

/// Pairs of records that are compared for one answer; if there are more, they are left to run time.
const MAX_COMPARED_PAIRS: usize = 10_000;

struct Fitting<'t> {
    table: &'t TypeTable,
    /// Pairs of records that were met: each counts once, wherever it is.
    seen: FxHashSet<(RecordId, RecordId)>,
    /// Those of them whose fields are still to be compared.
    open: Vec<(RecordId, RecordId)>,
    /// Records that were compared with the values of a map, each with the type of these: each counts once, too.
    in_maps: FxHashSet<(RecordId, *const Type)>,
}

impl Fitting<'_> {
    fn types(&mut self, from: &Type, to: &Type) -> Fit {
        match (&from.kind, &to.kind) {
            (Kind::Error, _) | (_, Kind::Error | Kind::Any) => Fit::Yes,
            (Kind::Any, _) => Fit::AtRunTime,
            (Kind::Null, _) if to.nullable => Fit::Yes,
            (Kind::Null, _) => Fit::AllButNull,
            _ => {
                let kinds = self.kinds(&from.kind, &to.kind);
                if from.nullable && !to.nullable { kinds.max(Fit::AllButNull) } else { kinds }
            }
        }
    }

    /// Like [`Self::types`] for what lies inside another type: null does not fit by halves there.
    fn inner(&mut self, from: &Type, to: &Type) -> Fit {
        // The item type of an empty list fits every other.
        if matches!(from.kind, Kind::Null) && !from.nullable {
            return Fit::Yes;
        }
        match self.types(from, to) {
            Fit::AllButNull => Fit::No,
            other => other,
        }
    }

    fn kinds(&mut self, from: &Kind, to: &Kind) -> Fit {
        match (from, to) {
            (Kind::Int(a), Kind::Int(b)) => ranges(*a, *b),
            (Kind::String(a), Kind::String(b)) => at_most(*a, *b),
            (Kind::Enum(members), Kind::String(most)) => enum_to_string(members, *most),
            (Kind::Enum(a), Kind::Enum(b)) => {
                if Arc::ptr_eq(a, b) || a.members.iter().all(|m| b.members.contains(m)) {
                    Fit::Yes
                } else {
                    Fit::No
                }
            }
            (Kind::List(a, most), Kind::List(b, limit)) => self.inner(a, b).max(at_most(*most, *limit)),
            (Kind::Map(a), Kind::Map(b)) => self.inner(a, b),
            (Kind::Record(a), Kind::Record(b)) => self.records(*a, *b),
            (Kind::Record(id), Kind::Map(value)) => self.record_to_map(*id, value),
            (Kind::Map(value), Kind::Record(_)) if matches!(value.kind, Kind::Any) => Fit::AtRunTime,
            _ if from == to => Fit::Yes,
            _ => Fit::No,
        }
    }

    fn records(&mut self, from: RecordId, to: RecordId) -> Fit {
        if from != to && self.seen.insert((from, to)) {
            if self.seen.len() > MAX_COMPARED_PAIRS {
                return Fit::AtRunTime;
            }
            self.open.push((from, to));
        }
        Fit::Yes
    }

    fn fields(&mut self, from: RecordId, to: RecordId) -> Fit {
        let (source, target) = (self.table.record(from), self.table.record(to));
        let surplus = source.fields.iter().any(|f| position(target, &f.name).is_none());
        if !target.open && (surplus || source.open) {
            return Fit::No;
        }
        let mut worst = Fit::Yes;
        for field in &target.fields {
            worst = worst.max(self.field(source, field));
            if worst == Fit::No {
                break;
            }
        }
        worst
    }

    fn field(&mut self, source: &RecordType, field: &Field) -> Fit {
        match source.fields.get(&field.name) {
            Some(own) => self.inner(&own.ty, &field.ty),
            // A missing field is filled in when the value is there.
            None if field.ty.nullable || field.default.is_some() => Fit::AtRunTime,
            None => Fit::No,
        }
    }

    fn record_to_map(&mut self, id: RecordId, value: &Type) -> Fit {
        if !self.in_maps.insert((id, std::ptr::from_ref(value))) {
            return Fit::Yes;
        }
        let record = self.table.record(id);
        if record.open && !matches!(value.kind, Kind::Any) {
            return Fit::No;
        }
        record.fields.iter().map(|f| self.inner(&f.ty, value)).max().unwrap_or(Fit::Yes)
    }
}

fn ranges(from: Option<(i64, i64)>, to: Option<(i64, i64)>) -> Fit {
    match (from, to) {
        (_, None) => Fit::Yes,
        (Some((a, b)), Some((low, high))) if low <= a && b <= high => Fit::Yes,
        (Some((a, b)), Some((low, high))) if b < low || high < a => Fit::No,
        _ => Fit::AtRunTime,
    }
}

fn at_most(from: Option<u64>, to: Option<u64>) -> Fit {
    match (from, to) {
        (_, None) => Fit::Yes,
        (Some(own), Some(most)) if own <= most => Fit::Yes,
        _ => Fit::AtRunTime,
    }
}

fn enum_to_string(ty: &EnumType, most: Option<u64>) -> Fit {
    let longest = ty.members.iter().map(|m| m.chars().count() as u64).max();
    at_most(longest, most)
}

/// The position of the field of that name in a record.
#[must_use]
pub fn position(record: &RecordType, name: &str) -> Option<usize> {
    record.fields.position(name)
}

/// The narrowest type that both fit, if they have anything in common.
#[must_use]
pub fn join(table: &TypeTable, a: &Type, b: &Type) -> Option<Type> {
    let nullable = a.nullable || b.nullable;
    let kind = match (&a.kind, &b.kind) {
        (x, y) if x == y => x.clone(),
        (Kind::Null | Kind::Error, other) | (other, Kind::Null | Kind::Error) => other.clone(),
        (Kind::Any, _) | (_, Kind::Any) => Kind::Any,
        (Kind::Int(x), Kind::Int(y)) => Kind::Int(x.zip(*y).map(|(x, y)| (x.0.min(y.0), x.1.max(y.1)))),
        (Kind::String(x), Kind::String(y)) => Kind::String(x.zip(*y).map(|(x, y)| x.max(y))),
        (Kind::String(_), Kind::Enum(_)) | (Kind::Enum(_), Kind::String(_)) => Kind::String(None),
        (Kind::Enum(x), Kind::Enum(y)) => Kind::Enum(union(x, y)),
        (Kind::List(x, most), Kind::List(y, limit)) => Kind::List(
            Arc::new(join_items(table, x, y)),
            most.zip(*limit).map(|(most, limit)| most.max(limit)),
        ),
        (Kind::Map(x), Kind::Map(y)) => Kind::Map(Arc::new(join_items(table, x, y))),
        (x @ (Kind::Record(_) | Kind::Map(_)), y @ (Kind::Record(_) | Kind::Map(_))) => {
            let (x, y) = (Type::of(x.clone()), Type::of(y.clone()));
            if fit(table, &x, &y) == Fit::Yes {
                y.kind
            } else if fit(table, &y, &x) == Fit::Yes {
                x.kind
            } else {
                Kind::Map(Arc::new(Type::of(Kind::Any)))
            }
        }
        _ => return None,
    };
    Some(Type { kind, nullable })
}

/// Like [`join`] for items: what has nothing in common is `any`.
#[must_use]
pub(super) fn join_items(table: &TypeTable, a: &Type, b: &Type) -> Type {
    join(table, a, b).unwrap_or_else(|| Type::of(Kind::Any))
}

fn union(a: &Arc<EnumType>, b: &Arc<EnumType>) -> Arc<EnumType> {
    let holds = |x: &EnumType, y: &EnumType| y.members.iter().all(|m| x.members.contains(m));
    if holds(a, b) {
        return Arc::clone(a);
    }
    if holds(b, a) {
        return Arc::clone(b);
    }
    let new = b.members.iter().filter(|m| !a.members.contains(m));
    let members: Vec<Str> = a.members.iter().chain(new).cloned().collect();
    Arc::new(EnumType { name: None, members })
}

/// True if values of the two types can ever be equal (`null` aside).
#[must_use]
pub fn comparable(table: &TypeTable, a: &Type, b: &Type) -> bool {
    match (&a.kind, &b.kind) {
        (Kind::Any | Kind::Null | Kind::Error, _)
        | (_, Kind::Any | Kind::Null | Kind::Error)
        | (Kind::Int(_) | Kind::Float, Kind::Int(_) | Kind::Float)
        | (Kind::String(_), Kind::String(_) | Kind::Enum(_))
        | (Kind::Enum(_), Kind::String(_))
        | (Kind::Record(_), Kind::Map(_))
        | (Kind::Map(_), Kind::Record(_)) => true,
        (Kind::Enum(x), Kind::Enum(y)) => x.members.iter().any(|m| y.members.contains(m)),
        (Kind::List(x, _), Kind::List(y, _)) | (Kind::Map(x), Kind::Map(y)) => comparable(table, x, y),
        (Kind::Record(_), Kind::Record(_)) => {
            let (x, y) = (Type::of(a.kind.clone()), Type::of(b.kind.clone()));
            fit(table, &x, &y) != Fit::No || fit(table, &y, &x) != Fit::No
        }
        (x, y) => x == y,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fit, MAX_COMPARED_PAIRS, fit};
    use crate::model::record::{Field, RecordType, TypeTable};
    use crate::model::types::{Kind, RecordId, Type};

    /// Records in two rings, each of which holds the next of its ring: compared, they meet in all pairs there are.
    fn rings(one: u32, other: u32) -> TypeTable {
        let ring = |first: u32, many: u32| {
            (0..many).map(move |i| {
                let next = RecordId(first + (i + 1) % many);
                let ty = Type::of(Kind::Record(next)).or_null();
                let fields = vec![Field { name: "next".into(), ty, default: None }].into();
                RecordType { name: "R".into(), open: false, fields }
            })
        };
        TypeTable { records: ring(0, one).chain(ring(one, other)).collect(), ..TypeTable::default() }
    }

    #[test]
    fn more_pairs_than_can_be_compared_are_left_to_run_time() {
        // Coprime, so that every pair comes up.
        for (one, other) in [(97, 101), (101, 103)] {
            let record = |id| Type::of(Kind::Record(RecordId(id)));
            let found = fit(&rings(one, other), &record(0), &record(one));
            let wanted = if (one * other) as usize > MAX_COMPARED_PAIRS { Fit::AtRunTime } else { Fit::Yes };
            assert_eq!(found, wanted, "{one} times {other}");
        }
        assert_eq!(
            fit(&rings(97, 101), &Type::of(Kind::Record(RecordId(0))), &Type::of(Kind::Bool)),
            Fit::No
        );
    }
}
