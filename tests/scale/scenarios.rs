//! Scenarios of the shipped graphs end alike wherever their runs are stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use loopwright::drive::{DriveError, Driver, Finished, NoTools, Run, Unattended};
use loopwright::llm::Scripted;
use loopwright::machine::{Event, Start};
use loopwright::port::Store;
use loopwright::program::Program;
use loopwright::scenario::{BoundExpressions, Scenario, Script, Suite};
use loopwright::source::Sources;
use loopwright::store::{Memory, Sqlite};

use crate::postgres::server::{shared, store};
use crate::shipped::{Disk, shipped};
use crate::world::{Events, Jumping, Watched};

/// The scenarios of each graph that are run; all of a graph that has fewer.
fn each() -> usize {
    if crate::long::is_long() { 12 } else { 6 }
}

/// The longest time that one scenario may take on one store.
const PATIENCE: Duration = Duration::from_mins(1);

/// A store by its name.
type NamedStore = (&'static str, Arc<dyn Store>);

/// The end of a scenario: how it finished, and everything that happened, without times.
#[derive(Debug, PartialEq)]
struct Ended {
    finished: String,
    events: Vec<Event>,
}

/// A graph with the expressions of its scenarios.
struct PlayedSuite {
    program: Arc<Program>,
    bound: Arc<BoundExpressions>,
}

/// Drives a scenario on a store.
async fn driven(suite: &PlayedSuite, scenario: &Scenario, run: &str, store: Arc<dyn Store>) -> Ended {
    let clock = Jumping::new();
    let store = Arc::new(Watched { store, clock: Arc::clone(&clock) });
    let script = Script::new(scenario.answers.clone(), Arc::clone(&suite.bound));
    let world = (scenario.answers.clone(), script);
    let world = Arc::new(Scripted::new(world, clock.clone(), Arc::new(NoTools), Arc::new(Unattended)));
    let events = Arc::new(Events::default());
    let driver =
        Driver::new(suite.program.clone()).store(store).clock(clock.clone()).observer(events.clone());
    let driver = driver.observer(world.clone()).model(world.clone()).tools(world.clone()).human(world);
    let start = Start {
        run: run.into(),
        input: scenario.input.values.clone(),
        seed: scenario.seed,
        tools: scenario.catalogue.clone().unwrap_or_default(),
        given: scenario.given.as_ref().map(loopwright::scenario::ScenarioStart::given),
        interrupt: None,
    };
    let finished = match driver.start(start).await {
        Err(error) => format!("it does not begin: {error}"),
        Ok(mut run) => match driven_to_its_end(&mut run, &clock).await {
            Ok(Finished::Done(done)) => format!("{} ok={} {:?}", done.outcome, done.ok, done.output),
            Ok(Finished::Waiting { asks, .. }) => {
                format!("waiting at {:?}", asks.iter().map(|ask| ask.node.clone()).collect::<Vec<_>>())
            }
            Ok(other) => format!("{other:?}"),
            Err(error) => format!("it fails: {error}"),
        },
    };
    let timeless = |event: Event| Event { at: 0, ..event };
    Ended { finished, events: events.all().into_iter().map(timeless).collect() }
}

/// Drives a run while time goes on.
async fn driven_to_its_end(run: &mut Run, clock: &Jumping) -> Result<Finished, DriveError> {
    tokio::select! {
        finished = run.drive() => finished,
        () = clock.jump() => unreachable!("time has no end"),
    }
}

/// Drives scenarios of each graph on each store. Those of the first are what the others are held to.
async fn alike(stores: &[NamedStore]) {
    let mut graphs: BTreeMap<String, usize> = BTreeMap::new();
    let (mut differ, mut many) = (Vec::new(), 0);
    for file in shipped() {
        let suite = Suite::load(&mut Sources::new(), &mut Disk, &file).suite.expect("a suite");
        let graph = suite.program.graphs[0].id.to_string();
        let Suite { file: scenarios, program, bound, .. } = suite;
        let suite = PlayedSuite { program: Arc::new(program), bound };
        for scenario in &scenarios.scenarios {
            let count = graphs.entry(graph.clone()).or_default();
            if *count == each() {
                break;
            }
            *count += 1;
            many += 1;
            let run = format!("{graph}-{count}");
            let mut first: Option<Ended> = None;
            for (name, store) in stores {
                let ended =
                    tokio::time::timeout(PATIENCE, driven(&suite, scenario, &run, store.clone())).await;
                let ended = ended
                    .unwrap_or_else(|_| panic!("{file}: {}: {name} takes too long", scenario.name.value));
                // What is stored is what happened.
                if let Ok(stored) = store.events(&run).await {
                    let read: Vec<Event> = stored.into_iter().map(|event| Event { at: 0, ..event }).collect();
                    assert_eq!(read, ended.events, "{file}: {}: {name}", scenario.name.value);
                }
                match &first {
                    None => first = Some(ended),
                    Some(first) if *first == ended => {}
                    Some(first) => differ.push(format!(
                        "{file}: {}: {name}: {} in place of {}",
                        scenario.name.value, ended.finished, first.finished
                    )),
                }
            }
        }
    }
    assert!(differ.is_empty(), "{} of {many} differ:\n{}", differ.len(), differ.join("\n"));
    println!("{many} scenarios on {} stores", stores.len());
    assert!(many > 100, "there are {many} scenarios");
}

#[test]
fn scenarios_end_alike_on_every_store() {
    let Some(server) = shared() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let stores: [NamedStore; 3] = [
        ("SQLite", Arc::new(Sqlite::open(folder.path().join("runs.db")).expect("a store"))),
        ("memory", Arc::new(Memory::new())),
        ("Postgres", store(&server.database())),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(alike(&stores));
}
