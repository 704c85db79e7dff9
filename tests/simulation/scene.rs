//! A simulation from its beginning to its end: runs, people, workers, an operator, a store that crashes.

use std::sync::Arc;
use std::time::Duration;

use loopwright::port::{Message, RunStatus};
use loopwright::value::Str;
use tokio::runtime::Builder;
use tokio::sync::mpsc::unbounded_channel;

use crate::actors;
use crate::case::{Case, cases};
use crate::client::Client;
use crate::fault::Fault;
use crate::judge::judge;
use crate::ledger::Ledger;
use crate::people::People;
use crate::process::Process;
use crate::server::Server;
use crate::simulation::Simulation;

/// Runs settle within so many seconds once nothing fails any more.
const MAX_CALM: u64 = 300;

/// Everything that the processes of a simulation share.
pub(crate) struct Scene {
    pub(crate) sim: Arc<Simulation>,
    pub(crate) server: Arc<Server>,
    pub(crate) ledger: Arc<Ledger>,
    /// The graph of each run.
    pub(crate) cases: Arc<Vec<(Str, Arc<Case>)>>,
}

/// What came of a simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// The promises that were broken.
    pub(crate) broken: Vec<String>,
    /// The digest of everything that happened.
    pub(crate) digest: u64,
    /// The last lines of what happened, where they were wanted.
    pub(crate) lines: Vec<String>,
    /// The number of calls that reached a tool or a model.
    pub(crate) calls: usize,
    /// The number of commits that were acknowledged.
    pub(crate) commits: usize,
}

/// Lives through the simulation of a seed. With `told` the last lines of its trace are kept.
pub(crate) fn simulate(seed: u64, fault: Option<Fault>, told: bool) -> Report {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without a thread is made");
    runtime.block_on(async {
        let sim = Arc::new(Simulation::new(seed, fault, told));
        let (asked, questions) = unbounded_channel();
        let server = Server::new(&sim, fault, asked);
        let scene = Arc::new(Scene { cases: Arc::new(chosen(&sim)), server, ledger: Arc::default(), sim });
        let people = People {
            sim: Arc::clone(&scene.sim),
            client: scene.client(&Process::safe(&scene.sim, "people".into())),
            server: Arc::clone(&scene.server),
            ledger: Arc::clone(&scene.ledger),
            cases: Arc::clone(&scene.cases),
            unanswered: Arc::default(),
        };
        drop(tokio::spawn(people.clone().answer_all(questions)));
        scene.play(&people).await;
        judge(&scene, &people);
        let (broken, digest, lines) = scene.sim.found();
        let known = scene.ledger.known();
        let calls = known.calls.values().map(Vec::len).sum();
        Report { broken, digest, lines, calls, commits: known.commits.len() }
    })
}

/// The runs of a simulation: one to three of generated graphs, now and then one of a shipped graph.
fn chosen(sim: &Simulation) -> Vec<(Str, Arc<Case>)> {
    let (generated, shipped) = cases();
    let cases = sim.roll(|dice| {
        if dice.chance(600) {
            return vec![Arc::clone(dice.of(shipped))];
        }
        (0..dice.between(1, 3)).map(|_| Arc::clone(dice.of(generated))).collect()
    });
    (0..).zip(cases).map(|(number, case)| (Str::from(format!("r{number}")), case)).collect()
}

impl Scene {
    /// The graph of a run.
    pub(crate) fn case(&self, run: &Str) -> Option<&Arc<Case>> {
        self.cases.iter().find(|(own, _)| own == run).map(|(_, case)| case)
    }

    /// A process's way to the store.
    pub(crate) fn client(&self, process: &Arc<Process>) -> Arc<Client> {
        Client::new(&self.sim, process, &self.server, &self.ledger)
    }

    /// Lets everybody act until every run has ended or waits for what nobody gives.
    async fn play(self: &Arc<Self>, people: &People) {
        for (run, case) in &*self.cases {
            self.sim.note(format_args!("{run} is of {}", case.name));
            drop(tokio::spawn(actors::begin(Arc::clone(self), run.clone(), Arc::clone(case))));
            if self.sim.roll(|dice| dice.chance(1_000)) {
                drop(tokio::spawn(actors::regret(Arc::clone(self), people.clone(), run.clone())));
            }
        }
        for number in 0..self.sim.roll(|dice| dice.between(2, 3)) {
            drop(tokio::spawn(actors::work(Arc::clone(self), number)));
        }
        let server = Arc::clone(&self.server);
        drop(tokio::spawn(async move { server.crash_now_and_then().await }));
        if self.sim.roll(|dice| dice.chance(3_000)) {
            drop(tokio::spawn(actors::operate(Arc::clone(self), people.clone())));
        }
        let foul = self.sim.roll(|dice| dice.between(4, 16));
        for _ in 0..foul {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if self.is_settled(people) {
                break;
            }
        }
        self.sim.calm_down();
        for _ in 0..MAX_CALM {
            self.resume_ready(people).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            if self.is_settled(people) {
                return;
            }
        }
    }

    /// What an operator has put somewhere is resumed in the end.
    async fn resume_ready(&self, people: &People) {
        let ready: Vec<Str> = self.server.look(|stored| {
            let is_ready = |run: &&Str| {
                stored.journals.get(*run).is_some_and(|journal| {
                    let begun = !journal.entries.is_empty();
                    begun && journal.info.status == RunStatus::Ready && journal.messages.is_empty()
                })
            };
            self.cases.iter().map(|(run, _)| run).filter(is_ready).cloned().collect()
        });
        for run in ready {
            people.post(&run, Message::RESUME).await;
        }
    }

    fn is_settled(&self, people: &People) -> bool {
        self.cases.iter().all(|(run, _)| self.is_at_rest(run, people))
    }

    /// True if a run has ended or waits for what nobody gives.
    pub(crate) fn is_at_rest(&self, run: &Str, people: &People) -> bool {
        self.server.look(|stored| {
            let Some(journal) = stored.journals.get(run) else { return false };
            match journal.info.status {
                RunStatus::Done { .. } => true,
                RunStatus::Waiting => {
                    let waits = journal.last.timer.is_none() && journal.messages.is_empty();
                    waits && journal.last.asks().all(|question| people.leaves(question))
                }
                RunStatus::Ready | RunStatus::Running => false,
            }
        })
    }
}
