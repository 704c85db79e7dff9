//! Several workers of one database.

use std::fs::File;
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::desk::Desk;

/// Workers that are killed and started again.
pub(super) struct Crew<'a> {
    desk: &'a Desk,
    words: Vec<String>,
    workers: Vec<Child>,
    /// Workers that were started.
    started: usize,
}

impl<'a> Crew<'a> {
    /// Starts so many workers with words of the command line.
    pub(super) fn start(desk: &'a Desk, words: &[&str], many: usize) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let mut crew = Self { desk, words, workers: Vec::new(), started: 0 };
        for _ in 0..many {
            let worker = crew.one();
            crew.workers.push(worker);
        }
        crew
    }

    fn one(&mut self) -> Child {
        self.started += 1;
        let log = |kind: &str| {
            let path = self.desk.path().join(format!("worker-{}.{kind}", self.started));
            Stdio::from(File::create(path).expect("a file"))
        };
        let mut program = self.desk.program();
        program.arg("work").args(&self.words).stdout(log("out")).stderr(log("err"));
        program.spawn().expect("the worker starts")
    }

    pub(super) fn len(&self) -> usize {
        self.workers.len()
    }

    /// Kills one and starts another in its place.
    pub(super) fn replace(&mut self, place: usize) {
        end(&mut self.workers[place]);
        self.workers[place] = self.one();
    }

    /// Sends one a signal.
    pub(super) fn signal(&self, place: usize, signal: Signal) {
        kill(pid(&self.workers[place]), signal).expect("it is there");
    }

    /// The exit code of one that has ended.
    pub(super) fn code(&mut self, place: usize) -> Option<i32> {
        self.workers[place].try_wait().expect("it is ours").and_then(|status| status.code())
    }

    /// The processor time that one has taken, in ticks of 10 ms.
    pub(super) fn ticks(&self, place: usize) -> u64 {
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", self.workers[place].id())).expect("it lives");
        let after = stat.rsplit_once(')').expect("a name").1;
        let fields: Vec<&str> = after.split_whitespace().collect();
        fields[11..13].iter().map(|field| field.parse::<u64>().expect("a number")).sum()
    }

    /// What the workers have said of faults.
    pub(super) fn said(&self) -> String {
        let text = |number: usize| {
            std::fs::read_to_string(self.desk.path().join(format!("worker-{number}.err"))).unwrap_or_default()
        };
        (1..=self.started).map(text).collect()
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        self.workers.iter_mut().for_each(end);
        if std::thread::panicking() {
            eprintln!("--- workers\n{}", self.said());
        }
    }
}

fn pid(worker: &Child) -> Pid {
    Pid::from_raw(i32::try_from(worker.id()).expect("a number of a process"))
}

fn end(worker: &mut Child) {
    // One that has ended already is as good.
    let _ended = worker.kill();
    worker.wait().expect("it ends");
}
