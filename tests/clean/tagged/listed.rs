//! The flows that `check --flows` lists for a graph, and those of them that runs showed.

use std::collections::{BTreeMap, BTreeSet};

use loopwright::check::{FlowSource, FlowTarget, Flows, TargetFlows};
use loopwright::model::Model;
use loopwright::value::Str;

use super::tags::{MAX_SOURCES, Sources};

/// The sources of a graph, each with its bit.
#[derive(Debug, Default, Clone)]
pub(super) struct SourceBits(Vec<FlowSource>);

impl SourceBits {
    /// The bit of a source.
    pub(super) fn of(&mut self, source: FlowSource) -> Sources {
        let at = self.0.iter().position(|own| *own == source).unwrap_or_else(|| {
            self.0.push(source);
            self.0.len() - 1
        });
        assert!(at < MAX_SOURCES, "a graph of a test has few sources");
        1 << at
    }

    pub(super) fn members(&self, set: Sources) -> Vec<FlowSource> {
        self.0
            .iter()
            .enumerate()
            .filter(|(at, _)| set >> at & 1 == 1)
            .map(|(_, source)| source.clone())
            .collect()
    }

    /// The number of a source, for marks in texts.
    pub(super) fn number(&mut self, source: &FlowSource) -> u32 {
        self.of(source.clone()).trailing_zeros()
    }
}

/// The listed flows of a model.
pub(super) struct ListedFlows {
    targets: Vec<TargetFlows>,
    by_node: BTreeMap<(Str, Option<Str>), Vec<usize>>,
    /// By target, the sources that a run showed.
    seen: BTreeSet<(usize, FlowSource)>,
}

impl ListedFlows {
    pub(super) fn of(model: &Model) -> Self {
        Self::from(Flows::of(model).list())
    }

    pub(super) fn from(targets: Vec<TargetFlows>) -> Self {
        let mut by_node: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (number, own) in targets.iter().enumerate() {
            by_node.entry((own.graph.clone(), own.node.clone())).or_default().push(number);
        }
        Self { targets, by_node, seen: BTreeSet::new() }
    }

    /// The source that came to a target and is not listed there, if there is one. What came in a text must not be listed as
    /// cut.
    pub(super) fn unlisted(
        &mut self,
        (graph, node): (&Str, Option<&Str>),
        target: &FlowTarget,
        (sources, in_text): (&[FlowSource], bool),
    ) -> Option<FlowSource> {
        let numbers = self.by_node.get(&(graph.clone(), node.cloned())).cloned().unwrap_or_default();
        let numbers: Vec<usize> =
            numbers.into_iter().filter(|number| may_be(&self.targets[*number].target, target)).collect();
        for source in sources {
            let mut found = false;
            for number in &numbers {
                let listed = self.targets[*number].sources.iter();
                for (own, cuts) in listed.filter(|(own, _)| names(own, source)) {
                    self.seen.insert((*number, own.clone()));
                    found |= !in_text || cuts.is_empty();
                }
            }
            if !found {
                return Some(source.clone());
            }
        }
        None
    }

    /// True if every way that is listed from each of these sources to a target is cut.
    pub(super) fn all_cut(
        &self,
        (graph, node): (&Str, &Str),
        target: &FlowTarget,
        sources: &[FlowSource],
    ) -> bool {
        let numbers = self.by_node.get(&(graph.clone(), Some(node.clone()))).map_or(&[][..], Vec::as_slice);
        let own =
            numbers.iter().map(|number| &self.targets[*number]).filter(|own| may_be(&own.target, target));
        let listed: Vec<_> = own.flat_map(|own| &own.sources).collect();
        sources.iter().all(|source| listed.iter().all(|(own, cuts)| !names(own, source) || !cuts.is_empty()))
    }

    /// The number of listed flows that were seen, and of all.
    pub(super) fn share(&self) -> (usize, usize) {
        (self.seen.len(), self.targets.iter().map(|own| own.sources.len()).sum())
    }

    /// The listed flows that no run showed.
    pub(super) fn unseen(&self) -> impl Iterator<Item = (&FlowTarget, &FlowSource)> {
        let all = self.targets.iter().enumerate();
        let all =
            all.flat_map(|(at, own)| own.sources.iter().map(move |(source, _)| (at, &own.target, source)));
        all.filter(|(at, _, source)| !self.seen.contains(&(*at, (*source).clone()))).map(|(_, t, s)| (t, s))
    }
}

fn names(listed: &FlowSource, source: &FlowSource) -> bool {
    listed == source
        || matches!(
            (listed, source),
            (FlowSource::Tool(None), FlowSource::Tool(_)) | (FlowSource::Model(None), FlowSource::Model(_))
        )
}

/// True if a listed target is the one of a run, or may be.
fn may_be(listed: &FlowTarget, target: &FlowTarget) -> bool {
    let fits = |listed: &Option<Str>, own: &Option<Str>| listed.is_none() || listed == own;
    match (listed, target) {
        (FlowTarget::Argument { tool, argument }, FlowTarget::Argument { tool: own, argument: part }) => {
            fits(tool, own) && fits(argument, part)
        }
        (FlowTarget::Call(tool), FlowTarget::Call(own)) => fits(tool, own),
        (FlowTarget::Model(role), FlowTarget::Model(own)) => fits(role, own),
        _ => listed == target,
    }
}
