//! Type declarations: records, enums and aliases become resolved types.

use rustc_hash::FxHashMap;

use super::builtin::Builtins;
use super::cx::{Cx, Here};
use super::resolve::TypeNames;
use super::scope::{Reach, Scope};
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::name_use::{NameHolder, NameKind};
use crate::model::record::{Field, Fields, RecordType, TypeTable};
use crate::model::types::{EnumType, Kind, RecordId, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{TypeExpr, TypeKind};
use crate::syntax::tree::{FieldDecl, TypeBody, TypeDecl};

/// A record's declaration with its place in the table.
struct DeclaredRecord<'d> {
    id: RecordId,
    fields: &'d [FieldDecl],
}

/// Resolves the types that a graph declares: the records go into `table`, the names into `names`.
///
/// The types of `outputs('file')` have to be set in `names` before.
pub fn declare_types(
    decls: &[TypeDecl],
    names: &mut TypeNames,
    table: &mut TypeTable,
    builtins: &Builtins,
    sink: &mut Vec<Diagnostic>,
) {
    names.supply(builtins);
    let mut records: Vec<DeclaredRecord<'_>> = Vec::new();
    for decl in decls {
        judge_name(decl, sink);
        let ty = match &decl.body {
            TypeBody::Record { open, fields } => {
                let id = RecordId(u32::try_from(table.records.len()).unwrap_or(u32::MAX));
                table.records.push(RecordType {
                    name: decl.name.as_str().into(),
                    open: *open,
                    fields: Fields::default(),
                });
                records.push(DeclaredRecord { id, fields });
                Type::of(Kind::Record(id))
            }
            TypeBody::Alias(_) => Type::of(Kind::Error),
        };
        names.define(&decl.name, ty, sink);
    }
    resolve_aliases(decls, names, sink);
    for record in &records {
        let fields = resolve_fields(record.fields, names, sink);
        for decl in record.fields {
            let name = Spanned::new(decl.name.as_str().into(), decl.name.span);
            let ty = fields.iter().find(|field| field.name == name.value).map(|field| &field.ty);
            builtins.names.define_part(NameHolder::Record(record.id), NameKind::Field, &name, ty);
        }
        table.records[record.id.0 as usize].fields = fields.into();
    }
    let first = records.first().map(|r| r.id);
    refuse_endless(&records, first, table, sink);
    fill_defaults(&records, names, table, builtins, sink);
}

fn judge_name(decl: &TypeDecl, sink: &mut Vec<Diagnostic>) {
    if decl.name.starts_with(|c: char| c.is_ascii_lowercase()) {
        let message = format!("the type `{}` starts with a small letter", decl.name.value);
        let mut name = decl.name.value.clone();
        name[..1].make_ascii_uppercase();
        sink.push(
            Diagnostic::error(rule::TYPE_NAME, decl.name.span, message).help(format!("call it `{name}`")),
        );
    }
}

/// Aliases are resolved after those they are made of.
fn resolve_aliases(decls: &[TypeDecl], names: &mut TypeNames, sink: &mut Vec<Diagnostic>) {
    let mut aliases: Vec<(&TypeDecl, &TypeExpr)> = Vec::new();
    for decl in decls {
        if let TypeBody::Alias(ty) = &decl.body
            && names.declared_at(&decl.name.value) == Some(decl.name.span)
        {
            aliases.push((decl, ty));
        }
    }
    let places: FxHashMap<&str, usize> =
        aliases.iter().enumerate().map(|(i, (d, _))| (d.name.as_str(), i)).collect();
    let uses: Vec<Vec<usize>> = aliases.iter().map(|(_, ty)| used_names(ty, &places)).collect();
    let (order, circles) = super::order::dependencies_first(&uses);
    for circle in circles {
        let first = aliases[circle[0]].0;
        let chain: Vec<&str> = circle.iter().map(|at| aliases[*at].0.name.as_str()).collect();
        let message = format!("the type `{}` refers to itself", first.name.value);
        let fault = Diagnostic::error(rule::RECURSIVE_TYPE, first.name.span, message);
        sink.push(
            fault
                .caret(chain.join(" -> "))
                .help("only a record may contain its own type: as a nullable field or in a list"),
        );
    }
    for at in order {
        let (decl, ty) = aliases[at];
        let mut resolved = names.resolve(ty, sink);
        if let Kind::Enum(members) = &resolved.kind
            && members.name.is_none()
        {
            let members =
                EnumType { name: Some(decl.name.as_str().into()), members: members.members.clone() };
            resolved.kind = Kind::Enum(members.into());
        }
        names.redefine(&decl.name.value, resolved);
    }
}

fn used_names(ty: &TypeExpr, places: &FxHashMap<&str, usize>) -> Vec<usize> {
    let mut at = ty;
    loop {
        match &at.kind {
            TypeKind::List(inner, _) | TypeKind::Map(inner) => at = inner,
            TypeKind::Name(name) => return places.get(name.as_str()).copied().into_iter().collect(),
            _ => return Vec::new(),
        }
    }
}

fn resolve_fields(decls: &[FieldDecl], names: &TypeNames, sink: &mut Vec<Diagnostic>) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::with_capacity(decls.len());
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    for decl in decls {
        if let Some(first) = seen.insert(&decl.name.value, decl.name.span) {
            let message = format!("the field `{}` is declared twice", decl.name.value);
            sink.push(
                Diagnostic::error(rule::DUPLICATE_NAME, decl.name.span, message)
                    .also(first, "declared here first"),
            );
            continue;
        }
        if let Some(condition) = &decl.condition {
            let message = "only a field of `input` can have a condition";
            sink.push(
                Diagnostic::error(rule::MISPLACED_CONDITION, condition.span, message)
                    .help("test it where the record is used"),
            );
        }
        let ty = names.resolve(&decl.ty, sink);
        // Stands in for the default until that is typed.
        let default = decl.default.as_ref().map(|e| pending(e.span));
        fields.push(Field { name: decl.name.as_str().into(), ty, default });
    }
    fields
}

fn pending(span: Span) -> Expr {
    super::cx::poison(span)
}

/// A record that needs a value of its own type to be built can never be built.
fn refuse_endless(
    records: &[DeclaredRecord<'_>],
    first: Option<RecordId>,
    table: &TypeTable,
    sink: &mut Vec<Diagnostic>,
) {
    let Some(first) = first else { return };
    let place = |id: RecordId| id.0.checked_sub(first.0).map(|i| i as usize).filter(|i| *i < records.len());
    let needs: Vec<Vec<usize>> = records
        .iter()
        .map(|r| {
            let fields = table.record(r.id).fields.iter().filter(|f| f.default.is_none() && !f.ty.nullable);
            fields.filter_map(|f| if let Kind::Record(id) = f.ty.kind { place(id) } else { None }).collect()
        })
        .collect();
    let (_, circles) = super::order::dependencies_first(&needs);
    for circle in circles {
        let record = &records[circle[0]];
        let next = records[*circle.get(1).unwrap_or(&circle[0])].id;
        let field = record
            .fields
            .iter()
            .zip(&table.record(record.id).fields)
            .find(|(_, f)| f.ty.kind == Kind::Record(next));
        let Some((decl, _)) = field else { continue };
        let name = &table.record(record.id).name;
        let message = format!("`{name}` contains itself without end");
        let fault = Diagnostic::error(rule::RECURSIVE_TYPE, decl.span, message);
        let inner = &table.record(next).name;
        sink.push(fault.help(format!("let it end: `{inner}?` or `list<{inner}>`")));
    }
}

/// Types the defaults. One may need another's record, so those that cannot be typed yet wait for the next round.
fn fill_defaults(
    records: &[DeclaredRecord<'_>],
    names: &TypeNames,
    table: &mut TypeTable,
    builtins: &Builtins,
    sink: &mut Vec<Diagnostic>,
) {
    let mut open: Vec<(RecordId, &FieldDecl)> = Vec::new();
    for record in records {
        open.extend(record.fields.iter().filter(|f| f.default.is_some()).map(|f| (record.id, f)));
    }
    let scope = Scope::new(builtins.clone(), names.clone());
    let mut blamed = false;
    while !open.is_empty() {
        let before = open.len();
        let mut waiting = Vec::new();
        for (id, decl) in open {
            let mut faults = Vec::new();
            let Some(typed) = type_default(id, decl, &scope, table, &mut faults) else { continue };
            if faults.is_empty() && is_pending(&typed) {
                waiting.push((id, decl));
                continue;
            }
            if faults.is_empty()
                && let Some(span) = local_in(&typed)
            {
                let message = "a macro is not allowed in the default of a field";
                sink.push(Diagnostic::error(rule::NOT_HERE, span, message).help("write the value out"));
            }
            blamed |= !faults.is_empty();
            sink.append(&mut faults);
            table.records[id.0 as usize].fields.set_default(&decl.name.value, typed);
        }
        if waiting.len() == before {
            // A default that waits for a default with a fault is not to be blamed as well.
            if blamed {
                return;
            }
            for (id, decl) in waiting {
                let message =
                    format!("the default of `{}.{}` needs itself", table.record(id).name, decl.name.value);
                sink.push(Diagnostic::error(rule::RECURSIVE_TYPE, decl.span, message));
            }
            return;
        }
        open = waiting;
    }
}

fn type_default(
    id: RecordId,
    decl: &FieldDecl,
    scope: &Scope,
    table: &TypeTable,
    faults: &mut Vec<Diagnostic>,
) -> Option<Expr> {
    let default = decl.default.as_ref()?;
    let field = table.record(id).fields.get(&decl.name.value)?;
    Some(Cx::new(scope, table, Here::new(Reach::Constants), faults).check(default, &field.ty))
}

fn is_pending(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |e| found |= matches!(e.kind, ExprKind::Error));
    found
}

/// The place where a default uses a local: it is copied to places that have locals of their own.
fn local_in(expr: &Expr) -> Option<Span> {
    let mut found = None;
    expr.walk(&mut |e| {
        if matches!(e.kind, ExprKind::Macro { .. } | ExprKind::Bind { .. }) {
            found = Some(e.span);
        }
    });
    found
}
