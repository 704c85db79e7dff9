//! Types as messages print them.

use std::fmt;

use super::resolve::TypeNames;
use crate::model::record::TypeTable;
use crate::model::types::{EnumType, Kind, Type};

/// Enums with more members are cut in messages.
const MAX_SHOWN_MEMBERS: usize = 8;

/// A type that can be printed; see [`show`].
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    ty: &'a Type,
    table: &'a TypeTable,
    names: Option<&'a TypeNames>,
}

/// The type as it would be written in a graph file.
#[must_use]
pub const fn show<'a>(ty: &'a Type, table: &'a TypeTable) -> Shown<'a> {
    Shown { ty, table, names: None }
}

impl<'a> Shown<'a> {
    /// The type with the outputs of called graphs as the graph of these names writes them.
    #[must_use]
    pub(super) const fn in_graph(self, names: &'a TypeNames) -> Self {
        Self { names: Some(names), ..self }
    }

    /// A part of the type.
    const fn part(&self, ty: &'a Type) -> Self {
        Self { ty, ..*self }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
            Kind::List(item, None) => write!(f, "list<{}>", self.part(item)),
            Kind::List(item, Some(most)) => write!(f, "list<{}>({most})", self.part(item)),
            Kind::Map(value) => write!(f, "map<{}>", self.part(value)),
            Kind::Enum(members) => write_enum(f, members),
            Kind::Record(id) => match self.names.and_then(|names| names.outputs_path(*id)) {
                Some(path) => write!(f, "outputs('{path}')"),
                None => f.write_str(&self.table.record(*id).name),
            },
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
