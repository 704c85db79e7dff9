//! Names that every graph has: reserved words, error kinds, the records that the machine supplies.

use std::sync::Arc;

use super::conversation::ConversationTypes;
use super::filled::Filled;
use crate::diag::{Diagnostic, rule};
use crate::model::name_use::NameRecorder;
use crate::model::record::{Field, TypeTable};
use crate::model::types::{Kind, Type};
use crate::program::function::Functions;
use crate::syntax::ast::Name;
use crate::syntax::expr::is_taken;

/// Names of values that the machine supplies.
const SPECIAL: [&str; 4] = ["result", "error", "outcome", "tools"];

/// The record types of the values that the machine supplies. One set serves all graphs of a model.
#[derive(Debug, Clone)]
pub struct Builtins {
    /// `error`: `{kind, class, message, details, attempt}`.
    pub error: Type,
    /// `tools`: a list of `{name, description, schema, tags}`.
    pub tools: Type,
    /// The types of conversations with models.
    pub conversation: ConversationTypes,
    /// The functions that expressions may call.
    pub(super) functions: Functions,
    /// The values that defaults fill in in all graphs.
    pub(super) filled: Filled,
    /// Hears of each name that is resolved.
    pub(crate) names: NameRecorder,
}

impl Builtins {
    /// Declares the records in the table.
    pub fn declare(table: &mut TypeTable) -> Self {
        let field = |name: &str, ty: Type| Field { name: name.into(), ty, default: None };
        let string = || Type::of(Kind::String(None));
        let error = table.add(
            "Error".into(),
            false,
            vec![
                field("kind", string()),
                field("class", string()),
                field("message", string()),
                field("details", Type::of(Kind::Any)),
                field("attempt", Type::of(Kind::Int(None))),
            ],
        );
        let tool = table.add(
            "Tool".into(),
            false,
            vec![
                field("name", string()),
                field("description", string()),
                field("schema", Type::of(Kind::Any)),
                field("tags", Type::of(Kind::List(Arc::new(string()), None))),
            ],
        );
        let conversation = ConversationTypes::declare(table);
        Self {
            error,
            conversation,
            tools: Type::of(Kind::List(Arc::new(tool), None)),
            functions: Functions::new(),
            filled: Filled::default(),
            names: NameRecorder::default(),
        }
    }

    /// The same, with the functions of whoever embeds the library.
    #[must_use]
    pub fn with_functions(self, functions: Functions) -> Self {
        Self { functions, ..self }
    }

    /// The same, with who hears of each name that is resolved.
    #[must_use]
    pub fn with_recorder(self, names: NameRecorder) -> Self {
        Self { names, ..self }
    }
}

/// Returns true if a word means something else in expressions than a function of its own.
pub(in crate::model) fn unusable_word(word: &str) -> bool {
    is_taken(word) || SPECIAL.contains(&word)
}

/// The fault of a name that nothing may have.
pub(super) fn unusable(name: &Name) -> Option<Diagnostic> {
    if is_taken(&name.value) {
        let message = format!("`{}` is a word of the language and cannot be a name", name.value);
        return Some(Diagnostic::error(rule::RESERVED_WORD, name.span, message).help("choose another name"));
    }
    if SPECIAL.contains(&name.as_str()) {
        let message = format!("`{}` is supplied by the machine and cannot be declared", name.value);
        return Some(Diagnostic::error(rule::SHADOWED_NAME, name.span, message).help("choose another name"));
    }
    None
}
