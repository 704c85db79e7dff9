//! The yes of a person to a call.

use super::call::{Call, Request};
use crate::value::json::canonical;
use crate::value::{Map, Value};

/// The most bytes that changed arguments have as JSON.
const MAX_EDIT_BYTES: usize = 1 << 20;

/// The yes of a person to a call.
pub(super) enum Yes {
    /// As it was shown.
    Shown,
    /// With these arguments in place of those of the same names.
    Edited(Map),
}

impl Yes {
    /// The yes that an answer gives to the call with this hash: `{approve: HASH}`, or `{approve: HASH, args: {…}}`.
    ///
    /// # Errors
    /// The answer that was wanted and the one that was found, in words.
    pub(super) fn of(answer: &Value, hash: &str) -> Result<Self, String> {
        let found = || answer.to_json();
        let wanted = || format!("wanted {{\"approve\": \"{hash}\"}} or `deny`, found {}", found());
        let map = answer.as_map().ok_or_else(wanted)?;
        let own = map.get("approve").and_then(Value::as_str).ok_or_else(wanted)?;
        let args = map.get("args");
        if map.len() != 1 + usize::from(args.is_some()) {
            return Err(wanted());
        }
        if own != hash {
            return Err(format!("this call has the hash {hash}, found {}", found()));
        }
        let Some(args) = args else { return Ok(Self::Shown) };
        let Some(changed) = args.as_map() else {
            return Err(format!("`args` are the arguments that change, by name, found {}", args.to_json()));
        };
        if canonical(args).len() > MAX_EDIT_BYTES {
            return Err(format!("the arguments have more than {MAX_EDIT_BYTES} bytes"));
        }
        Ok(Self::Edited(changed.clone()))
    }

    /// The call to which this says yes.
    pub(super) fn to(self, mut call: Call) -> Call {
        if let (Self::Edited(changed), Request::Tool { args, .. }) = (self, &mut call.request) {
            for (name, value) in &changed {
                args.set(name.clone(), value.clone());
            }
        }
        call
    }
}
