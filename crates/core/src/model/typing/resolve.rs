//! From types as they are written to resolved types.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::builtin::Builtins;
use super::conversation::ConversationTypes;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::name_use::{NameKind, NameRecorder};
use crate::model::types::{EnumType, Kind, RecordId, Type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Name, TypeExpr, TypeKind};
use crate::value::Str;

/// The built-in names that stand for a whole type.
const BUILTIN: [(&str, Kind); 7] = [
    ("bool", Kind::Bool),
    ("int", Kind::Int(None)),
    ("float", Kind::Float),
    ("usd", Kind::Usd),
    ("string", Kind::String(None)),
    ("duration", Kind::Duration),
    ("any", Kind::Any),
];

/// The named types of one graph.
#[derive(Debug, Clone, Default)]
pub struct TypeNames {
    names: FxHashMap<Str, (Type, Span)>,
    /// The types of conversations, where the graph has none of these names.
    conversation: Option<ConversationTypes>,
    outputs: FxHashMap<Str, Type>,
    /// Hears of each name that is resolved.
    recorder: NameRecorder,
}

impl TypeNames {
    /// No names but the built-in ones.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a name. A name that is taken is reported and keeps its first meaning.
    pub fn define(&mut self, name: &Name, ty: Type, sink: &mut Vec<Diagnostic>) {
        if let Some((_, first)) = self.names.get(name.as_str()) {
            let message = format!("the type `{}` is declared twice", name.value);
            sink.push(
                Diagnostic::error(rule::DUPLICATE_NAME, name.span, message)
                    .also(*first, "declared here first"),
            );
            return;
        }
        if builtin(&name.value).is_some() {
            let message = format!("`{}` is the name of a built-in type", name.value);
            sink.push(Diagnostic::error(rule::RESERVED_WORD, name.span, message).help("choose another name"));
            return;
        }
        self.recorder.define(NameKind::Type, name, None);
        self.names.insert(name.as_str().into(), (ty.named(), name.span));
    }

    /// Gives a name another meaning, for aliases that are resolved after they were seen.
    pub(super) fn redefine(&mut self, name: &str, ty: Type) {
        if let Some(entry) = self.names.get_mut(name) {
            entry.0 = ty.named();
        }
    }

    /// The type of that name, built-in ones too.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Type> {
        let own = || self.names.get(name).map(|(ty, _)| ty.clone());
        let mut all = self.conversation.iter().flat_map(ConversationTypes::all);
        let supplied = || all.find(|(own, _)| *own == name).map(|(_, ty)| ty.clone());
        builtin(name).or_else(own).or_else(supplied)
    }

    /// The place where a name of the graph's own was declared.
    #[must_use]
    pub fn declared_at(&self, name: &str) -> Option<Span> {
        self.names.get(name).map(|(_, span)| *span)
    }

    /// The path by which the graph names the outputs of another, if the record has them.
    pub(super) fn outputs_path(&self, record: RecordId) -> Option<&str> {
        let is_it = |ty: &Type| matches!(ty.kind, Kind::Record(id) if id == record);
        self.outputs.iter().filter(|(_, ty)| is_it(ty)).map(|(path, _)| path.as_str()).min()
    }

    /// Adds the types of conversations, and who hears of names.
    pub(super) fn supply(&mut self, builtins: &Builtins) {
        self.conversation = Some(builtins.conversation.clone());
        self.recorder = builtins.names.clone();
    }

    /// Notes the use of a name.
    pub(super) fn note(&self, name: &str, span: Span) {
        // A question mark may be part of the place.
        let span = Span {
            end: span.end.min(span.start.saturating_add(u32::try_from(name.len()).unwrap_or(0))),
            ..span
        };
        self.recorder.note(NameKind::Type, name, span, self.declared_at(name), None);
    }

    /// Says what `outputs('file')` stands for.
    pub fn set_outputs(&mut self, file: &str, ty: Type) {
        self.outputs.insert(file.into(), ty);
    }

    /// The known name that is closest to an unknown one.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let own = self.names.keys().map(Str::as_str);
        let supplied = self.conversation.iter().flat_map(ConversationTypes::all).map(|(name, _)| name);
        nearest(
            name,
            BUILTIN.iter().map(|(n, _)| *n).chain(["list", "map", "enum"]).chain(own).chain(supplied),
        )
    }

    /// The type that is meant. What cannot be resolved is reported and becomes [`Kind::Error`].
    pub fn resolve(&self, ty: &TypeExpr, sink: &mut Vec<Diagnostic>) -> Type {
        let mut resolved = self.kind(ty, sink);
        resolved.nullable |= ty.nullable && !matches!(resolved.kind, Kind::Any);
        resolved
    }

    fn kind(&self, ty: &TypeExpr, sink: &mut Vec<Diagnostic>) -> Type {
        match &ty.kind {
            TypeKind::Name(name) => self.name(name, ty.span, sink),
            TypeKind::IntRange(low, high) => Type::of(Kind::Int(Some((*low, *high)))),
            TypeKind::StringMax(most) => Type::of(Kind::String(Some(*most))),
            TypeKind::List(item, most) => Type::of(Kind::List(Arc::new(self.resolve(item, sink)), *most)),
            TypeKind::Map(value) => Type::of(Kind::Map(Arc::new(self.resolve(value, sink)))),
            TypeKind::Enum(members) => {
                self.recorder.define_members(members);
                Type::of(Kind::Enum(Arc::new(enumeration(members, sink))))
            }
            TypeKind::Outputs(file) => self.output(file, sink),
        }
    }

    fn name(&self, name: &str, span: Span, sink: &mut Vec<Diagnostic>) -> Type {
        if let Some(ty) = self.get(name) {
            self.note(name, span);
            return ty;
        }
        let own = self.names.keys().map(Str::as_str);
        let all = BUILTIN.iter().map(|(name, _)| *name).chain(["list", "map", "enum"]).chain(own);
        self.recorder.offer(name, NameKind::Type, all.map(|name| (name, None)));
        let fault = Diagnostic::error(rule::UNKNOWN_TYPE, span, format!("there is no type `{name}`"));
        sink.push(match name {
            "double" | "number" => fault.help("write float (or int for whole numbers)"),
            "boolean" => fault.help("write bool"),
            "str" | "text" => fault.help("write string"),
            "list" | "array" => fault.help("give the type of its items: list<string>, list<any>, …"),
            "map" | "object" | "dict" => fault.help("give the type of its values: map<string>, map<any>, …"),
            "null" => fault.help("append `?` to a type to allow null: string?"),
            _ => fault.meant_or(self.nearest(name), "declare it under `types`"),
        });
        Type::of(Kind::Error)
    }

    fn output(&self, file: &Spanned<String>, sink: &mut Vec<Diagnostic>) -> Type {
        if let Some(ty) = self.outputs.get(file.as_str()) {
            return ty.clone();
        }
        let message = format!("the outputs of `{}` are not known here", file.value);
        let hint = "outputs('file') names a graph file that this graph calls, by the same path";
        sink.push(Diagnostic::error(rule::UNKNOWN_TYPE, file.span, message).help(hint));
        Type::of(Kind::Error)
    }
}

/// Calls `seen` for each file that the type names in `outputs('file')`.
pub fn each_outputs<'a>(ty: &'a TypeExpr, seen: &mut dyn FnMut(&'a Spanned<String>)) {
    match &ty.kind {
        TypeKind::List(inner, _) | TypeKind::Map(inner) => each_outputs(inner, seen),
        TypeKind::Outputs(file) => seen(file),
        TypeKind::Name(_) | TypeKind::IntRange(..) | TypeKind::StringMax(_) | TypeKind::Enum(_) => {}
    }
}

fn builtin(name: &str) -> Option<Type> {
    BUILTIN.iter().find(|(own, _)| *own == name).map(|(_, kind)| Type::of(kind.clone()))
}

fn enumeration(members: &[Name], sink: &mut Vec<Diagnostic>) -> EnumType {
    let mut seen: Vec<Str> = Vec::with_capacity(members.len());
    for member in members {
        if seen.iter().any(|s| *s == member.value) {
            let message = format!("the member `{}` occurs twice in this enum", member.value);
            sink.push(Diagnostic::error(rule::DUPLICATE_NAME, member.span, message));
        } else {
            seen.push(member.as_str().into());
        }
    }
    EnumType { name: None, members: seen }
}
