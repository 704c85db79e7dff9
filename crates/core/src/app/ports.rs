//! The ports of a run: tools, people and models, with the keys hidden that the run uses.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "models")]
use super::models::{ModelsError, live, models_digest};
use super::recorded::RecordedCalls;
use super::trust::StateFolder;
use crate::config::{CallLimits, Config};
use crate::diag::Diagnostic;
use crate::drive::{Driver, LimitLedger, SystemClock};
use crate::llm::{Cached, Scripted, read_script};
use crate::model::Model;
use crate::port::{Clock, Human, Listener, Mask, Masked, ModelClient, Store, ToolHost};
use crate::scenario::is_script;
use crate::source::Sources;
use crate::store::StoreAddress;
#[cfg(feature = "models")]
use crate::tool::MessageFolder;
use crate::tool::guard::Guard;
use crate::tool::{CommandContext, Tools};
#[cfg(feature = "models")]
use crate::value::Str;
use crate::value::{Value, digest};

/// The tools and people of a run, and those who listen to its models. What comes in through any of them is rid of keys
/// before it reaches the run.
pub struct Ports {
    /// The clock of the run, its tools and its models.
    clock: Arc<dyn Clock>,
    mask: Mask,
    tools: Arc<dyn ToolHost>,
    human: Arc<dyn Human>,
    listener: Option<Arc<dyn Listener>>,
    /// The store that keeps answers of models for later runs.
    store: Arc<dyn Store>,
    /// The calls that the limits of the configuration are held against, if it has any.
    ledger: Option<Arc<LimitLedger>>,
}

/// The fault of a file that should be a script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It is something else.
    #[error("it is not a script: no line starts with `model`, `tools` or `human`")]
    NoScript,
    /// The findings in it.
    #[error("it is not a script for this graph")]
    Findings(Vec<Diagnostic>),
}

/// The tools of a configuration whose paths start from `folder`, for a store at `db`. Whatever a command leaves at work
/// is found again by the locks beside the store.
#[must_use]
pub fn tools(config: &Config, folder: PathBuf, db: &Path, clock: Arc<dyn Clock>) -> Tools {
    Tools::of_config(config, &command_context(folder, db), clock)
}

/// The context of programs whose paths start from `folder`, for a store at `db`: they do not outlive this process.
#[must_use]
pub fn command_context(folder: PathBuf, db: &Path) -> CommandContext {
    CommandContext::of_process(folder).guarded(Guard::of_process(calls(db)))
}

/// The path in place of that of a store, for commands that store nothing: beside it are the locks of what they start.
#[must_use]
pub fn unstored() -> PathBuf {
    std::env::temp_dir().join(format!("loopwright-{}", nix::unistd::geteuid()))
}

/// The path beside which lies what a store leaves on this machine: locks of calls, contents that tools gave back. That of a
/// database is in the user's state folder, or, where there is none, in that for temporary files.
#[must_use]
pub fn beside(store: &StoreAddress) -> PathBuf {
    let address = match store {
        StoreAddress::File(path) => return path.clone(),
        StoreAddress::Postgres(address) => address.digest(),
    };
    let Ok(Some(folder)) = StateFolder::of_user() else {
        let mut name = unstored().into_os_string();
        name.push(format!("-{address}"));
        return name.into();
    };
    let place = folder.beside_database(&address);
    // Where it cannot be made, whoever needs it says so.
    let _ = DirBuilder::new().recursive(true).mode(0o700).create(place.parent().unwrap_or(&place));
    place
}

/// The folder with the locks of calls, beside a store.
fn calls(db: &Path) -> PathBuf {
    let mut name = db.file_name().unwrap_or_default().to_owned();
    name.push("-calls");
    db.with_file_name(name)
}

/// The ledger of limits, if there are any. Whoever drives runs again and again keeps it, so that their calls are counted once.
#[must_use]
pub fn call_ledger(limits: &CallLimits) -> Option<Arc<LimitLedger>> {
    (!limits.is_empty()).then(|| Arc::new(LimitLedger::new(limits.clone())))
}

impl Ports {
    /// The ports of a run that is stored in `store`. The mask hides the keys that it uses.
    #[must_use]
    pub fn new(
        clock: Arc<SystemClock>,
        store: Arc<dyn Store>,
        mask: Mask,
        tools: Arc<dyn ToolHost>,
        human: Arc<dyn Human>,
    ) -> Self {
        let tools = Arc::new(Masked::new(tools, mask.clone()));
        let human = Arc::new(Masked::new(human, mask.clone()));
        Self { clock, mask, tools, human, listener: None, store, ledger: None }
    }

    /// Sets who hears the answers of models as they arrive.
    #[must_use]
    pub fn listener(mut self, listener: Option<Arc<dyn Listener>>) -> Self {
        self.listener = listener;
        self
    }

    /// Sets the ledger of limits of tools and models. They are held against all that one run makes, also before it was resumed.
    #[must_use]
    pub fn ledger(mut self, ledger: Option<Arc<LimitLedger>>) -> Self {
        self.ledger = ledger;
        self
    }

    /// Gives a driver the clock, the tools and the people, and the limits of calls.
    #[must_use]
    pub fn connect(&self, driver: Driver) -> Driver {
        let driver = driver.clock(self.clock.clone()).tools(self.tools.clone()).human(self.human.clone());
        match &self.ledger {
            Some(ledger) => driver.ledger(ledger.clone()),
            None => driver,
        }
    }

    /// Lets a script answer for models, and for tools and people where it has them. The text of the script is added to
    /// `sources`.
    ///
    /// # Errors
    /// It is no script, or does not fit the graph.
    pub fn scripted(
        &self,
        driver: Driver,
        model: &Model,
        (name, text): (String, String),
        sources: &mut Sources,
    ) -> Result<(Driver, Arc<Scripted>), ScriptError> {
        if !is_script(&text) {
            return Err(ScriptError::NoScript);
        }
        // Another script is another model: what one answered is not given under the other.
        let identity = digest(&Value::from(text.as_str())).to_string();
        let file = sources.add(name, text);
        let script = read_script(sources, file, model).map_err(ScriptError::Findings)?;
        let scripted = Scripted::new(script, self.clock.clone(), self.tools.clone(), self.human.clone());
        let scripted = Arc::new(match &self.listener {
            Some(listener) => scripted.listener(listener.clone()),
            None => scripted,
        });
        let hidden = Arc::new(Masked::new(scripted.clone(), self.mask.clone()));
        let driver = driver.model(self.cached(hidden.clone(), identity)).tools(hidden.clone()).human(hidden);
        Ok((driver.observer(scripted.clone()), scripted))
    }

    /// Lets a recorded run answer for models, and for tools where `tools` is true. Nothing outside is in reach of either.
    #[must_use]
    pub fn recorded(&self, driver: Driver, calls: RecordedCalls, tools: bool) -> Driver {
        let calls = Arc::new(calls.listener(self.listener.clone()));
        let hidden = Arc::new(Masked::new(calls, self.mask.clone()));
        let driver = driver.model(hidden.clone());
        if tools { driver.tools(hidden) } else { driver }
    }

    /// Lets the models of a configuration answer, if it binds any. `files` are those that messages may carry, by the entries of the
    /// models.
    ///
    /// # Errors
    /// A key is not there, or there is no client for HTTP.
    #[cfg(feature = "models")]
    pub fn live(
        &self,
        driver: Driver,
        config: &Config,
        files: impl IntoIterator<Item = (Str, MessageFolder)>,
    ) -> Result<Driver, ModelsError> {
        let Some(live) = live(config, self.clock.clone())? else { return Ok(driver) };
        let live = files.into_iter().fold(live, |live, (entry, files)| live.files(&entry, Arc::new(files)));
        let live = match &self.listener {
            Some(listener) => live.listener(listener.clone()),
            None => live,
        };
        let live = match &self.ledger {
            Some(ledger) => live.ledger(ledger.clone()),
            None => live,
        };
        let hidden = Arc::new(Masked::new(Arc::new(live), self.mask.clone()));
        Ok(driver.model(self.cached(hidden, models_digest(config))))
    }

    fn cached(&self, model: Arc<dyn ModelClient>, world: String) -> Arc<Cached> {
        Arc::new(Cached::new(model).in_store(self.store.clone(), world))
    }
}
