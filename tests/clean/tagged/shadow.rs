//! A run beside the real one, over tags: it takes the events of the machine, and follows what each unit did.

use loopwright::check::{FlowSource, FlowTarget};
use loopwright::machine::{Call, Event, EventKind, Outcome, Request};
use loopwright::model::{Graph, Model};
use loopwright::program::Program;
use loopwright::program::graph::{Charge, GraphCode, LinkedNodeKind, NameCode, PlaceCode, Trigger};
use loopwright::program::kind::{GraphSource, Offer, OnError};
use loopwright::program::op::OpId;
use loopwright::value::{Map, Str, Value, json};
use petgraph::graph::NodeIndex;

use super::expression::{TaggedFrame, Tagging};
use super::listed::{ListedFlows, SourceBits};
use super::marks::marks_in;
use super::tags::{Sources, TagStep, Tags, deciding, of_decision};
use super::words::GraphWords;

/// A text that is marked is no member of an enum, no int and no constant.
const IN_TEXT: &str = "in its text";

/// A guard that was looked at: the node, the edge that was taken, and what the guards up to it read.
#[derive(Debug, Clone, Copy)]
struct TakenChoice {
    node: u32,
    edge: u32,
    tags: Sources,
}

/// One running graph.
#[derive(Debug, Clone, Default)]
struct TaggedLane {
    graph: u32,
    parent: Option<(u32, u32)>,
    frame: TaggedFrame,
    node: u32,
    /// The tags that the call of the node was given, and those that its answer carries: the source itself as well.
    given: Sources,
    carried: Sources,
    args: Tags,
    /// The tags that an error of the node may say.
    failure: Sources,
    failed: bool,
    /// The results of its lanes, by their numbers.
    ends: Vec<(u32, Tags)>,
    outcome: Sources,
    outputs: Tags,
    choices: Vec<TakenChoice>,
    /// The tags that decided to run it.
    control: Sources,
    /// What decided that a run is where it is.
    arrival: Sources,
    /// The tags that decide, beside choices, about the call of its node.
    decided: Sources,
}

/// The tags of a whole run.
pub(super) struct Shadow<'a> {
    program: &'a Program,
    model: &'a Model,
    pub(super) bits: SourceBits,
    listed: &'a mut ListedFlows,
    words: GraphWords,
    lanes: Vec<TaggedLane>,
    /// A flow that is not listed.
    pub(super) unlisted: Option<String>,
}

impl<'a> Shadow<'a> {
    pub(super) fn new(program: &'a Program, model: &'a Model, listed: &'a mut ListedFlows) -> Self {
        let words = GraphWords::of(program, model);
        Self { program, model, bits: SourceBits::default(), listed, words, lanes: Vec::new(), unlisted: None }
    }

    fn graph(&self, lane: u32) -> &'a GraphCode {
        &self.program.graphs[self.lanes[lane as usize].graph as usize]
    }

    fn tagging<T>(&mut self, lane: u32, branches: &[u32], follow: impl FnOnce(&mut Tagging<'_>) -> T) -> T {
        let operator = self.bits.of(FlowSource::Operator);
        let graph = self.graph(lane);
        let control = self.lanes[lane as usize].arrival;
        let mut tagging = Tagging {
            program: self.program,
            graph,
            frame: &mut self.lanes[lane as usize].frame,
            locals: Vec::new(),
            operator,
            branches: Some(Vec::from(branches).into_iter()),
            control,
            times: 0,
        };
        follow(&mut tagging)
    }

    /// Holds the tags at a target against the list.
    fn check(&mut self, lane: u32, node: Option<&Str>, target: &FlowTarget, set: Sources, how: &str) {
        let decision = matches!(target, FlowTarget::Call(_) | FlowTarget::Outcome);
        let sources = self.bits.members(if decision { of_decision(set) } else { set });
        let graph = self.graph(lane).id.clone();
        let in_text = how == IN_TEXT;
        if let Some(source) = self.listed.unlisted((&graph, node), target, (&sources, in_text)) {
            let node = node.map_or("", Str::as_str);
            let _ = self.unlisted.get_or_insert(format!("{source} came to {target} of {graph}/{node} {how}"));
        }
    }

    /// Takes an event of the run.
    pub(super) fn take(&mut self, event: &Event) {
        let lane = event.frame;
        let branches: Vec<u32> = event.kind.changes().map(|c| c.branches().collect()).unwrap_or_default();
        match &event.kind {
            EventKind::Started { start, .. } => {
                let mut given = Vec::new();
                for slot in &self.program.graphs[0].slots[..self.program.graphs[0].inputs as usize] {
                    let is_given = start.input.get(&slot.name).is_some();
                    let source = FlowSource::Input(slot.name.clone());
                    given.push(is_given.then(|| Tags::of(self.bits.of(source))));
                }
                self.open(0, TaggedLane::default(), &given);
            }
            EventKind::Opened { parent, graph, lane: number, .. } => {
                let given = self.planned(*parent, *graph, *number);
                let caller = &self.lanes[*parent as usize];
                let control = caller.control | caller.decided | self.deciding(*parent);
                let child = TaggedLane {
                    graph: *graph,
                    parent: Some((*parent, *number)),
                    control,
                    ..TaggedLane::default()
                };
                self.open(lane, child, &given);
            }
            EventKind::Crossed { node, .. } => {
                let code = &self.graph(lane).nodes[*node as usize];
                self.fresh(lane, *node);
                self.tagging(lane, &branches, |own| own.run(code.entry));
            }
            EventKind::Entered { node, .. } => self.entered(lane, *node, &branches),
            EventKind::Called(call) => self.called(lane, call),
            EventKind::Resolved { outcome, .. } => self.resolved(lane, outcome),
            EventKind::Asked(ask) => {
                let found = marks_in(&ask.text);
                let node = self.node_name(lane);
                if matches!(self.kind(lane), LinkedNodeKind::Human(_)) && ask.node == node {
                    self.check(lane, Some(&node), &FlowTarget::Ask(node.clone()), found, IN_TEXT);
                }
            }
            EventKind::Answered { .. } => {
                if matches!(self.kind(lane), LinkedNodeKind::Human(_)) {
                    self.lanes[lane as usize].frame.result = Tags::of(self.bits.of(FlowSource::Person));
                }
            }
            EventKind::Completed { .. } => self.completed(lane, &branches),
            EventKind::Failed { error, .. } => {
                let own = &mut self.lanes[lane as usize];
                own.failed = true;
                own.frame.error = Tags::of(own.failure | marks_in(&json::canonical(error)));
            }
            EventKind::Took { edge, .. } => self.took(lane, *edge, &branches),
            EventKind::Closed { ok, output, .. } => self.closed(lane, *ok, output),
            EventKind::Done(done) => {
                for (name, value) in done.output.as_map().into_iter().flat_map(Map::iter) {
                    let found = marks_in(&json::canonical(value));
                    self.check(0, None, &FlowTarget::Output(name.clone()), found, IN_TEXT);
                }
                if done.error.is_null() {
                    self.check(0, None, &FlowTarget::Outcome, marks_in(&done.outcome), IN_TEXT);
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, at: u32, lane: TaggedLane, given: &[Option<Tags>]) {
        let code = &self.program.graphs[lane.graph as usize];
        while self.lanes.len() <= at as usize {
            self.lanes.push(TaggedLane::default());
        }
        self.lanes[at as usize] = lane;
        let frame = &mut self.lanes[at as usize].frame;
        frame.slots = vec![Tags::default(); code.slots.len()];
        frame.budgets = vec![0; code.budgets.len()];
        for (number, slot) in code.slots.iter().enumerate() {
            let tags = match (given.get(number), slot.init) {
                (Some(Some(tags)), _) => tags.clone(),
                (_, Some(init)) if slot.scope.is_none() => self.tagging(at, &[], |own| own.tags(init)),
                _ => Tags::default(),
            };
            self.lanes[at as usize].frame.slots[number] = tags;
        }
        // A limit may read those of others.
        for _ in 0..2 {
            for (number, budget) in code.budgets.iter().enumerate() {
                let family = budget.family.map(|(family, _)| &code.families[family as usize]);
                let tags = self.tagging(at, &[], |own| {
                    let keys = family.map_or(0, |family| own.all(family.each));
                    if let Some(family) = family {
                        own.set_local(family.binding, Tags::of(keys));
                    }
                    keys | own.all(budget.limit) | budget.grace.map_or(0, |grace| own.all(grace))
                });
                self.lanes[at as usize].frame.budgets[number] |= tags;
            }
        }
    }

    fn fresh(&mut self, lane: u32, composite: u32) {
        let graph = self.graph(lane);
        let LinkedNodeKind::Composite(code) = &graph.nodes[composite as usize].kind else { return };
        for slot in &code.slots {
            let init = graph.slots[*slot as usize].init;
            let tags = init.map_or_else(Tags::default, |init| self.tagging(lane, &[], |own| own.tags(init)));
            self.lanes[lane as usize].frame.slots[*slot as usize] = tags;
        }
    }

    fn kind(&self, lane: u32) -> &'a LinkedNodeKind {
        &self.graph(lane).nodes[self.lanes[lane as usize].node as usize].kind
    }

    fn node_name(&self, lane: u32) -> Str {
        self.graph(lane).nodes[self.lanes[lane as usize].node as usize].name.clone()
    }

    fn entered(&mut self, lane: u32, node: u32, branches: &[u32]) {
        let graph = self.graph(lane);
        let code = &graph.nodes[node as usize];
        let own = &mut self.lanes[lane as usize];
        (own.node, own.given, own.carried, own.failure, own.decided) = (node, 0, 0, 0, 0);
        own.failed = false;
        let arrival = deciding(self.deciding(lane));
        let own = &mut self.lanes[lane as usize];
        own.arrival = arrival;
        (own.args, own.ends) = (Tags::default(), Vec::new());
        own.frame.result = Tags::default();
        self.tagging(lane, branches, |own| own.run(code.entry));
        let operator = self.bits.of(FlowSource::Operator);
        match &code.kind {
            LinkedNodeKind::Model(model) => {
                let given = self.tagging(lane, &[], |own| {
                    let mut all = named(own, &model.role) | own.words(model.system) | own.words(model.prompt);
                    for op in model.messages.iter().chain(&model.limits) {
                        all |= own.all(*op);
                    }
                    match &model.offer {
                        Offer::Fixed(names) if names.is_empty() => all,
                        Offer::Fixed(_) => all | operator,
                        Offer::Computed(names) => all | operator | own.all(*names),
                    }
                });
                self.lanes[lane as usize].given = given;
            }
            LinkedNodeKind::Tool(tool) => {
                let (args, decided) = self.tagging(lane, &[], |own| {
                    (tool.args.map(|args| own.tags(args)).unwrap_or_default(), named(own, &tool.tool))
                });
                let own = &mut self.lanes[lane as usize];
                (own.given, own.args, own.decided) = (args.all(), args, decided);
            }
            LinkedNodeKind::Human(human) => {
                let asked = self.tagging(lane, &[], |own| own.words(human.ask));
                self.check(lane, Some(&code.name), &FlowTarget::Ask(code.name.clone()), asked, "by its tags");
            }
            LinkedNodeKind::Each(each) => {
                let decided = self.tagging(lane, &[], |own| own.all(each.over));
                self.lanes[lane as usize].decided = decided;
            }
            LinkedNodeKind::Final(last) => {
                let outcome = last.outcome.map_or(0, |op| self.tagging(lane, &[], |own| own.all(op)));
                if code.parent.is_some() {
                    self.lanes[lane as usize].frame.outcome = Tags::of(outcome);
                    return;
                }
                let mut outputs = Tags::default();
                for (name, op) in &graph.output {
                    let tags = self.tagging(lane, &[], |own| own.tags(*op));
                    if lane == 0 {
                        self.check(0, None, &FlowTarget::Output(name.clone()), tags.all(), "by its tags");
                    }
                    outputs.merge(&tags.inside(TagStep::Key(name.clone())));
                }
                if lane == 0 {
                    let decided = outcome | self.deciding(lane);
                    self.check(0, None, &FlowTarget::Outcome, decided, "by its tags");
                }
                let own = &mut self.lanes[lane as usize];
                (own.outcome, own.outputs) = (outcome | own.arrival, outputs);
            }
            _ => {}
        }
    }

    /// The inputs of a lane. Where several names mean one graph, any of them may have been given.
    fn planned(&mut self, lane: u32, child: u32, number: u32) -> Vec<Option<Tags>> {
        let kind = self.kind(lane);
        let Some(source) = kind.source(number) else { return Vec::new() };
        let item = match kind {
            LinkedNodeKind::Each(each) => {
                let item = self.tagging(lane, &[], |own| own.tags(each.over)).child(&TagStep::Item);
                Some((each.item, item))
            }
            _ => None,
        };
        if let GraphSource::Computed { name, .. } = source {
            let decided = self.tagging(lane, &[], |own| {
                if let Some((local, tags)) = &item {
                    own.set_local(*local, tags.clone());
                }
                own.all(*name)
            });
            self.lanes[lane as usize].decided |= decided;
        }
        let mut given: Vec<Option<Tags>> = Vec::new();
        for callable in source.callables().filter(|callable| callable.graph == child) {
            given.resize(callable.with.len(), None);
            for (at, op) in callable.with.iter().enumerate() {
                let Some(op) = op else { continue };
                let tags = self.tagging(lane, &[], |own| {
                    if let Some((local, tags)) = &item {
                        own.set_local(*local, tags.clone());
                    }
                    own.tags(*op)
                });
                given[at].get_or_insert_default().merge(&tags);
            }
        }
        given
    }

    fn called(&mut self, lane: u32, call: &Call) {
        let node = call.node.clone();
        match &call.request {
            Request::Tool { tool, args, .. } => {
                let tags = self.lanes[lane as usize].args.clone();
                for (name, value) in args {
                    let target =
                        FlowTarget::Argument { tool: Some(tool.clone()), argument: Some(name.clone()) };
                    let own = tags.child(&TagStep::Key(name.clone())).all();
                    self.check(lane, Some(&node), &target, own, "by its tags");
                    let sources = self.bits.members(own);
                    let graph = self.graph(lane).id.clone();
                    if !sources.is_empty()
                        && self.listed.all_cut((&graph, &node), &target, &sources)
                        && !self.words.are_all_of(value)
                    {
                        let value = json::canonical(value);
                        let _ =
                            self.unlisted.get_or_insert(format!("{value} came to {target}, all of it cut"));
                    }
                    let found = marks_in(&json::canonical(value)) | marks_in(name);
                    self.check(lane, Some(&node), &target, found, IN_TEXT);
                }
                let own = &self.lanes[lane as usize];
                let decided = own.control | own.decided | self.deciding(lane);
                self.check(
                    lane,
                    Some(&node),
                    &FlowTarget::Call(Some(tool.clone())),
                    decided,
                    "by what decided",
                );
            }
            Request::Model { role, system, prompt, messages, .. } => {
                let target = FlowTarget::Model(Some(role.clone()));
                let given = self.lanes[lane as usize].given;
                self.check(lane, Some(&node), &target, given, "by its tags");
                let texts = system.iter().chain([prompt]).map(|text| marks_in(text));
                let found = texts.fold(0, |all, own| all | own);
                let messages =
                    messages.iter().map(|list| marks_in(&json::canonical(&Value::List(list.clone()))));
                let found = messages.fold(found, |all, own| all | own);
                self.check(lane, Some(&node), &target, found, IN_TEXT);
            }
            _ => {}
        }
        let source = match &call.request {
            Request::Tool { tool, .. } => FlowSource::Tool(Some(tool.clone())),
            Request::Model { role, .. } => FlowSource::Model(Some(role.clone())),
            _ => return,
        };
        let source = self.bits.of(source);
        let own = &mut self.lanes[lane as usize];
        own.carried = own.given | source;
    }

    fn resolved(&mut self, lane: u32, outcome: &Outcome) {
        let own = &mut self.lanes[lane as usize];
        own.failure = own.carried;
        if let Outcome::Answer { .. } = outcome {
            own.frame.result = Tags::of(own.carried);
        }
        let carried = own.carried;
        if !matches!(self.kind(lane), LinkedNodeKind::Model(_)) {
            return;
        }
        let mut at = Some(lane);
        while let Some(lane) = at {
            let graph = self.graph(lane);
            let own = &mut self.lanes[lane as usize];
            for (budget, tags) in graph.budgets.iter().zip(&mut own.frame.budgets) {
                if matches!(budget.charge, Some(Charge::ModelTokens | Charge::ModelCost)) {
                    *tags |= carried;
                }
            }
            at = own.parent.map(|(parent, _)| parent);
        }
    }

    fn completed(&mut self, lane: u32, branches: &[u32]) {
        let code = &self.graph(lane).nodes[self.lanes[lane as usize].node as usize];
        let ends = self.lanes[lane as usize].ends.clone();
        let pooled = ends.iter().fold(Tags::default(), |all, (_, end)| all.merged(end));
        match &code.kind {
            LinkedNodeKind::Call(call) => {
                self.lanes[lane as usize].frame.result = pooled.clone();
                if let Some((place, output)) = &call.merge {
                    let merged = pooled.child(&TagStep::Key(output.clone()));
                    self.tagging(lane, &[], |own| {
                        let (path, keys) = own.place(&place.steps);
                        let mut whole = merged.merged(&Tags::of(own.control));
                        for step in path.into_iter().rev() {
                            whole = whole.inside(step);
                        }
                        let slot = &mut own.frame.slots[place.slot as usize];
                        slot.merge(&whole);
                        slot.own |= keys;
                    });
                }
            }
            LinkedNodeKind::Each(each) => {
                let over = self.tagging(lane, &[], |own| own.tags(each.over)).own;
                let result = pooled.inside(TagStep::Item).merged(&Tags::of(over));
                self.lanes[lane as usize].frame.result = result;
            }
            LinkedNodeKind::Parallel(parallel) => {
                for (number, branch) in (0..).zip(&parallel.branches) {
                    let end = ends.iter().find(|(own, _)| *own == number);
                    if let (Some(place), Some((_, end))) = (&branch.into, end) {
                        self.store(lane, place, end.clone());
                    }
                }
            }
            _ => {}
        }
        if let Some(place) = code.kind.into_place() {
            let result = self.lanes[lane as usize].frame.result.clone();
            self.store(lane, place, result);
        }
        self.tagging(lane, branches, |own| own.run(code.then));
    }

    fn store(&mut self, lane: u32, place: &PlaceCode, value: Tags) {
        self.tagging(lane, &[], |own| own.write(place.slot, &place.steps, value));
    }

    fn took(&mut self, lane: u32, edge: u32, branches: &[u32]) {
        let graph = self.graph(lane);
        let code = &graph.edges[edge as usize];
        let node = &graph.nodes[code.from as usize];
        let mut tags = 0;
        for other in node.edges.iter().take_while(|other| **other != edge).chain([&edge]) {
            let other = &graph.edges[*other as usize];
            if let Some(guard) = other.when.filter(|_| other.on_done == code.on_done) {
                tags |= self.tagging(lane, &[], |own| own.all(guard));
            }
        }
        if !code.on_done {
            let exhausted = code.on.iter().filter_map(|trigger| match trigger {
                Trigger::Exhausted(counter) => Some(counter.budget as usize),
                _ => None,
            });
            let own = &self.lanes[lane as usize].frame;
            let refused = exhausted.fold(0, |all, budget| all | own.budgets[budget]);
            let errors = code.on.iter().any(|trigger| !matches!(trigger, Trigger::Exhausted(_)));
            tags |= refused | if errors { own.error.all() } else { 0 };
        }
        let own = &self.lanes[lane as usize];
        let before = if own.node == code.from { own.arrival } else { 0 };
        self.lanes[lane as usize].arrival = before | deciding(tags);
        self.lanes[lane as usize].choices.push(TakenChoice { node: code.from, edge, tags });
        self.tagging(lane, branches, |own| own.run(code.action));
        let own = &mut self.lanes[lane as usize];
        if !own.failed {
            own.frame.error = Tags::default();
        }
    }

    fn closed(&mut self, lane: u32, ok: bool, output: &Value) {
        let own = std::mem::take(&mut self.lanes[lane as usize]);
        let Some((parent, number)) = own.parent else { return };
        let is_error =
            !ok && output.as_map().is_some_and(|map| map.get("kind").is_some() && map.get("class").is_some());
        let failed = own.frame.error.all() | own.failure;
        let caller = &mut self.lanes[parent as usize];
        let graph = &self.program.graphs[caller.graph as usize];
        let kind = &graph.nodes[caller.node as usize].kind;
        let collects = match kind {
            LinkedNodeKind::Each(each) => each.on_error == OnError::Collect,
            LinkedNodeKind::Parallel(parallel) => parallel.on_error == OnError::Collect,
            _ => false,
        };
        let end = if is_error {
            caller.failure |= failed | marks_in(&json::canonical(output));
            Tags::of(caller.failure).inside(TagStep::Key("error".into()))
        } else {
            let outcome = Tags::of(own.outcome).inside(TagStep::Key("outcome".into()));
            let end = own.outputs.merged(&outcome);
            if collects { end.inside(TagStep::Key("ok".into())) } else { end }
        };
        caller.ends.push((number, end));
    }

    /// The tags of the choices that decided about the call of a lane's node: another edge could have led past it.
    fn deciding(&self, lane: u32) -> Sources {
        let own = &self.lanes[lane as usize];
        let graph = &self.model.graphs[own.graph as usize];
        let code = &self.program.graphs[own.graph as usize];
        let mut all = 0;
        for choice in own.choices.iter().filter(|choice| choice.tags != 0) {
            let taken = &code.edges[choice.edge as usize];
            let others = code.nodes[choice.node as usize].edges.iter().filter(|other| **other != choice.edge);
            let mut others = others.map(|other| &code.edges[*other as usize]);
            if others.any(|other| other.on_done == taken.on_done && avoids(graph, other.to, own.node)) {
                all |= choice.tags;
            }
        }
        all
    }
}

fn named(own: &mut Tagging<'_>, name: &NameCode) -> Sources {
    match name {
        NameCode::Fixed(_) => 0,
        NameCode::Computed(op) => own.all(*op as OpId),
    }
}

/// True if a run may come from a node to the end of the graph without another node.
fn avoids(graph: &Graph, from: u32, without: u32) -> bool {
    let point = |node: u32| graph.cfg.node(NodeIndex::new(node as usize));
    let mut seen = vec![false; graph.cfg.len()];
    let mut open = vec![point(from)];
    while let Some(at) = open.pop() {
        if at == graph.cfg.end() {
            return true;
        }
        if at != point(without) && !std::mem::replace(&mut seen[at.index()], true) {
            open.extend(graph.cfg.steps(at).map(|(_, next)| next));
        }
    }
    false
}
