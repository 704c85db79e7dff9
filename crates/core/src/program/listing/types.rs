//! Records, as far as a program mentions them.

use std::collections::BTreeSet;
use std::fmt;

use super::names::records as record_names;
use super::value::literal;
use crate::program::Program;
use crate::program::shape::{Shape, ShapeKind};

/// Writes the records of these bases and those their fields mention.
pub(super) fn write(program: &Program, mut open: BTreeSet<u32>, out: &mut dyn fmt::Write) -> fmt::Result {
    let names = record_names(&program.shapes);
    let mut known = open.clone();
    while let Some(base) = open.pop_first() {
        let Shape { kind: ShapeKind::Record { open: is_open, fields, .. }, .. } = program.shapes.shape(base)
        else {
            continue;
        };
        let name = names.get(&base).map_or("", String::as_str);
        writeln!(out, "{}record {name}", if *is_open { "open " } else { "" })?;
        for field in fields {
            let ty = program.shapes.describe_with(field.shape, &mut |base| {
                if known.insert(base) {
                    open.insert(base);
                }
                names.get(&base).cloned().unwrap_or_default()
            });
            match &field.default {
                Some(default) => writeln!(out, "  {}: {ty} = {}", field.name, literal(default))?,
                None => writeln!(out, "  {}: {ty}", field.name)?,
            }
        }
    }
    Ok(())
}
