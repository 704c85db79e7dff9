//! Types as messages print them.

use std::fmt;

use crate::model::types::{EnumType, Kind, Type};

use crate::model::record::TypeTable;

/// Enums with more members are cut in messages.
const MAX_SHOWN_MEMBERS: usize = 8;

/// A type that can be printed; see [`show`].
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    ty: &'a Type,
    table: &'a TypeTable,
}

/// The type as it would be written in a graph file.
#[must_use]
pub const fn show<'a>(ty: &'a Type, table: &'a TypeTable) -> Shown<'a> {
    Shown { ty, table }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.table;
        match &self.ty.kind {
            Kind::Bool => f.write_str("bool"),
            Kind::Int(None) => f.write_str("int"),
            Kind::Int(Some((low, high))) => write!(f, "int({low}..{high})"),
            Kind::Float => f.write_str("float"),
            Kind::Usd => f.write_str("usd"),
            Kind::String(None) => f.write_str("string"),
            Kind::String(Some(most)) => write!(f, "string({most})"),
            Kind::Duration => f.write_str("duration"),
            Kind::Any => return f.write_str("any"),
            Kind::Null => return f.write_str("null"),
            Kind::Type => f.write_str("type"),
            Kind::List(item, None) => write!(f, "list<{}>", show(item, table)),
            Kind::List(item, Some(most)) => write!(f, "list<{}>({most})", show(item, table)),
            Kind::Map(value) => write!(f, "map<{}>", show(value, table)),
            Kind::Enum(members) => write_enum(f, members),
            Kind::Record(id) => f.write_str(&table.record(*id).name),
            Kind::Error => return f.write_str("unknown"),
        }?;
        if self.ty.nullable { f.write_str("?") } else { Ok(()) }
    }
}

fn write_enum(f: &mut fmt::Formatter<'_>, ty: &EnumType) -> fmt::Result {
    match &ty.name {
        Some(name) => f.write_str(name),
        None => write!(f, "enum({})", members(ty)),
    }
}

/// The members of an enum, separated by commas; a long list is cut.
#[must_use]
pub(super) fn members(ty: &EnumType) -> String {
    let shown: Vec<&str> = ty.members.iter().take(MAX_SHOWN_MEMBERS).map(crate::value::Str::as_str).collect();
    let rest = if ty.members.len() > MAX_SHOWN_MEMBERS { ", …" } else { "" };
    format!("{}{rest}", shown.join(", "))
}
