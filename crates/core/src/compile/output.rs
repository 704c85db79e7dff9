//! The types of what a graph gives back.

use super::types::Types;
use crate::model::Model;
use crate::program::shape::{FieldShape, Shape, ShapeKind, Shapes};
use crate::value::{Str, Value};

/// The JSON Schema of the `output` of a model's root graph: an object. What a type could not be found for may be anything.
#[must_use]
pub fn output_schema(model: &Model) -> Value {
    let mut types = Types::new(&model.types);
    let fields: Vec<(Str, Option<u32>)> = model
        .root()
        .output
        .iter()
        .map(|(name, value)| (name.value.clone(), types.shape(&value.ty)))
        .collect();
    let (shapes, _) = types.finish();
    record_schema(shapes, fields)
}

/// The JSON Schema of an object with these fields, each required unless null fits.
fn record_schema(mut shapes: Shapes, fields: Vec<(Str, Option<u32>)>) -> Value {
    let any = push(&mut shapes, Shape { kind: ShapeKind::Any, nullable: true });
    let field =
        |(name, shape): (Str, Option<u32>)| FieldShape { name, shape: shape.unwrap_or(any), default: None };
    let fields = fields.into_iter().map(field).collect();
    let base = next(&shapes);
    let kind = ShapeKind::Record { name: "output".into(), base, open: false, fields };
    let record = push(&mut shapes, Shape { kind, nullable: false });
    shapes.schema(record)
}

fn next(shapes: &Shapes) -> u32 {
    super::index(shapes.shapes.len())
}

fn push(shapes: &mut Shapes, shape: Shape) -> u32 {
    let id = next(shapes);
    shapes.shapes.push(shape);
    id
}
