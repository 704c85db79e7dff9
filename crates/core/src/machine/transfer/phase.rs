//! The current work of a lane.

use std::rc::Rc;

use super::Carrier;
use super::callee::LaneGraph;
use super::frame::within;
use super::pairing::Pairing;
use crate::machine::call::Question;
use crate::machine::leave::text;
use crate::machine::snapshot::{Join, LaneEnd, NodeExit, Phase};
use crate::program::frame::Frame;
use crate::program::graph::LinkedNodeKind;
use crate::value::{Str, Value};

/// The graphs of all lanes.
type LaneGraphs<'a> = [Option<Rc<Pairing<'a>>>];

impl<'a> Carrier<'a> {
    pub(super) fn phase(
        &mut self,
        place: u32,
        frame: &Frame,
        moved: &Frame,
        phase: &Phase,
        pairing: &Pairing<'a>,
        all: &LaneGraphs<'a>,
    ) -> Phase {
        let here = frame.node;
        match phase {
            Phase::Enter { target, inside } => Phase::Enter {
                target: self.carry_node(*target, here, pairing),
                inside: inside.map(|inside| self.carry_node(inside, here, pairing)),
            },
            Phase::Leave { at, exit } => {
                Phase::Leave { at: self.carry_node(*at, here, pairing), exit: self.exit(exit, all) }
            }
            Phase::Paused { ask, at, exit } => Phase::Paused {
                ask: Box::new(renamed(ask, pairing)),
                at: self.carry_node(*at, here, pairing),
                exit: self.exit(exit, all),
            },
            Phase::Asking(ask) => Phase::Asking(Box::new(self.question(place, frame, moved, ask, pairing))),
            Phase::Joining(join) => Phase::Joining(Box::new(self.join(frame, join, pairing, all))),
            // What was asked of the world stays as it was asked, and when it is over.
            Phase::Calling(call) => Phase::Calling(call.clone()),
            Phase::Backoff { call, until } => Phase::Backoff { call: call.clone(), until: *until },
            Phase::Lost { ask, call } => {
                Phase::Lost { ask: Box::new(renamed(ask, pairing)), call: call.clone() }
            }
            Phase::Approving { ask, call } => {
                Phase::Approving { ask: Box::new(renamed(ask, pairing)), call: call.clone() }
            }
            Phase::Sleeping { until } => Phase::Sleeping { until: *until },
        }
    }

    /// A node on the way.
    fn carry_node(&mut self, node: u32, here: u32, pairing: &Pairing<'a>) -> u32 {
        pairing.node(node).unwrap_or_else(|| {
            // The node of a lane was reported.
            if node != here {
                let path = pairing.old_path(node);
                self.refuse(format!("the run is on its way at `{path}`; the graph has no such node now"));
            }
            0
        })
    }

    fn exit(&mut self, exit: &NodeExit, all: &LaneGraphs<'a>) -> NodeExit {
        match exit {
            NodeExit::Done => NodeExit::Done,
            NodeExit::Error(error) => NodeExit::Error(error.clone()),
            NodeExit::Unknown(call, error) => NodeExit::Unknown(call.clone(), error.clone()),
            NodeExit::Exhausted { lane, budget, key } => {
                let owner = all.get(*lane as usize).and_then(Option::as_ref);
                let found =
                    owner.and_then(|owner| owner.budgets.iter().position(|old| *old == Some(*budget)));
                if found.is_none() {
                    let name = owner.and_then(|owner| owner.old.budgets.get(*budget as usize));
                    let name = name.map(|budget| budget.name.clone()).unwrap_or_default();
                    self.refuse(format!("the budget `{name}` refused a spend, and is gone"));
                }
                let budget = found.and_then(|found| u32::try_from(found).ok()).unwrap_or_default();
                NodeExit::Exhausted { lane: *lane, budget, key: key.clone() }
            }
        }
    }

    /// A question of a node, put anew if its answer has another form now.
    fn question(
        &mut self,
        place: u32,
        frame: &Frame,
        moved: &Frame,
        ask: &Question,
        pairing: &Pairing<'a>,
    ) -> Question {
        let node = pairing.node(frame.node).map(|node| &pairing.new.nodes[node as usize].kind);
        let ask = renamed(ask, pairing);
        let Some(LinkedNodeKind::Human(human)) = node else { return ask };
        if human.answer.schema == ask.schema {
            return ask;
        }
        match within(self.new, &mut moved.clone(), &self.world, |exec| text(exec, human.ask)) {
            Ok(text) => {
                let ask = Question { text, schema: human.answer.schema.clone(), misfit: Str::new(), ..ask };
                self.asked.push((place, ask.clone()));
                ask
            }
            Err(why) => {
                let path = pairing.old_path(frame.node);
                self.refuse(format!(
                    "`{path}` asks in another form now, and the question has no text: {why}"
                ));
                ask
            }
        }
    }

    fn join(&mut self, frame: &Frame, join: &Join, pairing: &Pairing<'a>, all: &LaneGraphs<'a>) -> Join {
        let Join { choices: _, inputs, started, at_once, running, ended, deadline } = join;
        let (was, is) = (frame.node, pairing.node(frame.node));
        let kinds =
            is.map(|is| (&pairing.old.nodes[was as usize].kind, &pairing.new.nodes[is as usize].kind));
        let mut carried = inputs.clone();
        let mut choices = vec![0; inputs.len()];
        let mut ends = Vec::with_capacity(ended.len());
        if let Some((was_kind, is_kind)) = kinds
            && self.branches(pairing, was, was_kind, is_kind)
        {
            for (number, inputs) in (0_u32..).zip(&mut carried) {
                let is = self.graph_now(was_kind, is_kind, number, join.choice(number));
                let Some(was) = LaneGraph::of(was_kind, number, join.choice(number)) else { continue };
                choices[number as usize] = is.map_or(0, |is| is.choice);
                if number >= *started {
                    let lane = self.waiting_lane(frame, pairing, number);
                    let caller = std::mem::replace(&mut self.lane, lane);
                    match is {
                        Some(is) => self.waiting(inputs, (was.graph, is.graph)),
                        None => self.refuse_graph(was_kind, is_kind, number, was.choice),
                    }
                    self.lane = caller;
                } else if let Some(is) = is
                    && let Some(LaneEnd::Ok(value)) = ended.get(number as usize).and_then(Option::as_deref)
                {
                    self.output(pairing, frame.node, number, value, is.graph);
                }
            }
        }
        for end in ended {
            ends.push(end.as_deref().map(|end| {
                Box::new(match end {
                    LaneEnd::Ok(value) => LaneEnd::Ok(value.clone()),
                    LaneEnd::Error(exit) => LaneEnd::Error(self.exit(exit, all)),
                })
            }));
        }
        Join {
            choices: Join::sparse(choices),
            inputs: carried,
            started: *started,
            at_once: *at_once,
            running: running.clone(),
            ended: ends,
            deadline: *deadline,
        }
    }

    /// Lanes go by the numbers of their branches: these must be the same ones.
    fn branches(
        &mut self,
        pairing: &Pairing<'a>,
        node: u32,
        was: &LinkedNodeKind,
        is: &LinkedNodeKind,
    ) -> bool {
        let (LinkedNodeKind::Parallel(was), LinkedNodeKind::Parallel(is)) = (was, is) else { return true };
        let same = was.branches.iter().map(|b| &b.name).eq(is.branches.iter().map(|b| &b.name));
        if !same {
            let path = pairing.old_path(node);
            self.refuse(format!("`{path}` is under way, and has other branches now, or in another order"));
        }
        same
    }

    /// The path that a lane will have that has not begun.
    fn waiting_lane(&self, frame: &Frame, pairing: &Pairing<'a>, number: u32) -> Str {
        let code = &pairing.old.nodes[frame.node as usize];
        let label = if let LinkedNodeKind::Parallel(parallel) = &code.kind {
            parallel.branches[number as usize].name.clone()
        } else {
            ecow::eco_format!("{number}")
        };
        let visit = frame.visits[frame.node as usize];
        ecow::eco_format!("{}{}#{visit}[{label}]/", self.lane, code.name)
    }

    /// The inputs of a lane that has not begun.
    fn waiting(&mut self, inputs: &mut Vec<Option<Value>>, (was, is): (u32, u32)) {
        if let Some(child) = self.paired(was, is) {
            let mut carried = Vec::with_capacity(child.new.inputs as usize);
            for (place, slot) in child.new.slots.iter().enumerate().take(child.new.inputs as usize) {
                let old = child.slots[place].filter(|old| *old < child.old.inputs).map(|old| old as usize);
                let value = old.and_then(|old| Some((old, inputs.get(old)?.as_ref()?)));
                carried.push(match value {
                    None => {
                        if slot.is_required(&self.new.shapes) {
                            self.refuse(format!("the input `{}` is new and has no default", slot.name));
                        }
                        None
                    }
                    // It is checked when the lane begins, as always.
                    Some((_, value)) => Some(value.clone()),
                });
            }
            for (place, slot) in (0_u32..).zip(&child.old.slots[..child.old.inputs as usize]) {
                let given = inputs.get(place as usize).is_some_and(Option::is_some);
                if given && !child.slots.contains(&Some(place)) {
                    self.refuse(format!("the input `{}` is gone", slot.name));
                }
            }
            *inputs = carried;
        }
    }

    /// Checks the output of a lane that has ended: it must have what is expected of it now.
    fn output(&mut self, pairing: &Pairing<'a>, node: u32, number: u32, value: &Value, is: u32) {
        let has = |name: &Str| value.as_map().is_some_and(|map| map.get(name).is_some());
        let missing: Vec<&Str> = self.new.graphs[is as usize]
            .output
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !has(name))
            .collect();
        for name in missing {
            let path = pairing.old_path(node);
            self.refuse(format!(
                "lane {number} of `{path}` has ended, without the output `{name}` that it has now"
            ));
        }
    }
}

/// A question as it is asked at the node of today's name. Its id stays: it may have been answered.
fn renamed(ask: &Question, pairing: &Pairing<'_>) -> Question {
    Question { node: pairing.new.migration.node(&ask.node).clone(), ..ask.clone() }
}
