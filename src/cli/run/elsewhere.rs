//! Runs that begin here and are driven elsewhere: by a worker, or by an engine.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::setup;
use crate::cli::Exit;
use crate::cli::args::Run;
use crate::cli::files::Disk;
use crate::cli::trust;
use loopwright_core::app::Graph;
use loopwright_core::app::trust::Wants;
use loopwright_core::port::ProgramText;
use loopwright_core::program::Program;
use loopwright_core::source::Sources;
use loopwright_core::value::Map;

/// A run that can begin elsewhere.
pub(super) struct RunElsewhere {
    pub(super) program: Arc<Program>,
    /// The graph as it can be compiled again.
    pub(super) text: ProgramText,
    #[cfg_attr(not(feature = "restate"), expect(dead_code, reason = "no engine is built in"))]
    pub(super) sources: Sources,
    pub(super) input: Map,
}

impl RunElsewhere {
    /// Reads everything and says everything that is wrong. Whoever drives the run has models and tools of its own.
    pub(super) fn read(args: &Run) -> Result<Self, Exit> {
        let (graph, configuration, mask) = setup::read(args, &mut Disk::new(&args.ports.reach)?)?;
        let Graph { model, program, text, sources, .. } = graph;
        let given = args.input.iter().filter_map(|flag| Some(flag.split_once('=')?.0)).collect();
        let wants = Wants { models: false, inputs: Some(given), tools: BTreeSet::new(), hooks: false };
        let configuration = trust::admit(configuration, &wants)?;
        let values = setup::values(args, &model, &program, &configuration, &sources)?;
        let input = mask.map(values);
        Ok(Self { program, text, sources, input })
    }
}
