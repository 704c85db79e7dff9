//! The forms values take, and the tables of keys.

use super::Lower;
use crate::syntax::yaml::Entry;

/// One key of a mapping with fixed keys.
pub(in crate::syntax) struct Key<T: 'static> {
    /// The key.
    pub(in crate::syntax) name: &'static str,
    /// The form of its value.
    pub(in crate::syntax) form: Form,
    /// The kinds of node it belongs to; empty for all, and outside of nodes.
    pub(in crate::syntax) kinds: &'static [&'static str],
    /// Its meaning, in one sentence.
    pub(in crate::syntax) doc: &'static str,
    /// Reads its value.
    pub(in crate::syntax) read: fn(&mut Lower<'_>, &Key<T>, &Entry<'_>, &mut T),
}

impl<T> Key<T> {
    /// A key of every kind.
    pub(super) const fn new(
        name: &'static str,
        form: Form,
        doc: &'static str,
        read: fn(&mut Lower<'_>, &Self, &Entry<'_>, &mut T),
    ) -> Self {
        Self { name, form, kinds: &[], doc, read }
    }
}

/// The same key, of some kinds of node only.
pub(super) const fn of<T>(kinds: &'static [&'static str], mut key: Key<T>) -> Key<T> {
    key.kinds = kinds;
    key
}

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax) enum Form {
    /// An identifier.
    Name,
    /// The name of a tool: servers give them dots and dashes too.
    ToolName,
    /// The name of a text, a text that stands here, or an expression of type string.
    TextName,
    /// One name or a list of names.
    Names,
    /// One tool's name or a list of them.
    ToolNames,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Text for people.
    Text,
    /// The path of a file.
    Path,
    /// The path of a file that holds a graph, or the sections of a graph.
    Graph,
    /// Graphs by name, or a list of paths whose files give the names.
    Graphs,
    /// One path or a list of paths.
    Paths,
    /// `true` or `false`.
    Bool,
    /// An expression; a mapping is a map of expressions, a list a list of them.
    Expr,
    /// A map of expressions by name, or one expression.
    Fields,
    /// A list of statements, or a block scalar with one a line.
    Statements,
    /// A place to write to.
    Place,
    /// A type.
    Type,
    /// One trigger or a list of triggers.
    Triggers,
    /// A node's name, or a mapping with `to` and `label`.
    Start,
    /// A mapping with `when` and `ask`.
    Pause,
    /// A mapping with `attempts` and the waits, or the number of attempts.
    Retry,
    /// Fields by name: `type = default where condition`.
    FieldDecls,
    /// Types by name.
    Types,
    /// Classes by error kind.
    Errors,
    /// Budgets by name.
    Budgets,
    /// Counters by name.
    Meters,
    /// Expressions by name, perhaps with parameters.
    Lets,
    /// Statement lists by name.
    Actions,
    /// Roles: a list of names, or what each is for by name.
    Roles,
    /// Texts by name: inline, or `{file: path}`.
    Texts,
    /// Nodes by name.
    Nodes,
    /// Edges in order.
    Edges,
    /// Branches by name.
    Branches,
    /// Expressions by name.
    Outputs,
    /// Properties by name.
    Properties,
    /// Drawings by name.
    Views,
    /// A mapping with `graph`, `fields`, `nodes` and `budgets`.
    Migrate,
    /// Names by earlier names.
    Renames,
    /// Reasons by the rule of `check` that is ignored.
    Ignores,
}
