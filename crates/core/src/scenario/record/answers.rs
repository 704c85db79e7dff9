//! Answers of models, tools and people in a run.

use rustc_hash::FxHashMap;

use crate::machine::{
    Call, CallProgress, Event, EventKind, Interrupt, Outcome, Question, Request, Snapshot, Time, Usage,
};
use crate::program::error::ErrorKind;
use crate::scenario::script::encoded;
use crate::value::json::{JsonLimits, parse_strict};
use crate::value::{Str, Value};

/// One hour, in nanoseconds: so much later than the end of the run comes what never came.
const HOUR_NS: i64 = 3_600_000_000_000;

/// The one who was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// A model, by its role.
    Model(Str),
    /// A tool, by its name.
    Tool(Str),
    /// A person.
    Person,
}

/// The answer.
#[derive(Debug, Clone)]
pub(super) enum RecordedReply {
    /// A value. That of a model is what it meant, where its text is just the JSON of that.
    Ok(Value),
    /// A failure.
    Failed { kind: Str, message: Str, details: Value, retry_after: Option<i64>, never_began: bool },
    /// Nobody knows whether it took place.
    Unknown(Str),
    /// Nothing that anybody waited for.
    Nothing,
}

/// An answer and who it was for.
#[derive(Debug, Clone)]
pub(super) struct RecordedAnswer {
    pub(super) from: Asked,
    pub(super) node: Str,
    pub(super) lane: Str,
    pub(super) reply: RecordedReply,
    pub(super) usage: Usage,
    /// The time it took, in nanoseconds.
    pub(super) after: i64,
}

/// The answers of a run, in the order in which it was asked.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) recorded: Vec<RecordedAnswer>,
    /// The facts that no scenario can say.
    pub(super) lost: Vec<String>,
}

/// A call or question that was put.
struct PendingRequest {
    /// Its place in the answers.
    place: usize,
    since: Time,
    /// Its answer has come.
    answered: bool,
    /// The request of a call.
    request: Option<Request>,
}

#[derive(Default)]
struct Collector<'a> {
    out: Collected,
    open: FxHashMap<Str, PendingRequest>,
    asks: FxHashMap<Str, Question>,
    interrupt: Option<&'a Interrupt>,
    /// The time when a person answered last: what is asked again, is asked then.
    turn: Time,
}

/// Collects the answers of a run.
pub(super) fn collect(events: &[Event], end: &Snapshot, interrupt: Option<&Interrupt>) -> Collected {
    let mut collector = Collector { interrupt, ..Collector::default() };
    for (place, event) in events.iter().enumerate() {
        collector.event(event, &events[place + 1..]);
    }
    collector.finish(end)
}

impl Collector<'_> {
    fn event(&mut self, event: &Event, rest: &[Event]) {
        match &event.kind {
            EventKind::Called(call) => self.called(call, event.at),
            EventKind::Resolved { call, outcome } | EventKind::Late { call, outcome } => {
                self.resolved(&call.0, event, outcome, rest);
            }
            EventKind::Asked(ask) => {
                self.asks.insert(ask.id.0.clone(), (**ask).clone());
                if !self.is_stop(ask) {
                    self.push(ask.id.0.clone(), Asked::Person, (&ask.node, &ask.lane), event.at);
                }
            }
            EventKind::Answered { ask, answer } => self.answered(&ask.0, answer, event.at),
            _ => {}
        }
    }

    fn is_stop(&self, ask: &Question) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.asks(ask))
    }

    fn push(&mut self, id: Str, from: Asked, (node, lane): (&Str, &Str), since: Time) {
        let place = self.out.recorded.len();
        self.out.recorded.push(RecordedAnswer {
            from,
            node: node.clone(),
            lane: lane.clone(),
            reply: RecordedReply::Nothing,
            usage: Usage::default(),
            after: 0,
        });
        self.open.insert(id, PendingRequest { place, since, answered: false, request: None });
    }

    fn called(&mut self, call: &Call, at: Time) {
        let from = match &call.request {
            Request::Model { role, .. } => Asked::Model(role.clone()),
            Request::Tool { tool, .. } => Asked::Tool(tool.clone()),
        };
        self.push(call.id.0.clone(), from, (&call.node, &call.lane), at);
        if let Some(open) = self.open.get_mut(&call.id.0) {
            open.request = Some(call.request.clone());
        }
    }

    fn resolved(&mut self, id: &Str, event: &Event, outcome: &Outcome, rest: &[Event]) {
        let Some(open) = self.open.get_mut(id).filter(|open| !open.answered) else { return };
        open.answered = true;
        let recorded = &mut self.out.recorded[open.place];
        recorded.after = event.at.saturating_sub(open.since).max(0);
        (recorded.reply, recorded.usage) = match outcome {
            Outcome::Answer { value, usage, .. } => {
                (meant(value, open.request.as_ref(), event.frame, rest), *usage)
            }
            Outcome::Failed { kind, message, details, usage, retry_after, progress, .. } => {
                let (kind, message, details) = (kind.clone(), message.clone(), details.clone());
                let never_began = *progress == CallProgress::NeverBegan;
                let retry_after = *retry_after;
                (RecordedReply::Failed { kind, message, details, retry_after, never_began }, *usage)
            }
            Outcome::Unknown { message } => (RecordedReply::Unknown(message.clone()), Usage::default()),
        };
    }

    fn answered(&mut self, id: &Str, answer: &Value, at: Time) {
        let Some(ask) = self.asks.get(id).cloned() else { return };
        if self.is_stop(&ask) {
            self.turn = at;
            let ends = answer.as_str() == Some("abort") || answer.as_map().is_some();
            if ends {
                let answer = answer.to_json();
                self.out.lost.push(format!("a person answered {answer} where the operator had it stop"));
            }
            return;
        }
        if self.open.get(id).is_none_or(|open| open.answered) {
            // It was put again, since the answer before did not fit.
            self.push(id.clone(), Asked::Person, (&ask.node, &ask.lane), self.turn);
        }
        if let Some(open) = self.open.get_mut(id) {
            open.answered = true;
            let recorded = &mut self.out.recorded[open.place];
            recorded.reply = RecordedReply::Ok(answer.clone());
            recorded.after = at.saturating_sub(open.since).max(0);
        }
        self.turn = at;
    }

    fn finish(mut self, end: &Snapshot) -> Collected {
        if let Some(stop) = end.asks().find(|ask| self.is_stop(ask)) {
            self.out.lost.push(format!("it waits at `{}`, where the operator has it stop", stop.node));
        }
        let waits: Vec<usize> = end
            .asks()
            .filter_map(|ask| self.open.get(&ask.id.0))
            .filter(|o| !o.answered)
            .map(|o| o.place)
            .collect();
        for open in self.open.values().filter(|open| !open.answered) {
            self.out.recorded[open.place].after =
                end.at.saturating_sub(open.since).max(0).saturating_add(HOUR_NS);
        }
        // Nobody answers what the run still waits for.
        let mut place = 0;
        self.out.recorded.retain(|_| {
            place += 1;
            !waits.contains(&(place - 1))
        });
        self.out
    }
}

/// The meaning of an answer. The text of a model is given as the value whose JSON it is, where the script would send
/// just that text; a text that the script would mend is what the machine made of it.
fn meant(value: &Value, request: Option<&Request>, frame: u32, rest: &[Event]) -> RecordedReply {
    let (Value::Str(text), Some(request @ Request::Model { .. })) = (value, request) else {
        return RecordedReply::Ok(value.clone());
    };
    let parsed = parse_strict(text, JsonLimits::default()).ok().filter(|parsed| !parsed.is_null());
    if let Some(parsed) = parsed.filter(|parsed| encoded(parsed.clone(), request) == *value) {
        return RecordedReply::Ok(parsed);
    }
    if encoded(value.clone(), request) == *value {
        return RecordedReply::Ok(value.clone());
    }
    let error = rest.iter().filter(|event| event.frame == frame).find_map(|event| match &event.kind {
        EventKind::Failed { error, .. } => Some(&**error),
        _ => None,
    });
    let field = |name: &str| error.and_then(Value::as_map).and_then(|map| map.get(name)).cloned();
    let message = field("message").and_then(|message| message.as_str().map(Str::from));
    RecordedReply::Failed {
        kind: ErrorKind::InvalidOutput.into(),
        message: message.unwrap_or_else(|| "the answer cannot be read".into()),
        details: field("details").unwrap_or_default(),
        retry_after: None,
        never_began: false,
    }
}
