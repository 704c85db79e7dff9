//! Effects: a node's `do` and keys, then the request to the world.

use super::call::{Call, CallId, Question, QuestionId, QuestionReason, Request};
use super::catalogue::in_catalogue;
use super::event::EventKind;
use super::fault::{self, stop};
use super::leave::text;
use super::output::Output;
use super::snapshot::Phase;
use super::step::Machine;
use crate::program::error::ErrorKind;
use crate::program::exec::Exec;
use crate::program::graph::{Charge, Delivery, LinkedNodeKind, ModelCode, NameCode, OfferCode, ToolCode};
use crate::program::narrow::{self, NarrowedAnswer};
use crate::program::op::OpId;
use crate::program::{Fault, Span, Stop};
use crate::value::{List, Map, Str, Value};

/// The effect of a node after its keys were evaluated.
enum PreparedEffect {
    Request(Request),
    Question(Str),
    Sleep(i64),
    Lanes(super::plan::Plan),
}

impl Machine<'_> {
    /// The first unit of an effect node: its `do`, then its keys; then the request.
    pub(super) fn effect(&mut self, lane: u32, node: u32, visit: u32) {
        let graph = self.graph(lane);
        let code = &graph.nodes[node as usize];
        let tools = self.snap.tools.clone();
        let result = self.open_unit(lane, |exec| {
            exec.run(code.entry)?;
            let timeout = code.timeout.map_or(Ok(None), |op| duration(exec, op).map(Some))?;
            let prepared = match &code.kind {
                LinkedNodeKind::Model(model) => PreparedEffect::Request(model_request(exec, model, &tools)?),
                LinkedNodeKind::Tool(tool) => PreparedEffect::Request(tool_request(exec, tool, &tools)?),
                LinkedNodeKind::Human(human) => PreparedEffect::Question(text(exec, human.ask)?),
                LinkedNodeKind::Wait(delay) => PreparedEffect::Sleep(duration(exec, *delay)?),
                other => PreparedEffect::Lanes(super::plan::plan(exec, other)?),
            };
            Ok((prepared, timeout))
        });
        let (prepared, timeout) = match result {
            Ok(ready) => ready,
            Err(stop) => {
                self.commit();
                let changes = self.changes();
                return self.fail(lane, fault::exit(graph, lane, stop), changes);
            }
        };
        if let PreparedEffect::Request(request) = &prepared
            && let Err(refused) = self.may_charge(lane, charge_of(request))
        {
            self.take_back(lane);
            let changes = self.changes();
            return self.fail(lane, refused, changes);
        }
        self.commit();
        let changes = self.changes();
        self.record(lane, || EventKind::Entered { node, visit, changes });
        self.judge_entry(lane, node);
        let deadline = timeout.map(|t| self.snap.at.saturating_add(t));
        match prepared {
            PreparedEffect::Request(request) => {
                let id = CallId(self.name_call(lane, "1"));
                let path = self.lane(lane).path.clone();
                let call =
                    Call { id, node: code.name.clone(), lane: path, attempt: 1, timeout, deadline, request };
                self.make(lane, call);
            }
            PreparedEffect::Question(question) => {
                let id = QuestionId(self.name_call(lane, "ask"));
                let ask = self.question(lane, node, id, QuestionReason::Node, question, deadline);
                self.lane_mut(lane).phase = Phase::Asking(Box::new(ask.clone()));
                self.put_question(lane, ask);
            }
            PreparedEffect::Sleep(delay) => {
                let until = self.snap.at.saturating_add(delay);
                self.record(lane, || EventKind::Waiting { node, until });
                self.lane_mut(lane).phase = Phase::Sleeping { until };
            }
            PreparedEffect::Lanes(plan) => self.open_lanes(lane, plan, deadline),
        }
    }

    /// Charges a call and makes it, or asks first whether it may be made. Every attempt is charged.
    pub(super) fn make(&mut self, lane: u32, call: Call) {
        if self.asks_approval(lane, &call) {
            return;
        }
        self.charge(lane, charge_of(&call.request), 1);
        self.record(lane, || EventKind::Called(Box::new(call.clone())));
        self.lane_mut(lane).phase = Phase::Calling(Box::new(call.clone()));
        self.out.push(Output::Call(Box::new(call)));
    }

    /// The id of a call: run, path of called graphs, node, visit and `tail` (the attempt).
    pub(super) fn name_call(&self, lane: u32, tail: &str) -> Str {
        let state = self.lane(lane);
        let graph = self.graph(lane);
        let node = &graph.nodes[state.frame.node as usize].name;
        let visit = state.frame.visits[state.frame.node as usize];
        ecow::eco_format!("{}:{}{node}#{visit}.{tail}", self.snap.run, state.path)
    }

    /// A question with the form its answer must have.
    pub(super) fn question(
        &self,
        lane: u32,
        node: u32,
        id: QuestionId,
        reason: QuestionReason,
        text: Str,
        deadline: Option<i64>,
    ) -> Question {
        let code = &self.graph(lane).nodes[node as usize];
        let schema = match (&code.kind, reason) {
            (LinkedNodeKind::Human(human), QuestionReason::Node) => human.answer.schema.clone(),
            (_, QuestionReason::Pause) => {
                let step = [("type", Value::from("integer")), ("minimum", Value::Int(0))];
                choices(&["resume", "abort"], "rollback", step.into_iter().collect())
            }
            _ => choices(&["retry", "fail"], "result", Map::new()),
        };
        Question {
            id,
            node: code.name.clone(),
            lane: self.lane(lane).path.clone(),
            reason,
            text,
            schema,
            misfit: Str::new(),
            deadline,
        }
    }
}

/// One of these words, or a map with this field.
fn choices(words: &[&str], name: &str, field: Map) -> Value {
    let words = words.iter().map(|word| Value::from(*word)).collect::<List>();
    let words = Map::from_iter([("enum", Value::List(words))]);
    let object = Map::from_iter([
        ("type", Value::from("object")),
        ("properties", Value::Map(Map::from_iter([(name, Value::Map(field))]))),
        ("required", Value::List(List::from_iter([Value::from(name)]))),
    ]);
    let either = List::from_iter([Value::Map(words), Value::Map(object)]);
    Value::Map(Map::from_iter([("anyOf", Value::List(either))]))
}

pub(super) const fn charge_of(request: &Request) -> Charge {
    match request {
        Request::Model { .. } => Charge::ModelCalls,
        Request::Tool { .. } => Charge::ToolCalls,
    }
}

fn name(exec: &mut Exec<'_>, source: &NameCode) -> Result<Str, Stop> {
    match source {
        NameCode::Fixed(name) => Ok(name.clone()),
        NameCode::Computed(op) => match exec.eval(*op)? {
            Value::Str(name) => Ok(name),
            other => Err(stop(
                exec,
                ErrorKind::Evaluation,
                *op,
                format!("found {} where a name is wanted", other.type_name()),
            )),
        },
    }
}

pub(super) fn duration(exec: &mut Exec<'_>, op: OpId) -> Result<i64, Stop> {
    match exec.eval(op)? {
        Value::Duration(nanoseconds) => Ok(nanoseconds.max(0)),
        other => Err(stop(
            exec,
            ErrorKind::Evaluation,
            op,
            format!("found {} where a duration is wanted", other.type_name()),
        )),
    }
}

fn model_request(exec: &mut Exec<'_>, model: &ModelCode, tools: &List) -> Result<Request, Stop> {
    let role = name(exec, &model.role)?;
    let system = model.system.map(|source| text(exec, Some(source))).transpose()?;
    let prompt = text(exec, model.prompt)?;
    let messages = model.messages.map(|messages| list(exec, messages)).transpose()?;
    let offer = model.reply.as_ref().map(|_| offered(exec, &model.offer, tools)).transpose()?;
    let (schema, limits) = answer_schema(exec, model)?;
    Ok(Request::Model {
        role,
        system,
        prompt,
        messages,
        offer,
        schema,
        limits,
        stream: model.stream.clone(),
        cache: model.cache,
    })
}

/// The schema of the answer, narrowed by the node's `limits`.
fn answer_schema(exec: &mut Exec<'_>, model: &ModelCode) -> Result<(Value, Option<Map>), Stop> {
    let own = &model.output;
    let Some(op) = model.limits else { return Ok((own.schema.clone(), None)) };
    let limits = exec.eval(op)?;
    let narrowed = narrow::narrowed(&exec.program.shapes, own.shape, &own.schema, &limits);
    match narrowed {
        Ok(NarrowedAnswer { schema, limits }) => Ok((schema, Some(limits))),
        Err(why) => Err(stop(exec, ErrorKind::Evaluation, op, why)),
    }
}

fn list(exec: &mut Exec<'_>, op: OpId) -> Result<List, Stop> {
    match exec.eval(op)? {
        Value::List(items) => Ok(items),
        other => Err(stop(
            exec,
            ErrorKind::Evaluation,
            op,
            format!("found {} where a list is wanted", other.type_name()),
        )),
    }
}

/// The names of the tools on offer, each once. All have to be in the catalogue.
fn offered(exec: &mut Exec<'_>, offer: &OfferCode, tools: &List) -> Result<List, Stop> {
    let names = match offer {
        OfferCode::Fixed(names) => names.iter().cloned().map(Value::Str).collect(),
        OfferCode::Computed(op) => list(exec, *op)?,
    };
    let mut offered: Vec<Value> = Vec::with_capacity(names.len());
    for name in &names {
        if name.as_str().is_none_or(|name| in_catalogue(tools, name).is_none()) {
            return Err(unknown_tool(name.as_str().unwrap_or_default()));
        }
        if !offered.contains(name) {
            offered.push(name.clone());
        }
    }
    Ok(offered.into_iter().collect())
}

fn unknown_tool(name: &str) -> Stop {
    Stop::error(ErrorKind::UnknownTool, Fault::unknown_tool(name).message, Span::default())
}

/// A tool must be in the catalogue and, where the node names some, among those allowed.
fn tool_request(exec: &mut Exec<'_>, code: &ToolCode, tools: &List) -> Result<Request, Stop> {
    let tool = name(exec, &code.tool)?;
    if !code.allow.is_empty() && !code.allow.contains(&tool) {
        let message = format!("the tool '{tool}' is not allowed here");
        return Err(Stop::error(ErrorKind::UnknownTool, message, Span::default()));
    }
    let Some(entry) = in_catalogue(tools, &tool) else { return Err(unknown_tool(&tool)) };
    let own = entry
        .get("delivery")
        .and_then(Value::as_str)
        .and_then(Delivery::named)
        .unwrap_or(Delivery::AtMostOnce);
    let args = match code.args {
        None => Map::new(),
        Some(op) => match exec.eval(op)? {
            Value::Map(args) => args,
            Value::Null => Map::new(),
            other => {
                let message =
                    format!("found {} where a tool's arguments are wanted: a map", other.type_name());
                return Err(stop(exec, ErrorKind::InvalidArgs, op, message));
            }
        },
    };
    Ok(Request::Tool { tool, args, delivery: code.delivery.map_or(own, |wanted| wanted.max(own)) })
}
