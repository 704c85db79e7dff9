//! A run continues by another program.
//!
//! Everything a snapshot holds by number (graphs, nodes, variables, budgets) is found again by name in the other
//! program. What cannot be found, or does not fit there, is reported, all of it, and then nothing is carried over.

mod budgets;
mod callee;
mod fields;
mod frame;
mod pairing;
mod phase;

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use self::pairing::Pairing;
use super::event::Event;
use super::input::Time;
use super::rollback;
use super::snapshot::{Lane, Snapshot};
use crate::program::Program;
use crate::program::eval::World;
use crate::value::{List, Str};

/// A run as it continues by another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// The place.
    pub snapshot: Snapshot,
    /// The time of the transfer.
    pub at: Time,
    /// The events to be recorded: questions that are asked in another form.
    pub events: Vec<Event>,
    /// The number of inputs and state fields that kept their values.
    pub retained: usize,
    /// The inputs and fields that were not there before, by name; they have their defaults.
    pub added: Vec<Str>,
}

/// An obstacle to moving a run to another program. Prints as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferError {
    /// The lane it is about: node and visit of every call on the way to it; empty for the root graph.
    pub lane: Str,
    /// The part that does not fit.
    pub why: String,
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lane.is_empty() {
            return f.write_str(&self.why);
        }
        write!(f, "in {}: {}", self.lane.trim_end_matches('/'), self.why)
    }
}

/// Carries a run over from the program it goes by to another.
///
/// Every lane keeps its node: the other program must have it at the same path and of the same kind. Inputs and state
/// keep their values by name, and these must fit the types they have there; what is new takes its default. What was
/// spent of a budget stays spent; limits are those the other program gives for the run's inputs. A call that is under
/// way stays as it was made, and its answer is read by the other program. A question whose answer has another form
/// there is put anew. `at` is the time of the events; `tools` is the catalogue from then on.
///
/// # Errors
/// Everything that does not fit.
pub fn transfer(
    old: &Program,
    new: &Program,
    snapshot: &Snapshot,
    at: Time,
    tools: &List,
) -> Result<Transfer, Vec<TransferError>> {
    let mut carrier = Carrier {
        old,
        new,
        from: snapshot,
        world: snapshot.world(),
        pairings: BTreeMap::new(),
        asked: Vec::new(),
        retained: 0,
        added: Vec::new(),
        renamed: false,
        lane: Str::new(),
        unfit: Vec::new(),
    };
    let ready = match snapshot {
        _ if snapshot.root().is_none() => Err("the run has not begun".to_owned()),
        _ if snapshot.done.is_some() => Err("the run has ended".to_owned()),
        _ if snapshot.program != old.digest => {
            Err(format!("the run goes by the program {}, not {}", snapshot.program, old.digest))
        }
        _ => Ok(()),
    };
    if let Err(why) = ready {
        return Err(vec![TransferError { lane: Str::new(), why }]);
    }
    let lanes = carrier.lanes();
    if carrier.unfit.is_empty() { Ok(carrier.finish(lanes, at, tools)) } else { Err(carrier.unfit) }
}

/// One transfer in progress.
struct Carrier<'a> {
    old: &'a Program,
    new: &'a Program,
    from: &'a Snapshot,
    world: World,
    /// By the numbers of an old and a new graph.
    pairings: BTreeMap<(u32, u32), Rc<Pairing<'a>>>,
    /// Questions that are put anew, by lane.
    asked: Vec<(u32, super::call::Question)>,
    retained: usize,
    added: Vec<Str>,
    /// Nodes that were visited are gone: one of their names may come back, and ids of calls must not.
    renamed: bool,
    /// The lane that is looked at.
    lane: Str,
    unfit: Vec<TransferError>,
}

impl<'a> Carrier<'a> {
    fn refuse(&mut self, why: String) {
        self.unfit.push(TransferError { lane: self.lane.clone(), why });
    }

    fn lanes(&mut self) -> Vec<Option<Box<Lane>>> {
        let pairings = self.graphs();
        let mut lanes = Vec::with_capacity(self.from.lanes.len());
        for ((place, lane), pairing) in (0..).zip(&self.from.lanes).zip(&pairings) {
            lanes.push(match (lane, pairing) {
                (Some(lane), Some(pairing)) => {
                    self.lane = lane.path.clone();
                    Some(Box::new(self.carry(place, lane, pairing, &pairings)))
                }
                _ => None,
            });
        }
        lanes
    }

    /// The graph of every lane on both sides. A lane whose caller has none has none either, and the caller is reported.
    fn graphs(&mut self) -> Vec<Option<Rc<Pairing<'a>>>> {
        let lanes = &self.from.lanes;
        let mut found: Vec<Option<Rc<Pairing<'a>>>> = vec![None; lanes.len()];
        let mut open: Vec<usize> = (0..lanes.len()).filter(|place| lanes[*place].is_some()).collect();
        loop {
            let before = open.len();
            open.retain(|place| {
                let Some(lane) = &lanes[*place] else { return false };
                let caller = lane.parent.map(|(parent, number)| (parent as usize, number));
                let Some((parent, number)) = caller else {
                    found[*place] = self.root(lane);
                    return false;
                };
                let Some(pairing) = found.get(parent).cloned().flatten() else { return true };
                let Some(Some(caller)) = lanes.get(parent) else { return false };
                self.lane = lane.path.clone();
                let graph = self.callee(&pairing, caller, number);
                found[*place] = graph.and_then(|graph| self.paired(lane.frame.graph, graph));
                false
            });
            if open.len() == before {
                return found;
            }
        }
    }

    fn root(&mut self, lane: &Lane) -> Option<Rc<Pairing<'a>>> {
        if !self.is_same(lane.frame.graph, 0) {
            let [was, is] = [&self.old.graphs[lane.frame.graph as usize].id, &self.new.graphs[0].id];
            self.refuse(format!("the run is of the graph `{was}`, this one is `{is}`"));
            return None;
        }
        Some(self.pair(lane.frame.graph, 0))
    }

    /// The called graph a lane runs, on both sides.
    fn paired(&mut self, old: u32, new: u32) -> Option<Rc<Pairing<'a>>> {
        if !self.is_same(old, new) {
            let [was, is] = [&self.old.graphs[old as usize].id, &self.new.graphs[new as usize].id];
            self.refuse(format!("it runs the graph `{was}`; now its node calls `{is}`"));
            return None;
        }
        Some(self.pair(old, new))
    }

    fn pair(&mut self, old: u32, new: u32) -> Rc<Pairing<'a>> {
        let (programs, own) = ((self.old, self.new), &mut self.pairings);
        Rc::clone(own.entry((old, new)).or_insert_with(|| Rc::new(Pairing::new(programs, old, new))))
    }

    fn carry(
        &mut self,
        place: u32,
        lane: &Lane,
        pairing: &Rc<Pairing<'a>>,
        all: &[Option<Rc<Pairing<'a>>>],
    ) -> Lane {
        let Lane { frame, parent, path, phase, pause_tested, approved } = lane;
        let before = self.unfit.len();
        let moved = self.frame(frame, pairing);
        let phase = self.phase(place, frame, &moved, phase, pairing, all);
        // What comes to a question only counts where everything else is in its place.
        if self.unfit.len() > before {
            self.asked.retain(|(asks, _)| *asks != place);
        }
        Lane {
            frame: moved,
            parent: *parent,
            path: path.clone(),
            phase,
            pause_tested: *pause_tested,
            approved: approved.clone(),
        }
    }

    fn finish(self, lanes: Vec<Option<Box<Lane>>>, at: Time, tools: &List) -> Transfer {
        let Snapshot {
            program: _,
            run,
            at: last,
            seq,
            random,
            tools: _,
            size,
            lanes: before,
            abandoned,
            timer,
            back,
            done,
        } = self.from.clone();
        let sum = |lanes: &[Option<Box<Lane>>]| -> usize {
            lanes
                .iter()
                .flatten()
                .flat_map(|lane| &lane.frame.slots)
                .map(crate::value::Value::size_estimate)
                .sum()
        };
        let bytes = |n: usize| i64::try_from(n).unwrap_or(i64::MAX / 4);
        let size = size.saturating_sub(bytes(sum(&before))).saturating_add(bytes(sum(&lanes)));
        let run = if self.renamed { rollback::branch(self.from) } else { run };
        let events: Vec<Event> = (seq..)
            .zip(self.asked)
            .map(|(seq, (frame, ask))| Event {
                seq,
                at,
                frame,
                kind: super::event::EventKind::Asked(Box::new(ask)),
            })
            .collect();
        let snapshot = Snapshot {
            program: self.new.digest.clone(),
            run,
            at: last,
            seq: seq + u64::try_from(events.len()).unwrap_or(u64::MAX),
            random,
            tools: tools.clone(),
            size,
            lanes,
            abandoned,
            timer,
            back,
            done,
        };
        Transfer { snapshot, at, events, retained: self.retained, added: self.added }
    }
}
