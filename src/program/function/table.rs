//! Which code belongs to which function.

use super::args::Args;
use super::{Body, convert, data, format, list, map, math, operator, pattern, schema, text};
use crate::program::fault::Fault;
use crate::value::{Function, Value};

type Outcome = Result<Value, Fault>;

/// The code of a function.
pub(super) fn body(function: Function) -> Body {
    match function {
        Function::Add => |args, meter| operator::add(args.at(0), args.at(1), meter),
        Function::Subtract => |args, _| operator::subtract(args.at(0), args.at(1)),
        Function::Multiply => |args, _| operator::multiply(args.at(0), args.at(1)),
        Function::Divide => |args, _| operator::divide(args.at(0), args.at(1)),
        Function::Modulo => |args, _| operator::modulo(args.at(0), args.at(1)),
        Function::Negate => |args, _| operator::negate(args.at(0)),
        Function::Not => |args, _| operator::not(args.at(0)),
        Function::Equal => |args, meter| operator::equal(args.at(0), args.at(1), meter).map(Value::Bool),
        Function::NotEqual => {
            |args, meter| operator::equal(args.at(0), args.at(1), meter).map(|same| Value::Bool(!same))
        }
        Function::Less => |args, _| compare(Function::Less, args),
        Function::LessOrEqual => |args, _| compare(Function::LessOrEqual, args),
        Function::Greater => |args, _| compare(Function::Greater, args),
        Function::GreaterOrEqual => |args, _| compare(Function::GreaterOrEqual, args),
        Function::In => |args, meter| operator::is_in(args.at(0), args.at(1), meter).map(Value::Bool),
        Function::Index => |args, _| operator::index(args.at(0), args.at(1)).cloned(),

        Function::Size => text::size,
        Function::Contains => text::contains,
        Function::StartsWith => text::starts_with,
        Function::EndsWith => text::ends_with,
        Function::CharAt => text::char_at,
        Function::IndexOf => text::index_of,
        Function::LastIndexOf => text::last_index_of,
        Function::Join => text::join,
        Function::LowerAscii => text::lower,
        Function::UpperAscii => text::upper,
        Function::Replace => text::replace,
        Function::Split => text::split,
        Function::Substring => text::substring,
        Function::Trim => text::trim,
        Function::Quote => text::quote,
        Function::Reverse => text::reverse,

        Function::Type => |args, _| Ok(args.at(0).type_name().into()),
        Function::ToString => convert::to_text,
        Function::ToInt => convert::to_int,
        Function::ToFloat => convert::to_float,
        Function::ToBool => convert::to_bool,
        Function::ToDuration => convert::to_duration,
        Function::ToUsd => convert::to_usd,
        Function::Dyn => |args, _| Ok(args.at(0).clone()),
        Function::ParseInt => convert::parse_int,
        Function::GetHours => convert::hours,
        Function::GetMinutes => convert::minutes,
        Function::GetSeconds => convert::seconds,
        Function::GetMilliseconds => convert::milliseconds,

        Function::Matches => pattern::matches,
        Function::FindAll => pattern::find_all,

        Function::Format => format::format,

        Function::Slice => list::slice,
        Function::Flatten => list::flatten,
        Function::First => list::first,
        Function::Last => list::last,
        Function::Distinct => list::distinct,
        Function::Sort => list::sort,
        Function::SortByKeys => list::sort_by_keys,
        Function::Range => list::range,
        Function::Sum => list::sum,

        Function::Keys => map::keys,
        Function::Values => map::values,
        Function::Merge => map::merge,
        Function::Without => map::without,

        Function::Least => math::least,
        Function::Greatest => math::greatest,
        Function::Ceil => math::ceil,
        Function::Floor => math::floor,
        Function::Round => math::round,
        Function::Trunc => math::trunc,
        Function::Abs => math::abs,
        Function::Sign => math::sign,
        Function::IsNaN => math::is_nan,
        Function::IsInf => math::is_inf,
        Function::IsFinite => math::is_finite,
        Function::Sqrt => math::sqrt,
        Function::BitAnd => math::bit_and,
        Function::BitOr => math::bit_or,
        Function::BitXor => math::bit_xor,
        Function::BitNot => math::bit_not,
        Function::BitShiftLeft => math::shift_left,
        Function::BitShiftRight => math::shift_right,

        Function::Violations => schema::violations,

        Function::ParseJson => data::parse_json,
        Function::Tokens => data::tokens,
        Function::Json => data::json,
        Function::Digest => data::hash,
    }
}

fn compare(function: Function, args: Args<'_>) -> Outcome {
    operator::compare(function, args.at(0), args.at(1)).map(Value::Bool)
}
