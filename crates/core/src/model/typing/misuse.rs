//! Reports calls that are wrong.

use super::cx::Cx;
use super::library::{GLOBALS, METHODS, is_macro, is_query, macros, queries};
use super::scope::Entry;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::Expr;
use crate::program::function::{Function, FunctionForm};
use crate::syntax::ast::{self, Name};

impl Cx<'_> {
    pub(super) fn report_arguments(&mut self, function: Function, args: &[Expr], name: &Name) {
        let given: Vec<String> = args.iter().map(|a| self.show(&a.ty)).collect();
        let row = self.functions().row(function);
        let method = row.form == FunctionForm::Receiver;
        let written = |types: &[String]| match types.split_first() {
            Some((first, rest)) if method => format!("{first}.{}({})", name.value, rest.join(", ")),
            _ => format!("{}({})", name.value, types.join(", ")),
        };
        let message = format!("`{}` does not take these arguments: {}", name.value, written(&given));
        let fault = Diagnostic::error(rule::WRONG_ARGUMENTS, name.span, message);
        let forms = row.overloads.iter().map(|o| {
            let mut params: Vec<String> = o.params.iter().map(ToString::to_string).collect();
            if o.rest {
                params.push("…".to_owned());
            }
            written(&params)
        });
        let forms: Vec<String> = forms.collect();
        self.report(fault.help(format!("it is called as {}", forms.join(" or "))));
    }

    pub(super) fn report_unknown_method(&mut self, receiver: &Expr, name: &Name) {
        let fault = Diagnostic::error(
            rule::UNKNOWN_FUNCTION,
            name.span,
            format!("there is no function `.{}()`", name.value),
        );
        let written = self.describe(receiver).unwrap_or_else(|| "x".to_owned());
        let is_let =
            matches!(self.scope.lookup(&name.value, None).map(|b| &b.entry), Some(Entry::Template(_)));
        let is_call = is_let || is_query(&name.value) || self.functions().own(name).is_some();
        let fault = if GLOBALS.contains_key(name.as_str()) || is_call {
            fault.help(format!("write {}({written})", name.value))
        } else if let Some(hint) = synonym(&name.value, &written) {
            fault.help(hint)
        } else {
            let known = METHODS.keys().copied().chain(macros());
            let near = nearest(&name.value, sorted(known)).map(|near| format!(".{near}()"));
            fault.meant(near.as_deref())
        };
        self.report(fault);
    }

    pub(super) fn report_unknown_function(&mut self, name: &Name, args: &[ast::Expr]) {
        let fault = Diagnostic::error(
            rule::UNKNOWN_FUNCTION,
            name.span,
            format!("there is no function `{}`", name.value),
        );
        let fault = match name.as_str() {
            "uint" | "bytes" => fault.help("all integers are signed, there are no bytes"),
            "timestamp" => {
                fault.help("there are no timestamps; now() is the run's clock as a duration since 1970")
            }
            "schema_of" => fault.help(
                "which schema applies depends on the tool that is chosen; `limits` allows whole calls: {call: tool_calls(names)}",
            ),
            other if synonym(other, "x").is_some() => fault.help(synonym(other, "x").unwrap_or_default()),
            other if METHODS.contains_key(other) || is_macro(other) => {
                let rest = if args.len() > 1 { "…" } else { "" };
                fault.help(format!("call it as a method: x.{other}({rest})"))
            }
            other => {
                let lets = self.scope.nearest(other, self.here.composite);
                let calls: Vec<&str> = GLOBALS.keys().copied().chain(queries()).collect();
                let known = calls.into_iter().chain(self.functions().own_names());
                fault.meant(nearest(other, sorted(known)).or(lets))
            }
        };
        self.report(fault);
    }

    pub(super) fn report_no_function(&mut self, name: &Name, entry: &Entry) {
        let message = format!("`{}` is not a function", name.value);
        let fault = Diagnostic::error(rule::UNKNOWN_FUNCTION, name.span, message);
        self.report(match entry {
            Entry::Action(_) => fault.help("an action is run as a statement, it has no value"),
            Entry::Let(_) => fault.help("this let has no parameters: leave the parentheses away"),
            _ => fault.help("leave the parentheses away"),
        });
    }

    /// Reports a call with a wrong number of arguments; true if it is right.
    pub(super) fn counted(&mut self, name: &Name, args: &[ast::Expr], wanted: &[&str]) -> bool {
        if args.len() == wanted.len() {
            return true;
        }
        let form = format!("{}({})", name.value, wanted.join(", "));
        let message = format!("`{}` takes {}, {} given", name.value, count(wanted.len()), args.len());
        self.report(
            Diagnostic::error(rule::WRONG_ARGUMENTS, name.span, message).help(format!("write {form}")),
        );
        false
    }
}

/// The name that this language has for a function of other languages.
fn synonym(name: &str, receiver: &str) -> Option<String> {
    Some(match name {
        "len" | "length" | "count" => format!("write size({receiver})"),
        "float" => format!("write double({receiver})"),
        "str" | "toString" | "to_string" => format!("write string({receiver})"),
        "min" => "write math.least(a, b)".to_owned(),
        "max" => "write math.greatest(a, b)".to_owned(),
        "append" | "push" | "add" => {
            format!("a list with one more item is {receiver} + [item]; as a statement xs += item")
        }
        "pop" | "shift" | "popleft" | "dequeue" => {
            format!("the first item is {receiver}[0], and the rest {receiver}.slice(1, size({receiver}))")
        }
        "lower" | "toLowerCase" | "to_lower" => "write text.lowerAscii()".to_owned(),
        "upper" | "toUpperCase" | "to_upper" => "write text.upperAscii()".to_owned(),
        "strip" => "write text.trim()".to_owned(),
        "any" | "some" => "write xs.exists(x, condition)".to_owned(),
        "every" => "write xs.all(x, condition)".to_owned(),
        "includes" => "write item in list, or text.contains(part)".to_owned(),
        _ => return None,
    })
}

pub(super) fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

pub(super) fn count(n: usize) -> String {
    match n {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}
