//! What is known of all values of a type.

use crate::model::types::{Kind, Type};

/// True for a type of records and maps, or of null besides.
pub(super) const fn has_fields(ty: &Type) -> bool {
    matches!(ty.kind, Kind::Record(_) | Kind::Map(_) | Kind::Null)
}

/// True for texts.
pub(super) const fn is_text(ty: &Type) -> bool {
    matches!(ty.kind, Kind::String(_) | Kind::Enum(_)) && !ty.nullable
}

/// True for lists.
pub(super) const fn is_list(ty: &Type) -> bool {
    matches!(ty.kind, Kind::List(..)) && !ty.nullable
}

/// True for a list that has no greatest length.
pub(in crate::explore) const fn is_unbounded_list(ty: &Type) -> bool {
    matches!(ty, Type { kind: Kind::List(_, None), nullable: false })
}

/// True for a text that has no greatest length.
pub(super) const fn is_unbounded_text(ty: &Type) -> bool {
    matches!(ty, Type { kind: Kind::String(None), nullable: false })
}

/// True for records and maps.
pub(super) const fn is_map(ty: &Type) -> bool {
    matches!(ty.kind, Kind::Record(_) | Kind::Map(_)) && !ty.nullable
}

/// True for what has a plain text.
pub(super) const fn is_scalar(ty: &Type) -> bool {
    let is_plain = matches!(
        ty.kind,
        Kind::Bool
            | Kind::Int(_)
            | Kind::Float
            | Kind::Usd
            | Kind::String(_)
            | Kind::Duration
            | Kind::Enum(_)
    );
    is_plain && !ty.nullable
}
