//! Results on their way to the places of their node: `into`, `merge`.

use crate::program::error::ErrorKind;
use crate::program::exec::Exec;
use crate::program::graph::{LinkedNodeKind, PlaceCode};
use crate::program::shape::Misfit;
use crate::program::{Span, Stop};
use crate::value::{List, Value};

/// Writes the result of a node to its places. A value that does not fit its place stops the unit: nothing is written, and
/// the places in the value are in `misfits`.
///
/// # Errors
/// A value that does not fit, and as for an assignment.
pub(super) fn store(
    exec: &mut Exec<'_>,
    kind: &LinkedNodeKind,
    result: &Value,
    misfits: &mut List,
) -> Result<(), Stop> {
    let mut storing = Storing { exec, misfits };
    if let Some(place) = kind.into_place() {
        let value = storing.fitted(place, None, result.clone())?;
        storing.write(place, value)?;
    }
    match (kind, result) {
        (LinkedNodeKind::Parallel(parallel), Value::List(results)) => {
            for (branch, result) in parallel.branches.iter().zip(results) {
                if let Some(place) = &branch.into {
                    let value = storing.fitted(place, Some(&branch.name), result.clone())?;
                    storing.write(place, value)?;
                }
            }
            Ok(())
        }
        (LinkedNodeKind::Call(call), Value::Map(outputs)) => match &call.merge {
            Some((place, output)) => storing.merge(place, output, outputs.get(output)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The results of one node while they are written.
struct Storing<'s, 'e> {
    exec: &'s mut Exec<'e>,
    misfits: &'s mut List,
}

impl Storing<'_, '_> {
    /// The value as one of its place's type. `part` is the branch or the output that it comes from.
    fn fitted(&mut self, place: &PlaceCode, part: Option<&str>, value: Value) -> Result<Value, Stop> {
        let program = self.exec.program;
        let was = &self.exec.frame.slots[place.slot as usize];
        let is_whole = place.steps.is_empty();
        if !program.semantics.fits_results()
            || is_whole && program.shapes.is_still_fitted(place.shape, was, &value)
        {
            return Ok(value);
        }
        program.shapes.fit(place.shape, value).map_err(|misfits| {
            let reported = misfits.into_iter().map(|misfit| match part {
                Some(part) => below(part, misfit).to_string(),
                None => misfit.to_string(),
            });
            let reported: Vec<String> = reported.collect();
            *self.misfits = reported.iter().map(|text| Value::from(text.as_str())).collect();
            Stop::error(ErrorKind::InvalidOutput, reported.join("; "), Span::default())
        })
    }

    fn write(&mut self, place: &PlaceCode, value: Value) -> Result<(), Stop> {
        self.exec.store(place, value, Span::default())
    }

    /// `merge m`: the child's output of that name goes into the map, shallow; the child wins.
    fn merge(&mut self, place: &PlaceCode, output: &str, child: Option<&Value>) -> Result<(), Stop> {
        let (Value::Map(mut own), Some(Value::Map(child))) = (self.exec.fetch(place)?, child) else {
            return Ok(());
        };
        for (key, value) in child {
            own.insert(key.clone(), value.clone());
        }
        let value = self.fitted(place, Some(output), Value::Map(own))?;
        self.write(place, value)
    }
}

/// The same misfit of a value that is itself the part of that name.
fn below(part: &str, mut misfit: Misfit) -> Misfit {
    let dot = if misfit.path.is_empty() || misfit.path.starts_with('[') { "" } else { "." };
    misfit.path = format!("{part}{dot}{}", misfit.path);
    misfit
}
