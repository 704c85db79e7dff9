//! Follows values through the nodes and edges of a graph.

use petgraph::graph::NodeIndex;

use super::builder::{Destination, FlowBuilder, FlowPlace, InstanceId};
use super::layout::{crossed, owner};
use super::network::{Passage, VertexId};
use super::path::{FieldPath, ITEM};
use super::source::FlowSource;
use super::target::FlowTarget;
use crate::model::Graph;
use crate::model::cfg::{Point, PointId, Step};
use crate::model::expr::{BudgetRef, Expr, ExprKind, LocalId, SlotId, SlotKind};
use crate::model::node::{
    Callable, Composite, EachNode, GraphSource, HumanNode, ModelNode, NameSource, Node, NodeId, NodeKind,
    Offer, Pause, ToolNode, Trigger,
};
use crate::model::types::{Kind, Type};
use crate::program::graph::Charge;
use crate::program::kind::OnError;
use crate::source::Span;
use crate::value::{Str, Value};

impl<'m> FlowBuilder<'m> {
    /// Follows everything that a graph does.
    pub(super) fn fill(&mut self, instance: InstanceId) {
        let graph = self.of(instance).graph;
        self.begin(instance, graph);
        for id in graph.graph.node_indices() {
            self.node(instance, graph, id);
        }
        for point in (0..graph.cfg.len()).map(NodeIndex::new) {
            self.leave(instance, graph, point);
        }
        self.pauses(instance, graph, graph.pause.as_ref(), (None, &graph.id.value));
        let end = self.at(instance, graph.cfg.end(), None);
        for (number, (_, value)) in graph.output.iter().enumerate() {
            let output = self.of(instance).outputs[number];
            self.apart(|builder| builder.evaluate(end, value, &Destination::of(output)));
        }
        self.decisions(instance, graph);
    }

    /// The place of what is done at a point for a node.
    pub(super) fn at(&self, instance: InstanceId, point: PointId, node: Option<NodeId>) -> FlowPlace {
        let own = self.of(instance);
        FlowPlace {
            instance,
            component: own.layout.component(point),
            fails: node.map_or(own.failure, |node| self.error_of(instance, node)),
            error: None,
            result: None,
            outcome: None,
        }
    }

    /// Variables and budgets at the start.
    fn begin(&mut self, instance: InstanceId, graph: &'m Graph) {
        let at = self.at(instance, graph.cfg.start(), None);
        for (slot, own) in (0..).map(SlotId).zip(&graph.slots) {
            if !matches!(own.kind, SlotKind::Inner(_)) {
                self.initial(at, slot, own.init.as_ref());
            }
        }
        for (number, budget) in graph.budgets.iter().enumerate() {
            let at = budget.scope.map_or(at, |composite| self.at(instance, graph.cfg.node(composite), None));
            let to = Destination::of(self.of(instance).budgets[number]).whole();
            self.apart(|builder| {
                if let Some(family) = budget.family {
                    let family = &graph.families[family.0 as usize];
                    let key = builder.passing(None);
                    builder.evaluate(at, &family.each, &Destination::of(key));
                    builder.evaluate(at, &family.each, &to);
                    builder.set_local(family.binding, key);
                }
                builder.evaluate(at, &budget.limit, &to);
                builder.flow_some(at, budget.grace.as_ref(), &to);
            });
            if matches!(budget.charge, Some(Charge::ModelTokens | Charge::ModelCost)) {
                self.carry(self.of(instance).usage, &to, budget.name.span);
            }
        }
    }

    fn initial(&mut self, at: FlowPlace, slot: SlotId, init: Option<&'m Expr>) {
        let to = Destination::of(self.slot(at.instance, slot, at.component));
        self.apart(|builder| builder.flow_some(at, init, &to));
    }

    fn node(&mut self, instance: InstanceId, graph: &'m Graph, id: NodeId) {
        let node = &graph.graph[id];
        let at = self.at(instance, graph.cfg.node(id), Some(id));
        let outside = node.parent.map_or(self.of(instance).failure, |outer| self.error_of(instance, outer));
        self.carry(at.fails, &Destination::of(outside), node.name.span);
        self.enter(at, graph, node);
        let times = node.retry.iter().flat_map(|retry| {
            [
                Some(&retry.attempts),
                retry.first.as_ref(),
                retry.factor.as_ref(),
                retry.max.as_ref(),
                retry.jitter.as_ref(),
            ]
        });
        times
            .flatten()
            .chain(&node.timeout)
            .for_each(|expr| self.apart(|builder| builder.note(at, Some(expr))));
        let result = match &node.kind {
            NodeKind::Action | NodeKind::Choice => None,
            NodeKind::Composite(own) => {
                self.pauses(instance, graph, own.pause.as_deref(), (Some(id), &node.name.value));
                None
            }
            NodeKind::Model(own) => Some(self.model_node(at, node, own)),
            NodeKind::Tool(own) => Some(self.tool_node(at, (id, node), own)),
            NodeKind::Human(own) => Some(self.human_node(at, node, own)),
            NodeKind::Call(own) => {
                let result = self.lane(at, (id, node), &own.graph, None);
                if let Some((place, output)) = &own.merge {
                    let to = self.destination(at, place);
                    let read = FieldPath::from_slice(&[self.network.names.step(output)]);
                    self.carry_at(result, read, &to, place.span);
                }
                Some(result)
            }
            NodeKind::Each(own) => Some(self.each(at, (id, node), own)),
            NodeKind::Parallel(own) => {
                for branch in &own.branches {
                    let result = self.lane(at, (id, node), &branch.graph, None);
                    if let Some(place) = &branch.into {
                        let to = self.destination(at, place);
                        self.collected(at, result, (own.on_error, to), place.span);
                    }
                }
                None
            }
            NodeKind::Wait(delay) => {
                self.apart(|builder| builder.note(at, Some(delay)));
                None
            }
            NodeKind::Final(own) => {
                let outcome = match node.parent {
                    Some(composite) => self.outcome_of(instance, composite),
                    None => self.of(instance).outcome,
                };
                self.apart(|builder| {
                    if let Some(expr) = &own.outcome {
                        builder.evaluate(at, expr, &Destination::of(outcome));
                    }
                    builder.note(at, own.ok.as_ref());
                });
                None
            }
        };
        if let Some((place, result)) = node.kind.into_place().zip(result) {
            let to = self.destination(at, place);
            self.carry(result, &to, place.span);
        }
        if let Some(result) = result {
            self.note_result(instance, id, result);
            let all = Destination::of(self.of(instance).answers);
            self.carry(result, &all, node.name.span);
        }
        self.block(FlowPlace { result, ..at }, &node.then);
    }

    /// The entry of a node.
    fn enter(&mut self, at: FlowPlace, graph: &'m Graph, node: &'m Node) {
        if let NodeKind::Composite(own) = &node.kind {
            self.fresh(at, graph, own);
        }
        self.block(at, &node.entry);
    }

    /// The state of a composite begins afresh.
    fn fresh(&mut self, at: FlowPlace, graph: &'m Graph, composite: &'m Composite) {
        for slot in &composite.slots {
            self.initial(at, *slot, graph.slots[slot.0 as usize].init.as_ref());
        }
    }

    /// The edges at a point, and the composites that they enter on their way.
    fn leave(&mut self, instance: InstanceId, graph: &'m Graph, point: PointId) {
        let place = graph.cfg.point(point);
        let result = match place {
            Point::Node(node) => self.result_of(instance, node),
            _ => None,
        };
        for (step, to) in graph.cfg.steps(point) {
            let Point::Node(target) = graph.cfg.point(to) else { continue };
            for composite in crossed(graph, point, step, target) {
                let at = self.at(instance, to, Some(composite));
                self.enter(at, graph, &graph.graph[composite]);
            }
            let (Step::Edge(edge), Some(node)) = (step, owner(place)) else { continue };
            let edge = &graph.graph[edge];
            let answers_error = edge.on.iter().any(|trigger| !trigger.is_done());
            let fails = self.error_of(instance, node);
            let at = FlowPlace {
                error: answers_error.then_some(fails),
                result,
                outcome: match place {
                    Point::Done(composite) => Some(self.outcome_of(instance, composite)),
                    _ => None,
                },
                ..self.at(instance, point, Some(node))
            };
            if let Some(guard) = &edge.when {
                let choice = Destination::of(self.choice(instance, point)).whole();
                self.apart(|builder| builder.evaluate(at, guard, &choice));
            }
            for trigger in edge.on.iter().filter(|trigger| !trigger.is_done()) {
                let why = self.labelled(None, format!("the edge of `{}`", graph.graph[node].name.value));
                self.trigger(at, trigger, why, edge.span);
                self.note_trigger(instance, point, (to, why));
            }
            self.block(at, &edge.action);
        }
    }

    /// The reason for which an edge for anything but success answers: an error, or a budget that was spent.
    fn trigger(&mut self, at: FlowPlace, trigger: &'m Trigger, why: VertexId, span: Span) {
        let why = Destination::of(why).whole();
        let Trigger::Exhausted(budget) = trigger else { return self.carry(at.fails, &why, span) };
        let (BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = budget;
        self.carry(self.budget(at.instance, *id), &why, span);
        if let BudgetRef::Meter(_, key) = budget {
            self.apart(|builder| builder.evaluate(at, key, &why));
        }
    }

    /// The answer of a node, which its edges may read.
    fn result_of(&self, instance: InstanceId, node: NodeId) -> Option<VertexId> {
        self.of(instance).results.get(&node).copied()
    }

    /// Texts that a person is asked at a pause, before any transition of a composite or of the graph.
    fn pauses(
        &mut self,
        instance: InstanceId,
        graph: &'m Graph,
        pause: Option<&'m Pause>,
        (composite, name): (Option<NodeId>, &'m Str),
    ) {
        let Some(pause) = pause else { return };
        let asked = self.labelled(None, format!("the question of the pause of `{name}`"));
        let inside = |node: NodeId| {
            composite.is_none_or(|own| own == node || graph.cfg.around(node).any(|outer| outer == own))
        };
        let points: Vec<NodeId> = graph.graph.node_indices().filter(|node| inside(*node)).collect();
        for node in points {
            let at = self.at(instance, graph.cfg.node(node), Some(node));
            self.apart(|builder| {
                builder.note(at, Some(&pause.when));
                builder.text_source(at, pause.ask.as_ref(), &Destination::of(asked), pause.span);
            });
        }
        let node = composite.map(|own| &graph.graph[own].name.value);
        self.target(FlowTarget::Ask(name.clone()), Destination::of(asked), (instance, node, pause.span));
    }

    fn model_node(&mut self, at: FlowPlace, node: &'m Node, own: &'m ModelNode) -> VertexId {
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
                Offer::Fixed(names) if names.is_empty() => return,
                Offer::Fixed(_) => {}
                Offer::Computed(names) => builder.evaluate(at, names, &reads),
            }
            // The descriptions and schemas of tools are the operator's, or were looked at before they were locked.
            let catalogue = builder.source(FlowSource::Operator);
            builder.carry(catalogue, &reads, span);
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

    fn tool_node(&mut self, at: FlowPlace, (id, node): (NodeId, &'m Node), own: &'m ToolNode) -> VertexId {
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

    fn human_node(&mut self, at: FlowPlace, node: &'m Node, own: &'m HumanNode) -> VertexId {
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

    /// The result of a graph that is called once.
    fn lane(
        &mut self,
        at: FlowPlace,
        (id, node): (NodeId, &'m Node),
        source: &'m GraphSource,
        item: Option<(LocalId, VertexId)>,
    ) -> VertexId {
        let result = self.labelled(None, format!("the result of `{}`", node.name.value));
        let control = self.labelled(None, format!("the call at `{}`", node.name.value));
        self.decided(at.instance, id, control);
        if let GraphSource::Computed { name, .. } = source {
            self.apart(|builder| {
                if let Some((local, item)) = item {
                    builder.set_local(local, item);
                }
                builder.evaluate(at, name, &Destination::of(control).whole());
            });
        }
        for callable in source.callables() {
            let child = self.called(at, callable, item);
            let (outcome, outputs, failure, usage, child_control) = {
                let own = self.of(child);
                (own.outcome, own.outputs.clone(), own.failure, own.usage, own.control)
            };
            let span = node.name.span;
            let outcome_field = self.network.names.step(&"outcome".into());
            self.carry(outcome, &Destination::of(result).below(outcome_field), span);
            for ((name, _), output) in self.of(child).graph.output.iter().zip(outputs) {
                let field = self.network.names.step(&name.value);
                self.carry(output, &Destination::of(result).below(field), span);
            }
            self.carry(failure, &Destination::of(at.fails), span);
            let own_usage = Destination::of(self.of(at.instance).usage);
            self.carry(usage, &own_usage, span);
            self.carry(control, &Destination::of(child_control), span);
        }
        result
    }

    /// A graph as it is called here, with its inputs.
    fn called(
        &mut self,
        at: FlowPlace,
        callable: &'m Callable,
        item: Option<(LocalId, VertexId)>,
    ) -> InstanceId {
        let outside = std::mem::take(&mut self.locals);
        let child = self.instance(callable.graph);
        self.locals = outside;
        let graph = self.of(child).graph;
        let inputs = (0..).map(SlotId).zip(&graph.slots).filter(|(_, slot)| slot.kind == SlotKind::Input);
        for ((slot, _), given) in inputs.zip(&callable.with) {
            let to = Destination::of(self.input(child, slot));
            self.apart(|builder| {
                if let Some((local, item)) = item {
                    builder.set_local(local, item);
                }
                if let Some(expr) = given {
                    builder.evaluate(at, expr, &to);
                }
            });
        }
        child
    }

    fn each(&mut self, at: FlowPlace, (id, node): (NodeId, &'m Node), own: &'m EachNode) -> VertexId {
        let span = node.name.span;
        let list = self.passing(Some(&own.over.ty));
        self.apart(|builder| builder.evaluate(at, &own.over, &Destination::of(list)));
        let item = self.passing(None);
        let is_map = matches!(own.over.ty.kind, Kind::Map(_));
        let read = if is_map { FieldPath::new() } else { FieldPath::from_slice(&[ITEM]) };
        self.carry_at(list, read, &Destination::of(item), own.over.span);
        let lane = self.lane(at, (id, node), &own.graph, Some((own.item, item)));
        // How many lanes there are decides how often a call in them is made.
        let decided = self.of(at.instance).decisions.get(&id).cloned().unwrap_or_default();
        for control in decided {
            self.carry(list, &Destination::of(control).whole(), own.over.span);
            for expr in own.limit.iter().chain(&own.at_once) {
                self.apart(|builder| builder.evaluate(at, expr, &Destination::of(control).whole()));
            }
        }
        let results = self.labelled(None, format!("the results of `{}`", node.name.value));
        let one = Destination::of(results).below(ITEM);
        self.collected(at, lane, (own.on_error, one), span);
        // As many results as items.
        self.carry(list, &Destination { passage: Passage::Keys, ..Destination::of(results) }, span);
        results
    }

    /// The result of a lane, with its error where both are collected.
    fn collected(
        &mut self,
        at: FlowPlace,
        lane: VertexId,
        (on_error, to): (OnError, Destination),
        span: Span,
    ) {
        if on_error == OnError::Stop {
            return self.carry(lane, &to, span);
        }
        let error = to.below(self.network.names.step(&"error".into()));
        self.carry(at.fails, &error, span);
        let ok = to.below(self.network.names.step(&"ok".into()));
        self.carry(lane, &ok, span);
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
