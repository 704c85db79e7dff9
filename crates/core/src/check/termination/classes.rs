//! The classes of values that the guards of a loop tell apart, and what becomes of them along an arc.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cause::Cause;
use super::unfold::{Arc, ArcKind, State};
use crate::check::guard::set::GuardSet;
use crate::decide::{Cube, Diagram, DiagramVariable, TooLarge};
use crate::model::expr::{Block, Expr};
use crate::model::node::{EdgeId, NodeId, Trigger};
use crate::model::{Graph, Model};

/// The most classes of a loop, all subjects taken together. Subjects of many values are left out first.
pub(super) const MAX_LOOP_CLASSES: usize = 64;
/// Guards of a loop that are more than this are not looked at.
const MAX_LOOP_GUARDS: usize = 128;

/// The effect of an arc, as far as classes are concerned: arcs of one key lead from a class to the same ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Effect {
    kind: ArcKind,
    /// False where only a part of it may have happened.
    is_whole: bool,
    entered: SmallVec<[NodeId; 2]>,
    /// The edges whose guards were false before it.
    passed: SmallVec<[EdgeId; 4]>,
}

/// The classes of one loop. A class gives each of some subjects one class of its values.
pub(super) struct LoopClasses<'g> {
    graph: &'g Graph,
    set: GuardSet<'g>,
    guards: FxHashMap<EdgeId, usize>,
    /// Variables that no class says anything of.
    open: Vec<DiagramVariable>,
    classes: Vec<(Cube, Diagram)>,
    known: FxHashMap<(Effect, Option<usize>), Vec<usize>>,
    is_cut: bool,
}

impl<'g> LoopClasses<'g> {
    /// The classes for the guards of edges in a loop. [`None`] if they are too much, or say nothing that lasts.
    pub(super) fn of(model: &'g Model, graph: &'g Graph, edges: &[EdgeId]) -> Option<Self> {
        let guarded: Vec<(EdgeId, &Expr)> =
            edges.iter().filter_map(|id| Some((*id, graph.graph[*id].when.as_ref()?))).collect();
        if guarded.is_empty() || guarded.len() > MAX_LOOP_GUARDS {
            return None;
        }
        let set = GuardSet::new(model, graph, guarded.iter().map(|(_, guard)| *guard)).ok()?;
        let guards = guarded.iter().enumerate().map(|(place, (id, _))| (*id, place)).collect();
        let (chosen, open) = chosen(&set);
        let is_cut = chosen.len() < set.lasting().len();
        let known = FxHashMap::default();
        let mut own = Self { graph, set, guards, open, classes: Vec::new(), known, is_cut };
        own.classes = own.all(&chosen).ok()?;
        (own.classes.len() > 1).then_some(own)
    }

    /// True if some subjects were left out, since they have too many values together.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Every class of these variables that nothing rules out.
    fn all(&mut self, chosen: &[DiagramVariable]) -> Result<Vec<(Cube, Diagram)>, TooLarge> {
        let mut cubes = vec![Cube::default()];
        for variable in chosen {
            let classes = self.set.diagrams().classes(*variable);
            let with = |cube: &Cube| {
                let cube = cube.clone();
                (0..classes).map(move |class| {
                    let mut more = cube.clone();
                    more.0.push((*variable, class));
                    more
                })
            };
            cubes = cubes.iter().flat_map(with).collect();
        }
        let all = self.set.all();
        let mut classes = Vec::with_capacity(cubes.len());
        for cube in cubes {
            let own = self.set.diagrams().of_cube(&cube)?;
            let own = self.set.diagrams().and(own, all)?;
            if !own.is_none() {
                classes.push((cube, own));
            }
        }
        Ok(classes)
    }

    /// The classes that a run may be in after an arc that begins in one, or with nothing known.
    ///
    /// # Errors
    /// They are too much.
    pub(super) fn after(
        &mut self,
        class: Option<usize>,
        arc: &Arc,
        (from, to): (State, State),
    ) -> Result<&[usize], TooLarge> {
        let is_whole = match arc.kind {
            ArcKind::Work(_) => matches!(to, State::Exit(_, Cause::Done, _)),
            ArcKind::Edge(_) => matches!(to, State::Work(_)),
            ArcKind::Start | ArcKind::Refused(_) | ArcKind::Nothing => false,
        };
        let passed = match (arc.kind, from) {
            (ArcKind::Edge(edge), State::Exit(node, Cause::Done, _)) => self.passed(node, edge),
            _ => SmallVec::new(),
        };
        let key = (Effect { kind: arc.kind, is_whole, entered: arc.enters.clone(), passed }, class);
        if !self.known.contains_key(&key) {
            let before = class.map_or_else(|| self.set.all(), |class| self.classes[class].1);
            let after = self.followed(before, &key.0)?;
            let classes = self.met(after)?;
            self.known.insert(key.clone(), classes);
        }
        Ok(&self.known[&key])
    }

    /// The edges with guards before one, at a node that is done: none of them was taken.
    fn passed(&self, node: NodeId, edge: EdgeId) -> SmallVec<[EdgeId; 4]> {
        let before = self.graph.graph[node].edges.iter().take_while(|own| **own != edge);
        let is_done = |id: &&EdgeId| self.graph.graph[**id].on.iter().any(Trigger::is_done);
        before.filter(is_done).filter(|id| self.guards.contains_key(id)).copied().collect()
    }

    fn followed(&mut self, before: Diagram, effect: &Effect) -> Result<Diagram, TooLarge> {
        let graph = self.graph;
        match effect.kind {
            ArcKind::Start => Ok(self.set.all()),
            ArcKind::Nothing => self.set.after_step(before),
            ArcKind::Refused(id) => self.set.after_some(before, [&graph.graph[id].entry], &[]),
            ArcKind::Work(id) => {
                let node = &graph.graph[id];
                let mut states = before;
                if effect.is_whole {
                    states = self.set.after(states, &node.entry)?;
                    states = self.set.after_effect(states, id)?;
                    self.set.after(states, &node.then)
                } else {
                    states = self.set.after_some(states, [&node.entry, &node.then], &[])?;
                    self.set.after_effect(states, id)
                }
            }
            ArcKind::Edge(id) => {
                let states = self.taken(before, id, &effect.passed)?;
                self.entered(states, &graph.graph[id].action, effect)
            }
        }
    }

    /// The states in which an edge may be taken.
    fn taken(&mut self, before: Diagram, edge: EdgeId, passed: &[EdgeId]) -> Result<Diagram, TooLarge> {
        let mut states = before;
        if let Some(guard) = self.guards.get(&edge) {
            let yes = self.set.when_true(*guard);
            states = self.set.diagrams().and(states, yes)?;
        }
        for other in passed {
            let no = self.set.when_false(self.guards[other]);
            states = self.set.diagrams().and(states, no)?;
        }
        Ok(states)
    }

    fn entered(&mut self, states: Diagram, action: &Block, effect: &Effect) -> Result<Diagram, TooLarge> {
        if !effect.is_whole {
            return self.set.after_some(states, [action], &effect.entered);
        }
        let mut states = self.set.after(states, action)?;
        states = self.set.after_step(states)?;
        for composite in &effect.entered {
            states = self.set.after_entry(states, *composite)?;
        }
        Ok(states)
    }

    /// The classes that some of these states are in.
    fn met(&mut self, states: Diagram) -> Result<Vec<usize>, TooLarge> {
        let mut states = states;
        for variable in &self.open {
            states = self.set.diagrams().exists(states, *variable)?;
        }
        let met =
            self.classes.iter().enumerate().filter(|(_, (cube, _))| self.set.seen().meets(states, cube));
        Ok(met.map(|(class, _)| class).collect())
    }
}

/// The variables that classes are made of, in their order, and the others.
fn chosen(set: &GuardSet<'_>) -> (Vec<DiagramVariable>, Vec<DiagramVariable>) {
    let mut lasting = set.lasting();
    lasting.sort_by_key(|variable| set.seen().classes(*variable));
    let mut product = 1_usize;
    let fits = |variable: &DiagramVariable| {
        let more = product.saturating_mul(set.seen().classes(*variable));
        let fits = more <= MAX_LOOP_CLASSES;
        product = if fits { more } else { product };
        fits
    };
    let mut chosen: Vec<DiagramVariable> = lasting.into_iter().filter(fits).collect();
    chosen.sort_unstable();
    let all = (0..set.seen().variables()).filter_map(|place| u32::try_from(place).ok().map(DiagramVariable));
    let open = all.filter(|variable| chosen.binary_search(variable).is_err()).collect();
    (chosen, open)
}
