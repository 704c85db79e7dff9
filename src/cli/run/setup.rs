//! What a run needs, put together from the command line and the configuration.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::desk::{self, Desk};
use super::input::{self, Collected, Fault};
use super::jsonl::Jsonl;
use super::models;
use super::progress::Progress;
use super::record::Recorder;
use super::speech::Speech;
use super::summary::Summary;
use super::trust;
use crate::check::check_file;
use crate::cli::args::{Ports, Run, RunFormat};
use crate::cli::files::Disk;
use crate::cli::kept::{self, KeptRun};
use crate::cli::{Exit, rebuild, screen};
use crate::config::Config;
use crate::diag::{self, Diagnostic, Severity};
use crate::drive::{Driver, SystemClock};
use crate::llm::{Cached, Scripted, read_script};
use crate::machine::Interrupt;
use crate::model::{Loader, Model};
use crate::port::{Clock, Human, Mask, Masked, ProgramText, Store, ToolHost};
use crate::program::{Program, compile};
use crate::source::{FileId, Sources};
use crate::store::Sqlite;
use crate::tool::{Surroundings, Tools};
use crate::value::{Map, Value, digest};

/// The configuration that is read when none is named.
const CONFIG: &str = "loopwright.toml";

/// How long a run stays its driver's after that ended without a word.
const LEASE: Duration = Duration::from_secs(10);

/// What drives a run.
pub(super) struct Setup {
    pub(super) driver: Driver,
    /// Where the run is kept.
    pub(super) store: Arc<dyn Store>,
    pub(super) progress: Option<Progress>,
    /// What prints answers as they arrive.
    pub(super) speech: Option<Speech>,
    /// What counts for the summary, if there is to be one.
    pub(super) summary: Option<Summary>,
    /// What hides keys.
    pub(super) mask: Mask,
    /// What records the run, if it is to be.
    pub(super) recorder: Option<Recorder>,
    /// The graph.
    pub(super) model: Model,
    /// The scripted world, if there is one.
    pub(super) world: Option<Arc<Scripted>>,
    /// The texts of the graph, to point at.
    pub(super) sources: Sources,
}

/// A run that can begin.
pub(super) struct Begin {
    pub(super) setup: Setup,
    /// The graph as it can be compiled again.
    pub(super) text: ProgramText,
    pub(super) input: Map,
}

/// A graph with all its texts.
struct Compiled {
    model: Model,
    program: Arc<Program>,
    sources: Sources,
    recorder: Option<Recorder>,
}

/// Reads everything, says everything that is wrong, and puts the ports together.
pub(super) fn prepare(args: &Run) -> Result<Begin, Exit> {
    let mut sources = Sources::new();
    let mut disk = Disk::default();
    let (model, mut program) = graph(&args.file, &mut sources, &mut disk)?;
    let text = text_of(&program, &sources);
    if args.interrupt_when.is_some() || args.interrupt_every.is_some() {
        let interrupt =
            Interrupt { when: args.interrupt_when.as_deref().map(Into::into), every: args.interrupt_every };
        program = kept::with_pause(&model, &interrupt, &mut sources)?;
    }
    let (config, folder) = config(&args.ports, &args.file, &mut sources, &mut disk)?;
    let mask = trust::mask(&config);
    trust::without_keys(&text, &mask)?;
    let Collected { input, warnings } = match input::collect(&program, &config.inputs, &args.input) {
        Ok(collected) => collected,
        Err(Fault::Usage(message)) => return Err(screen::refuse(&message)),
        Err(Fault::Findings(findings)) => return Err(say(&findings, &sources)),
    };
    if !warnings.is_empty() {
        say(&warnings, &sources);
    }
    models::check(&args.ports, &program, &config)?;
    let recorder = Recorder::of(&args.ports, &args.file, &program.digest)?;
    let store = Sqlite::open(&args.ports.db).map_err(|error| screen::refuse(&error.to_string()))?;
    let graph = Compiled { model, program: Arc::new(program), sources, recorder };
    let input = mask.map(input);
    let setup = connect(&args.ports, graph, disk, (&config, folder, mask), Arc::new(store))?;
    Ok(Begin { setup, text, input })
}

/// Puts the ports together for a run that was kept and goes on.
pub(super) fn again(ports: &Ports, kept: KeptRun) -> Result<Setup, Exit> {
    of_kept(ports, kept, true)
}

/// The same for a run that is only sent back: no model is asked on that way, so none has to be there.
pub(super) fn back(ports: &Ports, kept: KeptRun) -> Result<Setup, Exit> {
    of_kept(ports, kept, false)
}

fn of_kept(ports: &Ports, kept: KeptRun, asks: bool) -> Result<Setup, Exit> {
    let KeptRun { store, model, program, main, mut sources, earlier, .. } = kept;
    let mut disk = Disk::default();
    let recorder = Recorder::of(ports, &main, &program.digest)?;
    let (mut config, folder) = config(ports, &main, &mut sources, &mut disk)?;
    let mask = trust::mask(&config);
    if asks {
        models::check(ports, &program, &config)?;
    } else {
        config.models.clear();
    }
    let graph = Compiled { model, program, sources, recorder };
    let setup = connect(ports, graph, disk, (&config, folder, mask), store)?;
    Ok(Setup { driver: setup.driver.earlier(earlier), ..setup })
}

fn connect(
    ports: &Ports,
    graph: Compiled,
    mut disk: Disk,
    (config, folder, mask): (&Config, PathBuf, Mask),
    store: Arc<dyn Store>,
) -> Result<Setup, Exit> {
    let Compiled { model, program, mut sources, recorder } = graph;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let tools = tools(ports, config, folder, clock.clone(), &program)?;
    let tools: Arc<dyn ToolHost> = Arc::new(Masked::new(tools, mask.clone()));
    let person: Arc<dyn Human> = Arc::new(Masked::new(Arc::new(Desk::default()), mask.clone()));
    let mut driver = Driver::new(program)
        .clock(clock.clone())
        .store(store.clone())
        .owner(format!("process {} ({:x})", std::process::id(), clock.now()), LEASE)
        .limits(config.run)
        .rebuilding(rebuild::asked())
        .tools(tools.clone())
        .human(person.clone());
    let human = ports.format == RunFormat::Human;
    let progress = (human && screen::stderr_is_terminal()).then(Progress::default);
    let speech = human.then(|| Speech::new(mask.clone(), progress.clone()));
    if let Some(speech) = &speech {
        driver = driver.observer(Arc::new(speech.clone()));
    }
    if let Some(progress) = &progress {
        driver = driver.observer(Arc::new(progress.clone()));
    }
    let real = ports.script.is_none() && !config.models.is_empty();
    let shown = human && real && screen::stderr_is_terminal();
    let summary = (ports.summary || shown).then(Summary::default);
    if let Some(summary) = &summary {
        driver = driver.observer(Arc::new(summary.clone()));
    }
    let mut world = None;
    if let Some(path) = &ports.script {
        let (name, text) = disk.load(None, path).map_err(|why| screen::refuse(&format!("{path}: {why}")))?;
        // Another script is another model: what one answered is not given under the other.
        let told = digest(&Value::from(text.as_str())).to_string();
        let file = sources.add(name, text);
        let script = read_script(&sources, file, &model).map_err(|findings| say(&findings, &sources))?;
        let scripted = Scripted::new(script, clock.clone(), tools, person);
        let scripted = Arc::new(match &speech {
            Some(speech) => scripted.listener(Arc::new(speech.clone())),
            None => scripted,
        });
        let hidden = Arc::new(Masked::new(scripted.clone(), mask.clone()));
        driver = driver
            .model(Arc::new(Cached::new(hidden.clone()).in_store(store.clone(), told)))
            .tools(hidden.clone())
            .human(hidden)
            .observer(scripted.clone());
        world = Some(scripted);
    }
    if world.is_none()
        && let Some(live) = models::live(config, clock)?
    {
        let live = match &speech {
            Some(speech) => live.listener(Arc::new(speech.clone())),
            None => live,
        };
        let hidden = Arc::new(Masked::new(Arc::new(live), mask.clone()));
        driver = driver.model(Arc::new(Cached::new(hidden).in_store(store.clone(), models::world(config))));
    }
    if ports.format == RunFormat::Jsonl {
        driver = driver.observer(Arc::new(Jsonl));
    }
    Ok(Setup { driver, store, progress, speech, summary, mask, recorder, model, world, sources })
}

/// The graph, checked and compiled. Warnings are said and do not keep it from running.
fn graph(file: &str, sources: &mut Sources, disk: &mut Disk) -> Result<(Model, Program), Exit> {
    let checked = check_file(sources, disk, file);
    let sound = checked.is_sound();
    let shown: Vec<Diagnostic> =
        checked.findings.into_iter().filter(|f| f.severity != Severity::Note).collect();
    if !shown.is_empty() {
        let exit = say(&shown, sources);
        if !sound {
            return Err(exit);
        }
    }
    let Some(model) = checked.model else {
        let message = format!("{file}: the file holds no graph, only declarations that graphs use");
        return Err(screen::refuse(&message));
    };
    match compile(&model) {
        Ok(program) => Ok((model, program)),
        Err(faults) => Err(say(&faults.iter().map(Diagnostic::from).collect::<Vec<_>>(), sources)),
    }
}

/// A graph with its texts, and nothing else that a run needs.
pub(super) fn read(file: &str) -> Result<(Model, Program, Sources), Exit> {
    let mut sources = Sources::new();
    let (model, program) = graph(file, &mut sources, &mut Disk::default())?;
    Ok((model, program, sources))
}

/// The texts a program was made of: what was read until it was compiled.
pub(super) fn text_of(program: &Program, sources: &Sources) -> ProgramText {
    ProgramText {
        digest: program.digest.clone(),
        main: sources.name(FileId(0)).into(),
        files: sources.texts().map(|(name, text)| (name.into(), text.into())).collect(),
    }
}

/// The configuration: the one named, or `loopwright.toml` beside the graph, or in the working folder, or none.
fn config(
    ports: &Ports,
    graph: &str,
    sources: &mut Sources,
    disk: &mut Disk,
) -> Result<(Config, PathBuf), Exit> {
    let beside = Path::new(graph).parent().unwrap_or(Path::new("")).join(CONFIG);
    let path = match &ports.config {
        Some(path) => path.clone(),
        None if beside.is_file() => beside,
        None if Path::new(CONFIG).is_file() => PathBuf::from(CONFIG),
        None => return Ok((Config::default(), PathBuf::from("."))),
    };
    let shown = path.to_string_lossy();
    let (name, text) = disk.load(None, &shown).map_err(|why| screen::refuse(&format!("{shown}: {why}")))?;
    let file = sources.add(name, trust::showable(&text));
    let config = Config::read(&text, file).map_err(|findings| say(&findings, sources))?;
    let folder = path.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new(".")).to_owned();
    Ok((config, folder))
}

/// The tools, with what the operator grants. On a terminal a missing grant is asked for.
fn tools(
    ports: &Ports,
    config: &Config,
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    program: &Program,
) -> Result<Arc<dyn ToolHost>, Exit> {
    let surroundings = Surroundings::of_process(folder);
    let mut tools = Tools::of_config(config, &surroundings, clock);
    for name in &ports.grant {
        if let Some(why) = unknown_grant(name, &tools, program) {
            return Err(screen::refuse(&why));
        }
        tools = tools.grant(name.as_str());
    }
    for name in crate::drive::missing_grants(program, &tools) {
        let command = config.tools.iter().find(|c| c.name == name);
        let shown = command.map(|c| format!(" ({})", c.description)).unwrap_or_default();
        if desk::agrees(&format!("May this graph run the command `{name}`{shown} on this machine?")) {
            tools = tools.grant(name);
        }
    }
    Ok(Arc::new(tools))
}

/// What is wrong with a grant for a tool that is neither there nor called for.
fn unknown_grant(name: &str, tools: &Tools, program: &Program) -> Option<String> {
    let infos = tools.catalogue().into_iter().map(|info| info.name.to_string());
    let named = crate::drive::named_tools(program).into_iter().map(str::to_owned);
    let known: BTreeSet<String> =
        infos.chain(tools.ungranted().iter().map(ToString::to_string)).chain(named).collect();
    if known.contains(name) {
        return None;
    }
    let help = match diag::nearest(name, known.iter().map(String::as_str)) {
        Some(near) => diag::did_you_mean(&format!("`{near}`")),
        None if known.is_empty() => "there are no tools here".to_owned(),
        None => format!("the tools here are: {}", known.iter().cloned().collect::<Vec<_>>().join(", ")),
    };
    Some(format!(
        "--grant {name}: the configuration declares no tool `{name}`, and the graph calls none\nhelp: {help}"
    ))
}

fn say(findings: &[Diagnostic], sources: &Sources) -> Exit {
    screen::say(&diag::text::render(findings, sources, screen::stderr_is_terminal()));
    super::super::check::verdict(findings).worse(Exit::Findings)
}
