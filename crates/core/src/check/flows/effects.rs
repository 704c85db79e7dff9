//! Follows values through calls of models and tools, and through questions to people.

use super::builder::{Destination, FlowBuilder, FlowPlace};
use super::network::{Passage, VertexId};
use super::source::FlowSource;
use super::target::FlowTarget;
use crate::model::expr::{Expr, ExprKind};
use crate::model::node::{HumanNode, ModelNode, NameSource, Node, NodeId, NodeKind, Offer, ToolNode};
use crate::model::types::{Kind, Type};
use crate::source::Span;
use crate::value::{Str, Value};

impl<'m> FlowBuilder<'m> {
    pub(super) fn model_node(&mut self, at: FlowPlace, node: &'m Node, own: &'m ModelNode) -> VertexId {
        let span = node.name.span;
        let roles = names(&own.role);
        let label = role_label(&roles);
        let read = self.labelled(None, format!("what {label} reads"));
        let reads = Destination::of(read).whole();
        self.apart(|builder| {
            builder.name_source(at, &own.role, &reads);
            builder.text_source(at, own.system.as_ref(), &reads, span);
            builder.text_source(at, own.prompt.as_ref(), &reads, span);
            for expr in own.messages.iter().chain(&own.limits) {
                builder.evaluate(at, expr, &reads);
            }
            match &own.offer {
                Offer::Fixed(names) => {
                    let servers = names.iter().map(|name| &name.value).filter(|name| is_of_server(name));
                    let tools: Vec<_> = servers.map(|name| FlowSource::Tool(Some(name.clone()))).collect();
                    let operator = (!names.is_empty()).then_some(FlowSource::Operator);
                    for source in tools.into_iter().chain(operator) {
                        let source = builder.source(source);
                        builder.carry(source, &reads, span);
                    }
                }
                Offer::Computed(names) => {
                    builder.evaluate(at, names, &reads);
                    let catalogue = builder.catalogue();
                    builder.carry(catalogue, &reads, span);
                }
            }
        });
        let ty = own.reply.as_ref().unwrap_or(&own.output);
        let answer = self.labelled(Some(ty), format!("the answer of {label}"));
        self.carry(read, &Destination::of(answer).whole(), span);
        for role in roles {
            let source = self.source(FlowSource::Model(role.clone()));
            self.carry(source, &Destination::of(answer), span);
            self.target(
                FlowTarget::Model(role),
                Destination::of(read),
                (at.instance, Some(&node.name.value), span),
            );
        }
        self.fails_with(at, &[read, answer], span);
        let usage = Destination::of(self.of(at.instance).usage).whole();
        self.carry(answer, &usage, span);
        answer
    }

    /// The catalogue of tools, with their descriptions and schemas. Those of the configuration are the operator's words, those of
    /// servers' tools the words of their servers: of the tools that the graph names, or of any.
    pub(super) fn catalogue(&mut self) -> VertexId {
        if let Some(vertex) = self.catalogue {
            return vertex;
        }
        let vertex = self.labelled(None, "the catalogue of tools".to_owned());
        self.catalogue = Some(vertex);
        let nodes = self.model.graphs.iter().flat_map(|graph| graph.graph.node_weights());
        let tools = nodes.filter_map(|node| match &node.kind {
            NodeKind::Tool(own) => Some(own),
            _ => None,
        });
        let mut sources = vec![FlowSource::Operator];
        for tool in tools {
            match &tool.tool {
                NameSource::Fixed(name) => sources.push(FlowSource::Tool(Some(name.value.clone()))),
                NameSource::Computed(_) if tool.allow.is_empty() => sources.push(FlowSource::Tool(None)),
                NameSource::Computed(_) => {
                    let allowed = tool.allow.iter().map(|word| FlowSource::Tool(Some(word.value.clone())));
                    sources.extend(allowed);
                }
            }
        }
        sources.retain(|source| !matches!(source, FlowSource::Tool(Some(name)) if !is_of_server(name)));
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let source = self.source(source);
            self.carry(source, &Destination::of(vertex), Span::default());
        }
        vertex
    }

    pub(super) fn tool_node(
        &mut self,
        at: FlowPlace,
        (id, node): (NodeId, &'m Node),
        own: &'m ToolNode,
    ) -> VertexId {
        let span = node.name.span;
        let tools = tool_names(own);
        let args = self.labelled(
            own.args.as_ref().map(|args| &args.ty),
            format!("the arguments of {}", tool_label(&tools)),
        );
        let decided = self.labelled(None, format!("the call of {}", tool_label(&tools)));
        self.apart(|builder| {
            builder.name_source(at, &own.tool, &Destination::of(decided));
            if let Some(expr) = &own.args {
                builder.evaluate(at, expr, &Destination::of(args));
            }
        });
        let arguments = own.args.as_ref().map_or_else(Vec::new, |expr| self.arguments(expr));
        let result = self.labelled(None, format!("the result of {}", tool_label(&tools)));
        self.carry(args, &Destination::of(result).whole(), span);
        for tool in tools {
            let source = self.source(FlowSource::Tool(tool.clone()));
            self.carry(source, &Destination::of(result), span);
            // Which tool it is decides what its result is.
            let chosen = Destination { passage: Passage::Control, ..Destination::of(result) };
            self.carry(decided, &chosen, span);
            for (argument, span) in &arguments {
                let step = argument.as_ref().map(|name| self.network.names.step(name));
                let to = Destination { path: step.into_iter().collect(), ..Destination::of(args) };
                let target = FlowTarget::Argument { tool: tool.clone(), argument: argument.clone() };
                self.target(target, to, (at.instance, Some(&node.name.value), *span));
            }
            self.target(
                FlowTarget::Call(tool),
                Destination::of(decided),
                (at.instance, Some(&node.name.value), span),
            );
        }
        self.decided(at.instance, id, decided);
        self.fails_with(at, &[args, result], span);
        result
    }

    pub(super) fn human_node(&mut self, at: FlowPlace, node: &'m Node, own: &'m HumanNode) -> VertexId {
        let (name, span) = (&node.name.value, node.name.span);
        let asked = self.labelled(None, format!("the question of `{name}`"));
        self.apart(|builder| builder.text_source(at, own.ask.as_ref(), &Destination::of(asked), span));
        self.target(FlowTarget::Ask(name.clone()), Destination::of(asked), (at.instance, Some(name), span));
        let answer = self.labelled(Some(&own.answer), "the answer of a person".to_owned());
        let person = self.source(FlowSource::Person);
        self.carry(person, &Destination::of(answer), span);
        self.fails_with(at, &[asked, answer], span);
        answer
    }

    /// Adds what an error of a node may say beside what it evaluates.
    fn fails_with(&mut self, at: FlowPlace, values: &[VertexId], span: Span) {
        for value in values {
            self.carry(*value, &Destination::of(at.fails).whole(), span);
        }
    }

    /// The arguments of a call, each with its place.
    fn arguments(&self, args: &'m Expr) -> Vec<(Option<Str>, Span)> {
        match &args.kind {
            ExprKind::Coerce(inner, _) => return self.arguments(inner),
            ExprKind::Map(entries) => {
                let name = |(key, value): &'m (Expr, Expr)| match &key.kind {
                    ExprKind::Const(Value::Str(name)) => (Some(name.clone()), value.span),
                    _ => (None, value.span),
                };
                return entries.iter().map(name).collect();
            }
            ExprKind::Const(Value::Map(map)) => {
                return map.keys().map(|name| (Some(name.clone()), args.span)).collect();
            }
            _ => {}
        }
        match &args.ty.kind {
            Kind::Record(id) if !self.model.types.record(*id).open => {
                let fields = &self.model.types.record(*id).fields;
                fields.iter().map(|field| (Some(field.name.clone()), args.span)).collect()
            }
            _ => vec![(None, args.span)],
        }
    }
}

/// True for the name of a server's tool.
fn is_of_server(tool: &str) -> bool {
    tool.contains('.')
}

/// The names that may be meant; [`None`] for any.
fn names(source: &NameSource) -> Vec<Option<Str>> {
    match source {
        NameSource::Fixed(name) => vec![Some(name.value.clone())],
        NameSource::Computed(expr) => match computed(expr) {
            Some(names) => names.into_iter().map(Some).collect(),
            None => vec![None],
        },
    }
}

/// The names that an expression may give, where its text or its type says so.
fn computed(expr: &Expr) -> Option<Vec<Str>> {
    match (&expr.kind, &expr.ty) {
        (ExprKind::Const(Value::Str(name)), _) => Some(vec![name.clone()]),
        (ExprKind::Conditional(_, one, other) | ExprKind::Coalesce(one, other), _) => {
            let mut names = computed(one)?;
            names.extend(computed(other)?);
            names.sort_unstable();
            names.dedup();
            Some(names)
        }
        (ExprKind::Coerce(inner, Type { kind: Kind::String(_), .. }), _) => computed(inner),
        (_, Type { kind: Kind::Enum(own), .. }) => Some(own.members.clone()),
        _ => None,
    }
}

/// The tools that a node may call.
fn tool_names(node: &ToolNode) -> Vec<Option<Str>> {
    let named = names(&node.tool);
    if node.allow.is_empty() {
        return named;
    }
    let allowed = node.allow.iter().map(|word| Some(word.value.clone()));
    if named.contains(&None) {
        return allowed.collect();
    }
    // A name that is not allowed is never called.
    let allowed: Vec<_> = allowed.collect();
    named.into_iter().filter(|name| allowed.contains(name)).collect()
}

fn role_label(roles: &[Option<Str>]) -> String {
    match roles {
        [Some(role)] => format!("model:{role}"),
        _ => "a model".to_owned(),
    }
}

fn tool_label(tools: &[Option<Str>]) -> String {
    match tools {
        [Some(tool)] => format!("tool:{tool}"),
        _ => "a tool".to_owned(),
    }
}
