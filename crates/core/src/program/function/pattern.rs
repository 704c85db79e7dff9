//! Regular expressions: RE2's syntax on an engine that runs in linear time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use regex::{Captures, Regex, RegexBuilder};

use super::args::Args;
use super::operator::brief;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{Str, Value};

/// Memory a compiled expression may take, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// The cost of using an expression that is not known before the run: it may have to be compiled.
const COMPILING_COST: u64 = 2_000;

/// Compiled expressions that are kept for the next call.
const MAX_CACHED_PATTERNS: usize = 64;

/// A compiled regular expression.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Shared: a copy of the expression itself would begin without the room that the engine works in.
    regex: Arc<Regex>,
}

impl Pattern {
    /// Compiles an expression in RE2's syntax; `\d \w \s \b` mean ASCII characters alone.
    ///
    /// # Errors
    /// One sentence on what is wrong with it.
    pub fn new(text: &str) -> Result<Self, Fault> {
        RegexBuilder::new(&translate(text))
            .size_limit(MAX_COMPILED_BYTES)
            .nest_limit(64)
            .build()
            .map(|regex| Self { regex: Arc::new(regex) })
            .map_err(|error| refused(text, &error))
    }

    /// Returns true if the expression matches anywhere in `text`.
    ///
    /// # Errors
    /// The cost limit.
    pub fn is_match(&self, text: &str, meter: &mut Meter) -> Result<bool, Fault> {
        meter.charge_items(text.len() / 4)?;
        Ok(self.is_in(text))
    }

    /// As [`Pattern::is_match`], for callers that limit the length of what they search.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Every match, from left to right, as `[whole, group1, …]`; a group that took no part is `''`.
    ///
    /// # Errors
    /// The limits of cost and size.
    pub fn find_all(&self, text: &str, meter: &mut Meter) -> Result<Value, Fault> {
        meter.charge_items(text.len())?;
        let mut rows = Vec::new();
        let mut size = 0_usize;
        for captures in self.regex.captures_iter(text) {
            let row = row(&captures);
            size = size.saturating_add(row.size_estimate());
            meter.charge_items(captures.len())?;
            rows.push(row);
            // Starting again at every place of a long text can be slow; each start is paid for.
            if size > crate::program::meter::MAX_RESULT {
                meter.reserve(size)?;
            }
        }
        Ok(Value::List(rows.into()))
    }
}

fn row(captures: &Captures<'_>) -> Value {
    captures.iter().map(|group| Value::from(group.map_or("", |group| group.as_str()))).collect()
}

/// `text.matches(pattern)`.
pub(super) fn matches(args: Args<'_>, meter: &mut Meter) -> Result<Value, Fault> {
    let (text, pattern) = (args.text(0)?, args.text(1)?);
    compiled(pattern, meter)?.is_match(text, meter).map(Value::Bool)
}

/// `find_all(pattern, text)`.
pub(super) fn find_all(args: Args<'_>, meter: &mut Meter) -> Result<Value, Fault> {
    let (pattern, text) = (args.text(0)?, args.text(1)?);
    compiled(pattern, meter)?.find_all(text, meter)
}

/// The expression from this thread's small store, or compiled. The cost is the same either way, so that no run depends
/// on what ran before it.
fn compiled(text: &Str, meter: &mut Meter) -> Result<Pattern, Fault> {
    thread_local! {
        static STORE: RefCell<BTreeMap<Str, Pattern>> = const { RefCell::new(BTreeMap::new()) };
    }
    meter.charge(COMPILING_COST)?;
    meter.charge_items(text.len())?;
    STORE.with_borrow_mut(|store| {
        if let Some(pattern) = store.get(text) {
            return Ok(pattern.clone());
        }
        let pattern = Pattern::new(text)?;
        if store.len() >= MAX_CACHED_PATTERNS {
            store.clear();
        }
        store.insert(text.clone(), pattern.clone());
        Ok(pattern)
    })
}

fn refused(text: &str, error: &regex::Error) -> Fault {
    let reason = match error {
        regex::Error::CompiledTooBig(_) => "it is too large when compiled".to_owned(),
        // The first line repeats the expression; the last one says what is wrong.
        other => {
            other.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    };
    Fault::evaluation(format!("the regular expression '{}' cannot be used: {reason}", brief(text)))
}

/// Rewrites what the engine reads otherwise than RE2.
fn translate(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    let mut class = Class::default();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('Q') if !class.open => quoted(&mut out, &mut chars),
                Some(escaped) => escape(&mut out, escaped, class.open),
                None => out.push('\\'),
            },
            '[' if !class.open => {
                out.push('[');
                class = Class { open: true, start: true };
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // A bracket right at the start stands for itself.
                if chars.next_if_eq(&']').is_some() {
                    out.push_str("\\]");
                }
                continue;
            }
            '[' if chars.peek() == Some(&':') => named(&mut out, &mut chars),
            '[' => out.push_str("\\["),
            ']' if class.open => {
                class.open = false;
                out.push(']');
            }
            // Two of these would be an operation on classes.
            '&' | '~' if class.open => {
                out.push('\\');
                out.push(char);
            }
            '-' if class.open && !class.start && chars.peek() == Some(&'-') => out.push_str("\\-"),
            other => out.push(other),
        }
        class.start = false;
    }
    out
}

/// True if the reader is inside `[…]`, and just at its start.
#[derive(Default)]
struct Class {
    open: bool,
    start: bool,
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// `[:alpha:]`, after its bracket.
fn named(out: &mut String, chars: &mut Chars<'_>) {
    out.push('[');
    for char in chars.by_ref() {
        out.push(char);
        if char == ']' {
            break;
        }
    }
}

/// `\Q…\E`: everything in it stands for itself.
fn quoted(out: &mut String, chars: &mut Chars<'_>) {
    let mut literal = String::new();
    while let Some(char) = chars.next() {
        if char == '\\' && chars.next_if_eq(&'E').is_some() {
            break;
        }
        literal.push(char);
    }
    out.push_str(&regex::escape(&literal));
}

fn escape(out: &mut String, escaped: char, in_class: bool) {
    match (escaped, in_class) {
        ('d', true) => out.push_str("0-9"),
        ('w', true) => out.push_str("0-9A-Za-z_"),
        ('s', true) => out.push_str("\\t\\n\\x0c\\r "),
        ('d', false) => out.push_str("[0-9]"),
        ('w', false) => out.push_str("(?-i:[0-9A-Za-z_])"),
        ('s', false) => out.push_str("[\\t\\n\\x0c\\r ]"),
        ('D', _) => out.push_str("[^0-9]"),
        ('W', true) => out.push_str("[^0-9A-Za-z_]"),
        ('W', false) => out.push_str("(?-i:[^0-9A-Za-z_])"),
        ('S', _) => out.push_str("[^\\t\\n\\x0c\\r ]"),
        ('b', false) => out.push_str("(?-u:\\b)"),
        ('B', false) => out.push_str("(?-u:\\B)"),
        ('<' | '>', _) => out.push(escaped),
        _ => {
            out.push('\\');
            out.push(escaped);
        }
    }
}
