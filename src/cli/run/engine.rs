//! `run`, `resume` and `cancel` of runs that an engine drives.

#[cfg(feature = "restate")]
pub(super) use self::built_in::{begin, cancel, resume};

#[cfg(not(feature = "restate"))]
pub(super) use self::left_out::{begin, cancel, resume};

#[cfg(not(feature = "restate"))]
mod left_out {
    use crate::cli::args::{Cancel, Engine, Resume, Run};
    use crate::cli::{Exit, engine};

    pub(in crate::cli::run) async fn begin(args: &Run, engine: &Engine) -> Result<Exit, Exit> {
        let _ = args.detach;
        Err(engine::left_out(engine))
    }

    pub(in crate::cli::run) async fn resume(_: &Resume, engine: &Engine) -> Result<Exit, Exit> {
        Err(engine::left_out(engine))
    }

    pub(in crate::cli::run) async fn cancel(_: &Cancel, engine: &Engine) -> Result<Exit, Exit> {
        Err(engine::left_out(engine))
    }
}

#[cfg(feature = "restate")]
mod built_in {
    use std::sync::Arc;
    use std::time::Duration;

    use crate::cli::args::{Cancel, Engine, Line, Ports, Resume, Run, RunFormat};
    use crate::cli::run::detached::left;
    use crate::cli::run::elsewhere::RunElsewhere;
    use crate::cli::run::{approval, cancel as cancelled, ended, point, resume as resumed, waiting};
    use crate::cli::{Exit, engine as engines, screen, stored_runs};
    use loopwright_core::app::OpenRun;
    use loopwright_core::drive::{Driver, Signals, SystemClock};
    use loopwright_core::machine::{
        EventCursor, EventKind, FaultOrigin, Input, InputKind, Question, Snapshot, asks_rollback,
        check_answer, event_json, step_located,
    };
    use loopwright_core::port::{Clock, EntryCause, JournalEntry, RunStatus};
    use loopwright_core::program::Program;
    use loopwright_core::source::Sources;
    use loopwright_core::value::Str;
    use loopwright_core::worker::restate::{ClientError, NO_ROLLBACK, RestateClient, RunReply};

    /// The pause between two looks at a run, at first and at most.
    const FIRST_PAUSE: Duration = Duration::from_millis(20);
    const MAX_PAUSE: Duration = Duration::from_millis(500);

    /// The time after which a run that has not begun, or a word that was not taken, is mentioned.
    const NOTED: Duration = Duration::from_secs(10);

    /// The time for which a run that is left there is waited for until it has begun.
    const BEGUN: Duration = Duration::from_secs(5);

    /// The note on a run that begins later.
    const NOT_BEGUN: &str = "note: the run has not begun yet; its worker may be busy or away\n";

    /// A run that an engine drives, as it is followed.
    struct Followed<'a> {
        client: &'a RestateClient,
        engine: &'a Engine,
        run: Str,
        format: RunFormat,
        /// True if every event is printed.
        prints: bool,
        program: Arc<Program>,
        sources: Sources,
        /// The state of the run, as far as its journal was read.
        snapshot: Snapshot,
        cursor: EventCursor,
        origin: Option<FaultOrigin>,
        next: u64,
        /// The last reply of the server about it.
        reply: Option<RunReply>,
        /// The node at which it was ended, if it had to be.
        ended_at: Option<Str>,
    }

    pub(in crate::cli::run) async fn begin(args: &Run, engine: &Engine) -> Result<Exit, Exit> {
        let client = engines::client(engine)?;
        let ports = &args.ports;
        let RunElsewhere { program, sources, input, .. } = RunElsewhere::read(args)?;
        let run = Driver::run_id(args.id.as_deref().unwrap_or_default(), SystemClock::new().now());
        let run = run.map_err(|error| screen::refuse(&error.to_string()))?;
        let names = (program.graphs[0].id.to_string(), program.digest.to_string());
        let names = (names.0.as_str(), names.1.as_str());
        let mut followed = Followed::of(&client, engine, run.clone(), ports, program.clone(), sources);
        let begun = client.begin(names, &run, input, args.seed);
        let waited = tokio::time::sleep(if args.detach { BEGUN } else { NOTED });
        let mut signals = Signals::listen();
        tokio::pin!(begun, waited);
        loop {
            tokio::select! {
                begun = &mut begun => break begun.map_err(|error| engines::refuse(&error))?,
                // Where its worker is away it begins later.
                () = &mut waited => {
                    screen::say(NOT_BEGUN);
                    if args.detach {
                        break;
                    }
                    waited.set(tokio::time::sleep(Duration::MAX));
                }
                _ = signals.next() => return Ok(followed.left()),
            }
        }
        if args.detach {
            return Ok(left(ports.format, &run));
        }
        screen::say_run(&run);
        followed.prints = ports.format == RunFormat::Jsonl;
        followed.until_stopped().await
    }

    pub(in crate::cli::run) async fn resume(args: &Resume, engine: &Engine) -> Result<Exit, Exit> {
        let client = engines::client(engine)?;
        let stored = stored_runs::find(engines::runs(engine)?, engine, &args.run).await?;
        stored_runs::goes_on(&stored)?;
        let mut followed = Followed::stored(&client, engine, &args.ports, &stored);
        followed.read().await.map_err(|error| engines::refuse(&error))?;
        if let Some(text) = &args.answer {
            let (ask, answer) = resumed::question(args, &followed.snapshot, text)?;
            if let Err(why) = check_answer(&followed.program, &followed.snapshot, &ask.id, &answer) {
                return Err(screen::refuse(&approval::unfit(&ask, &why)));
            }
            if asks_rollback(&followed.program, &followed.snapshot, &ask.id, &answer) {
                let help = "resume it, or abort it: --answer resume, --answer abort";
                return Err(screen::refuse_with(NO_ROLLBACK, help));
            }
            let posted = client.answer(&args.run, ask.id.clone(), answer).await;
            let number = posted.map_err(|error| engines::refuse(&error))?;
            if !args.detach {
                followed.prints = args.ports.format == RunFormat::Jsonl;
                followed.until_taken(&ask, number).await?;
            }
        }
        if args.detach {
            return Ok(left_there(args));
        }
        followed.prints = args.ports.format == RunFormat::Jsonl;
        followed.until_stopped().await
    }

    pub(in crate::cli::run) async fn cancel(args: &Cancel, engine: &Engine) -> Result<Exit, Exit> {
        let client = engines::client(engine)?;
        let stored = stored_runs::find(engines::runs(engine)?, engine, &args.run).await?;
        stored_runs::goes_on(&stored)?;
        let mut followed = Followed::stored(&client, engine, &args.ports, &stored);
        let posted = client.cancel(&args.run, &args.reason).await;
        posted.map_err(|error| engines::refuse(&error))?;
        let done = followed.until(|followed, _| followed.snapshot.done.is_some(), "has not ended yet").await;
        let Some(()) = done? else { return Ok(followed.left()) };
        let Some(done) = followed.snapshot.done.clone() else { return Ok(followed.left()) };
        Ok(cancelled::ended(args, &done, followed.ended_at.as_ref()))
    }

    /// Says that the answer is left to a worker.
    fn left_there(args: &Resume) -> Exit {
        match args.ports.format {
            RunFormat::Human => screen::print(&format!("the run `{}` is left to a worker\n", args.run)),
            RunFormat::Json | RunFormat::Jsonl => left(args.ports.format, &args.run),
        }
    }

    impl<'a> Followed<'a> {
        fn of(
            client: &'a RestateClient,
            engine: &'a Engine,
            run: Str,
            ports: &Ports,
            program: Arc<Program>,
            sources: Sources,
        ) -> Self {
            let snapshot = Snapshot::new();
            let cursor = EventCursor::at(&snapshot);
            let (format, prints, next, origin, reply) = (ports.format, false, 0, None, None);
            Self {
                client,
                engine,
                run,
                format,
                prints,
                program,
                sources,
                snapshot,
                cursor,
                origin,
                next,
                reply,
                ended_at: None,
            }
        }

        fn stored(client: &'a RestateClient, engine: &'a Engine, ports: &Ports, stored: &OpenRun) -> Self {
            let (run, program, sources) =
                (stored.info.run.clone(), stored.program.clone(), stored.sources.clone());
            Self::of(client, engine, run, ports, program, sources)
        }

        /// The command that speaks to the run.
        fn command(&self, name: &str, more: &[&str]) -> String {
            let line = Line::of(name).word(&self.run).flag("--engine", [self.engine.to_string()]);
            more.iter().fold(line, |line, word| line.word(word)).text()
        }

        /// Reads what is new in the journal. Gives the status, if there is nothing more to read.
        async fn read(&mut self) -> Result<Option<RunStatus>, ClientError> {
            loop {
                let reply = self.client.entries(&self.run, self.next).await?;
                let (status, entries) = (reply.info.status.clone(), reply.entries);
                self.next = reply.next;
                self.reply = Some(RunReply { entries: Vec::new(), ..reply });
                if entries.is_empty() {
                    return Ok(Some(status));
                }
                for entry in entries {
                    self.pass(entry);
                }
            }
        }

        /// Takes an entry of the journal.
        fn pass(&mut self, entry: JournalEntry) {
            for event in &entry.events {
                let graph = self.cursor.next(&self.program, event).graph;
                if self.prints {
                    let line = event_json(&self.program, |_| graph, event);
                    let _ = screen::print(&screen::json_line(&line));
                }
            }
            let EntryCause::Input(kind) = entry.cause else { return };
            if matches!(kind, InputKind::End { .. }) {
                self.ended_at = Some(self.node());
            }
            let mut origins = Vec::new();
            let (input, mut out) = (Input { at: entry.at, kind }, Vec::new());
            step_located(&self.program, &mut self.snapshot, input, &mut out, &mut origins);
            let end = entry.events.iter().find(|event| matches!(event.kind, EventKind::Done(_)));
            if let Some(end) = end {
                self.origin = origins.iter().find(|origin| origin.seq == end.seq).copied();
            }
        }

        /// Follows the run until something holds; none if a signal came first.
        async fn until(
            &mut self,
            holds: impl Fn(&Self, &RunStatus) -> bool,
            lacks: &str,
        ) -> Result<Option<()>, Exit> {
            let mut signals = Signals::listen();
            let looks = async {
                let (mut pause, mut waited, mut is_noted) = (FIRST_PAUSE, Duration::ZERO, false);
                loop {
                    let before = self.next;
                    let status = self.read().await.map_err(|error| engines::refuse(&error))?;
                    if status.as_ref().is_some_and(|status| holds(self, status)) {
                        return Ok(());
                    }
                    if let Some(why) = self.reply.as_ref().and_then(|reply| reply.fault.as_ref()) {
                        let why = format!("the run `{}` cannot go on: {why}", self.run);
                        return Err(screen::refuse(&screen::line(&why)));
                    }
                    if self.next > before {
                        (pause, waited) = (FIRST_PAUSE, Duration::ZERO);
                    }
                    if waited >= NOTED && !lacks.is_empty() && !is_noted {
                        is_noted = true;
                        let run = screen::line(&self.run);
                        screen::say(&format!(
                            "note: the run {run} {lacks}; its worker may be busy or away\n"
                        ));
                    }
                    tokio::time::sleep(pause).await;
                    waited += pause;
                    pause = (pause * 3 / 2).min(MAX_PAUSE);
                }
            };
            tokio::select! {
                held = looks => held.map(Some),
                _ = signals.next() => Ok(None),
            }
        }

        /// Follows the run until it has taken an answer.
        async fn until_taken(&mut self, ask: &Question, number: u64) -> Result<(), Exit> {
            let is_taken = |followed: &Self, _: &RunStatus| {
                followed.reply.as_ref().is_some_and(|reply| reply.word > number)
                    || followed.snapshot.done.is_some()
            };
            let Some(()) = self.until(is_taken, "has not taken the answer yet").await? else {
                return Err(self.left());
            };
            let dropped = self.reply.iter().flat_map(|reply| &reply.dropped);
            match dropped.into_iter().find(|dropped| dropped.number == number) {
                Some(dropped) => Err(screen::refuse(&screen::line(&approval::unfit(ask, &dropped.why)))),
                None => Ok(()),
            }
        }

        /// Follows the run until it ends or waits for people, and says how.
        async fn until_stopped(&mut self) -> Result<Exit, Exit> {
            let stands = |followed: &Self, status: &RunStatus| {
                followed.snapshot.done.is_some()
                    || *status == RunStatus::Waiting && followed.snapshot.asks().next().is_some()
            };
            if self.until(stands, "").await?.is_none() {
                return Ok(self.left());
            }
            let Some(done) = self.snapshot.done.clone() else {
                let asks: Vec<Question> = self.snapshot.asks().cloned().collect();
                return Ok(waiting(self.format, &self.run, &asks, &|more| self.command("resume", more)));
            };
            let node = self.node();
            if let Some(origin) = self.origin {
                point(&done, &node, origin, &self.sources);
            }
            Ok(ended(self.format, &self.run, &done, &node))
        }

        /// The node that the root graph is at.
        fn node(&self) -> Str {
            let Some(root) = self.snapshot.root() else { return Str::new() };
            self.program.graphs[root.frame.graph as usize].nodes[root.frame.node as usize].name.clone()
        }

        /// Says that the run goes on without this command.
        fn left(&self) -> Exit {
            let run = screen::line(&self.run);
            let (again, cancel) = (self.command("resume", &[]), self.command("cancel", &[]));
            screen::say(&format!(
                "the run {run} goes on there; to wait for it again, run:\n  {again}\nto end it, run:\n  {cancel}\n"
            ));
            Exit::Interrupted
        }
    }
}
