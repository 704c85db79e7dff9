//! The record types of conversations with models.

use std::sync::Arc;

use crate::model::expr::{Expr, ExprKind};
use crate::model::record::{Field, TypeTable};
use crate::model::types::{EnumType, Kind, Type};
use crate::source::Span;
use crate::value::{List, Value};

/// The record types of conversations. A graph's own type of the same name takes its place there.
#[derive(Debug, Clone)]
pub struct ConversationTypes {
    /// `Message`: one message of a conversation.
    pub message: Type,
    /// `Part`: a part of a message that is no plain text.
    pub part: Type,
    /// `ToolCall`: a call that a model asks for.
    pub tool_call: Type,
    /// `Reply`: a model's answer with the calls it asks for.
    pub reply: Type,
}

impl ConversationTypes {
    /// Declares the records in the table.
    pub(super) fn declare(table: &mut TypeTable) -> Self {
        let first = place(table);
        let part = table.add(
            "Part".into(),
            false,
            vec![
                field("kind", words("PartKind", &["text", "image", "document", "audio"])),
                field("text", string().or_null()),
                field("file", string().or_null()),
                field("media_type", string().or_null()),
            ],
        );
        let any = Type::of(Kind::Any);
        let tool_call = table.add(
            "ToolCall".into(),
            false,
            vec![
                field("id", string()),
                field("tool", string()),
                field("args", Type::of(Kind::Map(Arc::new(any)))),
            ],
        );
        let message = table.add(
            "Message".into(),
            false,
            vec![
                field("from", words("Sender", &["system", "user", "assistant", "tool"])),
                or("text", string(), Value::from("")),
                or("parts", list(&part), Value::List(List::new())),
                or("tool_calls", list(&tool_call), Value::List(List::new())),
                field("tool_call", string().or_null()),
                field("name", string().or_null()),
                or("cached", Type::of(Kind::Bool), Value::Bool(false)),
                field("signed", string().or_null()),
            ],
        );
        let reply = table.add("Reply".into(), false, Self::reply_fields(&message, &tool_call));
        table.supplied = first..place(table);
        Self { message, part, tool_call, reply }
    }

    fn reply_fields(message: &Type, tool_call: &Type) -> Vec<Field> {
        vec![
            field("text", string()),
            field("tool_calls", list(tool_call)),
            field("finish", words("Finish", &["stop", "tool_calls", "length"])),
            field("reasoning", string().or_null()),
            field("message", message.clone()),
        ]
    }

    /// Declares a reply that holds a typed answer as well, which is null where the model asks for calls.
    #[must_use]
    pub fn reply_with(&self, table: &mut TypeTable, name: &str, answer: &Type) -> Type {
        let mut fields = Self::reply_fields(&self.message, &self.tool_call);
        fields.push(field("answer", answer.clone().or_null()));
        table.add(name.into(), false, fields)
    }

    /// All of them by their names.
    pub(super) const fn all(&self) -> [(&'static str, &Type); 4] {
        [
            ("Message", &self.message),
            ("Part", &self.part),
            ("Reply", &self.reply),
            ("ToolCall", &self.tool_call),
        ]
    }
}

/// The number of the next record.
fn place(table: &TypeTable) -> u32 {
    u32::try_from(table.records.len()).unwrap_or(u32::MAX)
}

fn string() -> Type {
    Type::of(Kind::String(None))
}

fn list(item: &Type) -> Type {
    Type::of(Kind::List(Arc::new(item.clone()), None))
}

fn words(name: &str, members: &[&str]) -> Type {
    let members = members.iter().map(|member| (*member).into()).collect();
    Type::of(Kind::Enum(Arc::new(EnumType { name: Some(name.into()), members })))
}

fn field(name: &str, ty: Type) -> Field {
    Field { name: name.into(), ty, default: None }
}

/// A field with a default.
fn or(name: &str, ty: Type, default: Value) -> Field {
    let default = Expr { kind: ExprKind::Const(default), ty: ty.clone(), span: Span::default() };
    Field { name: name.into(), ty, default: Some(default) }
}
