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

/// A value that the machine supplies by name.
#[derive(Debug, Clone, Copy)]
pub struct SuppliedName {
    /// The name.
    pub name: &'static str,
    /// Its type as it is written, or its fields.
    pub ty: &'static str,
    /// The places where it can be read.
    pub scope: &'static str,
    /// One line on what it holds.
    pub doc: &'static str,
}

/// The values that the machine supplies. No declaration may have their names.
pub const SUPPLIED_NAMES: &[SuppliedName] = &[
    SuppliedName {
        name: "result",
        ty: "the type of the answer; `any` on error edges",
        scope: "`then`, and edges on `done`, of a node with an effect",
        doc: "the answer of the model, tool or person, the output of the called graph, or the list of outputs of an `each`",
    },
    SuppliedName {
        name: "error",
        ty: "`{kind: string, class: string, message: string, details: any, attempt: int}`",
        scope: "edges on `error`, `timeout` and `unknown`, and the texts of the next node",
        doc: "the error by which the node failed",
    },
    SuppliedName {
        name: "outcome",
        ty: "`string`",
        scope: "edges of a composite on `done`",
        doc: "the name of the final inside that was reached; after a `call` use `result.outcome`",
    },
    SuppliedName {
        name: "tools",
        ty: "`list<{name: string, description: string, schema: any, tags: list<string>}>`",
        scope: "everywhere during a run",
        doc: "the tools that are available to the run",
    },
];

/// A value that only texts can read by name.
pub const BUDGETS_IN_TEXTS: SuppliedName = SuppliedName {
    name: "budgets",
    ty: "`{NAME: {used, limit, left}}`",
    scope: "texts only; expressions write `used(b)`, `limit(b)`, `left(b)`",
    doc: "the counters of the budgets",
};

fn is_supplied(name: &str) -> bool {
    SUPPLIED_NAMES.iter().any(|supplied| supplied.name == name)
}

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
    is_taken(word) || is_supplied(word)
}

/// The fault of a name that nothing may have.
pub(super) fn unusable(name: &Name) -> Option<Diagnostic> {
    if is_taken(&name.value) {
        let message = format!("`{}` is a word of the language and cannot be a name", name.value);
        return Some(Diagnostic::error(rule::RESERVED_WORD, name.span, message).help("choose another name"));
    }
    if is_supplied(&name.value) {
        let message = format!("`{}` is supplied by the machine and cannot be declared", name.value);
        return Some(Diagnostic::error(rule::SHADOWED_NAME, name.span, message).help("choose another name"));
    }
    None
}
