//! The runs of a store.

use std::path::Path;
use std::sync::Arc;

use super::driver::driver;
use super::function_tables::FunctionTables;
use super::host::GraphHost;
use super::known_programs::{Compiled, KnownPrograms};
use super::open_error::OpenError;
use super::read_error::ReadError;
use super::stored::OpenRun;
use crate::drive::{DriveError, Driver, Run};
use crate::folder;
use crate::machine::Start;
use crate::port::{ListedRun, ProgramText, RunFilter, RunPage, Store, StoreError};
use crate::program::Program;
use crate::program::function::Functions;
use crate::store::StoreAddress;

/// The runs of a store. Cloning it is cheap.
#[derive(Clone)]
pub struct Runs {
    store: Arc<dyn Store>,
    functions: FunctionTables,
    known: KnownPrograms,
}

impl Runs {
    /// The runs of a store that is open.
    #[must_use]
    pub fn of(store: Arc<dyn Store>) -> Self {
        Self { store, functions: FunctionTables::default(), known: KnownPrograms::default() }
    }

    /// With functions that the graphs of runs may call besides the built-in ones.
    #[must_use]
    pub fn with_functions(mut self, functions: Functions) -> Self {
        self.functions.now = functions;
        self
    }

    /// With functions in the versions that earlier runs began with. A run whose graph calls one that [`Runs::with_functions`] has not
    /// in its version goes by the first table that has all of them.
    #[must_use]
    pub fn with_earlier_functions(mut self, functions: Functions) -> Self {
        self.functions.earlier.push(functions);
        self
    }

    /// With a graph that is compiled already: its runs are found without compiling it again.
    #[must_use]
    pub fn knowing(self, host: &dyn GraphHost) -> Self {
        self.know(host);
        self
    }

    /// The same for runs that are in use: all their clones know it from then on.
    pub fn know(&self, host: &dyn GraphHost) {
        let (model, program) = (Arc::clone(&host.graph().model), Arc::clone(&host.graph().program));
        let (main, sources) = (host.graph().text.main.to_string(), host.graph().sources.clone());
        self.known.add(Compiled { model, program, main, sources });
    }

    /// Opens a store to begin runs in it and to resume them; it is made if it is not there.
    ///
    /// # Errors
    /// It is no store, or cannot be made.
    pub fn open_or_make(store: impl Into<StoreAddress>) -> Result<Self, OpenError> {
        let store = store.into();
        Self::check_links_to(&store)?;
        Ok(Self::of(store.open()?))
    }

    /// Opens a store to resume its runs.
    ///
    /// # Errors
    /// There is no such file, or it is no store.
    pub fn open(store: impl Into<StoreAddress>) -> Result<Self, OpenError> {
        let store = store.into();
        Self::is_there(&store)?;
        Ok(Self::of(store.open()?))
    }

    /// Opens a store to look at its runs. Nothing is written to it, so it may be where nothing can be.
    ///
    /// # Errors
    /// As [`Runs::open`].
    pub fn open_to_read(store: impl Into<StoreAddress>) -> Result<Self, OpenError> {
        let store = store.into();
        Self::is_there(&store)?;
        Ok(Self::of(store.open_to_read()?))
    }

    /// Refuses a file to which the way leads [out of its repository](folder::refuse_links_out).
    ///
    /// # Errors
    /// [`OpenError::Astray`].
    pub fn check_links(path: &Path) -> Result<(), OpenError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        folder::refuse_links_out(folder).map_err(|fault| OpenError::Astray { path: path.to_owned(), fault })
    }

    /// The same for a store; the way to a database has no links.
    pub(super) fn check_links_to(store: &StoreAddress) -> Result<(), OpenError> {
        store.file().map_or(Ok(()), Self::check_links)
    }

    fn is_there(store: &StoreAddress) -> Result<(), OpenError> {
        let Some(path) = store.file() else { return Ok(()) };
        Self::check_links(path)?;
        // A link to nowhere is something that is there.
        match path.symlink_metadata() {
            Ok(_) => Ok(()),
            Err(_) => Err(OpenError::Missing(path.to_owned())),
        }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// All runs, the oldest first.
    ///
    /// # Errors
    /// The store cannot be read. A run that is damaged is listed as such.
    pub async fn list(&self) -> Result<Vec<ListedRun>, StoreError> {
        if let Some(listed) = self.store.listed().await? {
            return Ok(listed);
        }
        let mut listed = Vec::new();
        for info in self.store.runs().await? {
            let stored = self.store.load(&info.run, None).await.ok();
            let steps =
                stored.map(|stored| stored.entries.last().map_or(stored.snapshot.step(), |entry| entry.step));
            let driver = self.store.driver(&info.run).await.unwrap_or_default();
            listed.push(ListedRun { info, steps, driver, events: None });
        }
        Ok(listed)
    }

    /// A page of the list of runs, the newest first.
    ///
    /// # Errors
    /// The store cannot be read. A run that is damaged is listed as such.
    pub async fn page(&self, filter: &RunFilter) -> Result<RunPage, StoreError> {
        let mut page = self.store.page(filter).await?;
        for run in page.runs.iter_mut().filter(|run| run.events.is_none()) {
            let Ok(last) = self.store.last_entries(&run.info.run, 1).await else { continue };
            let stored = self.store.load(&run.info.run, None).await.ok();
            run.steps =
                stored.as_ref().map(|stored| last.last().map_or(stored.snapshot.step(), |entry| entry.step));
            let events = stored.map(|stored| {
                let seq = stored
                    .entries
                    .iter()
                    .rev()
                    .find_map(|entry| entry.events.last())
                    .map(|last| last.seq + 1);
                seq.unwrap_or(stored.snapshot.seq)
            });
            (run.events, run.driver) = (events, self.store.driver(&run.info.run).await.unwrap_or_default());
        }
        Ok(page)
    }

    /// Finds a run by its id and compiles its program from the stored texts.
    ///
    /// # Errors
    /// There is no such run, or it cannot be read.
    pub async fn find(&self, run: &str) -> Result<OpenRun, ReadError> {
        OpenRun::find(Arc::clone(&self.store), &self.functions, &self.known, run).await
    }

    /// As [`Runs::find`], with every program that the run ever went by: for who looks at its whole journal.
    ///
    /// # Errors
    /// As [`Runs::find`].
    pub async fn find_whole(&self, run: &str) -> Result<OpenRun, ReadError> {
        OpenRun::find_whole(Arc::clone(&self.store), &self.functions, &self.known, run).await
    }

    /// A driver of runs of this store by a program, under leases in the name of this process. It has no models, tools
    /// or people yet.
    #[must_use]
    pub fn driver(&self, program: &Arc<Program>) -> Driver {
        driver(program, &self.store)
    }

    /// Begins a run and stores the [texts](super::Graph::text) of its graph beside it. The driver is one of
    /// [`Runs::driver`], with the ports of the run.
    ///
    /// # Errors
    /// [`Driver::start`] fails, or the store.
    pub async fn begin(&self, driver: &Driver, text: &ProgramText, start: Start) -> Result<Run, DriveError> {
        self.store.keep_program(text).await?;
        let run = driver.start(start).await?;
        // Before there was a run that uses it, whoever tidied the store up may have removed it.
        self.store.keep_program(text).await?;
        Ok(run)
    }
}
