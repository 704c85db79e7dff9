//! The space of states of a graph: where runs begin, what the world may answer in a state, and where that leads.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::alike::{ReadAnswers, watch};
use super::answers::{AnswerMaker, NodeAnswers, usages};
use super::byte_hasher::{DigestRoom, StateDigest};
use super::canonical::CanonicalForm;
use super::catalogue::{catalogue, name_of};
use super::domain::SampledField;
use super::examples::AnswerExamples;
use super::failures::NamedErrors;
use super::live::{ModelReads, SeenParts};
use super::product::{MAX_COMBINED, product};
use super::region::{RegionId, SampledUse};
use super::silent::without_texts;
use super::still::only_time;
use super::uses::ValueUses;
use crate::compile::{KnownWorld, compile_folded};
use crate::machine::{
    Event, Input, InputKind, Lane, Output, PropertyMonitor, Snapshot, Start, Time, Usage, Violation,
    roll_back, step_judged, step_to, step_watched,
};
use crate::model::Model;
use crate::model::expr::SlotKind;
use crate::model::node::NodeId;
use crate::program::Program;
use crate::program::eval::{ReadLog, ReadWatch};
use crate::value::{Exact, List, Map, Str, Value};

/// Answers that are held at most before all are forgotten.
const MAX_MADE: usize = 200_000;

/// Lists of examples that are held at most.
const MAX_GIVEN: usize = 32;

/// Room for the outputs of most steps.
const USUAL_OUTPUTS: usize = 32;

/// The world in which a graph is explored, as far as it is settled.
#[derive(Debug, Clone, Default)]
pub struct WorldSettings {
    /// The inputs that are given. A required input that is not among them is explored.
    pub input: Map,
    /// The inputs that are explored though they have a default.
    pub open: Vec<Str>,
    /// The tools on offer besides those that the graph names: maps, as in a scenario's catalogue.
    pub tools: List,
    /// Answers of models, tools and people that stand for all of theirs.
    pub examples: AnswerExamples,
    /// The rollbacks that people may choose in one run.
    pub rollbacks: u32,
}

/// A state of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The run between two inputs.
    pub snapshot: Snapshot,
    /// The progress of its properties.
    pub judge: PropertyMonitor,
}

impl State {
    /// Takes an input, and gives the step that a person wants to go back to.
    fn advance(&mut self, program: &Program, input: Input, events: &mut Vec<Event>) -> Option<u64> {
        let mut out = Vec::with_capacity(USUAL_OUTPUTS);
        step_judged(program, &mut self.snapshot, input, &mut out, &mut Vec::new(), &mut self.judge);
        taken_down(out, events)
    }

    /// Takes an input, and takes down what is read of the answer in it. Nobody goes back by an answer of a call.
    pub(super) fn advance_watched(
        &mut self,
        program: &Program,
        input: Input,
        events: &mut Vec<Event>,
        reads: &mut ReadLog,
    ) {
        let mut out = Vec::with_capacity(USUAL_OUTPUTS);
        step_watched(program, &mut self.snapshot, input, &mut out, &mut self.judge, reads);
        taken_down(out, events);
    }
}

/// Gathers the events, and gives the step that a person wants to go back to.
fn taken_down(out: Vec<Output>, events: &mut Vec<Event>) -> Option<u64> {
    let mut back = None;
    events.reserve(out.len());
    for output in out {
        match output {
            Output::Record(event) => events.push(event),
            Output::Rollback { step } => back = Some(step),
            _ => {}
        }
    }
    back
}

/// The results of an input.
#[derive(Debug)]
pub struct TakenInput {
    /// The state after it.
    pub state: State,
    /// The events.
    pub events: Vec<Event>,
    /// Properties that do not hold.
    pub violations: Vec<Violation>,
}

/// A part of the world whose values are not all stood for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledPart {
    /// The graph and the node whose answer it is; without a node it is an input of the graph.
    pub place: Option<(u32, u32)>,
    /// The name of an input, and the path to the part.
    pub field: SampledField,
}

/// The space of states of a graph.
#[derive(Debug)]
pub struct StateSpace<'m> {
    /// The graph.
    pub model: &'m Model,
    /// The same, compiled.
    pub program: &'m Program,
    /// The program without the texts that only go out; none where it cannot be compiled.
    silent: Option<Program>,
    /// The time of day of all states, if nothing waits for another one.
    only_time: Option<Time>,
    uses: ValueUses,
    pub(super) form: CanonicalForm,
    pub(super) starts: Vec<Start>,
    sampled_inputs: Vec<SampledPart>,
    /// By graph and node.
    answers: Vec<Vec<NodeAnswers>>,
    tools: List,
    pub(super) examples: AnswerExamples,
    pub(super) usages: Vec<Usage>,
    pub(super) errors: NamedErrors,
    pub(super) rollbacks: u32,
    /// By graph and node: the watch over an answer, where its reads can be told.
    pub(super) watches: Vec<Vec<Option<Arc<ReadWatch>>>>,
}

/// A graph, a node, the values of a run that its answers depend on, and the limits of a model's answer.
type AnswerKey = (u32, u32, Vec<Vec<Value>>, Option<Map>);

/// The answers that were made so far, and which of them agree on what.
#[derive(Debug, Default)]
pub struct AnswerCache {
    made: FxHashMap<AnswerKey, Arc<[Value]>>,
    /// The number of answers in it.
    count: usize,
    /// The examples of calls. The same ones share their place in memory, by which it is told that they were read.
    given: Vec<Arc<[Value]>>,
    pub(super) read: ReadAnswers,
}

impl AnswerCache {
    /// The examples of a call.
    pub(super) fn given(&mut self, examples: Vec<Value>) -> Arc<[Value]> {
        let are_same = |known: &&Arc<[Value]>| {
            known.len() == examples.len()
                && known.iter().zip(&examples).all(|(known, own)| Exact(known) == Exact(own))
        };
        if let Some(known) = self.given.iter().find(are_same) {
            return Arc::clone(known);
        }
        if self.given.len() == MAX_GIVEN {
            self.given.clear();
        }
        let examples = Arc::from(examples);
        self.given.push(Arc::clone(&examples));
        examples
    }
}

impl<'m> StateSpace<'m> {
    /// The space of a graph in a world.
    #[must_use]
    pub fn new(model: &'m Model, program: &'m Program, settings: &WorldSettings) -> Self {
        let mut uses = ValueUses::of(model);
        let catalogue = catalogue(model, program, &uses, &settings.tools);
        let names: Vec<Str> = catalogue.iter().filter_map(name_of).collect();
        uses.compare_tools_with(&names);
        let maker = AnswerMaker { model, uses: &uses, tools: &catalogue };
        let none = |_: &[RegionId]| Vec::new();
        let answers = model.graphs.iter().enumerate().map(|(graph, own)| {
            (0..own.graph.node_count()).map(|node| maker.of_node(graph, node, None, &none)).collect()
        });
        let answers = answers.collect();
        let (starts, sampled_inputs) = starts(&maker, settings);
        let reads = ModelReads::of(model);
        let only_time = only_time(model, &catalogue);
        let known = KnownWorld { now: only_time, tools: Some(catalogue.clone()) };
        let silent = compile_folded(&without_texts(model, &reads), known).ok();
        let quick = silent.as_ref().unwrap_or(program);
        let watches = (0..)
            .zip(&quick.graphs)
            .map(|(graph, own)| own.nodes.iter().map(|node| watch(quick, graph, &node.kind)).collect());
        let watches = watches.collect();
        Self {
            model,
            program,
            silent,
            only_time,
            form: CanonicalForm::of(model, &uses, reads.live),
            starts,
            sampled_inputs,
            answers,
            tools: catalogue,
            examples: settings.examples.clone(),
            usages: usages(model),
            errors: NamedErrors::of(model, &uses),
            rollbacks: settings.rollbacks,
            watches,
            uses,
        }
    }

    /// The answers at the node that a lane waits in.
    pub(super) fn values(&self, state: &State, lane: &Lane, cache: &mut AnswerCache) -> Arc<[Value]> {
        let (graph, node) = (lane.frame.graph, lane.frame.node);
        let known = &self.answers[graph as usize][node as usize];
        let limits = lane.phase.limits();
        if known.depends_on.is_empty() && limits.is_none() {
            return Arc::clone(&known.values);
        }
        let present: Vec<Vec<Value>> =
            known.depends_on.iter().map(|regions| self.present(&state.snapshot, regions)).collect();
        let key = (graph, node, present, limits.cloned());
        if let Some(made) = cache.made.get(&key) {
            return Arc::clone(made);
        }
        let maker = AnswerMaker { model: self.model, uses: &self.uses, tools: &self.tools };
        let present = |regions: &[RegionId]| {
            let at = known.depends_on.iter().position(|own| own == regions);
            at.map_or_else(Vec::new, |at| key.2[at].clone())
        };
        let made = maker.of_node(graph as usize, node as usize, limits, &present).values;
        if cache.count > MAX_MADE {
            *cache = AnswerCache::default();
        }
        cache.count += made.len();
        cache.made.insert(key, Arc::clone(&made));
        made
    }

    /// The plainest answer at the node that a lane is in, whatever the run holds. The others are not made.
    pub(super) fn plainest(&self, lane: &Lane) -> Option<&Value> {
        self.answers[lane.frame.graph as usize][lane.frame.node as usize].values.first()
    }

    /// The values of places that are still read, in order.
    fn present(&self, snapshot: &Snapshot, regions: &[RegionId]) -> Vec<Value> {
        let mut found = Vec::new();
        for lane in snapshot.lanes.iter().flatten() {
            let live = self.form.live(lane);
            let own = &self.uses.slots[lane.frame.graph as usize];
            for (slot, parts) in live.iter() {
                let (region, value) = (own[slot.0 as usize], &lane.frame.slots[slot.0 as usize]);
                match parts.of(value) {
                    SeenParts::Whole(value) => self.gather(region, value, regions, &mut found),
                    SeenParts::Size(_) => {}
                    SeenParts::Fields(fields) => {
                        for (name, value) in fields {
                            self.gather_field(
                                region,
                                name,
                                value.unwrap_or(&Value::Null),
                                regions,
                                &mut found,
                            );
                        }
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn gather_field(
        &self,
        region: RegionId,
        name: &str,
        value: &Value,
        wanted: &[RegionId],
        found: &mut Vec<Value>,
    ) {
        let regions = &self.uses.regions;
        if let Some(part) = regions.known_field(region, name).or_else(|| regions.known_item(region)) {
            self.gather(part, value, wanted, found);
        }
    }

    fn gather(&self, region: RegionId, value: &Value, wanted: &[RegionId], found: &mut Vec<Value>) {
        let regions = &self.uses.regions;
        match value {
            Value::Map(map) => {
                for (name, own) in map {
                    self.gather_field(region, name, own, wanted, found);
                }
            }
            Value::List(list) => {
                if let Some(part) = regions.known_item(region) {
                    list.iter().for_each(|own| self.gather(part, own, wanted, found));
                }
            }
            Value::Null => {}
            scalar if wanted.contains(&regions.find(region)) => found.push(scalar.clone()),
            _ => {}
        }
    }

    /// Takes an input, without the texts that only go out. `path` gives the inputs that led to the state, for a person who
    /// goes back.
    #[must_use]
    pub fn take(&self, state: &State, input: Input, path: &dyn Fn() -> Vec<Input>) -> TakenInput {
        let taken = Self::take_by(self.quick(), state, input, path);
        debug_assert!(self.only_time.is_none_or(|time| time == taken.state.snapshot.at), "nothing waits");
        taken
    }

    /// The program by which inputs are taken.
    pub(super) fn quick(&self) -> &Program {
        self.silent.as_ref().unwrap_or(self.program)
    }

    /// Takes an input as a run of the graph does.
    pub(super) fn take_whole(
        &self,
        state: &State,
        input: Input,
        path: &dyn Fn() -> Vec<Input>,
    ) -> TakenInput {
        Self::take_by(self.program, state, input, path)
    }

    fn take_by(program: &Program, state: &State, input: Input, path: &dyn Fn() -> Vec<Input>) -> TakenInput {
        let (mut state, mut events) = (state.clone(), Vec::new());
        if let Some(step) = state.advance(program, input, &mut events) {
            let broken = state.judge.take_violations();
            state = rolled_back(program, &state, &path(), step);
            state.judge.add_violations(broken);
            let time = Input { at: state.snapshot.at, kind: InputKind::Time };
            state.advance(program, time, &mut events);
        }
        let violations = state.judge.take_violations();
        TakenInput { state, events, violations }
    }

    /// The digest of all of a state that still matters.
    #[must_use]
    pub fn digest(&self, state: &State, room: &mut DigestRoom) -> StateDigest {
        room.digest(|to| self.form.write(self.program, &state.snapshot, &state.judge, to))
    }

    /// The parts of the world that are sampled at some nodes, and the inputs that are.
    #[must_use]
    pub fn sampled(&self, is_reached: &dyn Fn(u32, u32) -> bool) -> Vec<SampledPart> {
        let mut all = self.sampled_inputs.clone();
        for (graph, nodes) in (0..).zip(&self.answers) {
            for (node, answers) in (0..).zip(nodes) {
                if is_reached(graph, node) {
                    let place = Some((graph, node));
                    let kind = &self.model.graphs[graph as usize].graph[NodeId::new(node as usize)];
                    let examples = self.examples.are_given(kind).then_some(SampledField {
                        path: String::new(),
                        used: SampledUse { why: "given as examples", span: kind.name.span },
                    });
                    let is_given = examples.is_some();
                    let own = answers.sampled.iter().filter(|_| !is_given).cloned().chain(examples);
                    all.extend(own.map(|field| SampledPart { place, field }));
                }
            }
        }
        let unexplored = self.uses.unexplored.iter();
        all.extend(unexplored.map(|used| SampledPart {
            place: None,
            field: SampledField { path: String::new(), used: *used },
        }));
        all
    }
}

/// The state of a run at an earlier step of its path.
fn rolled_back(program: &Program, now: &State, path: &[Input], step: u64) -> State {
    let mut state = State::default();
    for input in path {
        let before = state.clone();
        state.advance(program, input.clone(), &mut Vec::new());
        if state.snapshot.step() >= step {
            let State { snapshot: mut then, mut judge } = before;
            step_to(program, &mut then, input.clone(), &mut Vec::new(), Some(&mut judge), step);
            judge.take_violations();
            let at = now.snapshot.at;
            return State { snapshot: roll_back(program, then, &now.snapshot, at), judge };
        }
    }
    now.clone()
}

/// The beginnings of runs: all combinations of the values of open inputs.
fn starts(maker: &AnswerMaker<'_>, settings: &WorldSettings) -> (Vec<Start>, Vec<SampledPart>) {
    let mut fields: Vec<(Str, Vec<Option<Value>>)> = Vec::new();
    let mut sampled = Vec::new();
    for (slot, own) in maker.model.root().slots.iter().enumerate() {
        let name = &own.name.value;
        let is_free = own.init.is_some() || own.ty.nullable;
        let is_open = own.kind == SlotKind::Input && (!is_free || settings.open.contains(name));
        if !is_open || settings.input.contains_key(name) {
            continue;
        }
        let (values, parts) = maker.of_input(slot);
        sampled.extend(parts.into_iter().map(|field| {
            let field = SampledField { path: format!("{name}{}", field.path), ..field };
            SampledPart { place: None, field }
        }));
        fields.push((name.clone(), values.into_iter().map(Some).collect()));
    }
    let combined = product(&fields, MAX_COMBINED).chosen.into_iter().map(|chosen| {
        let mut input = settings.input.clone();
        for (name, value) in chosen {
            input.insert(name, value.unwrap_or_default());
        }
        Start { run: "explored".into(), input, tools: maker.tools.clone(), ..Start::default() }
    });
    (combined.collect(), sampled)
}
