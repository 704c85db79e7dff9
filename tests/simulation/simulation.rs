//! The clock, the dice and the trace that everything in a simulation shares.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use loopwright::machine::Time;
use tokio::time::Instant;

use crate::dice::Dice;
use crate::fault::Fault;
use crate::trace::Trace;
use crate::weather::Weather;

/// The time at which a simulation begins, in nanoseconds since 1970.
const BEGIN: Time = 1_700_000_000_000_000_000;

/// What everything in a simulation shares.
pub(crate) struct Simulation {
    begun: Instant,
    fault: Option<Fault>,
    state: Mutex<State>,
}

struct State {
    dice: Dice,
    trace: Trace,
    weather: Weather,
    /// The promises that were broken.
    broken: Vec<String>,
}

impl Simulation {
    /// A simulation that begins now, on the paused clock of a runtime.
    pub(crate) fn new(seed: u64, fault: Option<Fault>, told: bool) -> Self {
        let mut dice = Dice::new(seed);
        let weather = Weather::new(&mut dice);
        let state = State { dice, trace: Trace::new(told), weather, broken: Vec::new() };
        Self { begun: Instant::now(), fault, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if this fault is planted.
    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The true time, which no process knows.
    pub(crate) fn now(&self) -> Time {
        BEGIN + Time::try_from(self.begun.elapsed().as_nanos()).expect("a simulation is short")
    }

    /// Throws the dice.
    pub(crate) fn roll<T>(&self, throw: impl FnOnce(&mut Dice) -> T) -> T {
        throw(&mut self.lock().dice)
    }

    /// True as often as the weather says; never once it is calm.
    pub(crate) fn strikes(&self, of_ten_thousand: impl FnOnce(&Weather) -> u64) -> bool {
        let State { dice, weather, .. } = &mut *self.lock();
        !weather.calm && dice.chance(of_ten_thousand(weather))
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.lock().weather.calm
    }

    /// From here on nothing fails that has not failed.
    pub(crate) fn calm_down(&self) {
        self.lock().weather.calm = true;
        self.note(format_args!("calm"));
    }

    /// Waits for a time between two numbers of milliseconds.
    pub(crate) async fn wait(&self, low: u64, high: u64) {
        let millis = self.roll(|dice| dice.between(low, high));
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }

    /// Adds a line to the trace.
    pub(crate) fn note(&self, line: fmt::Arguments<'_>) {
        let millis = self.begun.elapsed().as_millis();
        self.lock().trace.line(format_args!("{millis:>6} {line}"));
    }

    /// Says that a promise was broken.
    pub(crate) fn broken(&self, promise: String) {
        self.note(format_args!("BROKEN: {promise}"));
        self.lock().broken.push(promise);
    }

    /// The promises that were broken, the digest of the trace and its last lines.
    pub(crate) fn found(&self) -> (Vec<String>, u64, Vec<String>) {
        let state = self.lock();
        (state.broken.clone(), state.trace.digest(), state.trace.lines())
    }
}
