//! A folder with graphs, workers that serve them, and the commands of a user.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use loopwright::machine::QuestionId;
use loopwright::port::JournalEntry;
use loopwright::value::{Map, Value};
use loopwright::worker::restate::{ClientError, RestateClient};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::server::{Server, free_port};
use crate::desk::Printed;
use crate::ledger::{Ledger, PORTS, desk_with_ledger};
use crate::until::until;

/// The graph `steps`, and its digest as far as the name of a service has it.
pub(super) const STEPS: (&str, &str) = ("steps", "08eccbd2a550a38f");

/// A folder with graphs, and the program for its user.
pub(super) struct Desk(crate::desk::Desk);

impl Desk {
    /// The folder of the tests, with everything in it allowed.
    pub(super) fn new() -> Self {
        Self(desk_with_ledger())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Adds to the configuration of the folder, and allows it.
    pub(super) fn configure(&self, more: &str) {
        let toml = fs::read_to_string(self.path("loopwright.toml")).expect("it can be read");
        self.write("loopwright.toml", &format!("{toml}\n{more}"));
        self.0.trust();
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file can be written");
    }

    /// Runs the program to its end.
    pub(super) fn run(&self, words: &[&str]) -> Printed {
        self.0.printed(words, &[])
    }

    /// Runs a command on the runs of a server.
    pub(super) fn at(&self, server: &Server, words: &[&str]) -> Printed {
        let engine = format!("restate={}", server.ingress());
        self.run(&[words, &["--engine", &engine]].concat())
    }

    /// The words that grant all tools, and let a script answer for models.
    pub(super) fn ports(script: &str) -> Vec<&str> {
        let mut words = PORTS.to_vec();
        words[1] = script;
        words
    }

    /// The lines that the tools have written.
    pub(super) fn ledger(&self) -> Ledger {
        Ledger::read(self.0.path())
    }
}

/// A client of a server, and what runs its futures.
pub(super) struct Client {
    pub(super) client: RestateClient,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    pub(super) fn new(server: &Server) -> Self {
        Self::at(&server.ingress())
    }

    /// A client of the ingress at an address.
    pub(super) fn at(ingress: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let client = RestateClient::new(ingress).expect("a client can be made");
        Self { client, runtime: runtime.expect("a runtime can be made") }
    }

    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The status of a run in words; empty if there is none yet.
    pub(super) fn status(&self, run: &str) -> String {
        self.wait(self.client.status(run)).map_or(String::new(), |reply| format!("{:?}", reply.info.status))
    }

    /// The whole journal of a run.
    pub(super) fn entries(&self, run: &str) -> Vec<JournalEntry> {
        let (mut entries, mut next) = (Vec::new(), 0);
        loop {
            let reply = self.wait(self.client.entries(run, next)).expect("it can be read");
            if reply.entries.is_empty() {
                return entries;
            }
            next = reply.next;
            entries.extend(reply.entries);
        }
    }

    /// Begins a run of the graph `steps`, without what a command adds.
    pub(super) fn begin(&self, run: &str) -> Result<(), ClientError> {
        self.wait(self.client.begin(STEPS, &run.into(), Map::new(), 0))
    }

    /// Wants a run of the graph `steps`; false if it has not begun after a while.
    pub(super) fn begins_within(&self, run: &str, limit: Duration) -> bool {
        let run = run.into();
        let begun = self.client.begin(STEPS, &run, Map::new(), 0);
        self.wait(async { tokio::time::timeout(limit, begun).await }).is_ok_and(|begun| begun.is_ok())
    }

    /// Waits until a run waits for a person.
    pub(super) fn until_waiting(&self, run: &str) {
        until(&format!("{run} waits"), || self.status(run) == "Waiting");
    }

    /// Waits until a run has ended.
    pub(super) fn until_done(&self, run: &str) {
        until(&format!("{run} ends"), || self.status(run).starts_with("Done"));
    }
}

/// A worker.
pub(super) struct Worker {
    pub(super) words: Vec<String>,
    folder: PathBuf,
    pub(super) port: u16,
    log: PathBuf,
    child: Option<Child>,
}

impl Worker {
    /// Starts a worker of a graph. It is not registered.
    pub(super) fn start(desk: &Desk, words: &[&str]) -> Self {
        let port = free_port();
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let log = desk.path(&format!("worker-{port}.log"));
        let mut worker = Self { words, folder: desk.path(""), port, log, child: None };
        worker.begin();
        worker
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts it, again at the same address.
    pub(super) fn begin(&mut self) {
        let log = File::options().create(true).append(true).open(&self.log).expect("a log can be written");
        let mut program = Command::new(env!("CARGO_BIN_EXE_loopwright"));
        program
            .args(["worker", "restate", "--listen", &format!("127.0.0.1:{}", self.port)])
            .args(&self.words)
            .env("XDG_STATE_HOME", self.folder.join(".state"))
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log can be shared"))
            .stderr(log);
        self.child = Some(program.spawn().expect("the worker starts"));
        let address = ("127.0.0.1", self.port);
        until("the worker listens", || std::net::TcpStream::connect(address).is_ok());
    }

    /// Ends it at once, without a word.
    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // One that has ended already is as good.
            let _ended = child.kill();
            child.wait().expect("it ends");
        }
    }

    /// Sends it a signal.
    pub(super) fn signal(&self, signal: Signal) {
        let id = self.child.as_ref().expect("it runs").id();
        kill(Pid::from_raw(id.try_into().expect("it is the number of a process")), signal)
            .expect("it is there");
    }

    /// Waits for its end; gives its exit code.
    pub(super) fn end(&mut self) -> Option<i32> {
        self.child.take()?.wait().expect("it ends").code()
    }

    /// What it has said.
    pub(super) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("--- worker {}\n{}", self.port, self.said());
        }
    }
}

/// A server, and a worker of the graph with every kind of step that is registered there.
pub(super) struct Stage {
    pub(super) server: Server,
    pub(super) desk: Desk,
    pub(super) worker: Worker,
    pub(super) client: Client,
}

impl Stage {
    /// None where there is no server.
    pub(super) fn new(test: &str, graph: &str, words: &[&str]) -> Option<Self> {
        Self::of(test, Desk::new(), &[&[graph], words].concat())
    }

    /// The same with a folder, and all words of the worker.
    pub(super) fn of(test: &str, desk: Desk, words: &[&str]) -> Option<Self> {
        let server = Server::start(test)?;
        let client = Client::new(&server);
        let worker = Worker::start(&desk, words);
        let stage = Self { server, desk, worker, client };
        stage.register(&stage.worker.url());
        Some(stage)
    }

    /// Registers a worker, or a balancer before some.
    pub(super) fn register(&self, url: &str) {
        let admin = RestateClient::new(&self.server.admin()).expect("a client can be made");
        self.client.wait(admin.register(url)).expect("it can be registered");
    }

    /// Answers the question of a run of the graph `steps`, and gives the number of the answer.
    pub(super) fn answer(&self, run: &str, answer: &str) -> u64 {
        let ask = QuestionId(format!("{run}:ask#1.ask").into());
        self.client.wait(self.client.client.answer(run, ask, Value::from(answer))).expect("it is taken")
    }

    /// The whole journal of a run.
    pub(super) fn entries(&self, run: &str) -> Vec<JournalEntry> {
        self.client.entries(run)
    }

    /// Begins a run.
    pub(super) fn begin(&self, graph: &str, run: &str, words: &[&str]) {
        let all = [&["run", graph, "--run-id", run, "--detach"], words].concat();
        self.desk.at(&self.server, &all).well();
    }
}
