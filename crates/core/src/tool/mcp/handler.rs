//! Requests and notes of a server in the middle of a call, and the answers to them.
#![expect(
    deprecated,
    reason = "servers of earlier versions ask for roots and for answers of models, and log"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::ClientHandler;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, FormElicitationCapability,
    Implementation, ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};

use super::person_time::PersonTime;
use super::ports::McpPorts;
use super::text::cut;
use crate::config::with_defaults;
use crate::machine::{Question, QuestionId, QuestionReason};
use crate::port::HumanReply;
use crate::value::{Map, Str, Value};

/// The longest text of a server that a person is shown, in bytes.
const MAX_WORDS: usize = 4 << 10;

/// The number of times a person is asked whose answer does not fit.
const MAX_ASKED: usize = 3;

/// The questions of one connection to a person since its last call began. Further ones are declined.
const MAX_QUESTIONS: usize = 10;

/// The longest form that a person is asked to fill in, in bytes of its schema.
const MAX_FORM: usize = 64 << 10;

/// The time that a person has for an answer.
const PATIENCE: Duration = Duration::from_mins(30);

/// The most notes of one connection that a person is shown. The log has all.
const MAX_NOTES: usize = 20;

/// One side of a connection: ours.
#[derive(Clone)]
pub(super) struct Handler(Arc<HandlerState>);

/// The facts of a connection while it lasts.
pub(super) struct HandlerState {
    server: Str,
    ports: McpPorts,
    /// The folders that the server is told of, as addresses.
    roots: Vec<String>,
    /// True once the server said that its tools changed.
    changed: AtomicBool,
    /// The tools of the calls in progress.
    calls: Mutex<BTreeMap<String, Str>>,
    /// The notes that a person was shown.
    notes: AtomicUsize,
    /// The questions since the last call began.
    questions: AtomicUsize,
    /// Held while a person is asked.
    asking: tokio::sync::Mutex<()>,
    person_time: Arc<PersonTime>,
}

impl Handler {
    pub(super) fn new(server: Str, ports: McpPorts, roots: Vec<String>) -> Self {
        Self(Arc::new(HandlerState {
            server,
            ports,
            roots,
            changed: AtomicBool::new(false),
            calls: Mutex::default(),
            notes: AtomicUsize::new(0),
            questions: AtomicUsize::new(0),
            asking: tokio::sync::Mutex::default(),
            person_time: Arc::default(),
        }))
    }

    pub(super) fn state(&self) -> Arc<HandlerState> {
        Arc::clone(&self.0)
    }
}

/// A change of the tools that nobody has looked at yet. Dropped before that, it is noted anew: what a server does not tell
/// cannot be held against what was granted.
pub(super) struct NoticedChange(Option<Arc<HandlerState>>);

impl NoticedChange {
    /// Says that the tools were looked at, so that it is settled.
    pub(super) fn settle(mut self) {
        self.0 = None;
    }
}

impl Drop for NoticedChange {
    fn drop(&mut self) {
        if let Some(state) = self.0.take() {
            state.note_change();
        }
    }
}

impl HandlerState {
    /// The change of the tools since this was asked last, if there was one.
    pub(super) fn take_change(self: &Arc<Self>) -> Option<NoticedChange> {
        self.changed.swap(false, Ordering::AcqRel).then(|| NoticedChange(Some(Arc::clone(self))))
    }

    /// Says that the tools are to be looked at again.
    pub(super) fn note_change(&self) {
        self.changed.store(true, Ordering::Release);
    }

    /// The time in which persons are asked, which calls do not count.
    pub(super) const fn person_time(&self) -> &Arc<PersonTime> {
        &self.person_time
    }

    pub(super) fn call_begins(&self, token: &ProgressToken, tool: Str) {
        self.calls().insert(key(token), tool);
        self.questions.store(0, Ordering::Relaxed);
    }

    pub(super) fn call_ends(&self, token: &ProgressToken) {
        self.calls().remove(&key(token));
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<String, Str>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, note: &str) {
        tracing::warn!(server = self.server.as_str(), "{note}");
        let shown = self.notes.fetch_add(1, Ordering::Relaxed) < MAX_NOTES;
        if let Some(listener) = self.ports.listener.as_ref().filter(|_| shown) {
            listener.noted(note);
        }
    }

    /// Asks a person what a server wants to know, one question at a time.
    async fn ask(&self, message: &str, schema: Value) -> ElicitResult {
        let server = &self.server;
        let Ok(_asking) = self.asking.try_lock() else {
            self.note(&format!("the MCP server {server} asks a person who is still asked; it is declined"));
            return ElicitResult::new(ElicitationAction::Decline);
        };
        if self.questions.fetch_add(1, Ordering::Relaxed) >= MAX_QUESTIONS {
            self.note(&format!(
                "the MCP server {server} asks a person more than {MAX_QUESTIONS} times; it is declined"
            ));
            return ElicitResult::new(ElicitationAction::Decline);
        }
        if self.ports.human.is_none() {
            return self.unattended();
        }
        let Ok(judge) = crate::config::validator(&schema) else {
            self.note(&format!("the MCP server {server} asks with a schema that is none; it is declined"));
            return ElicitResult::new(ElicitationAction::Decline);
        };
        self.put_to_person(message, ElicitationForm::of(schema), &judge).await
    }

    /// Puts a question to the person until the answer fits.
    async fn put_to_person(
        &self,
        message: &str,
        form: ElicitationForm,
        judge: &jsonschema::Validator,
    ) -> ElicitResult {
        let server = &self.server;
        let Some(human) = &self.ports.human else { return self.unattended() };
        let text = ecow::eco_format!(
            "The MCP server {server} asks, in its own words: \"{}\" ({}`decline` refuses)",
            cut(message, MAX_WORDS),
            form.words()
        );
        let mut question = Question {
            id: QuestionId(server.clone()),
            node: server.clone(),
            lane: Str::new(),
            reason: QuestionReason::Node,
            text,
            schema: form.schema().clone(),
            misfit: Str::new(),
            deadline: None,
        };
        let _open = self.person_time.ask();
        for _ in 0..MAX_ASKED {
            let Ok(reply) = tokio::time::timeout(PATIENCE, human.ask_for_tool(&question)).await else {
                self.note(&format!("nobody answered the MCP server {server} within 30 minutes"));
                return ElicitResult::new(ElicitationAction::Cancel);
            };
            let answer = match reply {
                HumanReply::Unattended => return self.unattended(),
                HumanReply::Answer(answer) if answer.is_str("decline") => {
                    return ElicitResult::new(ElicitationAction::Decline);
                }
                HumanReply::Answer(answer) => form.whole(answer).to_json(),
            };
            let misfit = judge.iter_errors(&answer).next().map(|fault| fault.to_string());
            match misfit {
                None => return ElicitResult::new(ElicitationAction::Accept).with_content(answer),
                Some(misfit) => question.misfit = misfit.into(),
            }
        }
        ElicitResult::new(ElicitationAction::Cancel)
    }

    fn unattended(&self) -> ElicitResult {
        self.note(&format!(
            "the MCP server {} asks a person, and nobody is here: it got no answer",
            self.server
        ));
        ElicitResult::new(ElicitationAction::Cancel)
    }
}

/// The form that a person fills in: the only field by itself, or all fields as JSON.
enum ElicitationForm {
    /// The only field, and its schema.
    Field(Str, Value),
    /// All of them.
    Whole(Value),
}

impl ElicitationForm {
    fn of(schema: Value) -> Self {
        let fields = schema.as_map().and_then(|schema| schema.get("properties")).and_then(Value::as_map);
        match fields.and_then(|fields| Some((fields.len(), fields.iter().next()?))) {
            Some((1, (name, field))) => Self::Field(name.clone(), field.clone()),
            _ => Self::Whole(schema),
        }
    }

    const fn schema(&self) -> &Value {
        match self {
            Self::Field(_, schema) | Self::Whole(schema) => schema,
        }
    }

    /// The fields that are wanted.
    fn words(&self) -> String {
        match self {
            Self::Field(name, _) => format!("{}; ", cut(name, 100)),
            Self::Whole(schema) => {
                let fields =
                    schema.as_map().and_then(|schema| schema.get("properties")).and_then(Value::as_map);
                let names: Vec<&str> = fields.into_iter().flat_map(Map::keys).map(Str::as_str).collect();
                let names = cut(&names.join(", "), 500);
                if names.is_empty() { "{} agrees; ".to_owned() } else { format!("{names}, as JSON; ") }
            }
        }
    }

    fn whole(&self, answer: Value) -> Value {
        match self {
            Self::Field(name, _) if answer.as_map().is_none() => {
                Value::Map(Map::from_iter([(name.as_str(), answer)]))
            }
            // A field that was left out is as the server proposed it.
            Self::Whole(schema) => match answer {
                Value::Map(fields) => Value::Map(with_defaults(schema, &fields)),
                other => other,
            },
            Self::Field(..) => answer,
        }
    }
}

fn key(token: &ProgressToken) -> String {
    format!("{token:?}")
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation =
            Some(ElicitationCapability::new().with_form(FormElicitationCapability::default()));
        if !self.0.roots.is_empty() {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        let own = Implementation::new("loopwright", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, own).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.0
            .note(&format!("the MCP server {} asks for an answer of a model; it is refused", self.0.server));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no model answers here", None))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        if self.0.roots.is_empty() {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no roots are declared", None));
        }
        Ok(ListRootsResult::new(self.0.roots.iter().map(Root::new).collect()))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if self.0.calls().is_empty() {
            self.0.note(&format!(
                "the MCP server {} asks a person while it is not called; it is declined",
                self.0.server
            ));
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        }
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            let server = &self.0.server;
            self.0.note(&format!("the MCP server {server} asks a person to open an address; it is declined"));
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
        if schema.to_string().len() > MAX_FORM {
            let server = &self.0.server;
            self.0.note(&format!(
                "the MCP server {server} asks a person with a very long form; it is declined"
            ));
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        }
        Ok(self.0.ask(&message, Value::from_json(&schema)).await)
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let Some(tool) = self.0.calls().get(&key(&progress.progress_token)).cloned() else { return };
        let mut words = match progress.total {
            Some(total) => format!("{}/{total}", progress.progress),
            None => progress.progress.to_string(),
        };
        if let Some(message) = &progress.message {
            words = format!("{words} {}", cut(message, 200));
        }
        tracing::info!(server = self.0.server.as_str(), tool = tool.as_str(), "{words}");
        if let Some(listener) = &self.0.ports.listener {
            listener.progressed(&tool, &words);
        }
    }

    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let text = cut(&message.data.to_string(), MAX_WORDS);
        tracing::info!(server = self.0.server.as_str(), level = ?message.level, "{text}");
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.note_change();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use futures::future::{BoxFuture, FutureExt};
    use rmcp::model::{ElicitationAction, NumberOrString, ProgressToken};

    use super::{Handler, HandlerState, MAX_QUESTIONS, PATIENCE};
    use crate::machine::Question;
    use crate::port::{Human, HumanReply, RunView};
    use crate::tool::mcp::McpPorts;
    use crate::value::{Map, Value};

    /// A person who answers late, or never.
    struct LatePerson(Duration);

    impl Human for LatePerson {
        fn ask(&self, ask: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
            self.ask_for_tool(ask)
        }

        fn ask_for_tool(&self, _: &Question) -> BoxFuture<'static, HumanReply> {
            let time = self.0;
            async move {
                tokio::time::sleep(time).await;
                HumanReply::Answer(Value::Map(Map::new()))
            }
            .boxed()
        }
    }

    fn state(person: Duration) -> Arc<HandlerState> {
        let ports = McpPorts { human: Some(Arc::new(LatePerson(person))), ..McpPorts::default() };
        Handler::new("t".into(), ports, Vec::new()).state()
    }

    #[test]
    fn a_change_that_nobody_looked_at_is_not_forgotten() {
        let state = state(Duration::ZERO);
        state.note_change();
        drop(state.take_change());
        state.take_change().expect("it is still there").settle();
        assert!(state.take_change().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_person_is_asked_one_thing_a_few_times_and_not_for_ever() {
        let ask = async |state: &HandlerState| state.ask("?", Value::Map(Map::new())).await.action;
        let slow = state(Duration::from_secs(5));
        let (one, other) = tokio::join!(ask(&slow), ask(&slow));
        assert_eq!((one, other), (ElicitationAction::Accept, ElicitationAction::Decline));
        for _ in 1..MAX_QUESTIONS {
            assert_eq!(ask(&slow).await, ElicitationAction::Accept);
        }
        assert_eq!(ask(&slow).await, ElicitationAction::Decline);
        slow.call_begins(&ProgressToken(NumberOrString::Number(1)), "t.a".into());
        assert_eq!(ask(&slow).await, ElicitationAction::Accept);
        assert_eq!(ask(&state(PATIENCE * 2)).await, ElicitationAction::Cancel);
    }
}
