//! A look through a store: what can be read, and which runs can continue.

use std::sync::Arc;

use super::function_tables::FunctionTables;
use super::known_programs::KnownPrograms;
use super::open_error::OpenError;
use super::read_error::ReadError;
use super::runs::Runs;
use super::stored::OpenRun;
use crate::port::Store;
use crate::store::{StoreAddress, Survey};

/// The advice that the store adds to what it finds. Whoever looks through it has taken that already.
const ADVICE: &str = "; `loopwright doctor`";

impl Runs {
    /// Looks through a store without changing anything, and goes as far with each run as [`OpenRun::resume`]
    /// does before it does anything: the rows of a run may be whole, and the run not.
    ///
    /// # Errors
    /// It is no store, or cannot be opened.
    pub async fn survey(store: impl Into<StoreAddress>) -> Result<Survey, OpenError> {
        let address = store.into();
        Self::check_links_to(&address)?;
        let mut survey = address.survey()?;
        // Where the store as a whole is not, no run of it continues, and the survey has said so.
        let store = match address.open_to_read() {
            Ok(store) => store,
            Err(error) => {
                if survey.wrong.is_empty() {
                    survey.wrong.push(error.to_string());
                }
                return Ok(survey);
            }
        };
        for run in survey.runs.iter_mut().filter(|run| run.wrong.is_empty()) {
            if let Some(why) = keeps_back(&store, &run.run).await {
                run.wrong.push(why.split(ADVICE).next().unwrap_or(&why).to_owned());
            }
        }
        Ok(survey)
    }
}

/// The fault that keeps a run from continuing, if there is one.
async fn keeps_back(store: &Arc<dyn Store>, run: &str) -> Option<String> {
    match store.load(run, None).await {
        // It was cut off before it began: nothing of it was stored but its name.
        Ok(stored) if stored.from == 0 && stored.entries.is_empty() && stored.snapshot.lanes.is_empty() => {
            return None;
        }
        Ok(_) => {}
        Err(error) => return Some(error.to_string()),
    }
    let (functions, known) = (FunctionTables::default(), KnownPrograms::default());
    let found = match OpenRun::find(Arc::clone(store), &functions, &known, run).await {
        Ok(found) => found,
        // It goes on where its functions are registered.
        Err(ReadError::Functions(_)) => return None,
        Err(error) => return Some(error.to_string()),
    };
    found.state(None).await.err().map(|error| error.to_string())
}
