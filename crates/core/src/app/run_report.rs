//! A run at a step, as programs read it.

use serde_json::{Map, Value as Json, json};

use crate::machine::{Call, Lane, Phase, Question, Request, Snapshot, timestamp};
use crate::port::RunInfo;
use crate::program::Program;
use crate::program::frame::{Counters, Frame};
use crate::program::graph::{BudgetCode, GraphCode};
use crate::scenario::{amount, state};
use crate::source::display::line;
use crate::value::{Str, Value};

/// A run at a step: where it is, its state and budgets, and what it waits for.
#[derive(Debug)]
pub struct RunReport<'a> {
    /// The run.
    pub info: &'a RunInfo,
    /// The driver that has it now, if any.
    pub driver: Option<Str>,
    /// The program that it goes by at that step.
    pub program: &'a Program,
    /// The state.
    pub snapshot: &'a Snapshot,
    /// The step, if it is not where the run is now.
    pub at: Option<u64>,
}

impl RunReport<'_> {
    /// The lanes, the root graph first.
    pub fn lanes(&self) -> impl Iterator<Item = LaneReport<'_>> {
        let lane = |lane| LaneReport { program: self.program, snapshot: self.snapshot, lane };
        self.snapshot.lanes.iter().flatten().map(move |own| lane(&**own))
    }

    /// The report as one JSON document.
    #[must_use]
    pub fn json(&self) -> Json {
        let snapshot = self.snapshot;
        let mut shown = json!({
            "run": self.info.run.as_str(),
            "graph": self.info.graph.as_str(),
            "program": self.program.digest.as_str(),
            "step": snapshot.step(),
            "at": timestamp(snapshot.at),
            "lanes": self.lanes().map(|lane| lane.json()).collect::<Vec<_>>(),
            "asks": snapshot.asks().map(question_json).collect::<Vec<_>>(),
        });
        if self.at.is_none() {
            shown["status"] = self.info.status.word(self.driver.is_some()).into();
            if let Some(driver) = &self.driver {
                shown["driver"] = driver.as_str().into();
            }
        }
        if let Some(done) = &snapshot.done {
            shown["outcome"] = done.outcome.as_str().into();
            shown["ok"] = done.ok.into();
            shown["output"] = done.output.to_json();
            shown["error"] = done.error.to_json();
        }
        shown
    }
}

/// A lane of a run at a step.
#[derive(Debug, Clone, Copy)]
pub struct LaneReport<'a> {
    program: &'a Program,
    snapshot: &'a Snapshot,
    /// The lane.
    pub lane: &'a Lane,
}

/// A counter of a budget, or of a family for one of its keys.
#[derive(Debug)]
pub struct BudgetReport<'a> {
    /// Its name, with the key of a family.
    pub name: Str,
    /// The budget.
    pub code: &'a BudgetCode,
    /// The counter.
    pub counters: Counters,
}

impl<'a> LaneReport<'a> {
    /// The graph that runs in it.
    #[must_use]
    pub fn graph(&self) -> &'a GraphCode {
        &self.program.graphs[self.lane.frame.graph as usize]
    }

    /// The number of the node that it is at, or is about to enter.
    const fn node(&self) -> u32 {
        match self.lane.phase {
            Phase::Enter { target, .. } => target,
            _ => self.lane.frame.node,
        }
    }

    /// The name of that node.
    #[must_use]
    pub fn node_name(&self) -> &'a Str {
        &self.graph().nodes[self.node() as usize].name
    }

    /// True if it has entered that node.
    #[must_use]
    pub const fn has_entered(&self) -> bool {
        !matches!(self.lane.phase, Phase::Enter { .. })
    }

    /// True if the run has ended.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.snapshot.done.is_some()
    }

    /// The node with the composites around it, outermost first.
    #[must_use]
    pub fn place(&self) -> String {
        let graph = self.graph();
        let node = &graph.nodes[self.node() as usize];
        let around = node.chain.iter().map(|c| graph.nodes[*c as usize].name.as_str());
        around.chain([node.name.as_str()]).collect::<Vec<_>>().join(" / ")
    }

    /// The state by field.
    #[must_use]
    pub fn state(&self) -> crate::value::Map {
        state(self.graph(), &self.lane.frame)
    }

    /// All counters, those of families by key.
    #[must_use]
    pub fn budgets(&self) -> Vec<BudgetReport<'a>> {
        budgets(self.graph(), &self.lane.frame)
    }

    /// In words: what it waits for.
    #[must_use]
    pub fn waits(&self) -> Option<String> {
        if self.snapshot.done.is_some() { None } else { waits(&self.lane.phase) }
    }

    /// The lane as JSON.
    #[must_use]
    pub fn json(&self) -> Json {
        let (graph, frame) = (self.graph(), &self.lane.frame);
        let inputs = graph.slots.iter().zip(&frame.slots).take(graph.inputs as usize);
        let inputs: Map<String, Json> =
            inputs.map(|(slot, value)| (slot.name.to_string(), value.to_json())).collect();
        json!({
            "lane": self.lane.path.as_str(),
            "graph": graph.id.as_str(),
            "node": self.node_name().as_str(),
            "entered": self.has_entered(),
            "input": inputs,
            "state": Value::Map(self.state()).to_json(),
            "budgets": self.budgets_json(),
            "waits": self.waits(),
        })
    }

    /// The counters as JSON, by name.
    #[must_use]
    pub fn budgets_json(&self) -> Map<String, Json> {
        let one = |budget: BudgetReport<'_>| (budget.name.to_string(), budget.json());
        self.budgets().into_iter().map(one).collect()
    }
}

impl BudgetReport<'_> {
    /// An amount of it in its unit.
    #[must_use]
    pub fn amount(&self, number: i64) -> Json {
        amount(self.code, number).to_json()
    }

    fn json(&self) -> Json {
        let Counters { used, limit, grace, .. } = self.counters;
        let [used, limit, grace, left] =
            [used, limit, grace, self.counters.left()].map(|number| self.amount(number));
        json!({"used": used, "limit": limit, "grace": grace, "left": left})
    }
}

fn budgets<'g>(graph: &'g GraphCode, frame: &Frame) -> Vec<BudgetReport<'g>> {
    let plain = graph.budgets.iter().zip(&frame.counters).filter(|(code, _)| code.family.is_none());
    let plain =
        plain.map(|(code, counters)| BudgetReport { name: code.name.clone(), code, counters: *counters });
    let mut all: Vec<_> = plain.collect();
    for (family, counters) in graph.families.iter().zip(&frame.families) {
        for (key, row) in counters.keys.iter().zip(&counters.rows) {
            for (meter, counters) in family.meters.iter().zip(row) {
                let code = &graph.budgets[*meter as usize];
                let meter = code.name.rsplit('.').next().unwrap_or_default();
                let name = Str::from(format!("{}['{key}'].{meter}", family.name));
                all.push(BudgetReport { name, code, counters: *counters });
            }
        }
    }
    all
}

/// Describes what a lane waits for.
fn waits(phase: &Phase) -> Option<String> {
    let until = |time: &i64| timestamp(*time);
    match phase {
        Phase::Calling(call) => {
            let (kind, name) = call.request.called();
            Some(format!("the {kind} {} (call {})", line(name), call.id.0))
        }
        Phase::Backoff { until: time, .. } => Some(format!("another attempt at {}", until(time))),
        Phase::Asking(ask)
        | Phase::Paused { ask, .. }
        | Phase::Lost { ask, .. }
        | Phase::Approving { ask, .. } => {
            let end = ask.deadline.as_ref().map(|time| format!(" (until {})", until(time)));
            Some(format!("a person{}: {}", end.unwrap_or_default(), line(&ask.text)))
        }
        Phase::Sleeping { until: time } => Some(format!("the time {}", until(time))),
        Phase::Joining(join) => Some(match join.running.len() {
            1 => "a called graph".to_owned(),
            many => format!("{many} called graphs"),
        }),
        Phase::Enter { .. } | Phase::Leave { .. } => None,
    }
}

/// A question as JSON.
#[must_use]
pub fn question_json(question: &Question) -> Json {
    // Each field is named, so that the compiler asks where a further one is printed.
    let Question { id, node, lane, reason, text, schema, misfit: _, deadline } = question;
    json!({
        "ask": id.0.as_str(),
        "node": node.as_str(),
        "lane": lane.as_str(),
        "reason": reason.name(),
        "text": text.as_str(),
        "schema": schema.to_json(),
        "deadline": deadline.map(timestamp),
    })
}

/// An open question of a run, with the call that it is about.
#[derive(Debug, Clone, Copy)]
pub struct OpenQuestion<'s> {
    /// The question.
    pub ask: &'s Question,
    /// The call that is to be approved, or of which nobody knows whether it took place.
    pub call: Option<&'s Call>,
}

impl<'s> OpenQuestion<'s> {
    /// The open questions of a state.
    pub fn of(snapshot: &'s Snapshot) -> impl Iterator<Item = Self> {
        snapshot.lanes.iter().flatten().filter_map(|lane| {
            let call = match &lane.phase {
                Phase::Approving { call, .. } | Phase::Lost { call, .. } => Some(&**call),
                _ => None,
            };
            Some(Self { ask: lane.phase.ask()?, call })
        })
    }

    /// A tag of all that a person sees of it. It stays while the question does, whatever other lanes do, and is another one where
    /// anything of the question is.
    #[must_use]
    pub fn tag(&self) -> Str {
        let mut sum = blake3::Hasher::new();
        sum.update(self.json().to_string().as_bytes());
        sum.finalize().to_hex()[..32].into()
    }

    /// The question as JSON, with the tool and the arguments of its call.
    #[must_use]
    pub fn json(&self) -> Json {
        let mut json = question_json(self.ask);
        if let Some(Call { id, request: Request::Tool { tool, args, delivery }, .. }) = self.call {
            json["call"] = json!({
                "id": id.0.as_str(),
                "tool": tool.as_str(),
                "args": Value::Map(args.clone()).to_json(),
                "delivery": serde_json::to_value(delivery).unwrap_or_default(),
            });
        }
        if let Some(hash) = self.ask.approval() {
            json["approve"] = hash.into();
        }
        json
    }
}
