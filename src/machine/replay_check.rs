//! A run that is built again behind every input.

use super::divergence::Divergence;
use super::input::Input;
use super::output::Output;
use super::rollback::roll_back;
use super::snapshot::Snapshot;
use super::step::step;
use crate::program::Program;

/// The state is stored every so many inputs.
const PACE: usize = 16;

/// Holds a run against what its inputs alone make of it: behind every input the state is built again from one that was
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

    /// For a run that goes on from here.
    #[must_use]
    pub fn from(here: &Snapshot) -> Self {
        Self { stored: stored(here), since: Vec::new() }
    }

    /// The run has taken an input: `out` is what came out, `lived` where it stands.
    ///
    /// # Errors
    /// The run stands elsewhere, or something else came out, than its inputs alone give.
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
            let told = |all: &[Output]| all.get(place).map(|one| format!("{one:?}")).unwrap_or_default();
            let (lived, built) = (told(out), told(&again));
            return Err(Box::new(Divergence { place: format!("output {place}"), lived, built }));
        }
        if self.since.len() >= PACE {
            *self = Self::from(lived);
        }
        Ok(())
    }

    /// The run was sent back to where it stood `then`.
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
    Divergence::between(lived, built).map_or(Ok(()), |drift| Err(Box::new(drift)))
}

fn stored(snapshot: &Snapshot) -> Snapshot {
    let text = serde_json::to_string(snapshot).expect("a snapshot has only names for keys");
    serde_json::from_str(&text).expect("what was written as a snapshot is one")
}
