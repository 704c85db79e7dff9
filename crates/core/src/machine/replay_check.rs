//! A run that is built again after every input.

use super::divergence::Divergence;
use super::input::Input;
use super::output::Output;
use super::rollback::roll_back;
use super::snapshot::Snapshot;
use super::step::step;
use crate::program::Program;

/// The number of inputs between two stored states.
const INPUTS_BETWEEN_STATES: usize = 16;

/// Compares a run with what its inputs alone make of it: after every input the state is built again from one that was
/// stored as JSON and read back, and from the inputs that came since. For tests, and for the cautious: an input takes
/// as long as tens of them.
#[derive(Debug, Clone, Default)]
pub struct ReplayCheck {
    stored: Snapshot,
    since: Vec<Input>,
}

impl ReplayCheck {
    /// For a run before its first input.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// For a run that continues from here.
    #[must_use]
    pub fn from(here: &Snapshot) -> Self {
        Self { stored: stored(here), since: Vec::new() }
    }

    /// The run has taken an input: `out` is what came out, `lived` where it is.
    ///
    /// # Errors
    /// The run is elsewhere, or something else came out, than its inputs alone give.
    pub fn took(
        &mut self,
        program: &Program,
        input: Input,
        out: &[Output],
        lived: &Snapshot,
    ) -> Result<(), Box<Divergence>> {
        self.since.push(input);
        let (built, again) = self.build(program);
        check(lived, &built)?;
        if again != out {
            let place = (0..).zip(out.iter().zip(&again)).find(|(_, (lived, built))| lived != built);
            let place = place.map_or_else(|| out.len().min(again.len()), |(place, _)| place);
            let text_of = |all: &[Output]| all.get(place).map(|one| format!("{one:?}")).unwrap_or_default();
            let (lived, built) = (text_of(out), text_of(&again));
            return Err(Box::new(Divergence { place: format!("output {place}"), lived, built }));
        }
        if self.since.len() >= INPUTS_BETWEEN_STATES {
            *self = Self::from(lived);
        }
        Ok(())
    }

    /// The run was sent back to where it was `then`.
    ///
    /// # Errors
    /// As [`ReplayCheck::took`].
    pub fn back(
        &mut self,
        program: &Program,
        then: &Snapshot,
        lived: &Snapshot,
    ) -> Result<(), Box<Divergence>> {
        let (now, _) = self.build(program);
        check(lived, &roll_back(program, stored(then), &now, lived.at))?;
        *self = Self::from(lived);
        Ok(())
    }

    /// The state, and what came of the last input.
    fn build(&self, program: &Program) -> (Snapshot, Vec<Output>) {
        let (mut state, mut out) = (self.stored.clone(), Vec::new());
        for input in &self.since {
            out.clear();
            step(program, &mut state, input.clone(), &mut out);
        }
        (state, out)
    }
}

fn check(lived: &Snapshot, built: &Snapshot) -> Result<(), Box<Divergence>> {
    Divergence::between(lived, built).map_or(Ok(()), |difference| Err(Box::new(difference)))
}

fn stored(snapshot: &Snapshot) -> Snapshot {
    let text = serde_json::to_string(snapshot).expect("a snapshot has only names for keys");
    serde_json::from_str(&text).expect("what was written as a snapshot is one")
}
