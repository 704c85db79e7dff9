//! The graph of a run: read, judged, compiled.

use std::fmt;
use std::sync::Arc;

use super::deliveries::deliveries;
use crate::check::{Checked, FlowRule, check_file};
use crate::compile::{compile, compile_with_pause};
use crate::config::Config;
use crate::diag::{Diagnostic, Severity, text};
use crate::drive::Disk;
use crate::machine::Interrupt;
use crate::model::{Loader, Model};
use crate::port::ProgramText;
use crate::program::function::Functions;
use crate::program::{Program, Semantics};
use crate::source::{Fragment, Sources};
use crate::value::Str;

/// The name under which the condition of an operator's pause is among the texts of a graph.
pub(super) const INTERRUPT_WHEN: &str = "--interrupt-when";

/// A graph that can be run.
#[derive(Debug)]
pub struct Graph {
    /// The graph with names and types resolved.
    pub model: Arc<Model>,
    /// The program that a run of it goes by.
    pub program: Arc<Program>,
    /// The texts that the program can be compiled from again. They are stored beside a run.
    pub text: ProgramText,
    /// The warnings, in the order of the text.
    pub findings: Vec<Diagnostic>,
    /// The texts that findings and faults of a run point into.
    pub sources: Sources,
}

/// A graph that was read and checked, and of whose tools nothing is known yet.
#[derive(Debug)]
pub struct Judged {
    /// The texts that were read.
    pub sources: Sources,
    checked: Checked,
    program: Option<Program>,
    /// The texts of the graph alone, by the names of their files, in the order in which they were read.
    files: Vec<(Str, Str)>,
}

/// The reasons for which a graph cannot be run.
#[derive(Debug)]
#[non_exhaustive]
pub struct GraphError {
    /// The findings, errors among them unless the file [holds no graph](Self::is_empty).
    pub findings: Vec<Diagnostic>,
    /// The texts that they point into.
    pub sources: Sources,
    /// True if the file holds only declarations that graphs use.
    pub is_empty: bool,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty {
            return f.write_str("the file contains no graph, only declarations that graphs use");
        }
        f.write_str(text::render(&self.findings, &self.sources, false).trim_end())
    }
}

impl std::error::Error for GraphError {}

impl Graph {
    /// Opens the graph file at `path`, relative to the working folder, with the files that it names. Its tools are
    /// judged without a configuration.
    ///
    /// # Errors
    /// All findings, if one of them keeps the graph from running.
    pub fn open(path: &str) -> Result<Self, Box<GraphError>> {
        Self::load(path, &mut Disk::default())
    }

    /// As [`Graph::open`], with functions that the graph may call besides the built-in ones.
    ///
    /// # Errors
    /// As [`Graph::open`].
    pub fn open_with(path: &str, functions: &Functions) -> Result<Self, Box<GraphError>> {
        Self::load(path, &mut Disk::default().with_functions(functions.clone()))
    }

    /// As [`Graph::open`], from wherever `loader` has its files.
    ///
    /// # Errors
    /// As [`Graph::open`].
    pub fn load(path: &str, loader: &mut dyn Loader) -> Result<Self, Box<GraphError>> {
        Judged::load(path, Sources::new(), loader).settle(&Config::default())
    }

    /// Compiles the graph with an operator's pause, which is no part of its digest.
    ///
    /// # Errors
    /// The findings in the condition of the pause.
    pub fn pausing(mut self, interrupt: &Interrupt) -> Result<Self, Box<GraphError>> {
        match pausing(&self.model, interrupt, self.program.semantics, (INTERRUPT_WHEN, &mut self.sources)) {
            Ok(program) => Ok(Self { program: Arc::new(program), ..self }),
            Err(findings) => Err(Box::new(GraphError::of(findings, self.sources))),
        }
    }
}

impl GraphError {
    pub(super) fn of(findings: Vec<Diagnostic>, sources: Sources) -> Self {
        Self { findings, sources, is_empty: false }
    }
}

impl Judged {
    /// Reads, checks and compiles the graph at `path`.
    pub fn load(path: &str, mut sources: Sources, loader: &mut dyn Loader) -> Self {
        let mut checked = check_file(&mut sources, loader, path);
        let files = sources.texts().map(|(name, text)| (name.into(), text.into())).collect();
        let mut program = None;
        if checked.is_sound()
            && let Some(model) = &checked.model
        {
            match compile(model) {
                Ok(compiled) => program = Some(compiled),
                Err(faults) => checked.findings.extend(faults.iter().map(Diagnostic::from)),
            }
        }
        Self { sources, checked, program, files }
    }

    /// Judges what depends on the tools that a configuration declares. Notes are left out, warnings come with the graph.
    ///
    /// # Errors
    /// All findings but notes, if one of them keeps the graph from running.
    pub fn settle(mut self, config: &Config) -> Result<Graph, Box<GraphError>> {
        let deliveries = deliveries(config);
        self.checked.judge_tools(&mut |tool| deliveries.get(tool).copied());
        self.finish(|finding| finding.severity != Severity::Note)
    }

    /// Judges the flows of the graph by the rules of policies. What they deny keeps it from running.
    pub fn judge_flows(&mut self, rules: &[FlowRule], approved: &dyn Fn(&str) -> bool) {
        self.checked.judge_flows(rules, approved);
    }

    /// Takes the graph without a look at its tools and its warnings.
    ///
    /// # Errors
    /// The errors, if there are any.
    pub fn without_tools(self) -> Result<Graph, Box<GraphError>> {
        self.finish(|finding| finding.severity == Severity::Error)
    }

    fn finish(self, counts: impl Fn(&Diagnostic) -> bool) -> Result<Graph, Box<GraphError>> {
        let Self { sources, checked, program, files } = self;
        let is_sound = !checked.findings.iter().any(|finding| finding.severity == Severity::Error);
        let findings: Vec<Diagnostic> = checked.findings.into_iter().filter(counts).collect();
        match checked.model.zip(program) {
            _ if !is_sound => Err(Box::new(GraphError::of(findings, sources))),
            None => Err(Box::new(GraphError { findings, sources, is_empty: true })),
            Some((model, program)) => {
                let main = files.first().map(|(name, _)| name.clone()).unwrap_or_default();
                let functions = program.own_functions();
                let text = ProgramText { digest: program.digest.clone(), main, files, functions };
                Ok(Graph { model: Arc::new(model), program: Arc::new(program), text, findings, sources })
            }
        }
    }
}

/// Compiles a graph with an operator's pause; `flag` is what its condition was given by.
pub(super) fn pausing(
    model: &Model,
    interrupt: &Interrupt,
    semantics: Semantics,
    (flag, sources): (&str, &mut Sources),
) -> Result<Program, Vec<Diagnostic>> {
    let when = interrupt.when.as_ref().map(|text| {
        let file = sources.add(flag, text.as_str());
        Fragment::verbatim(text.as_str(), file, 0)
    });
    compile_with_pause(model, when.as_ref(), interrupt.every, semantics)
}
