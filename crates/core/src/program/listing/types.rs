//! Records, as far as a program mentions them.

use std::collections::BTreeSet;
use std::fmt;

use super::names::RecordNames;
use super::value::literal;
use crate::program::Program;
use crate::program::shape::{Shape, ShapeKind};

/// Writes the records of these bases and those their fields mention.
pub(super) fn write(
    program: &Program,
    names: &RecordNames,
    mut open: BTreeSet<u32>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let mut known = open.clone();
    while let Some(base) = open.pop_first() {
        let Shape { kind: ShapeKind::Record { open: is_open, fields, .. }, .. } = program.shapes.shape(base)
        else {
            continue;
        };
        let name = names.name(base);
        writeln!(out, "{}record {name}", if *is_open { "open " } else { "" })?;
        for field in fields {
            let ty = program.shapes.describe_with(field.shape, &mut |base| {
                if known.insert(base) {
                    open.insert(base);
                }
                names.name(base)
            });
            match &field.default {
                Some(default) => writeln!(out, "  {}: {ty} = {}", field.name, literal(default))?,
                None => writeln!(out, "  {}: {ty}", field.name)?,
            }
        }
    }
    Ok(())
}
