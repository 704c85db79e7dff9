//! One graph in a drawing: where each of its nodes is seen.

use rustc_hash::FxHashMap;

use super::drawing::ItemShape;
use super::fault::RenderFault;
use super::options::Opening;
use super::path::Taken;
use super::scene::{Scene, Sketch};
use crate::model::Graph;
use crate::model::expr::{Expr, ExprKind};
use crate::model::graph::GraphId;
use crate::model::node::{Composite, GraphSource, Node, NodeId, NodeKind};
use crate::value::Value;

/// The appearance of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeAppearance {
    /// Not at all: it lies outside of what is drawn.
    Absent,
    /// As the item of this index.
    Item(usize),
    /// In that item, a composite that is not open.
    Hidden(usize),
    /// An open composite without a box: its nodes are seen, it is not.
    Dissolved,
}

/// A graph, or a composite of it, in a drawing.
pub(super) struct Region<'a> {
    pub(super) graph: &'a Graph,
    /// The number of the graph in the model.
    pub(super) number: usize,
    pub(super) taken: Option<&'a Taken>,
    /// The composite that is drawn; [`None`] for the whole graph.
    pub(super) top: Option<NodeId>,
    /// The box the graph is drawn in, and its id.
    within: Option<(usize, String)>,
    shown: Vec<NodeAppearance>,
    /// The composites that a view opens.
    opened: Option<Vec<bool>>,
    /// Nodes outside of what is drawn that arrows lead to or come from.
    outside: FxHashMap<NodeId, usize>,
}

impl<'a> Region<'a> {
    /// The graph that was asked for, or a composite of it.
    pub(super) fn root(scene: &Scene<'a>, graph: &'a Graph, top: Option<NodeId>) -> Self {
        let opened = match &scene.options.opening {
            Opening::Only(open) => Some(with_parents(graph, open)),
            Opening::All | Opening::Depth(_) => None,
        };
        Self { top, opened, ..Self::within(scene, graph, None) }
    }

    /// A graph in a box.
    pub(super) fn within(scene: &Scene<'a>, graph: &'a Graph, within: Option<(usize, String)>) -> Self {
        Self {
            graph,
            number: scene.number(graph),
            taken: scene.options.path.as_ref().and_then(|path| path.of(&graph.id.value)),
            top: None,
            within,
            shown: vec![NodeAppearance::Absent; graph.graph.node_count()],
            opened: None,
            outside: FxHashMap::default(),
        }
    }

    /// Draws the region. `level` is that of its nodes, from 1.
    pub(super) fn draw(mut self, scene: &mut Scene<'a>, level: usize) -> Result<(), RenderFault> {
        let parent = self.within.as_ref().map(|(item, _)| *item);
        let graph = self.graph;
        let (nodes, start, label) = if let Some((top, composite)) = self.top_composite() {
            self.shown[top.index()] = NodeAppearance::Dissolved;
            (composite.children.clone(), composite.start, &composite.start_label)
        } else {
            let outermost = |node: &NodeId| graph.graph[*node].parent.is_none();
            (graph.graph.node_indices().filter(outermost).collect(), graph.start, &graph.start_label)
        };
        self.place(scene, &nodes, parent, level)?;
        if let Some(start) = self.entry(start) {
            scene.start(parent, start, label.as_deref(), self.taken.is_some());
        }
        self.arrows(scene)
    }

    fn top_composite(&self) -> Option<(NodeId, &'a Composite)> {
        let top = self.top?;
        let NodeKind::Composite(composite) = &self.graph.graph[top].kind else { return None };
        Some((top, composite))
    }

    fn place(
        &mut self,
        scene: &mut Scene<'a>,
        nodes: &[NodeId],
        parent: Option<usize>,
        level: usize,
    ) -> Result<(), RenderFault> {
        for id in nodes {
            self.place_node(scene, *id, parent, level)?;
        }
        Ok(())
    }

    fn place_node(
        &mut self,
        scene: &mut Scene<'a>,
        id: NodeId,
        parent: Option<usize>,
        level: usize,
    ) -> Result<(), RenderFault> {
        let graph = self.graph;
        let node = &graph.graph[id];
        let open = self.is_open(scene, id, level);
        if let NodeKind::Composite(composite) = &node.kind
            && open
        {
            return self.place_open(scene, id, composite, parent, level);
        }
        let options = scene.options;
        let calls = shape(&node.kind) == ItemShape::Call && options.expand && !options.flat && open;
        let item = self.add(scene, node, parent, calls)?;
        self.shown[id.index()] = NodeAppearance::Item(item);
        self.mark(scene, node, item);
        if let NodeKind::Composite(composite) = &node.kind {
            self.hide(scene, &composite.children, item);
        }
        if let NodeKind::Final(code) = &node.kind {
            let ends = node.parent == self.top
                || node.parent.is_some_and(|parent| self.shown[parent.index()] != NodeAppearance::Dissolved);
            scene.item(item).ends = ends;
            scene.item(item).alone = ends && code.as_end;
            scene.item(item).fails = matches!(&code.ok, Some(ok) if is_false(ok));
        }
        if calls { called(scene, &node.kind, Some(item), level + 1) } else { Ok(()) }
    }

    fn place_open(
        &mut self,
        scene: &mut Scene<'a>,
        id: NodeId,
        composite: &'a Composite,
        parent: Option<usize>,
        level: usize,
    ) -> Result<(), RenderFault> {
        if scene.options.flat {
            self.shown[id.index()] = NodeAppearance::Dissolved;
            return self.place(scene, &composite.children, parent, level + 1);
        }
        let node = &self.graph.graph[id];
        let item = self.add(scene, node, parent, true)?;
        self.shown[id.index()] = NodeAppearance::Item(item);
        self.mark(scene, node, item);
        self.place(scene, &composite.children, Some(item), level + 1)?;
        if let Some(start) = self.entry(composite.start) {
            scene.start(Some(item), start, composite.start_label.as_deref(), false);
        }
        Ok(())
    }

    fn is_open(&self, scene: &Scene<'a>, id: NodeId, level: usize) -> bool {
        match (&scene.options.opening, &self.opened) {
            (Opening::Depth(depth), _) => level < *depth,
            (_, Some(opened)) if matches!(self.graph.graph[id].kind, NodeKind::Composite(_)) => {
                opened[id.index()]
            }
            _ => true,
        }
    }

    fn add(
        &self,
        scene: &mut Scene<'a>,
        node: &Node,
        parent: Option<usize>,
        open: bool,
    ) -> Result<usize, RenderFault> {
        let name = match &self.within {
            Some((_, id)) => format!("{id}_{}", node.name.value),
            None => node.name.to_string(),
        };
        let sketch = Sketch {
            name: &name,
            label: label(node),
            shape: shape(&node.kind),
            parent,
            open,
            source: Some((self.number, &node.name.value)),
        };
        scene.add(&sketch)
    }

    /// Highlights an item if the run was in the node it shows.
    fn mark(&self, scene: &mut Scene<'a>, node: &Node, item: usize) {
        if self.taken.is_some_and(|taken| taken.node(&node.name.value)) {
            scene.item(item).taken = true;
        }
    }

    fn hide(&mut self, scene: &mut Scene<'a>, nodes: &[NodeId], item: usize) {
        let graph = self.graph;
        let mut left = nodes.to_vec();
        while let Some(id) = left.pop() {
            self.shown[id.index()] = NodeAppearance::Hidden(item);
            let node = &graph.graph[id];
            scene.item(item).nodes.push(node.name.value.clone());
            self.mark(scene, node, item);
            if let NodeKind::Composite(composite) = &node.kind {
                left.extend(&composite.children);
            }
        }
    }

    pub(super) fn shown(&self, id: NodeId) -> NodeAppearance {
        self.shown.get(id.index()).copied().unwrap_or(NodeAppearance::Absent)
    }

    /// The item that an arrow to this node ends at: after composites without a box, their start. [`None`] for a node
    /// outside.
    pub(super) fn entry(&self, mut id: NodeId) -> Option<usize> {
        loop {
            match self.shown(id) {
                NodeAppearance::Item(item) | NodeAppearance::Hidden(item) => return Some(item),
                NodeAppearance::Absent => return None,
                NodeAppearance::Dissolved => {}
            }
            let NodeKind::Composite(composite) = &self.graph.graph[id].kind else { return None };
            // A composite with errors may lack what it starts with.
            if self.graph.graph[composite.start].parent != Some(id) {
                return None;
            }
            id = composite.start;
        }
    }

    /// The item of a node outside of what is drawn.
    pub(super) fn stub(&mut self, scene: &mut Scene<'a>, id: NodeId) -> Result<usize, RenderFault> {
        if let Some(item) = self.outside.get(&id) {
            return Ok(*item);
        }
        let node = &self.graph.graph[id];
        let sketch = Sketch {
            name: &node.name.value,
            label: label(node),
            shape: ItemShape::Outside,
            parent: None,
            open: false,
            source: Some((self.number, &node.name.value)),
        };
        let item = scene.add(&sketch)?;
        self.mark(scene, node, item);
        self.outside.insert(id, item);
        Ok(item)
    }
}

/// The composites that are named, and those they lie in.
fn with_parents(graph: &Graph, open: &[NodeId]) -> Vec<bool> {
    let mut opened = vec![false; graph.graph.node_count()];
    for id in open {
        let mut next = Some(*id);
        while let Some(id) = next.filter(|id| !opened[id.index()]) {
            opened[id.index()] = true;
            next = graph.graph[id].parent;
        }
    }
    opened
}

/// True for the literal `false`.
fn is_false(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(Value::Bool(false)))
}

/// A node's title, or its name.
fn label(node: &Node) -> &str {
    let title = node.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    title.unwrap_or(&node.name.value)
}

fn shape(kind: &NodeKind) -> ItemShape {
    match kind {
        NodeKind::Action => ItemShape::Action,
        NodeKind::Choice => ItemShape::Choice,
        NodeKind::Composite(_) => ItemShape::Composite,
        NodeKind::Model(_) => ItemShape::Model,
        NodeKind::Tool(_) => ItemShape::Tool,
        NodeKind::Human(_) => ItemShape::Human,
        NodeKind::Call(_) | NodeKind::Each(_) | NodeKind::Parallel(_) => ItemShape::Call,
        NodeKind::Wait(_) => ItemShape::Wait,
        NodeKind::Final(_) => ItemShape::Final,
    }
}

/// Draws what a node calls into its box, or into the whole drawing.
pub(super) fn called<'a>(
    scene: &mut Scene<'a>,
    kind: &'a NodeKind,
    parent: Option<usize>,
    level: usize,
) -> Result<(), RenderFault> {
    match kind {
        NodeKind::Call(call) => source(scene, &call.graph, parent, level),
        NodeKind::Each(each) => source(scene, &each.graph, parent, level),
        NodeKind::Parallel(parallel) => {
            for branch in &parallel.branches {
                if let Some(item) = boxed(scene, &branch.name.value, parent, level)? {
                    source(scene, &branch.graph, Some(item), level + 1)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Draws the graph that a lane runs, or each of those it may run in a box of its own.
fn source<'a>(
    scene: &mut Scene<'a>,
    source: &'a GraphSource,
    parent: Option<usize>,
    level: usize,
) -> Result<(), RenderFault> {
    match source {
        GraphSource::Fixed(callable) => within(scene, callable.graph, parent, level),
        GraphSource::Computed { among, .. } => {
            for candidate in among {
                if let Some(item) = boxed(scene, &candidate.name.value, parent, level)? {
                    within(scene, candidate.callable.graph, Some(item), level + 1)?;
                }
            }
            Ok(())
        }
    }
}

/// Adds the box of a branch, or of a graph that may be chosen. Gives it where it is drawn open.
fn boxed<'a>(
    scene: &mut Scene<'a>,
    label: &'a str,
    parent: Option<usize>,
    level: usize,
) -> Result<Option<usize>, RenderFault> {
    let open = !matches!(scene.options.opening, Opening::Depth(depth) if level >= depth);
    let name = match parent {
        Some(parent) => format!("{}_{label}", scene.item(parent).id),
        None => label.to_owned(),
    };
    let item =
        scene.add(&Sketch { name: &name, label, shape: ItemShape::Call, parent, open, source: None })?;
    scene.start(parent, item, None, false);
    Ok(open.then_some(item))
}

fn within(
    scene: &mut Scene<'_>,
    graph: GraphId,
    parent: Option<usize>,
    level: usize,
) -> Result<(), RenderFault> {
    let within = parent.map(|item| (item, scene.item(item).id.clone()));
    let model = scene.model;
    Region::within(scene, model.graph(graph), within).draw(scene, level)
}
