//! The list of flows that `check --flows` prints.

use std::fmt::Write as _;

use serde_json::json;

use crate::check::{Cut, CutSet, FlowSource, TargetFlows};
use crate::diag;
use crate::source::Sources;
use crate::source::display::line as shown;
use crate::value::Str;

/// The flows of several graphs, in the order in which they were checked.
#[derive(Debug, Default)]
pub(super) struct FlowList(Vec<(String, Vec<TargetFlows>)>);

impl FlowList {
    pub(super) fn add(&mut self, file: &str, flows: Vec<TargetFlows>) {
        self.0.push((file.to_owned(), flows));
    }

    pub(super) fn json(&self, sources: &Sources) -> serde_json::Value {
        let one = |flows: &TargetFlows| {
            let from = flows.sources.iter().map(|(source, cuts)| {
                let cuts: Vec<&str> = cuts.iter().map(Cut::word).collect();
                json!({"source": source.to_string(), "cuts": cuts})
            });
            let mut value = diag::json::place(flows.span, sources);
            value["target"] = flows.target.to_string().into();
            value["graph"] = flows.graph.as_str().into();
            value["node"] = flows.node.as_ref().map(Str::as_str).into();
            value["sources"] = from.collect();
            value
        };
        let graphs = self
            .0
            .iter()
            .map(|(file, flows)| json!({"file": file, "targets": flows.iter().map(one).collect::<Vec<_>>()}));
        graphs.collect()
    }

    pub(super) fn text(&self, sources: &Sources) -> String {
        let mut text = String::new();
        for (file, flows) in &self.0 {
            let _ = writeln!(text, "{}: what flows where", shown(file));
            for one in flows {
                let (line, column) = sources.line_col(one.span);
                let place = match sources.name(one.span.file) {
                    own if own == file => format!("{line}:{column}"),
                    other => format!("{other}:{line}:{column}"),
                };
                let from: Vec<String> = one.sources.iter().map(source).collect();
                let from = if from.is_empty() { "the graph alone".to_owned() } else { from.join(", ") };
                let row = format!("{} at {place} <- {from}", one.target);
                let _ = writeln!(text, "  {}", shown(&row));
            }
        }
        text
    }
}

/// A source, with what every way from it is cut by.
fn source((source, cuts): &(FlowSource, CutSet)) -> String {
    let words: Vec<&str> = cuts.iter().map(Cut::word).collect();
    if words.is_empty() { source.to_string() } else { format!("{source} ({})", words.join(", ")) }
}
