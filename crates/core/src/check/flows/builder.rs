//! Lays out the network of a model: graphs as they are called, and their variables.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::layout::FlowLayout;
use super::network::{FlowEdge, FlowNetwork, Passage, ReachedValue, Spread, VertexId};
use super::path::{FieldPath, PathStep};
use super::source::{CutSet, FlowSource};
use super::target::FlowTarget;
use super::text_uses::TextUses;
use crate::model::cfg::PointId;
use crate::model::expr::{ActionId, BudgetId, LetId, LocalId, SlotId, SlotKind, TextId};
use crate::model::node::NodeId;
use crate::model::types::Type;
use crate::model::{Graph, GraphId, Model};
use crate::source::Span;
use crate::value::Str;

/// A called graph has variables of its own for each call. After so many graphs or nodes in them, all further calls of a graph
/// share one set.
const MAX_INSTANCES: usize = 256;
const MAX_NODES_OF_INSTANCES: usize = 20_000;

/// Index of a graph as it is called from one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct InstanceId(u32);

/// A graph as it is called from one place.
#[derive(Debug)]
pub(super) struct GraphInstance<'m> {
    pub(super) graph: &'m Graph,
    pub(super) layout: Rc<FlowLayout>,
    pub(super) text_uses: Rc<TextUses>,
    /// The values of inputs, by slot.
    inputs: FxHashMap<SlotId, VertexId>,
    slots: FxHashMap<(SlotId, u32), VertexId>,
    lets: FxHashMap<(LetId, u32, Option<VertexId>), VertexId>,
    texts: FxHashMap<(TextId, u32, Option<VertexId>), VertexId>,
    /// The actions that were followed, where they were called and with which error: what decides about their calls.
    actions: FxHashMap<(ActionId, u32, VertexId), ActionCalls>,
    /// What decides that a run comes to a point, where something is written there.
    pub(super) arrivals: FxHashMap<PointId, VertexId>,
    /// What decides which edge of a point is taken, where something is written by one.
    pub(super) departures: FxHashMap<PointId, VertexId>,
    pub(super) budgets: Vec<VertexId>,
    /// All that an error of each node may say.
    errors: Vec<VertexId>,
    /// All that an error of any node may say.
    pub(super) failure: VertexId,
    /// The answers of all its tools, models and people.
    pub(super) answers: VertexId,
    /// The use of models, as their providers count it.
    pub(super) usage: VertexId,
    pub(super) outcome: VertexId,
    /// The outcomes of the finals of each composite.
    pub(super) outcomes: FxHashMap<NodeId, VertexId>,
    pub(super) outputs: Vec<VertexId>,
    /// The decision to run it at all.
    pub(super) control: VertexId,
    /// The answers by node.
    pub(super) results: FxHashMap<NodeId, VertexId>,
    /// The decisions to make calls and to end in a final, by node.
    pub(super) decisions: FxHashMap<NodeId, Vec<VertexId>>,
    /// The guards by point.
    pub(super) choices: FxHashMap<PointId, VertexId>,
    /// The reasons for which edges answer to anything but success, by point, with the points they lead to.
    pub(super) triggers: FxHashMap<PointId, Vec<(PointId, VertexId)>>,
}

/// The calls of an action at one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct ActionCalls {
    /// What decides whether it is called.
    pub(super) control: VertexId,
    /// What decides how often.
    pub(super) times: VertexId,
}

/// The place where an expression is evaluated.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowPlace {
    pub(super) instance: InstanceId,
    pub(super) component: u32,
    /// All that an error there may say.
    pub(super) fails: VertexId,
    /// `error`, where an edge answers to one.
    pub(super) error: Option<VertexId>,
    /// `result`, where there is one.
    pub(super) result: Option<VertexId>,
    /// `outcome`, of the finals of a composite.
    pub(super) outcome: Option<VertexId>,
    /// What decides that a run comes there.
    pub(super) arrival: Option<VertexId>,
    /// The conditions and loops around a statement.
    pub(super) control: Option<VertexId>,
    /// The keys and lengths of the lists that loops around a statement go through.
    pub(super) times: Option<VertexId>,
}

/// The destination of a value.
#[derive(Debug, Clone)]
pub(super) struct Destination {
    pub(super) vertex: VertexId,
    pub(super) path: FieldPath,
    pub(super) passage: Passage,
    pub(super) gives: CutSet,
}

/// A place that flows end at, in the network.
#[derive(Debug)]
pub(super) struct TargetPlace<'m> {
    pub(super) target: FlowTarget,
    pub(super) vertex: VertexId,
    pub(super) path: FieldPath,
    pub(super) graph: &'m Graph,
    /// The node it belongs to.
    pub(super) node: Option<&'m Str>,
    pub(super) span: Span,
}

impl TargetPlace<'_> {
    /// The values of a spread that come here, nearest first.
    pub(super) fn reached<'s>(&'s self, spread: &'s Spread) -> impl Iterator<Item = ReachedValue> + 's {
        let decision = self.target.is_decision();
        spread.reaching(self.vertex, &self.path).filter(move |value| decision || !value.decides)
    }
}

/// The network of a model while it is laid out.
pub(super) struct FlowBuilder<'m> {
    pub(super) model: &'m Model,
    pub(super) network: FlowNetwork<'m>,
    pub(super) sources: FxHashMap<FlowSource, VertexId>,
    pub(super) targets: Vec<TargetPlace<'m>>,
    pub(super) locals: Vec<VertexId>,
    /// The catalogue of tools, once it is read.
    pub(super) catalogue: Option<VertexId>,
    layouts: Vec<Rc<FlowLayout>>,
    texts: Vec<Rc<TextUses>>,
    instances: Vec<GraphInstance<'m>>,
    shared: FxHashMap<GraphId, InstanceId>,
    /// Variables whose values from earlier places were not followed yet.
    open: Vec<(InstanceId, SlotId, u32)>,
}

impl Destination {
    /// A vertex as a whole takes the value as it is.
    pub(super) fn of(vertex: VertexId) -> Self {
        Self { vertex, path: FieldPath::new(), passage: Passage::Copy, gives: CutSet::NONE }
    }

    /// All that is in the value becomes part of the destination.
    pub(super) fn whole(&self) -> Self {
        Self { passage: Passage::Whole, ..self.clone() }
    }

    /// The value becomes part of something of its kind.
    pub(super) fn joined(&self) -> Self {
        let passage = if self.passage == Passage::Copy { Passage::Joined } else { self.passage };
        Self { passage, ..self.clone() }
    }

    /// The destination one step below. Where all becomes one there is nothing below.
    pub(super) fn below(&self, step: PathStep) -> Self {
        let mut below = self.clone();
        if matches!(self.passage, Passage::Copy | Passage::Joined) {
            below.path.push(step);
        }
        below
    }
}

impl<'m> FlowBuilder<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        Self {
            model,
            network: FlowNetwork::new(&model.types),
            sources: FxHashMap::default(),
            targets: Vec::new(),
            locals: Vec::new(),
            catalogue: None,
            layouts: model.graphs.iter().map(|graph| Rc::new(FlowLayout::of(graph))).collect(),
            texts: model.graphs.iter().map(|graph| Rc::new(TextUses::of(graph))).collect(),
            instances: Vec::new(),
            shared: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    /// Lays out the whole network.
    pub(super) fn build(&mut self) {
        let root = self.instance(GraphId(0));
        let graph = self.of(root).graph;
        for (slot, own) in (0..).map(SlotId).zip(&graph.slots) {
            if own.kind == SlotKind::Input {
                let source = self.source(FlowSource::Input(own.name.value.clone()));
                let to = Destination::of(self.input(root, slot));
                self.carry(source, &to, own.name.span);
            }
        }
        let outcome = self.of(root).outcome;
        self.target(FlowTarget::Outcome, Destination::of(outcome), (root, None, graph.id.span));
        for (at, (name, _)) in graph.output.iter().enumerate() {
            let output = self.of(root).outputs[at];
            let target = FlowTarget::Output(name.value.clone());
            self.target(target, Destination::of(output), (root, None, name.span));
        }
        self.follow_variables();
    }

    pub(super) fn of(&self, id: InstanceId) -> &GraphInstance<'m> {
        &self.instances[id.0 as usize]
    }

    fn of_mut(&mut self, id: InstanceId) -> &mut GraphInstance<'m> {
        &mut self.instances[id.0 as usize]
    }

    /// The vertex of a source.
    pub(super) fn source(&mut self, source: FlowSource) -> VertexId {
        if let Some(vertex) = self.sources.get(&source) {
            return *vertex;
        }
        let vertex = self.network.vertex(None, None);
        self.sources.insert(source, vertex);
        vertex
    }

    /// A value on its way.
    pub(super) fn passing(&mut self, ty: Option<&Type>) -> VertexId {
        self.network.vertex(ty.cloned(), None)
    }

    /// A value with a name for people.
    pub(super) fn labelled(&mut self, ty: Option<&Type>, label: String) -> VertexId {
        self.network.vertex(ty.cloned(), Some(label))
    }

    /// Lets a value flow on as a whole.
    pub(super) fn carry(&mut self, from: VertexId, to: &Destination, span: Span) {
        self.carry_at(from, FieldPath::new(), to, span);
    }

    /// Lets flow on what is at a path of a value.
    pub(super) fn carry_at(&mut self, from: VertexId, read: FieldPath, to: &Destination, span: Span) {
        let Destination { vertex, path, passage, gives } = to.clone();
        self.network.connect(from, FlowEdge { to: vertex, read, write: path, passage, gives, span });
    }

    pub(super) fn target(
        &mut self,
        target: FlowTarget,
        at: Destination,
        (instance, node, span): (InstanceId, Option<&'m Str>, Span),
    ) {
        let graph = self.of(instance).graph;
        let Destination { vertex, path, .. } = at;
        self.targets.push(TargetPlace { target, vertex, path, graph, node, span });
    }

    pub(super) fn set_local(&mut self, local: LocalId, vertex: VertexId) {
        let at = local.0 as usize;
        if self.locals.len() <= at {
            self.locals.resize(at + 1, vertex);
        }
        self.locals[at] = vertex;
    }

    /// The value of a local. Where none was set, any answer may be meant.
    pub(super) fn local(&self, at: FlowPlace, local: LocalId) -> VertexId {
        let set = self.locals.get(local.0 as usize).copied();
        debug_assert!(set.is_some(), "a local is set before it is read");
        set.unwrap_or(self.of(at.instance).answers)
    }

    /// The graph as it is called from one more place.
    pub(super) fn instance(&mut self, id: GraphId) -> InstanceId {
        let nodes: usize = self.instances.iter().map(|own| own.graph.graph.node_count()).sum();
        if self.instances.len() >= MAX_INSTANCES || nodes > MAX_NODES_OF_INSTANCES {
            if let Some(shared) = self.shared.get(&id) {
                return *shared;
            }
            let shared = self.new_instance(id);
            self.shared.insert(id, shared);
            self.fill(shared);
            return shared;
        }
        let own = self.new_instance(id);
        self.fill(own);
        own
    }

    fn new_instance(&mut self, id: GraphId) -> InstanceId {
        let graph = self.model.graph(id);
        let name = &graph.id.value;
        let failure = self.labelled(None, format!("an error of the graph `{name}`"));
        let errors: Vec<VertexId> = graph
            .graph
            .node_weights()
            .map(|node| self.labelled(None, format!("the error of `{}`", node.name.value)))
            .collect();
        let outputs = graph
            .output
            .iter()
            .map(|(output, value)| self.labelled(Some(&value.ty), format!("the output `{}`", output.value)));
        let outputs = outputs.collect();
        let budgets = graph
            .budgets
            .iter()
            .map(|budget| self.labelled(None, format!("the budget `{}`", budget.name.value)))
            .collect();
        let instance = GraphInstance {
            graph,
            layout: self.layouts[id.0 as usize].clone(),
            text_uses: self.texts[id.0 as usize].clone(),
            inputs: FxHashMap::default(),
            slots: FxHashMap::default(),
            lets: FxHashMap::default(),
            texts: FxHashMap::default(),
            actions: FxHashMap::default(),
            arrivals: FxHashMap::default(),
            departures: FxHashMap::default(),
            budgets,
            errors,
            failure,
            answers: self.passing(None),
            usage: self.passing(None),
            outcome: self.labelled(None, format!("the outcome of `{name}`")),
            outcomes: FxHashMap::default(),
            outputs,
            control: self.labelled(None, format!("whether `{name}` is run")),
            results: FxHashMap::default(),
            decisions: FxHashMap::default(),
            choices: FxHashMap::default(),
            triggers: FxHashMap::default(),
        };
        self.instances.push(instance);
        InstanceId(u32::try_from(self.instances.len() - 1).unwrap_or(u32::MAX))
    }

    /// All that an error of a node may say.
    pub(super) fn error_of(&self, instance: InstanceId, node: NodeId) -> VertexId {
        self.of(instance).errors[node.index()]
    }

    /// The value that an input is given.
    pub(super) fn input(&mut self, instance: InstanceId, slot: SlotId) -> VertexId {
        if let Some(vertex) = self.of(instance).inputs.get(&slot) {
            return *vertex;
        }
        let own = &self.of(instance).graph.slots[slot.0 as usize];
        let vertex = self.labelled(Some(&own.ty), format!("the input `{}`", own.name.value));
        self.of_mut(instance).inputs.insert(slot, vertex);
        vertex
    }

    /// A variable as it is at the nodes of one component.
    pub(super) fn slot(&mut self, instance: InstanceId, slot: SlotId, component: u32) -> VertexId {
        let own = self.of(instance);
        let declared = &own.graph.slots[slot.0 as usize];
        if declared.kind == SlotKind::Input {
            return self.input(instance, slot);
        }
        if let Some(vertex) = own.slots.get(&(slot, component)) {
            return *vertex;
        }
        let vertex = self.labelled(Some(&declared.ty), format!("`{}`", declared.name.value));
        self.of_mut(instance).slots.insert((slot, component), vertex);
        self.open.push((instance, slot, component));
        vertex
    }

    /// A variable holds what it held before, until it is written.
    fn follow_variables(&mut self) {
        while let Some((instance, slot, component)) = self.open.pop() {
            let to = Destination::of(self.slot(instance, slot, component));
            let layout = self.of(instance).layout.clone();
            for before in layout.before(component) {
                let from = self.slot(instance, slot, *before);
                self.carry(from, &to, Span::default());
            }
        }
    }

    /// The value of a let, where it is used.
    pub(super) fn let_value(&mut self, at: FlowPlace, id: LetId) -> VertexId {
        let key = (id, at.component, at.error);
        if let Some(vertex) = self.of(at.instance).lets.get(&key) {
            return *vertex;
        }
        let own = &self.of(at.instance).graph.lets[id.0 as usize];
        let vertex = self.labelled(Some(&own.body.ty), format!("the let `{}`", own.name.value));
        self.of_mut(at.instance).lets.insert(key, vertex);
        self.apart(|own_locals| own_locals.flow(at, &own.body, &Destination::of(vertex)));
        vertex
    }

    /// A text of the graph, where it is rendered.
    pub(super) fn text(&mut self, at: FlowPlace, id: TextId) -> VertexId {
        let key = (id, at.component, at.error);
        if let Some(vertex) = self.of(at.instance).texts.get(&key) {
            return *vertex;
        }
        let name = &self.of(at.instance).graph.texts[id.0 as usize].name.value;
        let vertex = self.labelled(None, format!("the text `{name}`"));
        self.of_mut(at.instance).texts.insert(key, vertex);
        self.fill_text(at, id, vertex);
        vertex
    }

    /// The calls of an action at a place, and true for the first of them.
    pub(super) fn enter_action(&mut self, at: FlowPlace, id: ActionId) -> (ActionCalls, bool) {
        let key = (id, at.component, at.fails);
        if let Some(calls) = self.of(at.instance).actions.get(&key) {
            return (*calls, false);
        }
        let calls = ActionCalls { control: self.passing(None), times: self.passing(None) };
        self.of_mut(at.instance).actions.insert(key, calls);
        (calls, true)
    }

    /// What decides that a run comes to a point, for what is written there.
    pub(super) fn arrival(&mut self, instance: InstanceId, point: PointId) -> VertexId {
        if let Some(vertex) = self.of(instance).arrivals.get(&point) {
            return *vertex;
        }
        let vertex = self.passing(None);
        self.of_mut(instance).arrivals.insert(point, vertex);
        vertex
    }

    /// What decides which edge of a point is taken, for what is written on the way.
    pub(super) fn departure(&mut self, instance: InstanceId, point: PointId) -> VertexId {
        if let Some(vertex) = self.of(instance).departures.get(&point) {
            return *vertex;
        }
        let vertex = self.passing(None);
        self.of_mut(instance).departures.insert(point, vertex);
        vertex
    }

    /// Lets everything flow to what is written at a place that decides whether it is written.
    pub(super) fn controlled(&mut self, at: FlowPlace, to: &Destination, span: Span) {
        let to = Destination { passage: Passage::Control, ..to.clone() };
        for control in at.arrival.into_iter().chain(at.control) {
            self.carry(control, &to, span);
        }
    }

    /// The guards at a point.
    pub(super) fn choice(&mut self, instance: InstanceId, point: PointId) -> VertexId {
        if let Some(vertex) = self.of(instance).choices.get(&point) {
            return *vertex;
        }
        let graph = self.of(instance).graph;
        let node = super::layout::owner(graph.cfg.point(point));
        let name = node.map_or(&graph.id.value, |node| &graph.graph[node].name.value);
        let vertex = self.labelled(None, format!("the choice at `{name}`"));
        self.of_mut(instance).choices.insert(point, vertex);
        vertex
    }

    /// The outcomes of the finals of a composite.
    pub(super) fn outcome_of(&mut self, instance: InstanceId, composite: NodeId) -> VertexId {
        if let Some(vertex) = self.of(instance).outcomes.get(&composite) {
            return *vertex;
        }
        let name = &self.of(instance).graph.graph[composite].name.value;
        let vertex = self.labelled(None, format!("the outcome of `{name}`"));
        self.of_mut(instance).outcomes.insert(composite, vertex);
        vertex
    }

    /// Notes what a node answered.
    pub(super) fn note_result(&mut self, instance: InstanceId, node: NodeId, result: VertexId) {
        self.of_mut(instance).results.insert(node, result);
    }

    /// Notes what decides whether an edge answers to anything but success.
    pub(super) fn note_trigger(&mut self, instance: InstanceId, point: PointId, why: (PointId, VertexId)) {
        self.of_mut(instance).triggers.entry(point).or_default().push(why);
    }

    /// Notes something that the decision to come to a node flows to: to make its call, or to end there.
    pub(super) fn decided(&mut self, instance: InstanceId, node: NodeId, vertex: VertexId) {
        self.of_mut(instance).decisions.entry(node).or_default().push(vertex);
    }

    pub(super) fn budget(&self, instance: InstanceId, id: BudgetId) -> VertexId {
        self.of(instance).budgets[id.0 as usize]
    }

    /// Follows something that stands alone, with locals of its own.
    pub(super) fn apart(&mut self, follow: impl FnOnce(&mut Self)) {
        let outside = std::mem::take(&mut self.locals);
        follow(self);
        self.locals = outside;
    }
}
