//! Inputs and state.

use super::Carrier;
use super::frame::{Active, begun, within};
use super::pairing::Pairing;
use crate::program::frame::Frame;
use crate::program::graph::GraphCode;
use crate::value::Value;

/// Both graphs as they begin with the run's inputs.
pub(super) struct FreshFrames {
    /// [`None`] if the old graph cannot begin so any more.
    pub(super) old: Option<Frame>,
    pub(super) new: Frame,
}

impl<'a> Carrier<'a> {
    /// Carries inputs and state over. Gives nothing if the inputs do not fit.
    pub(super) fn fields(
        &mut self,
        frame: &Frame,
        moved: &mut Frame,
        pairing: &Pairing<'a>,
        active: &Active<'_>,
    ) -> Option<FreshFrames> {
        self.gone(frame, pairing, active);
        let before = self.unfit.len();
        let inputs =
            (0..pairing.new.inputs as usize).map(|place| self.input(frame, pairing, place)).collect();
        let fresh = if self.unfit.len() == before { self.begun(frame, inputs, pairing) } else { None };
        for (place, slot) in pairing.new.slots.iter().enumerate() {
            let alive = active.holds(pairing.new, slot.scope);
            moved.slots[place] = match pairing.slots[place] {
                None if alive => {
                    self.added.push(slot.name.clone());
                    self.first(fresh.as_ref(), pairing, place)
                }
                None => Value::Null,
                // They were looked at before all else.
                Some(_) if place < pairing.new.inputs as usize => {
                    self.retained += 1;
                    fresh.as_ref().map(|fresh| fresh.new.slots[place].clone()).unwrap_or_default()
                }
                Some(old) => self.field(&frame.slots[old as usize], pairing, (old as usize, place), alive),
            };
        }
        fresh
    }

    /// A field of the state.
    fn field(
        &mut self,
        value: &Value,
        pairing: &Pairing<'a>,
        (was, is): (usize, usize),
        alive: bool,
    ) -> Value {
        let (was, slot) = (&pairing.old.slots[was], &pairing.new.slots[is]);
        match self.value((was.shape, slot.shape), value) {
            Ok(value) => {
                self.retained += usize::from(alive);
                value
            }
            // Whoever enters the composite again begins afresh.
            Err(_) if !alive => Value::Null,
            Err(why) => {
                self.refuse(format!("the state field `{}` does not fit its type now: {why}", slot.name));
                Value::Null
            }
        }
    }

    /// An input, unless it is new and takes its default.
    fn input(&mut self, frame: &Frame, pairing: &Pairing<'a>, place: usize) -> Option<Value> {
        let slot = &pairing.new.slots[place];
        let Some(old) = pairing.slots[place].map(|old| old as usize) else {
            if slot.is_required(&self.new.shapes) {
                self.refuse(format!("the input `{}` is new and has no default", slot.name));
            }
            return None;
        };
        let value = self.value((pairing.old.slots[old].shape, slot.shape), &frame.slots[old]);
        value
            .map_err(|why| self.refuse(format!("the input `{}` does not fit its type now: {why}", slot.name)))
            .ok()
    }

    /// A value as the other program has it. One that was never of its type, as a field nobody has set yet, stays.
    ///
    /// # Errors
    /// What was wanted and what was found.
    pub(super) fn value(&self, (was, is): (u32, u32), value: &Value) -> Result<Value, String> {
        let fitted = self.new.shapes.fit(is, value.clone());
        if !self.old.shapes.is_fitted(was, value) && self.old.shapes.fit(was, value.clone()) == fitted {
            return Ok(value.clone());
        }
        fitted.map_err(|misfits| misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    /// Reports the fields and inputs that are gone.
    fn gone(&mut self, frame: &Frame, pairing: &Pairing<'a>, active: &Active<'_>) {
        let stay: rustc_hash::FxHashSet<u32> = pairing.slots.iter().flatten().copied().collect();
        for (place, slot) in (0_u32..).zip(&pairing.old.slots) {
            if stay.contains(&place) || !active.holds(pairing.old, slot.scope) {
                continue;
            }
            let place = place as usize;
            let (what, value) = (what(pairing.old, place), crate::machine::fault::short(&frame.slots[place]));
            self.refuse(format!("{what} `{}` is gone; its value is {value}", slot.name));
        }
    }

    /// Both graphs as they begin with the inputs of the run.
    fn begun(
        &mut self,
        frame: &Frame,
        inputs: Vec<Option<Value>>,
        pairing: &Pairing<'a>,
    ) -> Option<FreshFrames> {
        let then = frame.slots.iter().take(pairing.old.inputs as usize).cloned().map(Some).collect();
        let old = begun(self.old, pairing.index.0, then, &self.world).ok();
        match begun(self.new, pairing.index.1, inputs, &self.world) {
            Ok(new) => {
                self.conditions(&new, pairing);
                Some(FreshFrames { old, new })
            }
            Err(why) => {
                self.refuse(format!("defaults or limits have no value for the inputs of the run: {why}"));
                None
            }
        }
    }

    fn conditions(&mut self, fresh: &Frame, pairing: &Pairing<'a>) {
        let mut fresh = fresh.clone();
        for slot in &pairing.new.slots[..pairing.new.inputs as usize] {
            let Some(condition) = slot.condition else { continue };
            match within(self.new, &mut fresh, &self.world, |exec| exec.test(condition)) {
                Ok(true) => {}
                Ok(false) => {
                    self.refuse(format!("the input `{}` does not meet its condition now", slot.name));
                }
                Err(why) => {
                    self.refuse(format!(
                        "the condition of the input `{}` cannot be checked: {why}",
                        slot.name
                    ));
                }
            }
        }
    }

    /// The first value of what is new.
    fn first(&mut self, fresh: Option<&FreshFrames>, pairing: &Pairing<'a>, place: usize) -> Value {
        let slot = &pairing.new.slots[place];
        let is_input = place < pairing.new.inputs as usize;
        if !is_input && slot.is_required(&self.new.shapes) {
            self.refuse(format!(
                "the state field `{}` is new and has no value: give it a default",
                slot.name
            ));
        }
        fresh.map(|fresh| fresh.new.slots[place].clone()).unwrap_or_default()
    }
}

/// The kind of a variable, in words.
fn what(graph: &GraphCode, place: usize) -> &'static str {
    if place < graph.inputs as usize { "the input" } else { "the state field" }
}
