//! The states in which a node is done and its edges are looked at.

use petgraph::Direction;
use petgraph::visit::EdgeRef;

use super::class::Example;
use super::set::GuardSet;
use super::subject::SubjectKey;
use super::term::{Head, TermId};
use crate::decide::{Diagram, TooLarge};
use crate::model::Graph;
use crate::model::expr::Expr;
use crate::model::node::{EdgeId, NodeId, NodeKind, Trigger};
use crate::model::typing::{Facts, Path, Root};
use crate::value::Value;

/// The most edges that lead to a node before only the facts that are known at it count.
const MAX_INCOMING: usize = 16;

/// More guards on the ways to a node are not looked at.
const MAX_GUARDS: usize = 64;

/// Nor are nodes with more edges, on the way to one of their targets.
const MAX_EDGES: usize = 128;

/// One edge on which a run comes to a node.
struct Incoming {
    edge: EdgeId,
    source: NodeId,
    /// The target of the edge: the node itself, or a composite that begins at it.
    target: NodeId,
    /// The guard of the edge, by its place in the list.
    guard: Option<usize>,
    /// The guards that are false where the edge is taken.
    before: Vec<usize>,
}

/// The ways on which a run comes to a node.
pub(super) struct Arrival<'g> {
    graph: &'g Graph,
    id: NodeId,
    incoming: Vec<Incoming>,
    guards: Vec<&'g Expr>,
}

impl<'g> Arrival<'g> {
    /// The ways to a node that holds no others and at which the run does not begin; [`None`] for others, and where they are
    /// too many.
    pub(super) fn new(graph: &'g Graph, id: NodeId) -> Option<Self> {
        if matches!(graph.graph[id].kind, NodeKind::Composite(_)) {
            return None;
        }
        let mut own = Self { graph, id, incoming: Vec::new(), guards: Vec::new() };
        let mut target = id;
        loop {
            for edge in graph.graph.edges_directed(target, Direction::Incoming) {
                own.add(edge.id(), edge.source(), target)?;
            }
            match graph.graph[target].parent {
                Some(parent) if graph.cfg.first(graph.cfg.node(parent)) == Some(target) => target = parent,
                None if graph.start == target => return None,
                _ => break,
            }
        }
        (!own.incoming.is_empty()).then_some(own)
    }

    fn add(&mut self, edge: EdgeId, source: NodeId, target: NodeId) -> Option<()> {
        let graph = self.graph;
        if graph.graph[source].edges.len() > MAX_EDGES {
            return None;
        }
        let mut guard_of = |edge: EdgeId| {
            let guard = graph.graph[edge].when.as_ref()?;
            self.guards.push(guard);
            Some(self.guards.len() - 1)
        };
        let guard = guard_of(edge);
        // Only for being done it is sure that an edge before this one is not passed over.
        let is_done = |edge: EdgeId| graph.graph[edge].on.iter().any(Trigger::is_done);
        let only_done = graph.graph[edge].on.iter().all(Trigger::is_done);
        let mut before = Vec::new();
        let earlier = graph.graph[source].edges.iter().take_while(|own| **own != edge);
        for own in earlier.filter(|own| only_done && is_done(**own)) {
            before.extend(guard_of(*own));
        }
        self.incoming.push(Incoming { edge, source, target, guard, before });
        (self.incoming.len() <= MAX_INCOMING && self.guards.len() <= MAX_GUARDS).then_some(())
    }

    /// The guards on the ways.
    pub(super) fn guards(&self) -> &[&'g Expr] {
        &self.guards
    }

    /// The states in which the node may be done, in a set whose guards from `first` on are those on the ways.
    pub(super) fn when_done(&self, set: &mut GuardSet<'_>, first: usize) -> Result<Diagram, TooLarge> {
        let mut any = Diagram::NONE;
        for incoming in &self.incoming {
            let states = self.along(set, first, incoming)?;
            any = set.diagrams().or(any, states)?;
        }
        when_left_from(set, any, self.id)
    }

    fn along(&self, set: &mut GuardSet<'_>, first: usize, incoming: &Incoming) -> Result<Diagram, TooLarge> {
        let mut states = set.all();
        let is_leaf = !matches!(self.graph.graph[incoming.source].kind, NodeKind::Composite(_));
        let only_done = self.graph.graph[incoming.edge].on.iter().all(Trigger::is_done);
        if is_leaf && only_done {
            states = when_left_from(set, states, incoming.source)?;
        }
        if let Some(guard) = incoming.guard {
            let yes = set.when_true(first + guard);
            states = set.diagrams().and(states, yes)?;
        }
        for guard in &incoming.before {
            let no = set.when_false(first + guard);
            states = set.diagrams().and(states, no)?;
        }
        let edge = &self.graph.graph[incoming.edge];
        states = set.after(states, &edge.action)?;
        states = set.after_step(states)?;
        for composite in self.graph.cfg.entered(Some(incoming.source), incoming.target) {
            states = set.after_entry(states, composite)?;
        }
        // From a composite to the node it begins at, through those between them.
        let between: Vec<NodeId> =
            self.graph.cfg.around(self.id).take_while(|composite| *composite != incoming.target).collect();
        if incoming.target != self.id {
            for composite in between.into_iter().rev() {
                states = set.after_entry(states, composite)?;
            }
        }
        Ok(states)
    }
}

/// The states in which a node is done, wherever a run comes from.
pub(super) fn when_left(set: &mut GuardSet<'_>, id: NodeId) -> Result<Diagram, TooLarge> {
    let all = set.all();
    if matches!(set.graph.graph[id].kind, NodeKind::Composite(_)) {
        return Ok(all);
    }
    when_left_from(set, all, id)
}

/// The states in which a node is done that is entered in these.
fn when_left_from(set: &mut GuardSet<'_>, states: Diagram, id: NodeId) -> Result<Diagram, TooLarge> {
    let node = &set.graph.graph[id];
    let (entry, then) = (&node.entry, &node.then);
    let states = set.after(states, entry)?;
    let states = set.after_effect(states, id)?;
    set.after(states, then)
}

/// The states in which a node may be done, by what is known at it.
pub(super) fn known(set: &mut GuardSet<'_>, id: NodeId) -> Result<Diagram, TooLarge> {
    let known = &set.graph.graph[id].known;
    let mut states = set.all();
    if !known.is_unreached() {
        states = not_null(set, known, states)?;
    }
    // The node has been entered.
    if let Some((place, _)) = subject(set, |head| *head == Head::Visits(id)) {
        states = set.restrict(states, place, |value| !matches!(value, Value::Int(0)))?;
    }
    Ok(states)
}

/// The subject that is the value of a term of that form.
fn subject(set: &GuardSet<'_>, is: impl Fn(&Head) -> bool) -> Option<(usize, TermId)> {
    set.subjects.iter().enumerate().find_map(|(place, subject)| match subject.key {
        SubjectKey::One(id) if is(set.terms.get(id).head) => Some((place, id)),
        _ => None,
    })
}

/// Leaves out what the facts exclude.
fn not_null(set: &mut GuardSet<'_>, known: &Facts, states: Diagram) -> Result<Diagram, TooLarge> {
    let mut states = states;
    for place in 0..set.subjects.len() {
        let SubjectKey::One(id) = set.subjects[place].key else { continue };
        let Some((root, fields)) = set.terms.path(id) else { continue };
        let root = match root {
            Head::Slot(slot) => Root::Slot(slot),
            Head::Special(which) => Root::Special(which),
            _ => continue,
        };
        if known.contains(&Path { root, fields: fields.into_iter().collect() }) {
            states = set.restrict(states, place, |value| !value.is_null())?;
        }
    }
    Ok(states)
}

impl GuardSet<'_> {
    /// The states in which the value of a subject may be one of those for which `keep` is true.
    pub(super) fn restrict(
        &mut self,
        states: Diagram,
        place: usize,
        keep: impl Fn(&Value) -> bool,
    ) -> Result<Diagram, TooLarge> {
        let subject = &self.subjects[place];
        let fits: Vec<bool> = subject
            .classes()
            .iter()
            .map(|class| match &class.example {
                // A class of one value is that value; of another one only an example is known.
                Example::Value(value) => !class.is_one || keep(value),
                Example::Failed => true,
            })
            .collect();
        let variable = subject.variable;
        let own = self.diagrams.among(variable, |class| fits[class])?;
        self.diagrams.and(states, own)
    }
}
