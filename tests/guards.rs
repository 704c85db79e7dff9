//! Sets of guards with what `check` must say of them.

mod campaign;
mod replay;

use loopwright::Diagnostic;
use loopwright::check::{Checked, check_file, overlaps};
use loopwright::model::Files;
use loopwright::source::Sources;

/// A set of guards and its verdict.
struct Case {
    name: &'static str,
    guards: &'static [&'static str],
    /// The start of a hint that says what no guard covers; `+` if all is covered, `?` for a gap of any kind.
    gap: &'static str,
    /// The places of edges that are never taken.
    dead: &'static [usize],
}

const fn covered(name: &'static str, guards: &'static [&'static str]) -> Case {
    Case { name, guards, gap: "+", dead: &[] }
}

const fn gap(name: &'static str, guards: &'static [&'static str], gap: &'static str) -> Case {
    Case { name, guards, gap, dead: &[] }
}

const fn dead(name: &'static str, guards: &'static [&'static str], dead: &'static [usize]) -> Case {
    Case { name, guards, gap: "?", dead }
}

/// Everything that the guards are about.
const HEAD: &str = "graph: g
types:
  D: enum(a, b, c)
  R: {f: int?, g: bool}
input:
  p: bool
  q: bool
  pn: bool?
  n: int
  k: int
  small: int(0..3)
  big: int(0..9)
  f: float
  s: string
  d: D
  e: D
  dn: D?
  v: any
  xs: list<int>
  m: map<int>
  r: R?
  t: duration
  u: usd
  pos: int where pos > 0
budgets:
  a: 3
  b: {limit: n}
  soft: {limit: 5, gate: advisory}
let:
  isa: d == 'a'
  low: d == 'a' || d == 'b'
  high: d == 'c'
  same(x, y): x == y
start: look
nodes:
  look:
    do: {spend a by 1}
    next:
";

fn said(guards: &[&str], look: &str) -> (Checked, String) {
    let mut text = HEAD.replace("    do: {spend a by 1}\n", look);
    for (place, guard) in guards.iter().enumerate() {
        // YAML needs no quotes around a name, and a name in quotes may be meant as a text.
        let is_name = guard.chars().all(|c| c.is_ascii_lowercase());
        let quote = if is_name { "" } else { "\"" };
        let when = if guard.is_empty() { String::new() } else { format!(", when: {quote}{guard}{quote}") };
        text.extend([format!("      - {{to: e{place}{when}}}\n")]);
    }
    for place in 0..guards.len() {
        text.extend([format!("  e{place}: {{kind: final}}\n")]);
    }
    let mut sources = Sources::new();
    let mut files = Files::new().with("g.yaml", text.clone());
    let mut checked = check_file(&mut sources, &mut files, "g.yaml");
    let said = about_guards(&checked, &sources);
    checked.findings.retain(is_about_guards);
    (checked, said)
}

/// False for what the head of all these graphs leads to.
fn is_about_guards(finding: &Diagnostic) -> bool {
    !matches!(finding.rule.slug(), "unused" | "unhandled")
}

fn about_guards(checked: &Checked, sources: &Sources) -> String {
    let found: Vec<_> = checked.findings.iter().filter(|f| is_about_guards(f)).cloned().collect();
    loopwright::diag::text::render(&found, sources, false)
}

fn check(case: &Case, look: &str) -> Result<(), String> {
    let (checked, said) = said(case.guards, look);
    if checked.findings.iter().any(|f| !matches!(f.rule.slug(), "no-otherwise" | "dead-edge")) {
        return Err(format!("{}: no such finding is wanted:\n{said}", case.name));
    }
    let hints: Vec<&str> = checked
        .findings
        .iter()
        .filter(|f| f.rule.slug() == "no-otherwise")
        .flat_map(|f| f.help.iter().map(String::as_str))
        .collect();
    let fits = match case.gap {
        "+" => hints.is_empty(),
        "?" => true,
        gap => hints.contains(&gap),
    };
    let dead = checked.findings.iter().filter(|f| f.rule.slug() == "dead-edge").count();
    if !fits || dead != case.dead.len() {
        return Err(format!("{}: wanted {} and dead {:?}, but:\n{said}", case.name, case.gap, case.dead));
    }
    for place in case.dead {
        let target = format!("- {{to: e{place}");
        if !said.contains(&target) {
            return Err(format!("{}: edge {place} is not named:\n{said}", case.name));
        }
    }
    Ok(())
}

fn all(cases: &[Case], look: &str) {
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(case, look).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const COVERED: &[Case] = &[
    covered("conjunctions of flags", &["p && q", "p && !q", "!p"]),
    covered("three ways of a number", &["n < 0", "n == 0", "n > 0"]),
    covered("whole numbers between two", &["n < 3", "n > 2"]),
    covered("turned comparison", &["n < 3", "3 <= n"]),
    covered("a small range by its members", &["small == 0", "small == 1", "small == 2", "small == 3"]),
    covered("two numbers", &["n < k", "n == k", "n > k"]),
    covered("two budgets", &["exhausted(a) && exhausted(soft)", "!exhausted(a)", "!exhausted(soft)"]),
    covered("exhausted or left", &["exhausted(b)", "left(b) > 0"]),
    covered("used below the limit", &["used(b) < limit(b)", "exhausted(b)"]),
    covered("texts and their rest", &["s == 'x'", "s == 'y'", "s != 'x' && s != 'y'"]),
    covered("in a list or not", &["s in ['x', 'y']", "!(s in ['x', 'y'])"]),
    covered("size of a text", &["size(s) == 0", "size(s) > 0"]),
    covered("the empty text", &["s == ''", "size(s) > 0"]),
    covered("the empty list", &["xs == []", "size(xs) >= 1"]),
    covered("a let", &["isa", "d != 'a'"]),
    covered("two lets", &["low", "high"]),
    covered("a conditional", &["p ? q : n > 0", "p ? !q : n <= 0"]),
    covered("a type", &["is(v, int)", "!is(v, int)"]),
    covered("a key", &["'k' in m", "!('k' in m)"]),
    covered("has is in", &["has(m.k)", "!('k' in m)"]),
    covered("a macro", &["xs.all(x, x > 0)", "!xs.all(x, x > 0)"]),
    covered("de Morgan", &["!(p && q)", "!(!p || !q)"]),
    covered("an enum and a flag", &["d == 'a' && p", "d == 'a' && !p", "d != 'a'"]),
    covered("null on the way", &["r == null", "r.f == null", "r.f != null"]),
    covered("null on the way, the other field", &["r == null", "r.g", "!r.g"]),
    covered("visits", &["visits(look) == 1", "visits(look) > 1"]),
    covered("an enum by exclusion", &["!(d in ['a', 'b'])", "d in ['a', 'b']"]),
    covered("coalesced flag", &["(pn ?? false) == true", "pn == null", "pn == false"]),
    covered("differences", &["n < k + 2", "n - 2 >= k"]),
    covered("a let with parameters", &["same(d, 'a')", "!same(d, 'a')"]),
    covered("an input's own condition", &["pos > 0"]),
    covered("durations", &["t < 5s", "t >= 5s"]),
    covered("amounts", &["u < usd('1')", "u >= usd('1')"]),
    covered("a budget is never spent past its limit", &["used(a) <= 3"]),
    covered("an enum against null", &["dn == null", "dn != 'a'", "dn == 'a'"]),
    covered("a failing guard is not false", &["v < 'a' || v >= 'a'"]),
];

#[test]
fn sets_without_a_gap_are_covered() {
    all(COVERED, "");
}

const GAPS: &[Case] = &[
    gap("a number is left", &["n < 3", "n > 3"], "no guard covers n = 3"),
    gap("a member is left", &["d == 'a'", "d == 'b'"], "no guard covers d = 'c'"),
    gap("any other text", &["s == 'x'", "s == 'y'"], "no guard covers s = 'other'"),
    gap("NaN", &["f < 1.0", "f >= 1.0"], "no guard covers f = NaN"),
    gap("NaN beside a number", &["n < f", "n >= f"], "no guard covers n = 0 and f = NaN"),
    gap("of any type", &["n < v", "n >= v"], "?"),
    gap("null", &["dn == 'a'", "dn == 'b'", "dn == 'c'"], "no guard covers dn = null"),
    gap("two flags", &["p && q", "!p && !q"], "no guard covers p = true and q = false"),
    gap("a range ends", &["big < 9"], "no guard covers big = 9"),
    gap("two numbers", &["n < k", "n > k"], "no guard covers n = 0 and k = 0"),
    gap("a macro", &["xs.all(x, x > 0)"], "nothing excludes `xs.all(x, x > 0)` is false"),
    gap("an advisory budget", &["used(soft) <= 5"], "no guard covers used(soft) = 6"),
    gap("a size", &["size(xs) < 2", "size(xs) > 2"], "no guard covers xs = a list of 2"),
    gap("NaN of any type", &["v < 3 || v >= 3"], "no guard covers v = NaN"),
    gap("in the middle of a range", &["big < 2", "big > 4"], "no guard covers big = 2"),
];

#[test]
fn gaps_are_shown_by_states() {
    all(GAPS, "");
    for case in GAPS {
        let (checked, said) = said(case.guards, "");
        assert!(checked.findings.iter().any(|f| f.rule.slug() == "no-otherwise"), "{}: {said}", case.name);
        replay::played(&checked).unwrap_or_else(|why| panic!("{}: {why}", case.name));
    }
}

const DEAD: &[Case] = &[
    dead("false", &["false", "true"], &[0]),
    dead("a contradiction", &["p && !p", ""], &[0]),
    dead("an empty interval", &["n > 3 && n < 2", ""], &[0]),
    dead("two members", &["d == 'a' && d == 'b'", ""], &[0]),
    dead("outside of a range", &["small > 5", ""], &[0]),
    dead("the same again", &["p", "p", ""], &[1]),
    dead("narrower", &["p || q", "p", ""], &[1]),
    dead("narrower by a flag", &["d == 'a'", "d == 'a' && p", ""], &[1]),
    dead("one of a list of texts", &["s in ['x', 'y']", "s == 'x'", ""], &[1]),
    dead("one of a list of members", &["d in ['a', 'b']", "d == 'a'", ""], &[1]),
    dead("smaller", &["n < 3", "n < 2", ""], &[1]),
    dead("behind what is always true", &["p || !p", "q"], &[1]),
    dead("used up", &["exhausted(b)", "used(b) >= limit(b) && p", ""], &[1]),
    dead("behind a guard that is true", &["true", "p"], &[1]),
    dead("together", &["n < 3", "n > 2", "p"], &[2]),
];

#[test]
fn edges_that_are_never_taken_are_named() {
    all(DEAD, "");
}

/// A graph whose node `look` is entered only by what stands before it.
fn arriving(before: &str, guards: &[&str]) -> (Checked, String) {
    let mut text = HEAD.replace(
        "start: look\nnodes:\n",
        &format!("state:\n  nx: int?\n  c: D = 'a'\nstart: first\nnodes:\n{before}"),
    );
    text = text.replace("    do: {spend a by 1}\n", "");
    for (place, guard) in guards.iter().enumerate() {
        let when = if guard.is_empty() { String::new() } else { format!(", when: \"{guard}\"") };
        text.extend([format!("      - {{to: e{place}{when}}}\n")]);
    }
    for place in 0..guards.len() {
        text.extend([format!("  e{place}: {{kind: final}}\n")]);
    }
    let mut sources = Sources::new();
    let mut files = Files::new().with("g.yaml", text);
    let checked = check_file(&mut sources, &mut files, "g.yaml");
    let said = about_guards(&checked, &sources);
    (checked, said)
}

/// Facts on arrival: what comes before, the guards of `look`, whether there is a gap, and the number of dead edges.
const ARRIVALS: &[(&str, &str, &[&str], bool, usize)] = &[
    ("a constant", "  first: {do: c = 'a', next: [{to: look}]}\n", &["c == 'b'", ""], false, 1),
    ("a constant is enough", "  first: {do: c = 'a', next: [{to: look}]}\n", &["c == 'a'"], false, 0),
    (
        "two ways",
        "  first: {do: c = 'a', next: [{to: look, when: p}, {to: other}]}\n  other: {do: c = 'b', next: [{to: look}]}\n",
        &["c == 'a'", "c == 'b'"],
        false,
        0,
    ),
    (
        "behind a guard",
        "  first: {next: [{to: look, when: c != 'c'}, {to: end}]}\n  end: {kind: final}\n",
        &["c == 'a'", "c == 'b'"],
        false,
        0,
    ),
    (
        "behind the falsity of another",
        "  first: {next: [{to: end, when: c == 'c'}, {to: look}]}\n  end: {kind: final}\n",
        &["c == 'a'", "c == 'b'"],
        false,
        0,
    ),
    (
        "written since",
        "  first: {next: [{to: look, when: c != 'c', do: c = d}, {to: end}]}\n  end: {kind: final}\n",
        &["c == 'a'", "c == 'b'"],
        true,
        0,
    ),
    ("not null", "  first: {do: nx = n, next: [{to: look}]}\n", &["nx == null", ""], false, 1),
    (
        "a spend",
        "  first: {do: spend a, next: [{to: look}, {to: end, on: exhausted(a)}]}\n  end: {kind: final}\n",
        &["used(a) == 0", ""],
        false,
        1,
    ),
    (
        "a branch",
        "  first:\n    do: if p { c = 'a' } else { c = 'b' }\n    next: [{to: look}]\n",
        &["c == 'c'", ""],
        false,
        1,
    ),
    (
        "a branch that does nothing",
        "  first:\n    do: if p { c = 'a' }\n    next: [{to: look}]\n",
        &["c == 'c'", ""],
        false,
        0,
    ),
];

#[test]
fn what_is_known_on_arrival_counts() {
    let mut wrong = String::new();
    for (name, before, guards, has_gap, dead) in ARRIVALS {
        let (checked, said) = arriving(before, guards);
        let count = |slug: &str| checked.findings.iter().filter(|f| f.rule.slug() == slug).count();
        let errors = checked
            .findings
            .iter()
            .any(|f| f.severity == loopwright::Severity::Error && f.rule.slug() != "no-otherwise");
        if errors || count("no-otherwise") != usize::from(*has_gap) || count("dead-edge") != *dead {
            wrong.extend([format!("{name}: wanted a gap: {has_gap}, dead: {dead}, but:\n{said}\n")]);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_witness_is_given_as_a_scenario_gives_it() {
    let (checked, _) = said(&["d == 'a' && used(soft) < 2", "d == 'b'"], "");
    let found = checked.findings.iter().find(|f| f.rule.slug() == "no-otherwise").expect("there is a gap");
    let first = found.witnesses.first().expect("a state was found");
    assert_eq!(first["values"], serde_json::json!({"d": "a", "used(soft)": 2}));
    assert_eq!(first["given"], serde_json::json!({"at": "look", "state": {}, "budgets": {"soft": 2}}));
    assert_eq!((&first["input"]["d"], &first["definite"]), (&"a".into(), &true.into()));
}

#[test]
fn overlapping_guards_are_listed_when_asked_for() {
    let text = HEAD.replace("    do: {spend a by 1}\n", "")
        + "      - {to: end, when: n < 3}\n      - {to: end, when: n > 1}\n      - {to: end, when: n == 7}\n  end: {kind: final}\n";
    let mut sources = Sources::new();
    let mut files = Files::new().with("g.yaml", text);
    let checked = check_file(&mut sources, &mut files, "g.yaml");
    let found = overlaps(checked.model.as_ref().expect("there is a model"), &sources);
    let line = |span| sources.line_col(span).0 - HEAD.lines().count();
    let found: Vec<_> =
        found.iter().map(|own| (line(own.first), line(own.second), own.state.join(" and "))).collect();
    assert_eq!(found, [(0, 1, "n = 2".to_owned()), (1, 2, "n = 7".to_owned())]);
}

#[test]
fn guards_of_shipped_graphs_are_all_decided() {
    let mut seen = 0;
    insta::glob!("../graphs", "**/*.yaml", |path| {
        let name = crate::graphs::name(path);
        if name.ends_with(".scenarios.yaml") || name.ends_with(".script.yaml") {
            return;
        }
        let mut sources = Sources::new();
        let checked = check_file(&mut sources, &mut crate::graphs::Repository::whole(), &name);
        let Some(model) = &checked.model else { return };
        seen += model.graphs.iter().map(|graph| graph.graph.node_count()).sum::<usize>();
        let about = |slug: &str| checked.findings.iter().filter(|f| f.rule.slug() == slug).count();
        assert_eq!((about("not-decided"), about("no-otherwise"), about("dead-edge")), (0, 0, 0), "{name}");
    });
    assert!(seen > 100, "there are graphs");
}

#[test]
fn an_enum_of_five_hundred_members_is_one_subject() {
    let members: Vec<String> = (0..500).map(|i| format!("v{i}")).collect();
    let mut text = format!(
        "graph: g\ntypes: {{E: \"enum({})\"}}\ninput: {{e: E}}\nstart: look\nnodes:\n  look:\n    kind: choice\n    next:\n",
        members.join(", ")
    );
    for member in &members {
        text.extend([format!("      - {{to: end, when: e == '{member}'}}\n")]);
    }
    text += "  end: {kind: final}\n";
    let mut sources = Sources::new();
    let mut files = Files::new().with("g.yaml", text);
    let checked = check_file(&mut sources, &mut files, "g.yaml");
    assert_eq!(loopwright::diag::text::render(&checked.findings, &sources, false), "");
}
