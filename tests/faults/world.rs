//! A loop, a model behind a wire that fails, and a tool that notes what it is called with.

use std::sync::{Arc, Mutex};

use futures::FutureExt;
use loopwright::config::Config;
use loopwright::drive::{Finished, SystemClock};
use loopwright::llm::{ConnectionError, HttpReply, HttpRequest, Live, ReplyBody, Secret, Transport};
use loopwright::machine::{Start, Time};
use loopwright::port::{BoxFuture, Clock};
use loopwright::source::Sources;
use loopwright::tool::Tools;
use loopwright::value::{Map, Value};

use super::plan::{End, Plan, draw};
use crate::dice::Dice;
use crate::played::compiled;
use crate::rebuilt;

/// Every call is paid for; every failure leads back.
const GRAPH: &str = "
graph: faults
types:
  Step: {tool: string?, token: string(40), level: int(0..9)}
state: {step: Step?}
budgets:
  rounds: 12
  spent: {limit: 100000, charge: model.tokens}
start: think
nodes:
  think:
    kind: model
    role: thinker
    prompt: '''What now? '''
    output: Step
    into: step
    do: spend rounds
    next:
      - {to: act, when: step.tool != null}
      - {to: answered}
      - {to: think, on: error}
      - {to: spent_all, on: [exhausted(rounds), exhausted(spent)]}
  act:
    kind: tool
    tool: note
    args: {token: step.token}
    next: [{to: think}, {to: think, on: error}]
  answered: {kind: final}
  spent_all: {kind: final}
output: {token: step.token}
";

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    Answer,
    Budget,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) fate: Fate,
    pub(crate) kinds: Vec<&'static str>,
    /// Tokens of answers that may be taken.
    pub(crate) good: Vec<String>,
    /// Tokens the tool was called with.
    pub(crate) called: Vec<String>,
    /// Calls of the model, as the tries of each follow from what happened with them.
    pub(crate) calls: i64,
    pub(crate) rounds: i64,
    pub(crate) spent: i64,
    /// What whole answers say they cost, as far as they can be believed.
    pub(crate) spent_at_least: i64,
    pub(crate) took: Time,
}

/// The provider, and what it has done.
pub(crate) struct World {
    pub(crate) seen: Arc<Mutex<Seen>>,
}

pub(crate) struct Seen {
    dice: Dice,
    plans: Vec<Plan>,
    called: Vec<String>,
}

impl Seen {
    /// What happens with the next request.
    pub(crate) fn next(&mut self) -> Plan {
        let number = self.plans.len();
        let plan = draw(&mut self.dice, number);
        self.plans.push(plan.clone());
        plan
    }
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let dice = Dice::new(seed);
        Self { seen: Arc::new(Mutex::new(Seen { dice, plans: Vec::new(), called: Vec::new() })) }
    }

    /// A run over a wire that only exists in memory.
    pub(crate) async fn run(&self) -> Told {
        self.run_over(Arc::new(Wire(self.seen.clone())), "http://provider.test/v1", "60s").await
    }

    pub(crate) async fn run_over(&self, wire: Arc<dyn Transport>, base_url: &str, silence: &str) -> Told {
        let clock = Arc::new(SystemClock::new());
        let begin = clock.now();
        let live = Live::new(wire, clock.clone());
        let live = bound(live, base_url, silence);
        let notes = self.seen.clone();
        let schema = serde_json::json!({"type": "object"});
        let tools = Tools::new().closure("note", &schema, move |args: Map| {
            let token = args.get("token").and_then(Value::as_str).unwrap_or_default().to_owned();
            notes.lock().expect("nobody panicked").called.push(token);
            std::future::ready(Ok(Value::Null))
        });
        let driver = rebuilt::driver(compiled(&[("faults.yaml", GRAPH)])).clock(clock.clone());
        let driver = driver.model(Arc::new(live)).tools(Arc::new(tools));
        let mut run = driver.start(Start::default()).await.expect("the run begins");
        let done = match run.drive().await.expect("the run goes on") {
            Finished::Done(done) => done,
            other => panic!("the run did not end: {other:?}"),
        };
        let fate = match (done.ok, done.outcome.as_str()) {
            (true, "answered") => Fate::Answer,
            (true, "spent_all") => Fate::Budget,
            _ => panic!("{done:?}"),
        };
        let root = &run.snapshot().root().expect("the root is there").frame;
        let [rounds, spent] = [0, 1].map(|place| root.counters[place].used);
        let seen = self.seen.lock().expect("nobody panicked");
        let good = seen.plans.iter().enumerate().filter(|(_, plan)| plan.good);
        let good: Vec<String> = good.map(|(number, _)| format!("ok-{number}")).collect();
        let spent_at_least =
            50 * i64::try_from(seen.plans.iter().filter(|plan| plan.name == "good").count()).expect("few");
        Told {
            fate,
            kinds: seen.plans.iter().map(|plan| plan.name).collect(),
            good,
            called: seen.called.clone(),
            calls: calls(&seen.plans),
            rounds,
            spent,
            spent_at_least,
            took: clock.now() - begin,
        }
    }
}

/// A call is tried at most three times, and again only where nothing of an answer was seen.
fn calls(plans: &[Plan]) -> i64 {
    let (mut calls, mut tries) = (0, 0);
    for plan in plans {
        tries += 1;
        if !plan.again || tries == 3 {
            calls += 1;
            tries = 0;
        }
    }
    assert_eq!(tries, 0, "the last call was not tried to its end");
    calls
}

/// A client with the model of a configuration file.
fn bound(live: Live, base_url: &str, silence: &str) -> Live {
    let text = format!(
        "[models.thinker]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"{base_url}\"\nsilence = \"{silence}\"\n"
    );
    let mut sources = Sources::new();
    let file = sources.add("loopwright.toml", text.as_str());
    let config = Config::read(&text, file).expect("the configuration is good");
    let model = config.models.into_iter().next().expect("a model");
    live.bind(model, Some(Secret::new("a-key-of-the-tests")))
}

/// A wire in memory.
struct Wire(Arc<Mutex<Seen>>);

impl Transport for Wire {
    fn post(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpReply, ConnectionError>> {
        let key = request.headers.iter().find(|(name, _)| *name == "authorization");
        assert_eq!(key.expect("a key").1.reveal(), "Bearer a-key-of-the-tests");
        let plan = self.0.lock().expect("nobody panicked").next();
        async move {
            let (status, headers) = plan.head.ok_or_else(|| ConnectionError("nobody is there".to_owned()))?;
            let body = Box::new(Pieces { pieces: plan.pieces.into_iter(), end: plan.end });
            Ok(HttpReply { status, headers, body })
        }
        .boxed()
    }
}

struct Pieces {
    pieces: std::vec::IntoIter<(std::time::Duration, Vec<u8>)>,
    end: End,
}

impl ReplyBody for Pieces {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ConnectionError>> {
        async move {
            match self.pieces.next() {
                Some((pause, piece)) => {
                    tokio::time::sleep(pause).await;
                    Ok(Some(piece))
                }
                None => match self.end {
                    End::Whole => Ok(None),
                    End::Broken => Err(ConnectionError("the connection was reset".to_owned())),
                    End::Silent => std::future::pending().await,
                },
            }
        }
        .boxed()
    }
}
