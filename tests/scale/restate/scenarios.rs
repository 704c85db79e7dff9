//! Scenarios of the shipped graphs with the outcomes that they have when they are played: on one machine and on a Restate server they go
//! the same way and end alike.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{pending, ready};
use loopwright::app::{DriverOfRun, GraphHost, HostedGraph, OpenRun};
use loopwright::config::inputs_of_map;
use loopwright::drive::{Driver, Finished};
use loopwright::machine::{Call, Done, Event, EventKind, Outcome, Question, Start, Time};
use loopwright::port::{
    BoxFuture, Clock, Human, HumanReply, Mask, ModelClient, ProgramText, RunView, Store, ToolHost, ToolInfo,
};
use loopwright::program::Program;
use loopwright::program::graph::Delivery;
use loopwright::scenario::{PlayEnd, Scenario, Suite, play};
use loopwright::source::Sources;
use loopwright::store::{Memory, Sqlite};
use loopwright::value::{Map, Str, Value};
use loopwright::worker::restate::{RestateClient, RestateWorker};

use super::desk::Client;
use super::server::{Server, free_port};
use crate::shipped::{Disk, shipped};
use crate::until::until;

/// The most scenarios of a file, and how many there are of all files at least.
fn sizes() -> (usize, usize) {
    if crate::long::is_long() { (12, 150) } else { (5, 80) }
}

/// What comes in during a run that was played, by the ids of calls and questions without that of the run.
#[derive(Default)]
struct Answers {
    outcomes: HashMap<String, Outcome>,
    replies: HashMap<String, Value>,
    tools: Vec<ToolInfo>,
}

fn key(id: &str) -> String {
    id.split_once(':').map_or(id, |(_, rest)| rest).to_owned()
}

impl Answers {
    /// Those of a played run; none if time matters in it.
    fn of(events: &[Event]) -> Option<Self> {
        let mut answers = Self::default();
        let mut open = 0;
        for event in events {
            match &event.kind {
                EventKind::Started { start, .. } => answers.tools = start.tools.iter().map(tool).collect(),
                EventKind::Called(_) | EventKind::Asked(_) => open += 1,
                EventKind::Resolved { call, outcome } => {
                    open -= 1;
                    answers.outcomes.insert(key(&call.0), (**outcome).clone());
                }
                EventKind::Answered { ask, answer } => {
                    open -= 1;
                    answers.replies.insert(key(&ask.0), (**answer).clone());
                }
                EventKind::Waiting { .. }
                | EventKind::Retrying { .. }
                | EventKind::Abandoned { .. }
                | EventKind::Late { .. } => return None,
                _ => {}
            }
        }
        (open == 0).then_some(answers)
    }
}

/// A tool as a catalogue has it.
fn tool(entry: &Value) -> ToolInfo {
    let entry = entry.as_map().expect("a tool is a map");
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut info = ToolInfo::new(text("name"), entry.get("schema").cloned().unwrap_or_default());
    info = info.description(text("description"));
    if let Some(Value::List(tags)) = entry.get("tags") {
        info = tags.iter().filter_map(Value::as_str).fold(info, ToolInfo::tag);
    }
    let all = [Delivery::Pure, Delivery::Idempotent, Delivery::AtLeastOnce, Delivery::AtMostOnce];
    let delivery = all.into_iter().find(|delivery| delivery.name() == text("delivery"));
    let info = info.delivery(delivery.unwrap_or(Delivery::AtMostOnce));
    if entry.get("approval") == Some(&Value::Bool(true)) { info.approval() } else { info }
}

/// The world of the scenario that is on.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Arc<Answers>>>);

impl World {
    fn now(&self) -> Arc<Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, answers: Arc<Answers>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = answers;
    }

    fn outcome(&self, call: &Call) -> BoxFuture<'static, Outcome> {
        match self.now().outcomes.get(&key(&call.id.0)) {
            Some(outcome) => ready(outcome.clone()).boxed(),
            None => ready(Outcome::failed("internal", format!("nobody made {}", call.id.0))).boxed(),
        }
    }
}

impl ModelClient for World {
    fn ask(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        self.outcome(call)
    }
}

impl ToolHost for World {
    fn catalogue(&self) -> Vec<ToolInfo> {
        self.now().tools.clone()
    }

    fn call(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        self.outcome(call)
    }
}

impl Human for World {
    fn ask(&self, ask: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        match self.now().replies.get(&key(&ask.id.0)) {
            Some(answer) => ready(HumanReply::Answer(answer.clone())).boxed(),
            None => pending().boxed(),
        }
    }
}

/// A clock that stands still: texts have the same times everywhere.
struct Still;

impl Clock for Still {
    fn now(&self) -> Time {
        1_700_000_000_000_000_000
    }

    fn sleep_until(&self, until: Time) -> BoxFuture<'static, ()> {
        let left = u64::try_from(until - self.now()).unwrap_or_default();
        tokio::time::sleep(Duration::from_nanos(left)).boxed()
    }
}

/// A graph of a scenario file, in that world.
struct Host {
    suite: Suite,
    program: Arc<Program>,
    graph: HostedGraph,
    world: World,
}

impl Host {
    fn driver(&self) -> Driver {
        let world = Arc::new(self.world.clone());
        Driver::new(Arc::clone(&self.program))
            .clock(Arc::new(Still))
            .model(world.clone())
            .tools(world.clone())
            .human(world)
    }
}

impl GraphHost for Host {
    fn graph(&self) -> &HostedGraph {
        &self.graph
    }

    fn driver(&self) -> BoxFuture<'_, Result<DriverOfRun, String>> {
        ready(Ok(DriverOfRun { driver: Host::driver(self), end: ready(()).boxed() })).boxed()
    }

    fn driver_of<'a>(&'a self, _: &'a OpenRun) -> BoxFuture<'a, Result<DriverOfRun, String>> {
        GraphHost::driver(self)
    }

    fn resume(&self, _: &str, _: &[&str]) -> String {
        String::new()
    }
}

/// The events of a run by frame as JSON, without numbers and times.
fn by_frame(events: impl IntoIterator<Item = Event>) -> BTreeMap<u32, Vec<serde_json::Value>> {
    let mut frames: BTreeMap<u32, Vec<serde_json::Value>> = BTreeMap::new();
    for event in events {
        let mut json = serde_json::to_value(&event).expect("an event is JSON");
        timeless(&mut json);
        frames.entry(event.frame).or_default().push(json);
    }
    frames
}

fn timeless(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::Object(fields) => {
            for name in ["seq", "at", "until", "deadline"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(timeless);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(timeless),
        _ => {}
    }
}

type Went = (Done, BTreeMap<u32, Vec<serde_json::Value>>);

/// Runs a scenario on this machine.
fn here(client: &Client, host: &Host, run: &str, scenario: &Scenario) -> Went {
    client.wait(async {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let store: Arc<dyn Store> =
            Arc::new(Sqlite::open(folder.path().join("runs.db")).expect("a store can be made"));
        let start = Start {
            run: run.into(),
            // As commands and workers read inputs: fields that are left out are null.
            input: inputs_of_map(&host.program, &scenario.input.values).expect("they fit"),
            seed: scenario.seed,
            ..Start::default()
        };
        let mut run = Host::driver(host).store(Arc::clone(&store)).start(start).await.expect("it begins");
        let Finished::Done(done) = run.drive().await.expect("it goes on") else { panic!("it waits") };
        (done, by_frame(store.events(run.id()).await.expect("they can be read")))
    })
}

/// Runs it on the server.
fn there(client: &Client, host: &Host, run: &str, scenario: &Scenario) -> Went {
    client.wait(async {
        let (graph, program) = (host.program.graphs[0].id.to_string(), host.program.digest.to_string());
        let input = scenario.input.values.clone();
        let begun = client.client.begin((&graph, &program), &run.into(), input, scenario.seed).await;
        begun.expect("it begins");
        let end = Instant::now() + Duration::from_mins(3);
        loop {
            assert!(Instant::now() < end, "{run} does not end");
            if let Ok(reply) = client.client.entries(run, 0).await {
                let events: Vec<Event> = reply.entries.into_iter().flat_map(|entry| entry.events).collect();
                if let Some(EventKind::Done(done)) = events.last().map(|event| &event.kind) {
                    return ((**done).clone(), by_frame(events));
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
}

/// Serves graphs from a thread of its own.
fn serve(hosts: Vec<Arc<Host>>) -> SocketAddr {
    let address: SocketAddr = ([127, 0, 0, 1], free_port()).into();
    let worker =
        hosts.into_iter().fold(RestateWorker::new(Arc::new(Still)), |worker, host| worker.host(host));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime can be made").block_on(async {
            worker.listen(address).expect("it listens").serve(pending::<()>()).await;
        });
    });
    address
}

#[test]
fn scenarios_of_all_shipped_graphs_end_alike() {
    let Some(server) = Server::start("scenarios on a Restate server") else { return };
    let client = Client::new(&server);
    let found = shipped();
    let world = World::default();
    let hosts: Vec<(String, Arc<Host>)> = found.iter().map(|path| host(path, &world)).collect();
    let mut by_digest: BTreeMap<Str, Arc<Host>> = BTreeMap::new();
    for (_, host) in &hosts {
        by_digest.insert(host.program.digest.clone(), Arc::clone(host));
    }
    let address = serve(by_digest.into_values().collect());
    until("it listens", || std::net::TcpStream::connect(address).is_ok());
    let admin = RestateClient::new(&server.admin()).expect("a client can be made");
    client.wait(admin.register(&format!("http://{address}"))).expect("it can be registered");
    let (mut run, mut left, mut number) = (0, 0, 0);
    let (of_each, least) = sizes();
    for (name, host) in &hosts {
        let mut of_this = 0;
        for scenario in &host.suite.file.scenarios {
            if of_this == of_each {
                break;
            }
            let played = play(&host.program, &host.suite.bound, scenario);
            let answers = Answers::of(&played.events).filter(|_| scenario.given.is_none());
            let (Some(answers), PlayEnd::Done(_)) = (answers, &played.ended) else {
                left += 1;
                continue;
            };
            world.set(Arc::new(answers));
            number += 1;
            let id = format!("s{number}");
            let (one, other) = (here(&client, host, &id, scenario), there(&client, host, &id, scenario));
            assert_eq!(one.0, other.0, "{name}: {}", scenario.name.value);
            assert_eq!(one.1, other.1, "{name}: {}", scenario.name.value);
            of_this += 1;
            run += 1;
        }
    }
    eprintln!(
        "{run} scenarios of {} files end alike; left out, since time matters or they begin in the middle: {left}",
        hosts.len()
    );
    assert!(run > least, "{run}");
}

fn host(name: &str, world: &World) -> (String, Arc<Host>) {
    let mut sources = Sources::new();
    let loaded = Suite::load(&mut sources, &mut Disk, name);
    let suite = loaded.suite.unwrap_or_else(|| panic!("{name}: {:?}", loaded.findings));
    let program = Arc::new(loopwright::compile::compile(&suite.model).expect("it compiles"));
    let text = ProgramText { digest: program.digest.clone(), main: name.into(), ..ProgramText::default() };
    let again = Suite::load(&mut Sources::new(), &mut Disk, name).suite.expect("it was read before");
    let graph = HostedGraph {
        model: Arc::new(again.model),
        program: Arc::clone(&program),
        text,
        sources,
        store: Arc::new(Memory::new()),
        mask: Mask::default(),
        inputs: Map::new(),
    };
    let host = Host { suite, program, graph, world: world.clone() };
    (name.to_owned(), Arc::new(host))
}
