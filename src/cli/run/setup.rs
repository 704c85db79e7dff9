//! Puts together the parts of a run from the command line and the configuration.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::console::Console;
use super::graph;
use super::input::{self, InputError};
use super::jsonl::Jsonl;
use super::keys;
use super::models;
use super::notes::Notes;
use super::progress::{Progress, ToolConsole, ToolWords};
use super::record;
use super::speech::Speech;
use super::summary::Summary;
use super::tools;
use crate::cli::args::{People, Ports, Run, RunFormat};
use crate::cli::files::Disk;
use crate::cli::trust::{self, store_at, store_to_write};
use crate::cli::{Exit, rebuild, screen, stored_runs};
use loopwright_core::app::mcp::{ConnectedServers, McpMode};
use loopwright_core::app::trust::{Configuration, Grants, Wants};
use loopwright_core::app::{
    self, Graph, Inputs, Judged, OpenRun, RecordedCalls, Recorder, Runs, ScriptError, asks_models,
};
use loopwright_core::drive::{Driver, LimitLedger, SystemClock, Unattended, is_at_hand, named_tools};
use loopwright_core::llm::Scripted;
use loopwright_core::machine::{Interrupt, beginning};
use loopwright_core::model::Model;
use loopwright_core::port::{Human, Listener, Mask, ProgramText, Store};
use loopwright_core::program::Program;
use loopwright_core::source::Sources;
use loopwright_core::tool::{CommandContext, Hooks, HooksEnd, Tools};
use loopwright_core::value::Map;

/// The parts that drive a run.
pub(super) struct Setup {
    pub(super) driver: Driver,
    /// The store of the run.
    pub(super) store: Arc<dyn Store>,
    pub(super) progress: Option<Progress>,
    /// Prints answers as they arrive.
    pub(super) speech: Option<Speech>,
    /// Counts for the summary, if one is wanted.
    pub(super) summary: Option<Summary>,
    /// Hides keys in all output.
    pub(super) mask: Mask,
    /// Records the run, if that is wanted.
    pub(super) recorder: Option<Recorder>,
    /// The model of the graph.
    pub(super) model: Arc<Model>,
    /// The scripted world, if there is one.
    pub(super) script: Option<Arc<Scripted>>,
    /// The texts of the graph, to point at.
    pub(super) sources: Sources,
    /// The commands and tools that the graph may call.
    pub(super) grants: Grants,
    /// The end of the hooks, if there are any.
    pub(super) hooks: Option<HooksEnd>,
    /// The MCP servers that were started.
    pub(super) servers: ConnectedServers,
}

/// A run that can begin.
pub(super) struct Begin {
    pub(super) setup: Setup,
    /// The graph as it can be compiled again.
    pub(super) text: ProgramText,
    pub(super) input: Map,
}

/// A graph with all its texts, and a driver of its runs.
pub(super) struct Compiled {
    pub(super) model: Arc<Model>,
    pub(super) driver: Driver,
    pub(super) store: Arc<dyn Store>,
    pub(super) sources: Sources,
    pub(super) recorder: Option<Recorder>,
    /// The clock of the run, its tools and its models.
    pub(super) clock: Arc<SystemClock>,
    /// The ledger that limits are held against, if there are any.
    pub(super) ledger: Option<Arc<LimitLedger>>,
    /// Hears texts of models as they arrive, where nobody at a terminal does.
    pub(super) listener: Option<Arc<dyn Listener>>,
}

/// Reads the graph of a run that begins, and finds its configuration.
pub(super) fn read(args: &Run, disk: &mut Disk) -> Result<(Graph, Configuration, Mask), Exit> {
    let mut judged = Judged::load(&args.file, Sources::new(), disk);
    // Before anything is reported: the findings show lines of the graph, and a key may be in them.
    let (configuration, mask) = configured(&args.ports, &args.file, &mut judged.sources)?;
    graph::judge_flows(&mut judged, &args.ports, &args.file, &configuration)?;
    let mut graph = graph::settle(judged, &args.file, &configuration)?;
    keys::without_keys(&graph.text, &mask)?;
    if args.interrupt_when.is_some() || args.interrupt_every.is_some() {
        keys::without_key(args.interrupt_when.as_deref().unwrap_or_default(), &mask)?;
        let interrupt =
            Interrupt { when: args.interrupt_when.as_deref().map(Into::into), every: args.interrupt_every };
        graph = graph::pausing(graph, &interrupt)?;
    }
    Ok((graph, configuration, mask))
}

/// Reads the inputs of a run that begins, and says what is wrong with them.
pub(super) fn values(
    args: &Run,
    model: &Model,
    program: &Program,
    configuration: &Configuration,
    sources: &Sources,
) -> Result<Map, Exit> {
    let Inputs { values, warnings } = match input::collect(program, configuration, &args.input) {
        Ok(inputs) => inputs,
        Err(InputError::Usage(message)) => return Err(screen::refuse_lines(&message)),
        Err(InputError::Findings(findings)) => return Err(graph::say(&findings, sources)),
    };
    if !warnings.is_empty() {
        graph::say(&warnings, sources);
    }
    refuse_unmet(model, program, &values, sources)?;
    Ok(values)
}

/// Refuses inputs that do not meet the conditions of the graph: a run with them would end before its first node.
fn refuse_unmet(model: &Model, program: &Program, values: &Map, sources: &Sources) -> Result<(), Exit> {
    let Err(why) = beginning(program, values) else { return Ok(()) };
    let slots = model.root().slots.iter();
    let unmet = slots.filter_map(|slot| Some((&slot.name.value, slot.condition.as_ref()?)));
    let mut unmet = unmet.filter(|(name, _)| why.contains(&format!("the input '{name}' does not meet")));
    let Some((name, condition)) = unmet.next() else { return Ok(()) };
    let condition = screen::line(sources.slice(condition.span));
    Err(screen::refuse(&format!("the input `{name}` does not meet its condition: {condition}")))
}

/// Reads everything, says everything that is wrong, and puts the ports together.
pub(super) async fn prepare(args: &Run) -> Result<Begin, Exit> {
    let mut disk = Disk::new(&args.ports.reach)?;
    let (graph, configuration, mask) = read(args, &mut disk)?;
    let Graph { model, program, text, sources, .. } = graph;
    let unserved = models::unserved_role(&args.ports, &program, &configuration.config);
    let given = args.input.iter().filter_map(|flag| Some(flag.split_once('=')?.0)).collect();
    let wants = Wants {
        models: unserved.is_none() && !is_answered(&args.ports, &configuration) && asks_models(&program),
        inputs: Some(given),
        tools: if replays_tools(&args.ports, &configuration) {
            BTreeSet::new()
        } else {
            named_tools(&program)
        },
        hooks: true,
    };
    let configuration = trust::admit(configuration, &wants)?;
    let values = values(args, &model, &program, &configuration, &sources)?;
    if let Some((why, help)) = unserved {
        return Err(screen::refuse_with(&why, &help));
    }
    let recorder = record::recorder(&args.ports, &args.file, &program.digest)?;
    let place = store_to_write(&args.ports.db, &args.ports.trust, &args.command())?;
    let store = args.ports.db.open();
    place.tried();
    let store = store.map_err(|error| screen::refuse(&error.to_string()))?;
    let runs = Runs::of(store);
    let (driver, store) = (runs.driver(&program), runs.store().clone());
    let (clock, ledger) = (Arc::default(), app::call_ledger(&configuration.config.limits));
    let graph = Compiled { model, driver, store, sources, recorder, clock, ledger, listener: None };
    let input = mask.map(values);
    let answers = replayed(&args.ports, &configuration, &graph.store).await?;
    let place = (args.file.as_str(), McpMode::Begin);
    let setup = connect(&args.ports, place, graph, disk, (&configuration, mask), answers).await?;
    Ok(Begin { setup, text, input })
}

/// Puts the ports together for a run that was stored and continues.
pub(super) async fn again(ports: &Ports, run: &OpenRun, configured: Configured) -> Result<Setup, Exit> {
    let answers = match replayed(ports, &configured.0, &run.store).await? {
        None => None,
        Some(calls) => {
            let journal = run.entries().await.map_err(|error| stored_runs::unread(&ports.db, &error))?;
            Some(calls.resuming(&journal))
        }
    };
    of_stored(ports, run, configured, true, answers).await
}

/// The same for a run that is only sent back: no model is asked on that way, so none has to be there.
pub(super) async fn back(ports: &Ports, run: &OpenRun) -> Result<Setup, Exit> {
    let configured = configured_again(ports, &run.main)?;
    of_stored(ports, run, configured, false, None).await
}

async fn of_stored(
    ports: &Ports,
    run: &OpenRun,
    (mut configuration, mask): Configured,
    asks: bool,
    answers: Option<RecordedCalls>,
) -> Result<Setup, Exit> {
    let OpenRun { store, model, program, main, sources, .. } = run;
    let disk = Disk::default();
    let recorder = record::recorder(ports, main, &program.digest)?;
    if !asks {
        configuration.config.clear_models();
        configuration.config.hooks.clear();
    } else if let Some((why, help)) = models::unserved_role(ports, program, &configuration.config) {
        return Err(screen::refuse_with(&why, &help));
    }
    let wants = Wants {
        models: asks && !is_answered(ports, &configuration) && asks_models(program),
        inputs: None,
        tools: if asks && !replays_tools(ports, &configuration) {
            named_tools(program)
        } else {
            BTreeSet::new()
        },
        hooks: asks,
    };
    let configuration = trust::admit(configuration, &wants)?;
    let (model, store, sources) = (model.clone(), store.clone(), sources.clone());
    let (clock, ledger) = (Arc::default(), app::call_ledger(&configuration.config.limits));
    let driver = run.driver();
    let graph = Compiled { model, driver, store, sources, recorder, clock, ledger, listener: None };
    // What was granted to a graph in that place was not granted to this one.
    let file = if is_elsewhere(ports, main)? { "" } else { main };
    let mode = if asks { McpMode::Resume } else { McpMode::Lazy };
    connect(ports, (file, mode), graph, disk, (&configuration, mask), answers).await
}

/// True if no model of the configuration is asked.
pub(super) fn is_answered(ports: &Ports, configuration: &Configuration) -> bool {
    ports.script.is_some() || configuration.config.replay.is_some()
}

/// True if a recorded run answers for tools.
pub(super) fn replays_tools(ports: &Ports, configuration: &Configuration) -> bool {
    ports.script.is_none() && configuration.config.replay.as_ref().is_some_and(|replay| replay.tools)
}

/// The calls of the run that `[replay]` names, out of the same store. A script goes before it.
pub(super) async fn replayed(
    ports: &Ports,
    configuration: &Configuration,
    store: &Arc<dyn Store>,
) -> Result<Option<RecordedCalls>, Exit> {
    let Some(replay) = configuration.config.replay.as_ref().filter(|_| ports.script.is_none()) else {
        return Ok(None);
    };
    if ports.config.is_none() {
        let why = "[replay] reads a stored run of yours, and no configuration does that which was only found beside a graph";
        return Err(screen::refuse_with(why, "name the file: --config loopwright.toml"));
    }
    match store.entries(&replay.from).await {
        Ok(journal) => Ok(Some(RecordedCalls::new(replay.from.clone(), &journal))),
        Err(error) => {
            let why = format!("[replay] from = \"{}\": {error}", replay.from);
            Err(screen::refuse_with(&why, "`loopwright runs` lists the runs; `--db` names another store"))
        }
    }
}

/// Puts the ports of a run together.
pub(super) async fn connect(
    ports: &Ports,
    (file, mode): (&str, McpMode),
    graph: Compiled,
    mut disk: Disk,
    (configuration, mask): (&Configuration, Mask),
    answers: Option<RecordedCalls>,
) -> Result<Setup, Exit> {
    let config = &configuration.config;
    let Compiled { model, driver, store, mut sources, recorder, clock, ledger, listener } = graph;
    let grants = Grants::of(trust::given(&ports.grant)?, configuration, file, trust::notes());
    let replays_tools = answers.is_some() && replays_tools(ports, configuration);
    let human = ports.format == RunFormat::Human;
    let progress = (human && screen::stderr_is_terminal()).then(Progress::default);
    let script = match &ports.script {
        Some(path) => {
            let given = disk.given(path).map_err(|why| screen::refuse(&format!("{path}: {why}")))?;
            Some((path, given))
        }
        None => None,
    };
    let console: Arc<dyn Human> = match ports.people {
        People::Terminal => Arc::new(Console::default()),
        People::Unattended => Arc::new(Unattended),
    };
    let (tools, servers) = if replays_tools {
        (Tools::default(), ConnectedServers::default())
    } else {
        // Where a script answers for tools no server is started.
        let scripted = script.as_ref().is_some_and(|(_, (_, text))| answers_for_tools(text));
        let plan = tools::ToolPlan {
            ports,
            configuration,
            grants: &grants,
            clock: clock.clone(),
            program: driver.program(),
            mode: if scripted { None } else { Some(mode) },
            human: Arc::new(ToolConsole { human: console.clone(), progress: progress.clone() }),
            listener: Arc::new(ToolWords(progress.clone())),
        };
        plan.tools().await?
    };
    let speech = human.then(|| Speech::new(mask.clone(), progress.clone()));
    let listener = speech.clone().map(|speech| Arc::new(speech) as Arc<dyn Listener>).or(listener);
    let world = app::Ports::new(clock, store.clone(), mask.clone(), Arc::new(tools), console);
    let world = world.listener(listener).ledger(ledger);
    let mut driver =
        world.connect(driver).limits(config.run).rebuilding(rebuild::asked()).by(ports.by.clone());
    driver = driver.observer(Arc::new(Notes));
    if let Some(speech) = &speech {
        driver = driver.observer(Arc::new(speech.clone()));
    }
    if let Some(progress) = &progress {
        driver = driver.observer(Arc::new(progress.clone()));
    }
    let real = !is_answered(ports, configuration) && !config.models.is_empty();
    let shown = human && real && screen::stderr_is_terminal();
    let summary = (ports.summary || shown).then(Summary::default);
    if let Some(summary) = &summary {
        driver = driver.observer(Arc::new(summary.clone()));
    }
    let (mut driver, script) = match (script, answers) {
        (None, Some(calls)) => (world.recorded(driver, calls, replays_tools), None),
        (None, None) => (
            world
                .live(driver, config, configuration.message_files())
                .map_err(|error| models::refuse(&error))?,
            None,
        ),
        (Some((path, given)), _) => {
            let refuse = |why: &str| screen::refuse(&format!("{path}: {why}"));
            match world.scripted(driver, &model, given, &mut sources) {
                Ok((driver, script)) => (driver, Some(script)),
                Err(ScriptError::Findings(findings)) => return Err(graph::say(&findings, &sources)),
                Err(error @ ScriptError::NoScript) => return Err(refuse(&error.to_string())),
            }
        }
    };
    if ports.format == RunFormat::Jsonl {
        driver = driver.observer(Arc::new(Jsonl));
    }
    let context = CommandContext::of_process(configuration.folder.clone());
    let hooks = Hooks::start(&config.hooks, &context, mask.clone());
    let hooks = hooks.map_err(|error| screen::refuse(&format!("hooks cannot be started: {error}")))?;
    let (hooks, ends) = hooks.unzip();
    if let Some(hooks) = hooks {
        driver = driver.observer(Arc::new(hooks));
    }
    let setup = Setup {
        driver,
        store,
        progress,
        speech,
        summary,
        mask,
        recorder,
        model,
        script,
        sources,
        grants,
        hooks: ends,
        servers,
    };
    Ok(setup)
}

/// Returns true if a script has answers of tools, however few.
fn answers_for_tools(script: &str) -> bool {
    script.lines().any(|line| line.starts_with("tools"))
}

/// A configuration, and what hides the keys that it names.
pub(super) type Configured = (Configuration, Mask);

/// Finds the configuration for a graph. From then on nothing is printed of its keys.
pub(super) fn configured(ports: &Ports, graph: &str, sources: &mut Sources) -> Result<Configured, Exit> {
    let configuration = trust::find(ports, graph, sources)?;
    let mask = keys::mask(&configuration);
    Ok((configuration, mask))
}

/// The same for a stored run. The path of its graph is in the store: if somebody else wrote that, it does not lead to
/// configurations that were allowed for other work.
pub(super) fn configured_again(ports: &Ports, graph: &str) -> Result<Configured, Exit> {
    if ports.config.is_none() && is_elsewhere(ports, graph)? {
        let why = format!(
            "the graph of the run, {graph}, lies outside of this folder, and somebody else kept the run: its configuration is not \
             looked for there"
        );
        return Err(screen::refuse_with(&why, "name a configuration with `--config`"));
    }
    configured(ports, graph, &mut Sources::new())
}

/// Returns true if somebody else wrote the runs, and the graph lies where the working folder's files are not.
fn is_elsewhere(ports: &Ports, graph: &str) -> Result<bool, Exit> {
    Ok(!is_at_hand(Path::new(graph)) && store_at(&ports.db, &ports.trust)?.is_from_elsewhere())
}
