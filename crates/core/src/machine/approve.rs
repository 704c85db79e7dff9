//! Approvals: a person is asked before a call is made whose tool wants it.
//!
//! What is approved is a hash of the tool and of the exact arguments, for one visit of one node on one branch of one run.
//! Other attempts of that visit make the same call and are approved with it; anything else is asked anew. A person may change
//! arguments with the yes: then the changed call is the one that is approved, recorded and made.

use super::call::{Call, Question, QuestionId, QuestionReason, Request};
use super::catalogue::in_catalogue;
use super::event::Changes;
use super::fault;
use super::output::Output;
use super::snapshot::{NodeExit, Phase};
use super::step::Machine;
use super::yes::Yes;
use crate::program::Approval;
use crate::program::error::ErrorKind;
use crate::value::json::{canonical, digest};
use crate::value::{List, Map, Str, Value, duration};

/// The number of digits of the hash that are shown and typed.
const SHOWN_HASH_DIGITS: usize = 16;

/// Stands before the hash in the id of a question.
const APPROVE: &str = ".approve-";

impl Question {
    /// The hash of the call a person is asked to approve; none for other questions.
    #[must_use]
    pub fn approval(&self) -> Option<&str> {
        if self.reason == QuestionReason::Approval { Some(self.id.0.rsplit_once(APPROVE)?.1) } else { None }
    }

    /// The answer that approves what is asked about; none for other questions.
    #[must_use]
    pub fn approving(&self) -> Option<Value> {
        Some(approve(self.approval()?))
    }
}

/// The approval that the catalogue wants for a call.
fn wanted(tools: &List, call: &Call) -> Approval {
    let Request::Tool { tool, .. } = &call.request else { return Approval::NotNeeded };
    in_catalogue(tools, tool).map(Approval::of_entry).unwrap_or_default()
}

/// The id of the question whether this call may be made: all attempts of one visit have the same.
fn ask_id(call: &Call) -> QuestionId {
    let (tool, args) = what(call);
    let whole = Map::from_iter([("tool", Value::Str(tool)), ("args", Value::Map(args))]);
    let hash = digest(&Value::Map(whole)).to_string();
    let visit = call.id.0.rsplit_once('.').map_or(call.id.0.as_str(), |(visit, _)| visit);
    QuestionId(ecow::eco_format!("{visit}{APPROVE}{}", &hash[..SHOWN_HASH_DIGITS]))
}

fn what(call: &Call) -> (Str, Map) {
    match &call.request {
        Request::Tool { tool, args, .. } => (tool.clone(), args.clone()),
        Request::Model { role, .. } => (role.clone(), Map::new()),
    }
}

fn approve(hash: &str) -> Value {
    Value::Map(Map::from_iter([("approve", Value::from(hash))]))
}

/// The question whether a call may be made.
fn question(call: &Call) -> Question {
    let (tool, args) = what(call);
    let mut ask = Question {
        id: ask_id(call),
        node: call.node.clone(),
        lane: call.lane.clone(),
        reason: QuestionReason::Approval,
        text: ecow::eco_format!("May the tool `{tool}` be called with {}?", canonical(&Value::Map(args))),
        schema: Value::Null,
        misfit: Str::new(),
        deadline: None,
    };
    ask.schema = schema(ask.approval().unwrap_or_default());
    ask
}

/// The answers: the hash, or `deny`.
fn schema(hash: &str) -> Value {
    let map = |entries: [(&str, Value); 1]| Value::Map(Map::from_iter(entries));
    let hash = map([("const", hash.into())]);
    let yes = Map::from_iter([
        ("type", Value::from("object")),
        ("properties", map([("approve", hash)])),
        ("required", Value::List(List::from_iter([Value::from("approve")]))),
        ("additionalProperties", Value::Bool(false)),
    ]);
    let no = map([("enum", Value::List(List::from_iter([Value::from("deny")])))]);
    map([("anyOf", Value::List(List::from_iter([Value::Map(yes), no])))])
}

impl Machine<'_> {
    /// Asks a person whether a call may be made, where its tool wants it and nobody has said so for this visit.
    pub(super) fn asks_approval(&mut self, lane: u32, call: &Call) -> bool {
        let approval = wanted(&self.snap.tools, call);
        if !approval.is_needed() {
            return false;
        }
        let mut ask = question(call);
        ask.deadline = approval.expires().map(|nanos| self.snap.at.saturating_add(nanos));
        if self.lane(lane).approved.as_ref() == Some(&ask.id) {
            return false;
        }
        let (asked, call) = (Box::new(ask.clone()), Box::new(call.clone()));
        self.lane_mut(lane).phase = Phase::Approving { ask: asked, call };
        self.put_question(lane, ask);
        true
    }

    /// A person lets a call be made. Its time begins now.
    pub(super) fn approved(&mut self, lane: u32, ask: QuestionId, call: Call, yes: Yes) {
        let edited = matches!(yes, Yes::Edited(_));
        let mut call = yes.to(call);
        self.lane_mut(lane).approved = Some(if edited { ask_id(&call) } else { ask });
        call.deadline = call.timeout.map(|t| self.snap.at.saturating_add(t));
        match self.may_charge(lane, super::effect::charge_of(&call.request)) {
            Ok(()) => self.make(lane, call),
            Err(refused) => self.fail(lane, refused, Changes::default()),
        }
    }

    /// A person does not let a call be made. No retry asks again.
    pub(super) fn denied(&mut self, lane: u32, call: &Call) {
        self.deny(lane, call, "a person did not approve this call");
    }

    /// Nobody let a call be made in time.
    pub(super) fn not_approved(&mut self, lane: u32) {
        let Phase::Approving { ask, call } = self.lane(lane).phase.clone() else { return };
        let expires = wanted(&self.snap.tools, &call).expires().map(duration::text).unwrap_or_default();
        self.out.push(Output::Withdraw(ask.id));
        self.deny(lane, &call, &format!("nobody approved this call within {expires}"));
    }

    fn deny(&mut self, lane: u32, call: &Call, message: &str) {
        let error = fault::error(self.graph(lane), ErrorKind::Denied, message, Value::Null, call.attempt);
        self.fail(lane, NodeExit::Error(error), Changes::default());
    }
}
