//! The sections of a graph file.

use super::form::{Form, Key};
use super::{Lower, fields};
use crate::source::Spanned;
use crate::syntax::ast::Name;
use crate::syntax::expr;
use crate::syntax::tree::{ActionDecl, ErrorDecl, LetDecl, PropertyDecl, RoleDecl, Tree, ViewDecl};
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// The classes of error a graph's own kinds may have.
pub(in crate::syntax) const CLASSES: &[&str] = &["recoverable", "transient", "fatal"];
/// The forms of a drawing.
pub(in crate::syntax) const DRAWINGS: &[&str] = &["state", "flow"];

/// The ways in which a view is read.
pub(in crate::syntax) const DIRECTIONS: &[&str] = &["TB", "LR"];

/// The sections, in the order `fmt` gives them.
pub(in crate::syntax) const SECTIONS: &[Key<Tree>] = &[
    Key::new("graph", Form::Name, "The graph's id.", |l, _, e, t| t.graph = l.name(&e.value, "a graph")),
    Key::new("title", Form::Text, "Shown in drawings.", |l, _, e, t| t.title = l.label(&e.value)),
    Key::new("doc", Form::Text, "The purpose of the graph.", |l, _, e, t| t.doc = l.text(&e.value)),
    Key::new("version", Form::Text, "Its version, as you count them.", |l, _, e, t| {
        t.version = l.text(&e.value);
    }),
    Key::new("extends", Form::Path, "The file that this one is a variant of.", |l, _, e, t| {
        t.extends = l.text(&e.value);
    }),
    Key::new(
        "use",
        Form::Paths,
        "Files whose types, lets, actions, budgets and texts are merged in.",
        |l, _, e, t| {
            t.uses = l.paths(&e.value);
        },
    ),
    Key::new(
        "ignore",
        Form::Ignores,
        "Rules of `check` whose findings in this file are left out, each with the reason.",
        |l, _, e, t| {
            t.ignores = l.ignores(&e.value);
        },
    ),
    Key::new(
        "migrate",
        Form::Migrate,
        "The names that parts had in an earlier version, for its runs that `resume --with` continues.",
        |l, _, e, t| {
            t.migrate = Some(l.migrate(&e.value));
        },
    ),
    Key::new("types", Form::Types, "Named records and enums.", fields::types),
    Key::new(
        "errors",
        Form::Errors,
        "Error kinds of this graph's own, each with its class.",
        |l, _, e, t| {
            t.errors = l.errors(&e.value);
        },
    ),
    Key::new("input", Form::FieldDecls, "Typed start parameters.", |l, _, e, t| {
        t.input = l.fields(&e.value, "`input`");
    }),
    Key::new("state", Form::FieldDecls, "Typed fields with defaults.", |l, _, e, t| {
        t.state = l.fields(&e.value, "`state`");
    }),
    Key::new("budgets", Form::Budgets, "Named counters with limits.", |l, _, e, t| {
        t.budgets = l.budgets(&e.value);
    }),
    Key::new("let", Form::Lets, "Named expressions.", |l, _, e, t| t.lets = l.lets(&e.value)),
    Key::new("actions", Form::Actions, "Named statement lists.", |l, _, e, t| {
        t.actions = l.actions(&e.value);
    }),
    Key::new("roles", Form::Roles, "The model roles this graph asks for.", |l, _, e, t| {
        t.roles = l.roles(&e.value);
    }),
    Key::new("texts", Form::Texts, "Named prompt templates.", |l, _, e, t| t.texts = l.texts(&e.value)),
    Key::new("start", Form::Start, "The first node.", |l, _, e, t| t.start = l.start(&e.value)),
    Key::new(
        "pause",
        Form::Pause,
        "A condition under which a person is asked before the run continues.",
        |l, _, e, t| {
            t.pause = l.pause(e);
        },
    ),
    Key::new("nodes", Form::Nodes, "The nodes, each with its edges.", |l, _, e, t| {
        t.nodes = l.nodes(&e.value);
    }),
    Key::new("output", Form::Outputs, "Named expressions over the final state.", |l, _, e, t| {
        t.output = l.outputs(&e.value);
    }),
    Key::new("properties", Form::Properties, "Conditions that must hold on every path.", |l, _, e, t| {
        t.properties = l.properties(&e.value);
    }),
    Key::new("views", Form::Views, "Named drawings.", |l, _, e, t| t.views = l.views(&e.value)),
];

/// The keys of a view.
pub(in crate::syntax) const VIEW_KEYS: &[Key<ViewDecl>] = &[
    Key::new("as", Form::Word(DRAWINGS), "The form of the drawing.", |l, _, e, v| {
        v.form = l.word(&e.value, DRAWINGS);
    }),
    Key::new("open", Form::Names, "The composites that are expanded.", |l, _, e, v| {
        v.open = l.references(&e.value, "a composite").unwrap_or_default();
    }),
    Key::new("flat", Form::Bool, "Draws no boxes.", |l, _, e, v| v.flat = l.flag(&e.value)),
    Key::new("errors", Form::Bool, "False leaves out error edges.", |l, _, e, v| v.errors = l.flag(&e.value)),
    Key::new(
        "direction",
        Form::Word(DIRECTIONS),
        "From top to bottom, or from left to right.",
        |l, _, e, v| {
            v.direction = l.word(&e.value, DIRECTIONS);
        },
    ),
];

/// The keys of a role.
pub(in crate::syntax) const ROLE_KEYS: &[Key<RoleDecl>] =
    &[Key::new("doc", Form::Text, "The purpose of the graph.", |l, _, e, role| role.doc = l.text(&e.value))];

impl Lower<'_> {
    /// Reads a whole file.
    pub(super) fn sections(&mut self, root: &Node<'_>, tree: &mut Tree) {
        for entry in self.entries(root, "a graph file") {
            match self.key(entry, "a graph file", SECTIONS) {
                Ok(key) => {
                    let before = self.out.len();
                    (key.read)(self, key, entry, tree);
                    if self.spoils(before, &entry.value) {
                        tree.unread.add_key(key.name);
                    }
                }
                Err(meant) => {
                    tree.unread.add_keys(meant);
                    self.leave_unread(&entry.value);
                }
            }
        }
        tree.texts.append(&mut self.texts);
    }

    fn paths(&mut self, node: &Node<'_>) -> Vec<Spanned<String>> {
        match &node.kind {
            NodeKind::Sequence(items) => items.iter().filter_map(|item| self.text(item)).collect(),
            _ => self.text(node).into_iter().collect(),
        }
    }

    fn errors(&mut self, node: &Node<'_>) -> Vec<ErrorDecl> {
        let mut errors = Vec::new();
        for entry in self.entries(node, "`errors`") {
            let name = self.declared(entry, "an error kind");
            match (self.word(&entry.value, CLASSES), name) {
                (Some(class), Some(name)) => errors.push(ErrorDecl { name, class }),
                _ => self.unread.add_name(entry.name()),
            }
        }
        errors
    }

    fn lets(&mut self, node: &Node<'_>) -> Vec<LetDecl> {
        let mut lets = Vec::new();
        for entry in self.entries(node, "`let`") {
            let head = self.let_head(entry);
            match (self.expr(&entry.value), head) {
                (Some(body), Some((name, params))) => lets.push(LetDecl { name, params, body }),
                _ => self.unread.add_name(entry.name().split('(').next().unwrap_or_default().trim()),
            }
        }
        lets
    }

    /// `name` or `name(a, b)`.
    fn let_head(&mut self, entry: &Entry<'_>) -> Option<(Name, Vec<Name>)> {
        if !entry.name().contains('(') {
            return Some((self.declared(entry, "a `let`")?, Vec::new()));
        }
        expr::let_head(&entry.key.fragment(self.text), self.out)
    }

    fn actions(&mut self, node: &Node<'_>) -> Vec<ActionDecl> {
        let mut actions = Vec::new();
        for entry in self.entries(node, "`actions`") {
            let name = self.declared(entry, "an action");
            let before = self.out.len();
            let body = self.statements(&entry.value).filter(|_| self.out.len() == before);
            match (body, name) {
                (Some(body), Some(name)) => actions.push(ActionDecl { name, body }),
                _ => self.unread.add_name(entry.name()),
            }
        }
        actions
    }

    /// A list of names, or a mapping from names to what each is for.
    fn roles(&mut self, node: &Node<'_>) -> Vec<RoleDecl> {
        if let NodeKind::Sequence(items) = &node.kind {
            let names = items.iter().filter_map(|item| self.name(item, "a role"));
            return names.map(|name| RoleDecl { name, doc: None }).collect();
        }
        let mut roles = Vec::new();
        for entry in self.entries(node, "`roles`") {
            let Some(name) = self.name_in(&entry.key, "a role", false) else { continue };
            let mut role = RoleDecl { name, doc: None };
            match &entry.value.kind {
                NodeKind::Mapping(_) => {
                    self.mapping(&entry.value, "a role", ROLE_KEYS, &mut role);
                }
                _ if entry.value.is_empty() => {}
                _ => role.doc = self.text(&entry.value),
            }
            roles.push(role);
        }
        roles
    }

    fn outputs(&mut self, node: &Node<'_>) -> Vec<(Name, crate::syntax::ast::Expr)> {
        let mut outputs = Vec::new();
        for entry in self.entries(node, "`output`") {
            let name = self.name_in(&entry.key, "an output", false);
            if let (Some(value), Some(name)) = (self.expr(&entry.value), name) {
                outputs.push((name, value));
            }
        }
        outputs
    }

    fn properties(&mut self, node: &Node<'_>) -> Vec<PropertyDecl> {
        let mut properties = Vec::new();
        for entry in self.entries(node, "`properties`") {
            let name = self.name_in(&entry.key, "a property", false);
            if let (Some(body), Some(name)) = (self.property(&entry.value), name) {
                properties.push(PropertyDecl { name, body });
            }
        }
        properties
    }

    fn views(&mut self, node: &Node<'_>) -> Vec<ViewDecl> {
        let mut views = Vec::new();
        for entry in self.entries(node, "`views`") {
            let Some(name) = self.name_in(&entry.key, "a view", false) else { continue };
            let mut view =
                ViewDecl { name, form: None, open: Vec::new(), flat: None, errors: None, direction: None };
            self.mapping(&entry.value, "a view", VIEW_KEYS, &mut view);
            views.push(view);
        }
        views
    }
}
