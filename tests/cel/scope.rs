//! Which tests use a part of CEL that this language leaves out. The rules look at what a test is written
//! with, never at its name.

use std::sync::LazyLock;

use loopwright::syntax::ast::{Expr, ExprKind, Literal};
use regex::Regex;

use super::case::Case;

/// Why a test is outside the subset. The text stands in the table.
pub(super) type Reason = &'static str;

pub(super) const OPTIONALS: Reason = "optional values (`a.?b`, `optional.of`)";
pub(super) const PROTOBUF: Reason = "protocol buffer messages, their enums and wrappers";
pub(super) const UINT: Reason = "unsigned integers (`1u`, `uint`)";
pub(super) const BYTES: Reason = "bytes (`b'…'`, `bytes`, `base64`)";
pub(super) const TIME: Reason = "timestamps";
pub(super) const CONTAINERS: Reason = "containers and qualified variable names";
pub(super) const NETWORK: Reason = "the network extension (`ip`, `cidr`)";
pub(super) const BLOCK: Reason = "the block extension (`cel.block`)";
pub(super) const COMMENTS: Reason = "comments with `//` (here: `#`)";
pub(super) const BACKTICKS: Reason = "field names in backticks (here: `a['b-c']`)";
pub(super) const KEYS: Reason = "maps with keys other than strings";
pub(super) const TYPES_ONLY: Reason = "tests of a deduced type, without a value";
pub(super) const SHADOWING: Reason = "a variable that shadows another (an error here)";
pub(super) const UNCHECKED: Reason = "runs only without a type checker";

/// The text with every string literal replaced by `''`, and what stood in it.
struct Bare {
    text: String,
    bytes: bool,
}

fn bare(text: &str) -> Bare {
    static STRING: LazyLock<Regex> = LazyLock::new(|| {
        let raw = r#"(?s:\b[rR][bB]?|\b[bB][rR])(?:'''(?s:.*?)'''|"""(?s:.*?)"""|'[^'\n]*'|"[^"\n]*")"#;
        let plain = r#"(?:\b[bB])?(?:'''(?s:[^\\]|\\.)*?'''|"""(?s:[^\\]|\\.)*?"""|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"#;
        Regex::new(&format!("{raw}|{plain}")).expect("the pattern is well formed")
    });
    let bytes = STRING.find_iter(text).any(|m| {
        let quote = m.as_str().find(['\'', '"']).unwrap_or(0);
        m.as_str()[..quote].contains(['b', 'B'])
    });
    Bare { text: STRING.replace_all(text, "''").into_owned(), bytes }
}

/// Patterns over the bare text, in the order they are asked.
static PATTERNS: LazyLock<Vec<(Reason, Regex)>> = LazyLock::new(|| {
    let patterns: [(Reason, &str); 9] = [
        (OPTIONALS, r"\boptional\b|\boptional_type\b|\.\?|[\[{,]\s*\?|\bopt(Flat)?Map\("),
        (PROTOBUF, r"\bgoogle\.protobuf\b|\bcel\.expr\.|\bproto\.(has|get)Ext\b|\bTestAllTypes\b"),
        (UINT, r"\b(0[xX][0-9a-fA-F]+|[0-9]+)[uU]\b|\buint\b"),
        (BYTES, r"\bbytes\b|\bbase64\."),
        (TIME, r"\btimestamp\b"),
        (NETWORK, r"\b(ip|cidr|isIP|isCIDR)\s*\(|\bip\.isCanonical\b"),
        (BLOCK, r"\bcel\.(block|index|iterVar|accuVar)\b"),
        (COMMENTS, r"//"),
        (BACKTICKS, r"`"),
    ];
    patterns
        .map(|(reason, pattern)| (reason, Regex::new(pattern).expect("the pattern is well formed")))
        .into()
});

/// The first reason that puts a test outside the subset, from its text, its values and its settings.
pub(super) fn outside(case: &Case) -> Option<Reason> {
    static LEADING_DOT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(^|[\s(\[{,:?!&|=<>+*/%-])\.[A-Za-z_]").expect("the pattern is well formed")
    });
    let bare = bare(&case.text);
    if PATTERNS[0].1.is_match(&bare.text) {
        return Some(OPTIONALS);
    }
    if case.values().any(|v| v.holds("other"))
        || case.container.starts_with("cel.expr.")
        || case.container == "google.protobuf"
    {
        return Some(PROTOBUF);
    }
    if let Some((reason, _)) = PATTERNS.iter().find(|(_, pattern)| pattern.is_match(&bare.text)) {
        return Some(reason);
    }
    if case.values().any(|v| v.holds("uint")) {
        return Some(UINT);
    }
    if bare.bytes || case.values().any(|v| v.holds("bytes")) {
        return Some(BYTES);
    }
    let qualified = case.bindings.iter().any(|(name, _)| name.contains('.'));
    if !case.container.is_empty() || qualified || LEADING_DOT.is_match(&bare.text) {
        return Some(CONTAINERS);
    }
    if case.values().any(super::case::Typed::has_other_keys) {
        return Some(KEYS);
    }
    case.check_only.then_some(TYPES_ONLY)
}

/// The first reason that puts a test outside the subset, from its tree.
pub(super) fn outside_by_tree(case: &Case, expr: &Expr) -> Option<Reason> {
    let mut names: Vec<&str> = case.bindings.iter().map(|(name, _)| name.as_str()).collect();
    look(expr, &mut names)
}

fn look<'e>(expr: &'e Expr, names: &mut Vec<&'e str>) -> Option<Reason> {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Name(_) => None,
        ExprKind::Field(a, _) | ExprKind::Is(a, _) | ExprKind::Unary(_, a) => look(a, names),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => look(a, names).or_else(|| look(b, names)),
        ExprKind::Conditional(a, b, c) => {
            look(a, names).or_else(|| look(b, names)).or_else(|| look(c, names))
        }
        ExprKind::List(items) => items.iter().find_map(|item| look(item, names)),
        ExprKind::Record(_, fields) => fields.iter().find_map(|(_, value)| look(value, names)),
        ExprKind::Map(entries) => entries.iter().find_map(|(key, value)| {
            let other = matches!(&key.kind, ExprKind::Literal(l) if !matches!(l, Literal::String(_)));
            if other { Some(KEYS) } else { look(key, names).or_else(|| look(value, names)) }
        }),
        ExprKind::Call { receiver, name, args } => {
            if let Some(found) = receiver.iter().find_map(|r| look(r, names)) {
                return Some(found);
            }
            let own = variables(name, args);
            if own.iter().any(|v| names.contains(v)) {
                return Some(SHADOWING);
            }
            let outer = names.len();
            names.extend(own);
            let found = args.iter().find_map(|arg| look(arg, names));
            names.truncate(outer);
            found
        }
    }
}

/// The variables a macro declares.
fn variables<'e>(name: &str, args: &'e [Expr]) -> Vec<&'e str> {
    let count = match (name, args.len()) {
        ("all" | "exists" | "exists_one" | "existsOne" | "filter" | "map" | "sortBy", 2)
        | ("bind" | "map", 3) => 1,
        ("all" | "exists" | "exists_one" | "existsOne" | "transformList" | "transformMap", 3)
        | ("transformList" | "transformMap", 4) => 2,
        _ => 0,
    };
    args[..count]
        .iter()
        .filter_map(|arg| if let ExprKind::Name(name) = &arg.kind { Some(name.as_str()) } else { None })
        .collect()
}
