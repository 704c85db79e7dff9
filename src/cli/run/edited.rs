//! `resume --with`: the run goes on with an edited graph.

use std::fmt::Write;
use std::sync::Arc;

use super::graph;
use crate::cli::args::Reach;
use crate::cli::kept::{self, KeptRun};
use crate::cli::trust::Configuration;
use crate::cli::{Exit, screen};
use crate::machine::{Snapshot, Transfer, TransferError, transfer};
use crate::port::ProgramText;
use crate::program::Semantics;

/// Where the run stands in an edited graph.
pub(super) struct Edited {
    /// The graph's file.
    file: String,
    /// The graph as it can be compiled again.
    pub(super) text: ProgramText,
    /// [`None`] if the run goes by this very graph already.
    moved: Option<Transfer>,
    /// The version of the meaning the run went by before, if it is another one.
    before: Option<Semantics>,
    /// The version of the meaning it goes by now.
    now: Semantics,
}

/// Reads an edited graph as `run` does, and has it take the place of the one the run goes by.
pub(super) fn read(
    file: &str,
    reach: &Reach,
    configuration: &Configuration,
    stood: &Snapshot,
    kept: KeptRun,
) -> Result<(KeptRun, Edited), Exit> {
    let (model, text, mut program, mut sources) = graph::read(file, reach, configuration)?;
    if let Some(interrupt) = &kept.interrupt {
        program = kept::with_pause(&model, interrupt, program.semantics, &mut sources)?;
    }
    let moved = if stood.program == program.digest {
        None
    } else {
        let fitted = transfer(&kept.program, &program, stood, stood.at, &stood.tools);
        Some(fitted.map_err(|unfit| refuse(file, &kept.info.run, &unfit))?)
    };
    let KeptRun { store, info, program: before, interrupt, mut earlier, .. } = kept;
    let now = program.semantics;
    let old = Some(before.semantics).filter(|old| *old != now);
    earlier.push(before);
    let main = text.main.to_string();
    let kept = KeptRun { store, info, model, program: Arc::new(program), main, sources, interrupt, earlier };
    Ok((kept, Edited { file: file.to_owned(), text, moved, before: old, now }))
}

fn refuse(file: &str, run: &str, unfit: &[TransferError]) -> Exit {
    let (run, file) = (screen::line(run), screen::line(file));
    let mut text = format!("the run `{run}` cannot go on with {file}; nothing was changed");
    for unfit in unfit {
        let _ = write!(text, "\n  {}", screen::line(&unfit.to_string()));
    }
    screen::refuse_lines(&text)
}

impl Edited {
    /// Where the run stands in it.
    pub(super) fn stands<'s>(&'s self, stood: &'s Snapshot) -> &'s Snapshot {
        self.moved.as_ref().map_or(stood, |moved| &moved.snapshot)
    }

    /// Says what became of the run.
    pub(super) fn say(&self, run: &str) {
        let (run, file) = (screen::line(run), screen::line(&self.file));
        let text = match &self.moved {
            None => format!("{file} is the graph that the run {run} goes by already\n"),
            Some(moved) => {
                let kept = match moved.kept {
                    1 => "1 field kept".to_owned(),
                    many => format!("{many} fields kept"),
                };
                let added = moved.added.join(", ");
                let added = if added.is_empty() { "none is new".to_owned() } else { format!("new: {added}") };
                let meaning = self.before.map_or_else(String::new, |before| {
                    let now = self.now;
                    format!(
                        "it goes by version {now} of the semantics from here on, before by version {before}\n"
                    )
                });
                format!("the run {run} goes on with {file}: {kept}, {added}\n{meaning}")
            }
        };
        screen::say(&text);
    }
}
