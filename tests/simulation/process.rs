//! A process: it may be killed and stopped wherever it waits, and its clock is its own.

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use loopwright::machine::Time;
use loopwright::port::{BoxFuture, Clock};
use loopwright::value::Str;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::LEASE;
use crate::simulation::Simulation;

/// The longest sleep of a clock without a look at the time.
const LOOK: Duration = Duration::from_secs(2);

/// One life of a process.
pub(crate) struct Process {
    sim: Arc<Simulation>,
    name: Str,
    /// True if it is neither killed nor stopped.
    is_safe: bool,
    state: Mutex<ProcessState>,
    killed: Notify,
}

struct ProcessState {
    is_dead: bool,
    /// It is stopped until then.
    stopped: Instant,
    /// It does not reach the store until then.
    cut_off: Instant,
    /// Its clock is so many nanoseconds ahead. A clock never goes back while its process lives.
    ahead: Time,
}

impl Process {
    /// A process whose clock is up to two seconds wrong.
    pub(crate) fn new(sim: &Arc<Simulation>, name: Str) -> Arc<Self> {
        Arc::new(Self::of(sim, name, false))
    }

    /// A process that is neither killed nor stopped.
    pub(crate) fn safe(sim: &Arc<Simulation>, name: Str) -> Arc<Self> {
        Arc::new(Self::of(sim, name, true))
    }

    fn of(sim: &Arc<Simulation>, name: Str, is_safe: bool) -> Self {
        let millis = sim.roll(|dice| dice.between(0, 4_000));
        let ahead = Time::try_from(millis).expect("it is small") * 1_000_000 - 2_000_000_000;
        sim.note(format_args!("{name} begins, {} ms ahead", ahead / 1_000_000));
        let now = Instant::now();
        let state = ProcessState { is_dead: false, stopped: now, cut_off: now, ahead };
        Self { sim: Arc::clone(sim), name, is_safe, state: Mutex::new(state), killed: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, ProcessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) const fn name(&self) -> &Str {
        &self.name
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.lock().is_dead
    }

    /// Kills it: nothing more of it runs.
    pub(crate) fn kill(&self) {
        if !std::mem::replace(&mut self.lock().is_dead, true) {
            self.sim.note(format_args!("{} is killed", self.name));
            self.killed.notify_one();
        }
    }

    /// Ends when it is killed.
    pub(crate) async fn killed(&self) {
        self.killed.notified().await;
    }

    /// True while it does not reach the store.
    pub(crate) fn is_cut_off(&self) -> bool {
        if self.sim.strikes(|weather| weather.cut_off) {
            let millis = self.sim.roll(|dice| dice.between(200, 5_000));
            self.sim.note(format_args!("{} is cut off for {millis} ms", self.name));
            self.lock().cut_off = Instant::now() + Duration::from_millis(millis);
        }
        !self.sim.is_calm() && self.lock().cut_off > Instant::now()
    }

    /// A place where it waits: it may be killed here, or stopped for longer than its lease.
    pub(crate) async fn point(&self) {
        if self.is_safe {
            return;
        }
        self.awake().await;
        if self.sim.strikes(|weather| weather.kill) {
            self.kill();
        } else if self.sim.strikes(|weather| weather.pause) {
            let lease = u64::try_from(LEASE.as_millis()).expect("a lease is short");
            let millis = self.sim.roll(|dice| dice.between(10, lease * 2));
            self.sim.note(format_args!("{} is stopped for {millis} ms", self.name));
            self.lock().stopped = Instant::now() + Duration::from_millis(millis);
        }
        self.awake().await;
    }

    /// Ends when it runs; never if it is dead.
    pub(crate) async fn awake(&self) {
        loop {
            let (is_dead, stopped) = {
                let state = self.lock();
                (state.is_dead, state.stopped)
            };
            if is_dead {
                return pending().await;
            }
            if stopped <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(stopped).await;
        }
    }
}

/// The clock of a process.
pub(crate) struct ProcessClock(pub(crate) Arc<Process>);

impl Clock for ProcessClock {
    fn now(&self) -> Time {
        self.0.sim.now() + self.0.lock().ahead
    }

    fn sleep_until(&self, until: Time) -> BoxFuture<'static, ()> {
        let clock = Self(Arc::clone(&self.0));
        async move {
            loop {
                let Self(process) = &clock;
                let left = u64::try_from(until - clock.now()).unwrap_or_default();
                if left == 0 {
                    return process.awake().await;
                }
                if process.sim.strikes(|weather| weather.jump) {
                    let millis = process.sim.roll(|dice| dice.between(1, 4_000));
                    process.sim.note(format_args!("{}'s clock jumps by {millis} ms", process.name));
                    process.lock().ahead += Time::try_from(millis).expect("it is small") * 1_000_000;
                    continue;
                }
                tokio::time::sleep(Duration::from_nanos(left).min(LOOK)).await;
            }
        }
        .boxed()
    }
}
