//! Random sets of guards: what `check` says of them is what trying all values says.

use std::time::{Duration, Instant};

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::program::eval::{Eval, Scratch, World};
use loopwright::program::frame::{Counters, Frame};
use loopwright::source::Sources;
use loopwright::value::Value;

use crate::dice::{Dice, rounds};

/// More states of one set are not tried: another set is drawn then.
const MAX_STATES: usize = 4_000;

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
  f: float
  s: string
  d: D
  dn: D?
  v: any
  xs: list<int>
  r: R?
  lim: int
budgets:
  soft: {limit: 2, gate: advisory}
  b: {limit: lim}
start: look
nodes:
  look:
    do: emit seen
    next:
";

/// The inputs in their order, with values on both sides of all constants that guards are drawn with.
const SLOTS: [(&str, &str); 14] = [
    ("p", "[true,false]"),
    ("q", "[true,false]"),
    ("pn", "[true,false,null]"),
    ("n", "[-7,-2,-1,0,1,2,3,4,9]"),
    ("k", "[-7,-4,-3,-2,-1,0,1,2,3,9]"),
    ("small", "[0,1,2,3]"),
    ("f", "[-1.5,0.0,0.5,1.0,1.25,2.0,7.5]"),
    ("s", "[\"\",\"x\",\"y\",\"zz\",\"abc\",\"abcd\",\"w\"]"),
    ("d", "[\"a\",\"b\",\"c\"]"),
    ("dn", "[\"a\",\"b\",\"c\",null]"),
    ("v", "[null,true,false,-1,0,1,2,3,9,0.0,1.0,1.5,2.0,\"\",\"x\",\"y\",\"u\",[],[1],{}]"),
    ("xs", "[[],[1],[-1],[1,2],[1,-2],[1,2,3],[1,2,-3],[1,1,1,1],[-1,1,1,1]]"),
    (
        "r",
        "[null,{\"f\":null,\"g\":true},{\"f\":0,\"g\":false},{\"f\":1,\"g\":true},{\"f\":2,\"g\":true},{\"f\":3,\"g\":true},{\"f\":9,\"g\":true},{\"f\":-4,\"g\":true}]",
    ),
    ("lim", "[0]"),
];

/// Atoms: `#` is a whole number from 0 to 2, `@` a text, `$` a member, `~` a comparison.
const ATOMS: [&str; 34] = [
    "p",
    "q",
    "pn == null",
    "(pn ?? false)",
    "pn == true",
    "n ~ #",
    "n in [#, #]",
    "n ~ k",
    "n ~ k + #",
    "n - k == #",
    "n + # ~ #",
    "small ~ #",
    "f ~ 1.0",
    "f ~ #",
    "n ~ f",
    "s == @",
    "s in [@, @]",
    "size(s) ~ #",
    "d == $",
    "d in [$, $]",
    "dn == $",
    "dn == null",
    "is(v, int)",
    "v == #",
    "v == @",
    "size(xs) ~ #",
    "xs == []",
    "xs.all(x, x > 0)",
    "r == null",
    "r.f == #",
    "(r.f ?? #) ~ #",
    "used(soft) ~ #",
    "exhausted(b)",
    "left(b) ~ #",
];

fn atom(dice: &mut Dice) -> String {
    let mut text = String::new();
    for c in ATOMS[dice.below(ATOMS.len())].chars() {
        match c {
            '#' => text += &dice.below(3).to_string(),
            '@' => text += ["'x'", "'y'", "''"][dice.below(3)],
            '$' => text += ["'a'", "'b'", "'c'"][dice.below(3)],
            '~' => text += ["<", "<=", "==", "!=", ">", ">="][dice.below(6)],
            c => text.push(c),
        }
    }
    match dice.below(8) {
        0 => format!("(p ? {text} : {})", atom_plain(dice)),
        1 => format!("({text} || {})", atom_plain(dice)),
        2 => format!("({text} && {})", atom_plain(dice)),
        _ => text,
    }
}

fn atom_plain(dice: &mut Dice) -> &'static str {
    ["q", "d == 'a'", "n < 1", "s == 'x'"][dice.below(4)]
}

/// The guards of a tree of questions: they leave nothing open, but where a question fails.
fn tree(dice: &mut Dice, path: &str, depth: usize, guards: &mut Vec<String>) {
    if depth == 0 || (depth == 1 && dice.below(3) == 0) {
        guards.push(path.to_owned());
        return;
    }
    let question = atom(dice);
    let joined = |part: String| if path.is_empty() { part } else { format!("{path} && {part}") };
    tree(dice, &joined(question.clone()), depth - 1, guards);
    tree(dice, &joined(format!("!({question})")), depth - 1, guards);
}

fn guards(dice: &mut Dice) -> Vec<String> {
    let mut guards = Vec::new();
    let depth = 1 + dice.below(2);
    let question = atom(dice);
    tree(dice, &question, depth - 1, &mut guards);
    tree(dice, &format!("!({question})"), depth - 1, &mut guards);
    if dice.below(3) == 0 {
        let place = dice.below(guards.len() + 1);
        guards.insert(place, atom(dice));
    }
    if dice.below(2) == 0 && guards.len() > 1 {
        guards.remove(dice.below(guards.len()));
    }
    guards
}

fn mentions(guards: &[String], name: &str) -> bool {
    guards.iter().any(|guard| guard.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name))
}

/// All states that the guards can tell apart, by the names that they mention.
fn states(guards: &[String]) -> Option<Vec<Frame>> {
    let mentions = |name: &str| mentions(guards, name);
    let blank = Frame {
        slots: vec![Value::Null; SLOTS.len()],
        counters: vec![Counters { used: 0, limit: 2, grace: 0 }, Counters::default()],
        visits: vec![1; guards.len() + 1],
        ..Frame::default()
    };
    let mut states = vec![blank];
    for (slot, (name, values)) in SLOTS.iter().enumerate() {
        let mut values: Vec<Value> = serde_json::from_str::<Vec<serde_json::Value>>(values)
            .expect("the table is JSON")
            .into_iter()
            .map(|value| Value::from_json(&value))
            .collect();
        if ["f", "v"].contains(name) {
            values.push(Value::Float(f64::NAN));
        }
        if !mentions(name) {
            values.truncate(1);
        }
        states = crossed(&states, &values, |frame, value| frame.slots[slot] = value.clone());
        if states.len() > MAX_STATES {
            return None;
        }
    }
    if mentions("soft") {
        states = crossed(&states, &[0, 1, 2, 3, 5], |frame, used| frame.counters[0].used = *used);
    }
    if mentions("b") {
        // A hard budget is never spent past its limit.
        let all: Vec<(i64, i64)> =
            (0..=5).flat_map(|limit| (0..=limit).map(move |used| (used, limit))).collect();
        states = crossed(&states, &all, |frame, (used, limit)| {
            frame.counters[1] = Counters { used: *used, limit: *limit, grace: 0 };
        });
    }
    (states.len() <= MAX_STATES).then_some(states)
}

fn crossed<T>(states: &[Frame], values: &[T], set: impl Fn(&mut Frame, &T)) -> Vec<Frame> {
    let one = |state: &Frame, value: &T| {
        let mut state = state.clone();
        set(&mut state, value);
        state
    };
    states
        .iter()
        .flat_map(|state| values.iter().map(move |value| (state, value)))
        .map(|(s, v)| one(s, v))
        .collect()
}

/// The verdict of trying all states: whether all guards may be false, and which edges are never the first that holds.
fn tried(program: &Program, edges: usize, states: &[Frame]) -> (bool, Vec<bool>) {
    let (mut gap, mut dead) = (false, vec![true; edges]);
    let (world, mut scratch) = (World::default(), Scratch::default());
    for frame in states {
        let mut open = true;
        for (place, dead) in dead.iter_mut().enumerate() {
            scratch.begin();
            scratch.refill();
            let graph = &program.graphs[0];
            let mut eval = Eval { program, graph, frame, world: &world, scratch: &mut scratch };
            match eval.test(graph.edges[place].when.expect("all edges have guards")) {
                Ok(false) => {}
                Ok(true) => {
                    *dead = false;
                    open = false;
                    break;
                }
                Err(_) => {
                    open = false;
                    break;
                }
            }
        }
        gap |= open;
    }
    (gap, dead)
}

#[derive(Default)]
struct Figures {
    judged: usize,
    gaps: usize,
    /// Gaps that are errors, and the witnesses of them that were played.
    definite: usize,
    replayed: usize,
    possible: usize,
    dead: usize,
    not_found: usize,
    times: Vec<Duration>,
}

fn judge(guards: &[String], figures: &mut Figures) -> Result<(), String> {
    let Some(states) = states(guards) else { return Ok(()) };
    let mut text = HEAD.to_owned();
    for (place, guard) in guards.iter().enumerate() {
        let is_name = guard.chars().all(|c| c.is_ascii_lowercase());
        let quote = if is_name { "" } else { "\"" };
        text.extend([format!("      - {{to: e{place}, when: {quote}{guard}{quote}}}\n")]);
    }
    for place in 0..guards.len() {
        text.extend([format!("  e{place}: {{kind: final}}\n")]);
    }
    let mut sources = Sources::new();
    let mut files = Files::new().with("g.yaml", text);
    // The campaign prints the median and the longest time; no test depends on them.
    let start = Instant::now();
    let checked = check_file(&mut sources, &mut files, "g.yaml");
    figures.times.push(start.elapsed());
    let is_error = |finding: &&loopwright::Diagnostic| finding.severity == loopwright::Severity::Error;
    if checked.findings.iter().filter(is_error).any(|finding| finding.rule.slug() != "no-otherwise") {
        return Ok(());
    }
    let Some(model) = &checked.model else { return Ok(()) };
    let program = compile(model).map_err(|faults| format!("{guards:?}: {faults:?}"))?;
    let (gap, dead) = tried(&program, guards.len(), &states);
    figures.judged += 1;
    // What one condition says about another is not known of these.
    let is_loose =
        guards.iter().any(|guard| guard.contains("all(")) || (mentions(guards, "n") && mentions(guards, "f"));
    let found = checked.findings.iter().find(|finding| finding.rule.slug() == "no-otherwise");
    let is_definite = found.is_some_and(|finding| !finding.witnesses.is_empty());
    figures.gaps += usize::from(gap);
    figures.replayed += super::replay::played(&checked).map_err(|why| format!("{why}: {guards:#?}"))?;
    figures.definite += usize::from(found.is_some_and(|finding| is_error(&finding)));
    if gap && found.is_none() {
        return Err(format!("a gap is not found: {guards:#?}"));
    }
    if !gap && is_definite {
        return Err(format!("a gap that is none: {guards:#?}\n{:?}", found.map(|finding| &finding.help)));
    }
    if !gap && found.is_some() {
        figures.possible += 1;
        if !is_loose {
            return Err(format!("a false alarm: {guards:#?}\n{:?}", found.map(|finding| &finding.help)));
        }
    }
    let lines: Vec<usize> = checked
        .findings
        .iter()
        .filter(|finding| finding.rule.slug() == "dead-edge")
        .map(|finding| sources.line_col(finding.span()).0 - HEAD.lines().count() - 1)
        .collect();
    for (place, dead) in dead.iter().enumerate() {
        let is_said = lines.contains(&place);
        figures.dead += usize::from(*dead);
        if is_said && !dead {
            return Err(format!("edge {place} is said to be dead: {guards:#?}"));
        }
        if *dead && !is_said {
            figures.not_found += 1;
            if !is_loose {
                return Err(format!("edge {place} is dead, and not said to be: {guards:#?}"));
            }
        }
    }
    Ok(())
}

#[test]
fn verdicts_are_those_of_trying_all_values() {
    let count = usize::try_from(rounds(300)).expect("32 bits fit");
    let mut figures = Figures::default();
    let mut wrong = Vec::new();
    let mut dice = Dice::new(20);
    for _ in 0..count * 3 {
        if figures.judged >= count {
            break;
        }
        let guards = guards(&mut dice);
        wrong.extend(judge(&guards, &mut figures).err());
        if wrong.len() >= 10 {
            break;
        }
    }
    let Figures { judged, gaps, definite, replayed, possible, dead, not_found, mut times } = figures;
    times.sort_unstable();
    let (median, worst) = (times.get(times.len() / 2), times.last());
    println!(
        "{judged} sets, {gaps} with a gap, {definite} of them definite with {replayed} witnesses that were played, \
         {possible} said to be possible that are none, {dead} dead edges, \
         {not_found} of them not found; a check takes {median:?}, at worst {worst:?}"
    );
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(judged * 4 >= count * 3 && gaps > 0 && gaps < judged, "the sets are of one kind");
}
