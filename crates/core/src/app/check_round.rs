//! The findings of graphs that are checked together.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::hash::Hash;

use serde_json::json;

use super::configurations::Configurations;
use super::examine::{Examined, examine, long_loop};
use super::flow_list::FlowList;
use crate::check::{Bound, Checked, Flows, GuardOverlap, IgnoredFinding, overlaps};
use crate::config::RuleSeverities;
use crate::diag::{self, Diagnostic, rule};
use crate::model::{Loader, Model};
use crate::source::Sources;
use crate::source::display::line;

/// Findings, each once: files that several graphs use are judged with each of them.
#[derive(Debug, Default)]
struct DistinctFindings {
    all: Vec<Diagnostic>,
    known: HashSet<Diagnostic>,
}

impl DistinctFindings {
    fn add(&mut self, findings: Vec<Diagnostic>) {
        for finding in findings {
            if self.known.insert(finding.clone()) {
                self.all.push(finding);
            }
        }
    }
}

/// Causes without an edge that leave a graph, in graphs that are checked together: where others call all graphs with such a
/// cause, those were judged with what they leave unanswered. `F` is a finding.
#[derive(Debug)]
pub struct UnansweredCauses<F> {
    /// The files of the graphs in which they were found.
    roots: HashMap<F, Vec<String>>,
    /// The files of the graphs that others call.
    called: HashSet<String>,
}

impl<F> Default for UnansweredCauses<F> {
    fn default() -> Self {
        Self { roots: HashMap::new(), called: HashSet::new() }
    }
}

impl<F: Eq + Hash> UnansweredCauses<F> {
    /// Adds a finding of the rule `unhandled` in the graph of the file `root`.
    pub fn add(&mut self, finding: F, root: &str) {
        self.roots.entry(finding).or_default().push(root.to_owned());
    }

    /// Adds the files of graphs that another one calls.
    pub fn add_called(&mut self, files: impl IntoIterator<Item = String>) {
        self.called.extend(files);
    }

    /// Returns true if callers answer to it. To be asked when all graphs were added.
    pub fn is_left_to_callers(&self, finding: &F) -> bool {
        self.roots.get(finding).is_some_and(|roots| roots.iter().all(|root| self.called.contains(root)))
    }
}

/// All that was found in graphs that are checked together.
#[derive(Debug, Default)]
pub struct CheckRound {
    /// The texts that findings point into.
    pub sources: Sources,
    findings: DistinctFindings,
    /// Findings that the graphs ignore, and the reasons.
    ignored: Vec<IgnoredFinding>,
    known_ignored: HashSet<Diagnostic>,
    /// Findings of rules that the configuration switched off.
    off: DistinctFindings,
    /// The bounds of graphs, by their files.
    bounds: Vec<(String, Bound)>,
    unanswered: UnansweredCauses<Diagnostic>,
    /// Guards that hold at once, where they are asked for.
    overlaps: Option<Vec<GuardOverlap>>,
    /// The flows of each graph, where they are asked for.
    flows: Option<FlowList>,
}

impl CheckRound {
    /// Nothing yet. With `overlaps`, pairs of guards that hold at once are looked for.
    #[must_use]
    pub fn new(overlaps: bool) -> Self {
        Self { overlaps: overlaps.then(Vec::new), ..Self::default() }
    }

    /// Lists what flows where in each graph, if `flows` is true.
    #[must_use]
    pub fn listing_flows(self, flows: bool) -> Self {
        Self { flows: flows.then(FlowList::default), ..self }
    }

    /// Reads, judges and compiles the graph at `path`, with its tools as its configuration declares them.
    pub fn examine(
        &mut self,
        path: &str,
        loader: &mut dyn Loader,
        configurations: &mut Configurations,
    ) -> Examined {
        examine(path, &mut self.sources, loader, &mut |tool| configurations.of(path).get(tool).copied())
    }

    /// Adds what was [examined](Self::examine), judged by the policies and severities of its configuration, and further findings
    /// about it. Gives the model back.
    pub fn settle(
        &mut self,
        path: &str,
        mut checked: Checked,
        further: Vec<Diagnostic>,
        configurations: &mut Configurations,
    ) -> Option<Model> {
        let faults = configurations.judge_flows(path, &mut checked, &mut self.sources);
        self.add_findings(faults);
        let (severities, faults) = configurations.severities(path, &mut self.sources);
        self.add_findings(faults);
        self.add(checked, further, &severities)
    }

    /// Adds a graph that was examined with the [texts of this round](Self::sources), and further findings about it. Gives its
    /// model back.
    pub fn add(
        &mut self,
        mut checked: Checked,
        mut further: Vec<Diagnostic>,
        severities: &RuleSeverities,
    ) -> Option<Model> {
        if let (Some(bound), Some(model)) = (&checked.bound, &checked.model) {
            further.extend(long_loop(model, bound));
            self.bounds.push((model.root().path.clone(), bound.clone()));
        }
        checked.add(further);
        if let (Some(all), Some(model)) =
            (&mut self.overlaps, checked.model.as_ref().filter(|_| checked.is_sound()))
        {
            // Graphs that several others call are looked at with each of them.
            for overlap in overlaps(model, &self.sources) {
                if !all.contains(&overlap) {
                    all.push(overlap);
                }
            }
        }
        if let (Some(list), Some(model)) =
            (&mut self.flows, checked.model.as_ref().filter(|_| checked.is_sound()))
        {
            list.add(&model.root().path, Flows::of(model).list());
        }
        self.off.add(severities.apply(&mut checked.findings));
        if let Some(model) = &checked.model {
            self.note_calls(model, &checked.findings);
        }
        self.findings.add(checked.findings);
        for ignored in checked.ignored {
            if self.known_ignored.insert(ignored.finding.clone()) {
                self.ignored.push(ignored);
            }
        }
        checked.model
    }

    /// Adds findings about no graph, such as those in a configuration.
    pub fn add_findings(&mut self, findings: Vec<Diagnostic>) {
        self.findings.add(findings);
    }

    fn note_calls(&mut self, model: &Model, findings: &[Diagnostic]) {
        let root = &model.root().path;
        for finding in findings.iter().filter(|finding| finding.rule == rule::UNHANDLED) {
            self.unanswered.add(finding.clone(), root);
        }
        self.unanswered.add_called(called_files(model));
    }

    /// Takes out the causes that leave a graph which others of the round call: those were judged with what they leave
    /// unanswered. To be called when all graphs were added.
    pub fn leave_to_callers(&mut self) {
        let unanswered = &self.unanswered;
        self.findings.all.retain(|finding| !unanswered.is_left_to_callers(finding));
    }

    /// The bounds of the graphs that surely end, by their files.
    #[must_use]
    pub fn bounds(&self) -> &[(String, Bound)] {
        &self.bounds
    }

    /// The findings, each once, in the order in which they were added.
    #[must_use]
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings.all
    }

    /// The round as one JSON document: `findings`, `bounds`, `ignored`, `off`, and `overlaps` and `flows` where they were asked for.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let render = |findings: &[Diagnostic]| diag::json::render(findings, &self.sources);
        let ignored = self.ignored.iter().map(|ignored| {
            let mut value = render(std::slice::from_ref(&ignored.finding))[0].take();
            value["reason"] = ignored.reason.value.as_str().into();
            value
        });
        let mut value = json!({
            "findings": render(&self.findings.all),
            "bounds": self.bounds.iter().map(bound_json).collect::<Vec<_>>(),
            "ignored": ignored.collect::<Vec<_>>(),
            "off": render(&self.off.all),
        });
        if let Some(all) = &self.overlaps {
            value["overlaps"] = all.iter().map(|overlap| overlap_json(overlap, &self.sources)).collect();
        }
        if let Some(list) = &self.flows {
            value["flows"] = list.json(&self.sources);
        }
        value
    }

    /// The text after the findings: bounds, overlaps, flows, and a line that counts, for so many files.
    #[must_use]
    pub fn summary(&self, files: usize) -> String {
        let mut text = String::new();
        for (file, bound) in &self.bounds {
            text += &bound_text(file, bound);
        }
        for overlap in self.overlaps.iter().flatten() {
            text += &line(&overlap_text(overlap, &self.sources));
            text.push('\n');
        }
        text += &self.flows.as_ref().map(|list| list.text(&self.sources)).unwrap_or_default();
        let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        let findings = &self.findings.all;
        let mut summary =
            if findings.is_empty() { "no findings".to_owned() } else { diag::text::summary(findings) };
        for (count, what) in [(self.ignored.len(), "ignored"), (self.off.all.len(), "switched off")] {
            if count > 0 {
                let _ = write!(summary, ", {count} {what}");
            }
        }
        format!("{text}{files}: {summary}\n")
    }
}

/// The files of the graphs that a model's own graph calls, itself or through others.
pub fn called_files(model: &Model) -> impl Iterator<Item = String> {
    let root = &model.root().path;
    model.graphs.iter().map(|graph| &graph.path).filter(move |path| *path != root).cloned()
}

/// The bound of a graph for people: the amounts, then what the numbers come from.
#[must_use]
pub fn bound_text(file: &str, bound: &Bound) -> String {
    let amounts = bound.amounts();
    // What does not happen at all is not worth a word, unless nothing happens.
    let shown = amounts.iter().enumerate().filter(|(i, (_, amount))| *i == 0 || amount.number != Some(0));
    let (endless, counted): (Vec<_>, Vec<_>) =
        shown.map(|(_, part)| part).partition(|(_, amount)| amount.number == Some(u64::MAX));
    let counted: Vec<String> = counted
        .into_iter()
        .map(|(name, amount)| match amount.number {
            Some(1) => format!("1 {}", name.trim_end_matches('s')),
            _ => format!("{amount} {name}"),
        })
        .collect();
    let beyond: Vec<&str> = endless.into_iter().map(|part| part.0).collect();
    let file = line(file);
    let mut text = match (counted.join(", "), beyond.join(", ")) {
        (counted, beyond) if beyond.is_empty() => format!("{file} ends after at most {counted}\n"),
        (counted, beyond) if counted.is_empty() => {
            format!("{file} ends, but may take too many {beyond} to count\n")
        }
        (counted, beyond) => {
            format!("{file} ends after at most {counted}, but may take too many {beyond} to count\n")
        }
    };
    for (name, amount) in amounts {
        if amount.number.is_some_and(|n| n < u64::MAX && n.to_string() != amount.formula) {
            let _ = writeln!(text, "  {name}: {}", line(&amount.formula));
        }
    }
    text
}

fn bound_json((file, bound): &(String, Bound)) -> serde_json::Value {
    let mut value = json!({"file": file});
    for (name, amount) in bound.amounts() {
        value[name.replace(' ', "_")] = json!({"number": amount.number, "formula": amount.formula});
    }
    value
}

/// Two guards that hold at once, on one line for people.
fn overlap_text(overlap: &GuardOverlap, sources: &Sources) -> String {
    let (file, (line, column)) = (sources.name(overlap.first.file), sources.line_col(overlap.first));
    let (second, _) = sources.line_col(overlap.second);
    let hold = if overlap.is_definite { "both hold" } else { "nothing excludes that both hold" };
    let state =
        if overlap.state.is_empty() { String::new() } else { format!(": {}", overlap.state.join(" and ")) };
    let node = &overlap.node;
    format!(
        "{file}:{line}:{column}: `{node}` takes this edge before the one in line {second} where {hold}{state}"
    )
}

fn overlap_json(overlap: &GuardOverlap, sources: &Sources) -> serde_json::Value {
    json!({
        "node": overlap.node.as_str(),
        "first": diag::json::place(overlap.first, sources),
        "second": diag::json::place(overlap.second, sources),
        "state": overlap.state,
        "definite": overlap.is_definite,
    })
}
