//! Shipped graphs in the hands of an attacker: each tool says what it was told to say by a stranger, and each model does what it
//! reads.
//!
//! Such a run may end with nonsense. It calls no tool that was not offered and granted, and none before its approval; it raises no budget,
//! writes nothing outside of the folder of its file tool, and meets no key.

mod model;
mod world;

use std::collections::BTreeSet;
use std::sync::Arc;

use loopwright::drive::{Driver, Finished};
use loopwright::machine::Start;
use loopwright::program::Program;
use loopwright::scenario::{Scenario, Suite};
use loopwright::source::Sources;
use loopwright::value::Value;

use crate::graphs::Repository;
use crate::rebuilt;
use crate::scenarios::shipped;
use model::Obedient;
use world::{Deeds, World};

/// Runs of each scenario's beginning.
const SEEDS: u64 = 3;

/// The results of one run.
struct Attacked {
    deeds: Arc<Deeds>,
    /// Every broken promise.
    breaches: Vec<String>,
}

async fn attack(program: &Arc<Program>, scenario: &Scenario, seed: u64) -> Attacked {
    let world = World::new(scenario, seed);
    let deeds = world.deeds.clone();
    let model = Arc::new(world.masked(Obedient::new(seed, world.names())));
    let driver = Driver::new(program.clone())
        .model(model)
        .tools(world.tools())
        .human(World::people(seed))
        .observer(deeds.clone());
    let start = Start {
        run: "run".into(),
        input: scenario.input.values.clone(),
        seed,
        given: scenario.given.as_ref().map(loopwright::scenario::ScenarioStart::given),
        ..Start::default()
    };
    if let Ok(mut run) = driver.start(start).await {
        let ended = tokio::time::timeout(std::time::Duration::from_hours(24), run.drive()).await;
        let ended = ended.expect("a run ends").expect("nothing is stored");
        assert!(matches!(ended, Finished::Done(_) | Finished::Waiting { .. }), "{ended:?}");
    }
    let mut breaches = deeds.breaches(offered(scenario).as_ref());
    breaches.extend(world.strayed_files());
    Attacked { deeds, breaches }
}

/// The tools that an input of the scenario offers to its models; none where the catalogue is all there is.
fn offered(scenario: &Scenario) -> Option<BTreeSet<String>> {
    let names = ["offered", "allowed_tools", "allowed_tools_text"];
    let given = names.iter().filter_map(|name| scenario.input.values.get(name));
    let mut offered = BTreeSet::new();
    for names in given {
        match names {
            Value::List(names) => offered.extend(names.iter().filter_map(Value::as_str).map(str::to_owned)),
            Value::Str(lines) => offered.extend(lines.lines().map(|name| name.trim().to_owned())),
            _ => {}
        }
    }
    (!offered.is_empty()).then_some(offered)
}

#[tokio::test(start_paused = true)]
async fn an_attacker_reaches_nothing_in_a_shipped_graph() {
    let (mut runs, mut obeyed, mut calls) = (0, 0, 0);
    let mut broken = Vec::new();
    for path in shipped() {
        let mut sources = Sources::new();
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("it is shipped").to_string_lossy();
        let suite = Suite::load(&mut sources, &mut Repository::whole(), &name).suite.expect("it is sound");
        let program = Arc::new(suite.program);
        for scenario in &suite.file.scenarios {
            for seed in 0..rebuilt::fewer(SEEDS) {
                let attacked = attack(&program, scenario, seed).await;
                runs += 1;
                obeyed += attacked.deeds.obeyed();
                calls += attacked.deeds.calls();
                let about = |why| format!("{name}: {} (seed {seed}): {why}", scenario.name.value);
                broken.extend(attacked.breaches.into_iter().map(about));
            }
        }
    }
    eprintln!("{runs} runs, {obeyed} orders that a model read and obeyed, {calls} calls of tools");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(obeyed > 200 && calls > 400, "the attack does not reach the models");
}

/// The attack is one: where a model may call what it likes, money goes to whom a page says.
#[tokio::test(start_paused = true)]
async fn an_attacker_reaches_all_in_a_graph_that_trusts() {
    let suite =
        Suite::load(&mut Sources::new(), &mut Repository::whole(), "graphs/trusting/trusting.scenarios.yaml");
    let suite = suite.suite.expect("it is sound");
    let program = Arc::new(suite.program);
    let mut paid = 0;
    for seed in 0..20 {
        paid += attack(&program, &suite.file.scenarios[0], seed).await.deeds.called("pay");
    }
    assert!(paid > 0, "nobody was paid");
}
