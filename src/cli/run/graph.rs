//! The graph of a run: read, judged, compiled.

use crate::check::{Checked, check_file};
use crate::cli::args::Reach;
use crate::cli::declared::deliveries;
use crate::cli::files::Disk;
use crate::cli::trust::Configuration;
use crate::cli::{Exit, screen};
use crate::compile::compile;
use crate::diag::{Diagnostic, Severity};
use crate::model::Model;
use crate::port::ProgramText;
use crate::program::Program;
use crate::source::Sources;
use crate::value::Str;

/// A graph that was checked and compiled, and of which nothing was said yet.
pub(super) struct Judged {
    checked: Checked,
    program: Option<Program>,
}

impl Judged {
    pub(super) fn of(file: &str, sources: &mut Sources, disk: &mut Disk) -> Self {
        let mut checked = check_file(sources, disk, file);
        let mut program = None;
        if checked.is_sound()
            && let Some(model) = &checked.model
        {
            match compile(model) {
                Ok(compiled) => program = Some(compiled),
                Err(faults) => checked.findings.extend(faults.iter().map(Diagnostic::from)),
            }
        }
        Self { checked, program }
    }

    /// Says what is wrong, and gives the graph if it can be run. Warnings do not keep it from running.
    pub(super) fn settle(
        mut self,
        file: &str,
        configuration: &Configuration,
        sources: &Sources,
    ) -> Result<(Model, Program), Exit> {
        let deliveries = deliveries(&configuration.config);
        self.checked.judge_tools(&mut |tool| deliveries.get(tool).copied());
        let sound = self.checked.is_sound();
        let mut shown = self.checked.findings;
        shown.retain(|finding| finding.severity != Severity::Note);
        if !shown.is_empty() {
            let exit = say(&shown, sources);
            if !sound {
                return Err(exit);
            }
        }
        self.checked.model.zip(self.program).ok_or_else(|| {
            let why = "the file holds no graph, only declarations that graphs use";
            screen::refuse(&format!("{file}: {why}"))
        })
    }
}

/// A graph with its texts, and nothing else that a run needs.
pub(super) fn read(
    file: &str,
    reach: &Reach,
    configuration: &Configuration,
) -> Result<(Model, ProgramText, Program, Sources), Exit> {
    let mut sources = Sources::new();
    let judged = Judged::of(file, &mut sources, &mut Disk::new(reach)?);
    let (model, program) = judged.settle(file, configuration, &sources)?;
    let text = text_of(&program, files_of(&sources));
    Ok((model, text, program, sources))
}

/// Texts by the names of their files.
pub(super) type Texts = Vec<(Str, Str)>;

/// The texts a program was made of, in the order in which they were read.
pub(super) fn files_of(sources: &Sources) -> Texts {
    sources.texts().map(|(name, text)| (name.into(), text.into())).collect()
}

pub(super) fn text_of(program: &Program, files: Texts) -> ProgramText {
    let main = files.first().map(|(name, _)| name.clone()).unwrap_or_default();
    ProgramText { digest: program.digest.clone(), main, files }
}

/// Says findings, and gives what the command ends with.
pub(super) fn say(findings: &[Diagnostic], sources: &Sources) -> Exit {
    screen::findings(findings, sources);
    Exit::of(findings).worse(Exit::Findings)
}
