//! Functions on durations.

use super::args::Args;
use super::row::{FunctionResult, Topic, rows};
use crate::program::meter::Meter;
use crate::value::Value;

/// Durations.
pub(super) const TOPIC: Topic = Topic {
    title: "Durations",
    rows: rows! {
        "getHours" Receiver Fixed hours, [takes(Duration) -> Int]
            "The duration in whole hours."
            "duration('90m').getHours()" => "1";
        "getMinutes" Receiver Fixed minutes, [takes(Duration) -> Int]
            "The duration in whole minutes."
            "duration('1h30m').getMinutes()" => "90";
        "getSeconds" Receiver Fixed seconds, [takes(Duration) -> Int]
            "The duration in whole seconds."
            "duration('1m30s').getSeconds()" => "90";
        "getMilliseconds" Receiver Fixed milliseconds, [takes(Duration) -> Int]
            "The milliseconds after the duration's last whole second."
            "duration('1s250ms').getMilliseconds()" => "250";
    },
};

fn hours(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.duration(0).map(|nanos| Value::Int(nanos / 3_600_000_000_000))
}

fn minutes(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.duration(0).map(|nanos| Value::Int(nanos / 60_000_000_000))
}

fn seconds(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.duration(0).map(|nanos| Value::Int(nanos / 1_000_000_000))
}

fn milliseconds(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.duration(0).map(|nanos| Value::Int(nanos / 1_000_000 % 1_000))
}
