//! JSON, digests, token estimates.

use super::args::Args;
use super::text::as_int;
use crate::program::fault::Fault;
use crate::program::meter::{MAX_RESULT, Meter};
use crate::value::json::{Limits, canonical, parse_strict};
use crate::value::{Value, digest};

type Outcome = Result<Value, Fault>;

pub(super) fn parse_json(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let text = args.text(0)?;
    meter.charge_items(text.len() / 4)?;
    Ok(parse_strict(text, Limits { bytes: MAX_RESULT, ..Limits::default() }).unwrap_or_default())
}

pub(super) fn json(args: Args<'_>, meter: &mut Meter) -> Outcome {
    meter.reserve(args.at(0).size_estimate())?;
    Ok(canonical(args.at(0)).into())
}

pub(super) fn hash(args: Args<'_>, meter: &mut Meter) -> Outcome {
    meter.reserve(args.at(0).size_estimate())?;
    Ok(digest(args.at(0)).to_string().into())
}

/// The sum over a list of texts, or the estimate for one text.
pub(super) fn tokens(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let one = |value: &Value| match value {
        Value::Str(text) => Ok(as_int(text.len() / 4).max(1)),
        other => Err(args.wrong("a text or a list of texts", other)),
    };
    match args.at(0) {
        Value::List(list) => {
            meter.charge_items(list.len())?;
            list.iter().map(one).try_fold(0_i64, |sum, count| Ok(sum.saturating_add(count?))).map(Value::Int)
        }
        single => one(single).map(Value::Int),
    }
}
