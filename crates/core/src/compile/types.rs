//! Types to shapes.

use rustc_hash::FxHashMap;

use super::literal::literal;
use super::{CompileError, CompileFault, index};
use crate::model::expr::Expr;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, RecordId, Type};
use crate::program::shape::{FieldShape, Shape, ShapeKind, Shapes};
use crate::source::Span;
use crate::value::{Str, Value};

/// The largest default of a field, in bytes as a value estimates itself.
const MAX_DEFAULT: usize = 1 << 20;

/// The shapes of a model while it is compiled. The shape of a record has the number of the record's id.
pub(super) struct Types<'m> {
    table: &'m TypeTable,
    shapes: Shapes,
    ids: FxHashMap<Type, u32>,
    /// Shapes that are a record with null: they have the same fields.
    nullable: Vec<(u32, u32)>,
    open: Vec<OpenDefault<'m>>,
    faults: Vec<CompileError>,
}

/// A default that has to be computed.
pub(super) struct OpenDefault<'m> {
    /// The record's number.
    pub(super) id: usize,
    pub(super) record: Str,
    pub(super) field: Str,
    /// The written expression.
    pub(super) expr: &'m Expr,
}

impl<'m> Types<'m> {
    pub(super) fn new(table: &'m TypeTable) -> Self {
        let empty = Shape { kind: ShapeKind::Null, nullable: false };
        let shapes = vec![empty; table.records.len()];
        let shapes = Shapes { shapes, supplied: table.supplied.clone(), classes: Vec::new() };
        let ids = (0..index(table.records.len()))
            .map(|record| (Type::of(Kind::Record(RecordId(record))), record))
            .collect();
        let mut types =
            Self { table, shapes, ids, nullable: Vec::new(), open: Vec::new(), faults: Vec::new() };
        types.records();
        types
    }

    pub(super) fn finish(mut self) -> (Shapes, Vec<CompileError>) {
        self.shapes.classify();
        (self.shapes, self.faults)
    }

    pub(super) const fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// The shape of a type; equal types share it. [`None`] for a type that could not be resolved.
    pub(super) fn shape(&mut self, ty: &Type) -> Option<u32> {
        if let Some(id) = self.ids.get(ty) {
            return Some(*id);
        }
        let kind = self.kind(&ty.kind)?;
        // `any` takes every JSON value, null among them.
        let nullable = ty.nullable || matches!(ty.kind, Kind::Any | Kind::Null);
        let id = index(self.shapes.shapes.len());
        if let ShapeKind::Record { base, .. } = kind {
            self.nullable.push((id, base));
        }
        self.shapes.shapes.push(Shape { kind, nullable });
        self.ids.insert(ty.clone(), id);
        Some(id)
    }

    fn kind(&mut self, kind: &Kind) -> Option<ShapeKind> {
        Some(match kind {
            Kind::Bool => ShapeKind::Bool,
            Kind::Int(bounds) => ShapeKind::Int(*bounds),
            Kind::Float => ShapeKind::Float,
            Kind::Usd => ShapeKind::Usd,
            Kind::String(most) => ShapeKind::String(*most),
            Kind::Duration => ShapeKind::Duration,
            Kind::Any => ShapeKind::Any,
            Kind::Null => ShapeKind::Null,
            // A type used as a value is its name.
            Kind::Type => ShapeKind::String(None),
            Kind::List(item, most) => ShapeKind::List(self.shape(item)?, *most),
            Kind::Map(item) => ShapeKind::Map(self.shape(item)?),
            Kind::Enum(members) => ShapeKind::Enum(members.members.clone().into()),
            Kind::Record(RecordId(record)) => match &self.shapes.shape(*record).kind {
                // The record itself is still to come; its nullable form takes its fields then.
                ShapeKind::Null => {
                    ShapeKind::Record { name: Str::new(), base: *record, open: false, fields: Box::default() }
                }
                known => known.clone(),
            },
            Kind::Error => return None,
        })
    }

    /// The defaults that are not constants as they are written.
    pub(super) fn open_defaults(&mut self) -> Vec<OpenDefault<'m>> {
        std::mem::take(&mut self.open)
    }

    /// Gives a default its value.
    pub(super) fn set_default(&mut self, open: &OpenDefault<'m>, value: Value) {
        if let ShapeKind::Record { fields, .. } = &mut self.shapes.shapes[open.id].kind
            && let Some(field) = fields.iter_mut().find(|field| field.name == open.field)
        {
            field.default = Some(value);
        }
    }

    fn records(&mut self) {
        let table: &'m TypeTable = self.table;
        for (id, record) in table.records.iter().enumerate() {
            let mut fields = Vec::with_capacity(record.fields.len());
            for field in &record.fields {
                let Some(shape) = self.shape(&field.ty) else {
                    let span = field.default.as_ref().map_or_else(Span::default, |default| default.span);
                    self.faults.push(CompileError { kind: CompileFault::Unresolved, span });
                    continue;
                };
                let default = field.default.as_ref().and_then(|default| {
                    let value = literal(default, &mut |_, value| Some(value));
                    if value.is_none() {
                        let (record, field) = (record.name.clone(), field.name.clone());
                        self.open.push(OpenDefault { id, record, field, expr: default });
                    }
                    value
                });
                fields.push(FieldShape { name: field.name.clone(), shape, default });
            }
            let kind = ShapeKind::Record {
                name: record.name.clone(),
                base: index(id),
                open: record.open,
                fields: fields.into(),
            };
            self.shapes.shapes[id] = Shape { kind, nullable: false };
        }
        self.refresh();
    }

    /// Gives nullable records the fields of their bases.
    fn refresh(&mut self) {
        for (id, base) in &self.nullable {
            let kind = self.shapes.shape(*base).kind.clone();
            self.shapes.shapes[*id as usize].kind = kind;
        }
    }

    /// Makes every default one of its field's type. A default may hold records whose own defaults are filled in, so this
    /// continues until nothing changes; one that contains itself ends at the limit of size or depth.
    pub(super) fn settle_defaults(&mut self) {
        self.refresh();
        let mut changed = self.faults.is_empty();
        while changed {
            changed = false;
            for record in 0..self.table.records.len() {
                for field in 0..self.table.records[record].fields.len() {
                    match self.fitted_default(record, field) {
                        Ok(Some(value)) => {
                            self.replace_default(record, field, value);
                            changed = true;
                        }
                        Ok(None) => {}
                        Err(fault) => {
                            self.faults.push(fault);
                            return;
                        }
                    }
                }
            }
            self.refresh();
        }
    }

    /// The default of a field made to fit, or [`None`] if there is nothing to do.
    fn fitted_default(&self, record: usize, field: usize) -> Result<Option<Value>, CompileError> {
        let ShapeKind::Record { name, fields, .. } = &self.shapes.shapes[record].kind else {
            return Ok(None);
        };
        let FieldShape { name: field_name, shape, default: Some(default) } = &fields[field] else {
            return Ok(None);
        };
        let fault = |kind: fn(Str, Str) -> CompileFault| {
            let source = self.table.records[record].fields[field].default.as_ref();
            let span = source.map_or_else(Span::default, |default| default.span);
            CompileError { kind: kind(name.clone(), field_name.clone()), span }
        };
        if default.size_estimate() > MAX_DEFAULT {
            return Err(fault(|record, field| CompileFault::DefaultTooLarge { record, field }));
        }
        if self.shapes.is_fitted(*shape, default) {
            return Ok(None);
        }
        self.shapes.fit(*shape, default.clone()).map(Some).map_err(|misfits| {
            let mut error = fault(|record, field| CompileFault::DefaultTooLarge { record, field });
            if let Some(misfit) = misfits.into_iter().next() {
                error.kind =
                    CompileFault::DefaultMisfit { record: name.clone(), field: field_name.clone(), misfit };
            }
            error
        })
    }

    fn replace_default(&mut self, record: usize, field: usize, value: Value) {
        if let ShapeKind::Record { fields, .. } = &mut self.shapes.shapes[record].kind {
            fields[field].default = Some(value);
        }
    }
}
