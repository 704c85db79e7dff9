//! Spans for tracing: one per run, node and call, with OpenTelemetry's names for what it has names for.
//!
//! No prompt, answer or argument is reported at level `info`; requests and outcomes are, at `trace`.

use rustc_hash::FxHashMap;
use tracing::field::Empty;
use tracing::{Span, debug, info, info_span, trace};

use crate::machine::{
    Call, CallId, Event, EventKind, EventPlace, Lane, Outcome, Phase, Request, Snapshot, Usage,
};
use crate::port::ModelClient;
use crate::program::Program;
use crate::program::frame::Frame;
use crate::value::Value;

/// The open spans of a run.
pub(super) struct Trace {
    pub(super) run: Span,
    /// The node each lane is in.
    nodes: FxHashMap<u32, Span>,
    /// The node that made each call.
    calls: FxHashMap<CallId, Span>,
}

impl Trace {
    /// The spans of a run from here on.
    pub(super) fn new(program: &Program, run: &str, snapshot: &Snapshot) -> Self {
        let graph = program.graphs[0].id.as_str();
        let run = info_span!(
            "run",
            otel.name = format!("invoke_agent {graph}"),
            gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = graph,
            gen_ai.conversation.id = run,
            loopwright.program = program.digest.as_str(),
            loopwright.outcome = Empty,
            error.r#type = Empty,
            otel.status_code = Empty,
        );
        let mut trace = Self { run, nodes: FxHashMap::default(), calls: FxHashMap::default() };
        trace.stand(program, snapshot);
        trace
    }

    /// Opens the spans of the nodes that a run is at, in place of those before.
    pub(super) fn stand(&mut self, program: &Program, snapshot: &Snapshot) {
        self.nodes.clear();
        self.calls.clear();
        if self.run.is_disabled() {
            return;
        }
        let lanes = (0..).zip(&snapshot.lanes).filter_map(|(at, lane)| Some((at, &**lane.as_ref()?)));
        let mut lanes: Vec<(u32, &Lane)> = lanes.collect();
        // Those that opened others come first.
        lanes.sort_by_key(|(_, lane)| lane.path.len());
        for (at, lane) in lanes {
            // Others are between two nodes.
            if !matches!(lane.phase, Phase::Enter { .. } | Phase::Leave { .. }) {
                let Frame { graph, node, visits, .. } = &lane.frame;
                let visit = visits.get(*node as usize).copied().unwrap_or_default();
                let parent = lane.parent.map(|(parent, _)| parent);
                self.enter(program, (*graph, *node), (at, parent), visit);
            }
            if let Phase::Calling(call) | Phase::Lost { call, .. } = &lane.phase {
                self.calls.insert(call.id.clone(), self.at(at).clone());
            }
        }
    }

    /// Opens and closes the spans that an event begins and ends.
    pub(super) fn follow(&mut self, program: &Program, place: &EventPlace, event: &Event) {
        if self.run.is_disabled() {
            return;
        }
        match &event.kind {
            EventKind::Entered { node, visit, .. } => {
                self.enter(program, (place.graph, *node), (event.frame, place.parent), *visit);
            }
            EventKind::Called(call) => {
                let parent = self.at(event.frame).clone();
                self.calls.insert(call.id.clone(), parent);
            }
            EventKind::Failed { error, .. } => {
                let field = |name| {
                    error.as_map().and_then(|map| map.get(name)).and_then(Value::as_str).unwrap_or_default()
                };
                let span = self.at(event.frame);
                failed(span, field("kind"));
                info!(parent: span, error.r#type = field("kind"), "failed");
                debug!(parent: span, message = field("message"));
            }
            EventKind::Retrying { attempt, .. } => {
                info!(parent: self.at(event.frame), attempt = i64::from(*attempt), "tries again");
            }
            EventKind::Abandoned { call } => {
                self.calls.remove(call);
            }
            EventKind::Closed { .. } => {
                self.nodes.remove(&event.frame);
            }
            EventKind::Done(done) => {
                self.nodes.clear();
                self.run.record("loopwright.outcome", done.outcome.as_str());
                if !done.ok {
                    failed(&self.run, done.outcome.as_str());
                }
                info!(parent: &self.run, outcome = done.outcome.as_str(), ok = done.ok, "done");
            }
            _ => {}
        }
    }

    /// Opens the span of a node of a graph, in a lane and below the node that waits for the lane.
    fn enter(
        &mut self,
        program: &Program,
        (graph, node): (u32, u32),
        (lane, parent): (u32, Option<u32>),
        visit: u32,
    ) {
        let code = program.graphs.get(graph as usize);
        let Some(name) = code.and_then(|code| code.nodes.get(node as usize)).map(|node| node.name.as_str())
        else {
            return;
        };
        let parent = parent.map_or(&self.run, |parent| self.at(parent));
        let span = info_span!(
            parent: parent,
            "node",
            otel.name = name,
            otel.status_code = Empty,
            loopwright.node = name,
            loopwright.visit = i64::from(visit),
            loopwright.lane = i64::from(lane),
            error.r#type = Empty,
        );
        debug!(parent: &span, "entered");
        self.nodes.insert(lane, span);
    }

    fn at(&self, lane: u32) -> &Span {
        self.nodes.get(&lane).unwrap_or(&self.run)
    }

    /// The span of a call.
    pub(super) fn call(&mut self, call: &Call, model: &dyn ModelClient) -> Span {
        let parent = self.calls.remove(&call.id).unwrap_or_else(|| self.run.clone());
        let span = match &call.request {
            Request::Model { role, .. } => {
                let name = model.model(role);
                // What is empty here is reported by the model that answers, as far as it knows.
                info_span!(
                    parent: &parent,
                    "model",
                    otel.name = format!("chat {name}"),
                    otel.kind = "client",
                    otel.status_code = Empty,
                    gen_ai.operation.name = "chat",
                    gen_ai.provider.name = model.provider(role).as_deref(),
                    gen_ai.request.model = name.as_str(),
                    gen_ai.request.temperature = Empty,
                    gen_ai.request.seed = Empty,
                    gen_ai.request.max_tokens = Empty,
                    gen_ai.request.reasoning.level = Empty,
                    gen_ai.output.r#type = Empty,
                    gen_ai.response.model = Empty,
                    gen_ai.response.finish_reasons = Empty,
                    gen_ai.usage.input_tokens = Empty,
                    gen_ai.usage.cache_read.input_tokens = Empty,
                    gen_ai.usage.cache_write.input_tokens = Empty,
                    gen_ai.usage.output_tokens = Empty,
                    gen_ai.usage.reasoning.output_tokens = Empty,
                    server.address = Empty,
                    server.port = Empty,
                    loopwright.role = role.as_str(),
                    loopwright.entry = Empty,
                    loopwright.attempt = i64::from(call.attempt),
                    error.r#type = Empty,
                )
            }
            Request::Tool { tool, .. } => info_span!(
                parent: &parent,
                "tool",
                otel.name = format!("execute_tool {tool}"),
                otel.status_code = Empty,
                gen_ai.operation.name = "execute_tool",
                gen_ai.tool.name = tool.as_str(),
                gen_ai.tool.r#type = "function",
                gen_ai.tool.call.id = call.id.0.as_str(),
                gen_ai.usage.input_tokens = Empty,
                gen_ai.usage.output_tokens = Empty,
                loopwright.attempt = i64::from(call.attempt),
                error.r#type = Empty,
            ),
        };
        trace!(parent: &span, request = ?call.request);
        span
    }
}

/// The span of a call that is in progress. One that is given up says so.
pub(super) struct OpenCallSpan {
    span: Span,
    ended: bool,
}

impl OpenCallSpan {
    pub(super) fn new(span: &Span) -> Self {
        Self { span: span.clone(), ended: false }
    }

    /// Notes how the call ended.
    pub(super) fn end(mut self, outcome: &Outcome) {
        self.ended = true;
        let usage = match outcome {
            Outcome::Answer { usage, .. } => *usage,
            Outcome::Failed { kind, usage, .. } => {
                failed(&self.span, kind);
                *usage
            }
            Outcome::Unknown { .. } => {
                failed(&self.span, "unknown");
                Usage::default()
            }
        };
        if usage != Usage::default() {
            for (kind, count) in usage.kinds() {
                self.span.record(attribute(kind), number(count));
            }
        }
        trace!(parent: &self.span, answer = ?outcome);
    }
}

impl Drop for OpenCallSpan {
    fn drop(&mut self) {
        if !self.ended {
            failed(&self.span, "cancelled");
        }
    }
}

/// The attribute of a kind of tokens: see <https://github.com/open-telemetry/semantic-conventions-genai>.
fn attribute(kind: &str) -> &'static str {
    match kind {
        "input_tokens" => "gen_ai.usage.input_tokens",
        "cached_tokens" => "gen_ai.usage.cache_read.input_tokens",
        "cache_write_tokens" => "gen_ai.usage.cache_write.input_tokens",
        "reasoning_tokens" => "gen_ai.usage.reasoning.output_tokens",
        _ => "gen_ai.usage.output_tokens",
    }
}

/// A number as OpenTelemetry has them: none goes beyond 63 bits.
fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn failed(span: &Span, kind: &str) {
    span.record("error.type", kind);
    span.record("otel.status_code", "ERROR");
}
