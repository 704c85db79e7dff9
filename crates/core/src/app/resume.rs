//! A stored run that continues, as it is or with an edited graph.

use std::sync::Arc;

use super::edited::{EditError, Edited};
use super::graph::Graph;
use super::stored::OpenRun;
use crate::drive::{DriveError, Driver, Run};
use crate::machine::{Snapshot, transfer};

impl OpenRun {
    /// Puts an edited graph in the place of the one that the run goes by. `stood` is where the run is. Nothing is stored
    /// before the run is [resumed](Self::resume).
    ///
    /// # Errors
    /// The run, or the operator's pause, does not fit the graph.
    pub fn edited(self, graph: Graph, stood: &Snapshot) -> Result<(Self, Edited), EditError> {
        let graph = match &self.interrupt {
            None => graph,
            Some(interrupt) => graph.pausing(interrupt).map_err(EditError::Pause)?,
        };
        let Graph { model, program, text, sources, .. } = graph;
        let moved = if stood.program == program.digest {
            None
        } else {
            let fitted = transfer(&self.program, &program, stood, stood.at, &stood.tools);
            Some(fitted.map_err(EditError::Unfit)?)
        };
        let Self { store, info, program: old, interrupt, mut earlier, functions, known, .. } = self;
        let now = program.semantics;
        let before = Some(old.semantics).filter(|before| *before != now);
        earlier.push(Arc::clone(&old));
        let main = text.main.to_string();
        let run = Self { store, info, model, program, main, sources, interrupt, earlier, functions, known };
        Ok((run, Edited { text, moved, before, now }))
    }

    /// Resumes the run. The driver is that of [`OpenRun::driver`], with the ports of the run. A run that continues with an
    /// [edited](Self::edited) graph goes by that from here on.
    ///
    /// # Errors
    /// As [`Driver::reopen`] and [`Driver::adopt`].
    pub async fn resume(&self, driver: &Driver, edited: Option<&Edited>) -> Result<Run, DriveError> {
        match edited {
            None => driver.reopen(&self.info.run).await,
            Some(edited) => driver.adopt(&self.info.run, &edited.text).await,
        }
    }
}
