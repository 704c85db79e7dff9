//! Judging properties along a step.

use super::monitor::{FrameView, PropertyProgress, Violation};
use super::step::Machine;
use crate::program::graph::PropertyCode;

impl Machine<'_> {
    /// A leaf was entered and its `do` has run.
    #[inline]
    pub(super) fn judge_entry(&mut self, lane: u32, node: u32) {
        if self.judge.is_some() {
            self.judge_leaf(lane, node);
        }
    }

    #[cold]
    fn judge_leaf(&mut self, lane: u32, node: u32) {
        let Some(judge) = self.judge.as_deref_mut() else { return };
        let Some(state) = self.snap.lanes[lane as usize].as_deref() else { return };
        let graph = &self.program.graphs[state.frame.graph as usize];
        if graph.properties.is_empty() {
            return;
        }
        let (mut properties_of, is_first) = judge.properties_of(lane, graph);
        properties_of.node = node;
        let leaf = &graph.judged[node as usize];
        let is_new = is_first || std::mem::take(&mut properties_of.is_second_next);
        let properties = if is_new { &leaf.at_first } else { &leaf.properties };
        let remembers = (is_first || leaf.remembers) && !graph.remembered.is_empty();
        if properties.is_empty() && !remembers {
            judge.lanes[lane as usize] = Some(properties_of);
            return;
        }
        let scratch = &mut self.judging;
        scratch.begin();
        scratch.previous = std::mem::take(&mut properties_of.previous);
        scratch.reads = self.scratch.reads.take();
        let (frame, world) = (&state.frame, &self.world);
        let mut view = FrameView { program: self.program, graph, frame, world, scratch };
        for property in properties.iter().copied() {
            let (_, code) = &graph.properties[property as usize];
            let progress = &mut properties_of.properties[property as usize];
            if *progress == PropertyProgress::Broken {
                continue;
            }
            let next = view.judge(*code, *progress);
            *progress = *next.as_ref().unwrap_or(&PropertyProgress::Broken);
            if *progress == PropertyProgress::Broken {
                let (frame, seq) = (lane, self.snap.seq);
                judge.violations.push(Violation {
                    graph: state.frame.graph,
                    property,
                    frame,
                    node,
                    seq,
                    trouble: next.err(),
                });
            }
        }
        let remembered = remembers.then(|| view.remember());
        let previous = std::mem::take(&mut self.judging.previous);
        properties_of.previous = remembered.unwrap_or(previous);
        self.scratch.reads = self.judging.reads.take();
        judge.lanes[lane as usize] = Some(properties_of);
    }

    /// The graph of a lane has come to its end, well or not.
    pub(super) fn judge_end(&mut self, lane: u32) {
        let Some(judge) = self.judge.as_deref_mut() else { return };
        let Some(state) = self.snap.lanes[lane as usize].as_deref() else { return };
        let Some(properties_of) = judge.lanes.get_mut(lane as usize).and_then(Option::take) else { return };
        let graph = &self.program.graphs[state.frame.graph as usize];
        for ((property, (_, code)), progress) in (0..).zip(&graph.properties).zip(&properties_of.properties) {
            if matches!(code, PropertyCode::Eventually(_)) && *progress == PropertyProgress::Open {
                judge.violations.push(Violation {
                    graph: state.frame.graph,
                    property,
                    frame: lane,
                    node: properties_of.node,
                    seq: self.snap.seq,
                    trouble: None,
                });
            }
        }
    }
}
