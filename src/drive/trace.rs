//! Spans for tracing: one per run, node and call, with OpenTelemetry's names for what it has names for.
//!
//! No prompt, answer or argument is told at level `info`; requests and outcomes are, at `trace`.

use rustc_hash::FxHashMap;
use tracing::field::Empty;
use tracing::{Span, debug, info, info_span, trace};

use crate::machine::{Call, CallId, Event, EventKind, Outcome, Request, Usage};
use crate::port::ModelClient;
use crate::program::Program;
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
    pub(super) fn new(program: &Program, run: &str) -> Self {
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
        );
        Self { run, nodes: FxHashMap::default(), calls: FxHashMap::default() }
    }

    /// Follows an event; `graph` is the graph it happened in.
    pub(super) fn follow(&mut self, program: &Program, graph: u32, event: &Event) {
        if self.run.is_disabled() {
            return;
        }
        match &event.kind {
            EventKind::Entered { node, visit, .. } => self.enter(program, graph, event.frame, *node, *visit),
            EventKind::Called(call) => {
                let parent = self.at(event.frame).clone();
                self.calls.insert(call.id.clone(), parent);
            }
            EventKind::Failed { error, .. } => {
                let field = |name| {
                    error.as_map().and_then(|map| map.get(name)).and_then(Value::as_str).unwrap_or_default()
                };
                info!(parent: self.at(event.frame), error.r#type = field("kind"), "failed");
                debug!(parent: self.at(event.frame), message = field("message"));
            }
            EventKind::Retrying { attempt, .. } => {
                info!(parent: self.at(event.frame), attempt, "tries again");
            }
            EventKind::Closed { .. } => {
                self.nodes.remove(&event.frame);
            }
            EventKind::Done(done) => {
                self.nodes.clear();
                self.run.record("loopwright.outcome", done.outcome.as_str());
                if !done.ok {
                    self.run.record("error.type", done.outcome.as_str());
                }
                info!(parent: &self.run, outcome = done.outcome.as_str(), ok = done.ok, "done");
            }
            _ => {}
        }
    }

    fn enter(&mut self, program: &Program, graph: u32, lane: u32, node: u32, visit: u32) {
        let code = program.graphs.get(graph as usize);
        let Some(name) = code.and_then(|code| code.nodes.get(node as usize)).map(|node| node.name.as_str())
        else {
            return;
        };
        let span =
            info_span!(parent: &self.run, "node", otel.name = name, loopwright.node = name, visit, lane);
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
                info_span!(
                    parent: &parent,
                    "model",
                    otel.name = format!("chat {name}"),
                    otel.kind = "client",
                    gen_ai.operation.name = "chat",
                    gen_ai.request.model = name.as_str(),
                    gen_ai.usage.input_tokens = Empty,
                    gen_ai.usage.output_tokens = Empty,
                    loopwright.role = role.as_str(),
                    loopwright.attempt = call.attempt,
                    error.r#type = Empty,
                )
            }
            Request::Tool { tool, .. } => info_span!(
                parent: &parent,
                "tool",
                otel.name = format!("execute_tool {tool}"),
                gen_ai.operation.name = "execute_tool",
                gen_ai.tool.name = tool.as_str(),
                gen_ai.tool.call.id = call.id.0.as_str(),
                gen_ai.usage.input_tokens = Empty,
                gen_ai.usage.output_tokens = Empty,
                loopwright.attempt = call.attempt,
                error.r#type = Empty,
            ),
        };
        trace!(parent: &span, request = ?call.request);
        span
    }
}

/// Notes how a call ended.
pub(super) fn outcome(span: &Span, outcome: &Outcome) {
    let usage = match outcome {
        Outcome::Answer { usage, .. } => *usage,
        Outcome::Failed { kind, usage, .. } => {
            span.record("error.type", kind.as_str());
            *usage
        }
        Outcome::Unknown { .. } => {
            span.record("error.type", "unknown");
            Usage::default()
        }
    };
    if usage != Usage::default() {
        span.record("gen_ai.usage.input_tokens", usage.input_tokens);
        span.record("gen_ai.usage.output_tokens", usage.output_tokens);
    }
    trace!(parent: span, answer = ?outcome);
}
