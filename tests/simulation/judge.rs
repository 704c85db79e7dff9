//! The promises, held against what the world knows and what is stored.

use std::collections::{BTreeMap, BTreeSet};

use loopwright::drive::rebuild;
use loopwright::machine::{CallId, CallProgress, EventKind, InputKind, Outcome, Request, Snapshot};
use loopwright::port::{EntryCause, JournalEntry, Message, RunStatus, StoredRun, undo_id};
use loopwright::program::graph::{Charge, Delivery, Gate};
use loopwright::value::{Str, Value};
use tokio::time::Instant;

use crate::case::Case;
use crate::ledger::{Attempt, Known};
use crate::people::People;
use crate::scene::Scene;
use crate::stored::{Journal, Stored};
use crate::world::run_of;

/// Notes every promise that was broken.
pub(crate) fn judge(scene: &Scene, people: &People) {
    let stored = scene.server.look(Stored::clone);
    let known = &*scene.ledger.known();
    for (run, case) in &*scene.cases {
        let Some(journal) = stored.journals.get(run) else {
            scene.sim.broken(format!("{run} never began"));
            continue;
        };
        let mut found = Vec::new();
        if !scene.is_at_rest(run, people) {
            let asked: Vec<_> = journal.last.asks().map(|ask| ask.id.0.as_str()).collect();
            let (status, asked) = (journal.info.status.word(false), asked.join(", "));
            found.push(format!("it is {status}, asks [{asked}], and nobody drives it on"));
        }
        Judge { run, case, journal, known, found: &mut found }.all();
        for broken in found {
            scene.sim.broken(format!("{run}: {broken}"));
        }
    }
}

/// Judges one run.
struct Judge<'a> {
    run: &'a Str,
    case: &'a Case,
    journal: &'a Journal,
    known: &'a Known,
    found: &'a mut Vec<String>,
}

impl Judge<'_> {
    fn all(&mut self) {
        self.is_without_gap();
        self.is_rebuilt();
        self.has_what_was_acknowledged();
        self.has_one_driver_at_a_time();
        self.takes_messages_once();
        self.keeps_budgets();
        self.makes_calls_as_they_say();
        self.says_what_became_of_calls();
        self.makes_what_had_not_begun();
    }

    fn entries(&self) -> &[JournalEntry] {
        &self.journal.entries
    }

    /// Events follow each other without a gap.
    fn is_without_gap(&mut self) {
        let events = self.journal.entries.iter().flat_map(|entry| &entry.events);
        let gap = (0..).zip(events).find(|(wanted, event)| event.seq != *wanted);
        if let Some((wanted, event)) = gap {
            self.found.push(format!("event {} stands in the place of event {wanted}", event.seq));
        }
    }

    /// The whole journal, and a snapshot with the entries after it, lead to the state of the run.
    fn is_rebuilt(&mut self) {
        let info = self.journal.info.clone();
        let entries = self.journal.entries.clone();
        let whole = StoredRun { info, from: 0, snapshot: Snapshot::new(), entries };
        for (what, stored) in [("the journal", whole), ("a snapshot", self.journal.load(None))] {
            match rebuild(&self.case.graph.program, &stored) {
                Err(error) => self.found.push(format!("{what} does not lead anywhere: {error}")),
                Ok(state) if state != self.journal.last => {
                    self.found.push(format!("{what} leads to another state"));
                }
                Ok(_) => {}
            }
        }
    }

    /// What was acknowledged is there.
    fn has_what_was_acknowledged(&mut self) {
        for (run, from, entries) in &self.known.commits {
            let stored = self.journal.entries.get(*from..*from + entries.len());
            if run == self.run && stored != Some(entries.as_slice()) {
                let many = entries.len();
                self.found.push(format!("{many} entries from {from} were acknowledged and are not there"));
            }
        }
    }

    /// No two commit under one lease, and nobody commits after a later owner has.
    fn has_one_driver_at_a_time(&mut self) {
        let mut owners: BTreeMap<u64, &Str> = BTreeMap::new();
        let mut last = 0;
        for lease in self.journal.commits.iter().filter_map(|commit| commit.lease.as_ref()) {
            let owner = owners.entry(lease.fence).or_insert(&lease.owner);
            if **owner != lease.owner {
                self.found.push(format!("{owner} and {} committed under one lease", lease.owner));
            }
            if lease.fence < last {
                self.found.push(format!("{} committed after another owner had", lease.owner));
            }
            last = last.max(lease.fence);
        }
    }

    /// Messages are taken exactly once, and answers come from messages.
    fn takes_messages_once(&mut self) {
        let mut taken = BTreeSet::new();
        for (place, commit) in self.journal.commits.iter().enumerate() {
            for number in &commit.messages {
                if !taken.insert(*number) {
                    self.found.push(format!("message {number} was taken twice"));
                }
            }
            let to = self.journal.commits.get(place + 1).map_or(self.entries().len(), |next| next.from);
            for entry in &self.journal.entries[commit.from..to] {
                if let EntryCause::Input(InputKind::Answered { ask, answer }) = &entry.cause {
                    let sent = Message::Answer { ask: ask.clone(), answer: answer.clone(), by: None };
                    let was_posted =
                        |number: &u64| self.known.posted.get(number).is_none_or(|(_, own)| *own == sent);
                    let was_said = self.known.said.contains(&(ask.clone(), answer.clone()));
                    if !was_said && !commit.messages.iter().any(was_posted) {
                        self.found.push(format!("an answer to {} came from nowhere", ask.0));
                    }
                }
            }
        }
        let done = matches!(self.journal.info.status, RunStatus::Done { .. });
        let lies: BTreeSet<u64> = self.journal.messages.iter().map(|message| message.number).collect();
        for (number, (run, message)) in &self.known.posted {
            let is_closed = self.journal.closed.contains(number);
            if run == self.run && !taken.contains(number) && !lies.contains(number) && !is_closed {
                self.found.push(format!("message {number} was acknowledged and is gone"));
            }
            let cancels = matches!(message, Message::Cancel { .. });
            if run == self.run && cancels && !done && !is_closed && !self.went_back_after(*number) {
                self.found.push("it was cancelled, and goes on".to_owned());
            }
        }
    }

    /// True if a person sent the run back after a commit took the message.
    fn went_back_after(&self, number: u64) -> bool {
        let taken = self.journal.commits.iter().find(|commit| commit.messages.contains(&number));
        let is_back = |entry: &JournalEntry| matches!(entry.cause, EntryCause::Back { .. });
        taken.is_some_and(|commit| self.journal.entries[commit.from..].iter().any(is_back))
    }

    /// Hard budgets are not passed.
    fn keeps_budgets(&mut self) {
        for lane in self.journal.last.lanes.iter().flatten() {
            let graph = &self.case.graph.program.graphs[lane.frame.graph as usize];
            for (budget, counters) in graph.budgets.iter().zip(&lane.frame.counters) {
                let most = counters.limit.saturating_add(counters.grace);
                // What models cost is known only afterwards.
                let bounds = matches!(budget.charge, None | Some(Charge::ToolCalls | Charge::ModelCalls));
                if budget.gate == Gate::Hard && bounds && counters.used > most {
                    self.found.push(format!("{} of {most} were spent of a budget", counters.used));
                }
            }
        }
    }

    /// Calls that reached a tool, by their ids, with the number of times that a person wanted one made again.
    fn calls(&self) -> impl Iterator<Item = (&CallId, &Vec<Attempt>)> {
        self.known.calls.iter().filter(|(call, _)| run_of(call) == *self.run)
    }

    /// How often a person said that a call is to be made again.
    fn wanted_again(&self, call: &CallId) -> usize {
        let asks = |ask: &str| ask.strip_suffix(".lost") == Some(call.0.as_str());
        let again = |entry: &&JournalEntry| {
            matches!(&entry.cause, EntryCause::Input(InputKind::Answered { ask, answer })
                if asks(&ask.0) && answer.as_str() == Some("retry"))
        };
        self.entries().iter().filter(again).count()
    }

    /// How often an undoing was said to have failed: then it may be tried again.
    fn failed_to_undo(&self, undo: &CallId) -> usize {
        let failed = |entry: &&JournalEntry| {
            matches!(&entry.cause, EntryCause::Undone { call, outcome: Outcome::Failed { progress, .. } }
                if undo_id(call) == *undo && *progress != CallProgress::CutOff)
        };
        self.entries().iter().filter(failed).count()
    }

    /// Each call reaches its tool as often as its delivery lets it.
    fn makes_calls_as_they_say(&mut self) {
        let deliveries = self.deliveries();
        let now = Instant::now();
        let drives = self.known.drives.get(self.run).copied().unwrap_or_default();
        let mut found = Vec::new();
        for (call, attempts) in self.calls() {
            let again = self.wanted_again(call);
            let denied = self.known.denied.get(call).copied().unwrap_or_default();
            let once = match deliveries.get(call) {
                Some(delivery) => *delivery == Some(Delivery::AtMostOnce),
                None => self.is_undone_once(call),
            };
            let again = again + self.failed_to_undo(call);
            let most = if once { 1 + again + denied } else { drives + again };
            if attempts.len() > most {
                found.push(format!("{} was made {} times, not {most}", call.0, attempts.len()));
            }
            let effects = attempts.iter().filter(|attempt| attempt.took_place(now)).count();
            if once && effects > 1 + again {
                found.push(format!("{} took place {effects} times", call.0));
            }
        }
        self.found.extend(found);
    }

    /// The deliveries of all calls of the journal; none of a model's.
    fn deliveries(&self) -> BTreeMap<&CallId, Option<Delivery>> {
        let events = self.journal.entries.iter().flat_map(|entry| &entry.events);
        let called = events.filter_map(|event| match &event.kind {
            EventKind::Called(call) => Some((
                &call.id,
                match &call.request {
                    Request::Tool { delivery, .. } => Some(*delivery),
                    _ => None,
                },
            )),
            _ => None,
        });
        called.collect()
    }

    /// True if that is the undoing of a call, by a tool that may be called at most once.
    fn is_undone_once(&self, undo: &CallId) -> bool {
        let events = self.journal.entries.iter().flat_map(|entry| &entry.events);
        let undone = undo.0.strip_suffix("~undo");
        events.into_iter().any(|event| {
            matches!(&event.kind, EventKind::Called(call)
                if Some(call.id.0.as_str()) == undone && call.request.called().1 == "undone_once")
        })
    }

    /// Every outcome of a call that may be made at most once is what the world said, or that nobody knows.
    fn says_what_became_of_calls(&mut self) {
        let deliveries = self.deliveries();
        let mut found = Vec::new();
        for entry in self.entries() {
            let EntryCause::Input(InputKind::Resolved { call, outcome }) = &entry.cause else { continue };
            let once = deliveries.get(call) == Some(&Some(Delivery::AtMostOnce));
            if once && !self.is_true(call, outcome) {
                found.push(format!("{} is said to have ended with {outcome:?}", call.0));
            }
        }
        self.found.extend(found);
    }

    /// A call of which the journal says that it had not begun is made, and nobody is in doubt of it.
    fn makes_what_had_not_begun(&mut self) {
        let mut idle: BTreeSet<&CallId> = BTreeSet::new();
        let mut found = Vec::new();
        for entry in self.entries() {
            match &entry.cause {
                EntryCause::Interrupted { unmade, .. } => idle.extend(unmade),
                EntryCause::Resumed => idle.clear(),
                EntryCause::Input(InputKind::Resolved { call, outcome: Outcome::Unknown { .. } })
                    // Of one that a person wanted again, nobody knows of the time before.
                    if idle.contains(call) && self.wanted_again(call) == 0 =>
                {
                    found.push(format!("{} had not begun, and is said to be unknown", call.0));
                }
                _ => {}
            }
        }
        self.found.extend(found);
    }

    fn is_true(&self, call: &CallId, outcome: &Outcome) -> bool {
        let attempts = self.known.calls.get(call).map_or(&[][..], Vec::as_slice);
        let denied = self.known.denied.contains_key(call);
        let answered = attempts.iter().filter_map(|attempt| attempt.answered.as_ref());
        if answered.into_iter().any(|own| own == outcome || own.clone().of_once() == *outcome) {
            return true;
        }
        let confirmed = |value: &Value| self.known.confirmed.get(call).is_some_and(|all| all.contains(value));
        match outcome {
            Outcome::Unknown { .. } => true,
            Outcome::Answer { value, .. } => confirmed(value),
            Outcome::Failed { progress: CallProgress::NeverBegan, .. } => attempts.is_empty() || denied,
            Outcome::Failed { .. } => denied,
        }
    }
}
