//! The operators.

use super::Function;
use super::args::Args;
use super::operator::{add, compare, divide, equal, index, is_in, modulo, multiply, negate, not, subtract};
use super::row::{Topic, rows};
use crate::program::fault::Fault;
use crate::value::Value;

/// Operators.
pub(super) const TOPIC: Topic = Topic {
    title: "Operators",
    rows: rows! {
        "+" Operator Data |args, meter| add(args.at(0), args.at(1), meter), [takes(Value, Value) -> Any]
            "Sum of numbers, durations or amounts; two strings or lists joined."
            "1 + 2" => "3";
        "-" Operator Fixed |args, _| subtract(args.at(0), args.at(1)), [takes(Value, Value) -> Any]
            "Difference of numbers, durations or amounts."
            "1m - 15s" => "45s";
        "*" Operator Fixed |args, _| multiply(args.at(0), args.at(1)), [takes(Value, Value) -> Any]
            "Product; a duration or an amount times a number."
            "2 * 3" => "6";
        "/" Operator Fixed |args, _| divide(args.at(0), args.at(1)), [takes(Value, Value) -> Any]
            "Quotient; integers cut towards zero."
            "7 / 2" => "3";
        "%" Operator Fixed |args, _| modulo(args.at(0), args.at(1)), [takes(Value, Value) -> Any]
            "Remainder of integers, with the sign of the left one."
            "-7 % 3" => "-1";
        "-" Operator Fixed |args, _| negate(args.at(0)), [takes(Value) -> Any]
            "The value with the other sign."
            "-(1 + 2)" => "-3";
        "!" Operator Fixed |args, _| not(args.at(0)), [takes(Bool) -> Bool]
            "The other boolean."
            "!(1 > 2)" => "true";
        "==" Operator Data |args, meter| equal(args.at(0), args.at(1), meter).map(Value::Bool), [takes(Nullable, Nullable) -> Bool]
            "True if both are equal; integers and floats by value."
            "[1, 2] == [1, 2]" => "true";
        "!=" Operator Data |args, meter| equal(args.at(0), args.at(1), meter).map(|same| Value::Bool(!same)), [takes(Nullable, Nullable) -> Bool]
            "True if both are not equal."
            "'a' != 'b'" => "true";
        "<" Operator Fixed |args, _| compared(Function::LESS, args), [takes(Value, Value) -> Bool]
            "True if the left is smaller."
            "1 < 2" => "true";
        "<=" Operator Fixed |args, _| compared(Function::LESS_OR_EQUAL, args), [takes(Value, Value) -> Bool]
            "True if the left is smaller or equal."
            "'a' <= 'b'" => "true";
        ">" Operator Fixed |args, _| compared(Function::GREATER, args), [takes(Value, Value) -> Bool]
            "True if the left is greater."
            "1h > 59m" => "true";
        ">=" Operator Fixed |args, _| compared(Function::GREATER_OR_EQUAL, args), [takes(Value, Value) -> Bool]
            "True if the left is greater or equal."
            "2.0 >= 2.0" => "true";
        "in" Operator Data |args, meter| is_in(args.at(0), args.at(1), meter).map(Value::Bool), [takes(Nullable, Nullable) -> Bool]
            "True if the list contains the value, or the map the key."
            "2 in [1, 2]" => "true";
        "[]" Operator Fixed |args, _| index(args.at(0), args.at(1)).cloned(), [takes(Value, Value) -> Any]
            "The element of a list, or the value of a map's key."
            "['a', 'b'][1]" => "'b'";
    },
};

fn compared(function: Function, args: Args<'_>) -> Result<Value, Fault> {
    compare(function, args.at(0), args.at(1)).map(Value::Bool)
}
