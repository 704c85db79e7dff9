//! A model client before a wire that says what a test wants.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::ready;
use loopwright::config::{Config, ModelConfig};
use loopwright::llm::{ConnectionError, HttpReply, HttpRequest, Live, ReplyBody, Secret, Transport};
use loopwright::machine::{Call, CallId, Outcome, Request, Snapshot, Time};
use loopwright::port::{BoxFuture, Claim, Clock, MessageFiles, ModelClient, RunView};
use loopwright::program::Program;
use loopwright::source::FileId;
use loopwright::value::{List, Value};

use crate::played::compiled;

pub(crate) const PROVIDERS: [&str; 4] = ["anthropic", "gemini", "ollama", "openai"];

/// How a body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Whole,
    Broken,
}

/// One reply to every request.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) pieces: Vec<Vec<u8>>,
    pub(crate) end: End,
}

impl Reply {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { status: 200, headers: Vec::new(), pieces: vec![bytes.to_vec()], end: End::Whole }
    }

    pub(crate) fn in_pieces(bytes: &[u8], size: usize) -> Self {
        Self { pieces: bytes.chunks(size).map(<[u8]>::to_vec).collect(), ..Self::of(&[]) }
    }
}

/// A provider, and a run that asks it.
pub(crate) struct World {
    config: ModelConfig,
    program: Arc<Program>,
    files: Option<Arc<dyn MessageFiles>>,
}

impl World {
    /// A provider with further lines of its configuration.
    pub(crate) fn new(provider: &str, more: &str) -> Self {
        Self::of(&format!("provider = \"{provider}\"\nmodel = \"a-model\"\nattempts = 1\n{more}"))
    }

    /// A provider that is asked as often as it may be worth it.
    pub(crate) fn patient(provider: &str) -> Self {
        Self::of(&format!("provider = \"{provider}\"\nmodel = \"a-model\"\nattempts = 3"))
    }

    /// A provider with a model of a certain name.
    pub(crate) fn named(provider: &str, model: &str) -> Self {
        Self::of(&format!("provider = \"{provider}\"\nmodel = \"{model}\""))
    }

    fn of(lines: &str) -> Self {
        let text = format!("[models.any]\n{lines}\n");
        let config = Config::read(&text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}"));
        let config = config.models.into_iter().next().expect("a model");
        let graph = "
graph: asks
state: {answer: string?}
start: ask
nodes:
  ask: {kind: model, role: any, prompt: '''What now?''', into: answer, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
output: {answer: answer}
";
        Self { config, program: compiled(&[("asks.yaml", graph)]), files: None }
    }

    /// The same with files that messages may carry.
    pub(crate) fn with_files(self, files: Arc<dyn MessageFiles>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// The outcome for the messages of a conversation, and all that was sent.
    pub(crate) fn talk(&self, messages: &List, reply: Reply) -> (Outcome, Vec<HttpRequest>) {
        self.asked(Some(messages.clone()), Some(List::new()), Value::Null, reply)
    }

    /// What comes of a question that is answered so.
    pub(crate) fn ask(&self, reply: Reply) -> Outcome {
        self.tries(Value::Null, reply).0
    }

    /// What is sent for a question with a schema.
    pub(crate) fn sent(&self, schema: Value) -> HttpRequest {
        self.tries(schema, Reply::of(b"")).1.pop().expect("a request was sent")
    }

    /// What comes of a question with a schema, and all that was sent, try by try.
    pub(crate) fn tries(&self, schema: Value, reply: Reply) -> (Outcome, Vec<HttpRequest>) {
        self.asked(None, None, schema, reply)
    }

    /// What comes of a prompt with tools on offer, and all that was sent.
    pub(crate) fn converse(&self, offer: &List, reply: Reply) -> (Outcome, Vec<HttpRequest>) {
        self.asked(None, Some(offer.clone()), Value::Null, reply)
    }

    /// What is sent for the messages of a conversation with tools on offer.
    pub(crate) fn sent_for(&self, messages: &List, offer: &List) -> HttpRequest {
        let asked = self.asked(Some(messages.clone()), Some(offer.clone()), Value::Null, Reply::of(b""));
        asked.1.into_iter().next_back().expect("a request was sent")
    }

    fn asked(
        &self,
        messages: Option<List>,
        offer: Option<List>,
        schema: Value,
        reply: Reply,
    ) -> (Outcome, Vec<HttpRequest>) {
        let wire = Arc::new(Wire { reply, sent: Mutex::new(Vec::new()) });
        let live = Live::new(wire.clone(), Arc::new(Still));
        let live = live.bind(self.config.clone(), Some(Secret::new("a-key-of-the-tests")));
        let live = match &self.files {
            Some(files) => live.files("any", files.clone()),
            None => live,
        };
        let request = Request::Model {
            role: "any".into(),
            system: Some("You are brief.".into()),
            prompt: if messages.is_some() { "".into() } else { "What now?".into() },
            messages,
            offer,
            limits: None,
            schema,
            stream: None,
            cache: false,
        };
        let call = Call {
            id: CallId("run:ask#1.1".into()),
            node: "ask".into(),
            lane: "".into(),
            attempt: 1,
            timeout: None,
            deadline: None,
            request,
        };
        let mut snapshot = Snapshot::new();
        snapshot.tools = catalogue();
        let claim = Claim::endless(Arc::new(loopwright::drive::SystemClock::default()));
        let asked = live.ask(&call, RunView { program: &self.program, snapshot: &snapshot, claim: &claim });
        let outcome = asked.now_or_never().expect("nothing is waited for");
        let sent = std::mem::take(&mut *wire.sent.lock().expect("nobody panicked"));
        (outcome, sent)
    }
}

/// The tools of a run.
fn catalogue() -> List {
    let tool = |name: &str, field: &str| {
        serde_json::json!({
            "name": name,
            "description": format!("The tool {name}."),
            "schema": {"type": "object", "properties": {field: {}}},
        })
    };
    let tools = [tool("search", "q"), tool("read.file", "path"), tool("pay", "n"), tool("delete", "q")];
    tools.iter().map(Value::from_json).collect()
}

/// Time stands still, and every wait is over.
struct Still;

impl Clock for Still {
    fn now(&self) -> Time {
        0
    }

    fn sleep_until(&self, _: Time) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }
}

/// A provider that gives one reply after the other.
pub(crate) struct Sequence {
    replies: Mutex<VecDeque<Vec<u8>>>,
    sent: Mutex<Vec<Vec<u8>>>,
}

impl Sequence {
    pub(crate) fn new(replies: Vec<Vec<u8>>) -> Arc<Self> {
        Arc::new(Self { replies: Mutex::new(replies.into()), sent: Mutex::default() })
    }

    /// The bodies that were sent, in order.
    pub(crate) fn sent(&self) -> Vec<serde_json::Value> {
        let sent = self.sent.lock().expect("nobody panicked");
        sent.iter().map(|body| serde_json::from_slice(body).expect("a body is JSON")).collect()
    }
}

impl Transport for Sequence {
    fn post(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpReply, ConnectionError>> {
        self.sent.lock().expect("nobody panicked").push(request.body);
        let reply = self.replies.lock().expect("nobody panicked").pop_front().expect("a further reply");
        let body = Box::new(Pieces { pieces: vec![reply].into_iter(), end: End::Whole });
        ready(Ok(HttpReply { status: 200, headers: Vec::new(), body })).boxed()
    }
}

struct Wire {
    reply: Reply,
    sent: Mutex<Vec<HttpRequest>>,
}

impl Transport for Wire {
    fn post(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpReply, ConnectionError>> {
        self.sent.lock().expect("nobody panicked").push(request);
        let Reply { status, headers, pieces, end } = self.reply.clone();
        let body = Box::new(Pieces { pieces: pieces.into_iter(), end });
        ready(Ok(HttpReply { status, headers, body })).boxed()
    }
}

struct Pieces {
    pieces: std::vec::IntoIter<Vec<u8>>,
    end: End,
}

impl ReplyBody for Pieces {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, ConnectionError>> {
        let next = match (self.pieces.next(), self.end) {
            (Some(piece), _) => Ok(Some(piece)),
            (None, End::Whole) => Ok(None),
            (None, End::Broken) => Err(ConnectionError("the connection was reset".to_owned())),
        };
        ready(next).boxed()
    }
}

/// The recorded replies of a provider, in the order of their names.
pub(crate) fn fixtures(provider: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/models").join(provider);
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let each = paths.into_iter().map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, fs::read(&path).expect("the file is there"))
    });
    each.collect()
}
