//! Generated graphs: small ones that have a bit of everything.

use std::fmt::Write;

use crate::dice::Dice;

/// The text of a graph, the same for the same number.
pub(crate) fn generate(number: u64) -> String {
    let mut dice = Dice::new(number ^ 0x5eed_0000);
    let steps = dice.between(1, 4);
    let mut text = format!(
        "graph: g{number}\nstate: {{a: any, s: string?, n: int = 0, lost: int = 0}}\nbudgets: {{rounds: 2, calls: {{limit: 9, charge: tool.calls}}}}\n"
    );
    if dice.chance(2_500) {
        text.push_str("pause:\n  when: n == 1 && rolled_back() == null\n  ask: \"'Go on?'\"\n");
    }
    text.push_str("start: n0\nnodes:\n");
    for step in 0..steps {
        node(&mut text, &mut dice, step);
    }
    // The loop: back to the beginning, as long as there is budget for it.
    let _infallible = write!(
        text,
        "  n{steps}:\n    do: |\n      n += 1\n      spend rounds\n    next: [{{to: n0, when: n < {}}}, {{to: end}}, {{to: end, on: [error, exhausted(rounds)]}}]\n  end: {{kind: final}}\n  failed: {{kind: final, ok: false}}\noutput: {{n: n, lost: lost}}\n",
        dice.between(1, 3)
    );
    text
}

/// A node that does something outside, and goes on to the next.
fn node(text: &mut String, dice: &mut Dice, step: u64) {
    let next = step + 1;
    let done = match dice.below(12) {
        0..=4 => tool(dice, next),
        5 => format!(
            "kind: model\n    role: m\n    prompt: \"'Yes or no?'\"\n    output: enum(yes, no)\n    into: s\n    timeout: 4s\n    retry: {{attempts: 3, on: [transient, timeout, invalid_output], first: 500ms}}\n    next: [{{to: n{next}}}, {{to: n{next}, on: error}}]"
        ),
        6 => human(dice, next),
        7 => format!("kind: wait\n    delay: {}s\n    next: n{next}", dice.between(1, 4)),
        8 | 9 => each(dice, next),
        10 => format!(
            "kind: parallel\n    on_error: {}\n    branches:\n      left: {{graph: {}}}\n      right: {{graph: {}}}\n    next: [{{to: n{next}}}, {{to: n{next}, on: [error, error(budget_exhausted)]}}]",
            dice.of(&["stop", "collect"]),
            child(dice),
            child(dice)
        ),
        _ => format!(
            "kind: call\n    graph: {}\n    next: [{{to: n{next}}}, {{to: n{next}, on: [error, error(budget_exhausted)]}}]",
            child(dice)
        ),
    };
    let _infallible = writeln!(text, "  n{step}:\n    {done}");
}

/// The name of a tool; those that may be called at most once come up more often.
fn name(dice: &mut Dice) -> &'static str {
    const NAMES: [&str; 11] = [
        "pure",
        "keyed",
        "again",
        "left",
        "once",
        "once",
        "probed",
        "probed",
        "approved",
        "undone",
        "undone_once",
    ];
    dice.of::<&str>(&NAMES)
}

fn tool(dice: &mut Dice, next: u64) -> String {
    let mut text = format!("kind: tool\n    tool: {}\n    args: {{n: n}}\n    into: a", name(dice));
    if dice.chance(5_000) {
        text.push_str("\n    timeout: 3s");
    }
    if dice.chance(5_000) {
        text.push_str("\n    retry: {attempts: 3, on: [transient, recoverable, timeout], first: 500ms}");
    }
    // Without such an edge a person is asked.
    let unknown = if dice.chance(5_000) {
        format!("{{to: n{next}, on: unknown, do: lost += 1}}, ")
    } else {
        String::new()
    };
    let _infallible = write!(
        text,
        "\n    next: [{{to: n{next}}}, {unknown}{{to: n{next}, on: error}}, {{to: failed, on: exhausted(calls)}}]"
    );
    text
}

fn human(dice: &mut Dice, next: u64) -> String {
    let timeout = if dice.chance(4_000) { "\n    timeout: 5s" } else { "" };
    let late = if timeout.is_empty() { String::new() } else { format!(", {{to: n{next}, on: timeout}}") };
    format!(
        "kind: human\n    ask: \"'Yes or no?'\"\n    options: [yes, no]\n    into: s{timeout}\n    next: [{{to: n{next}}}{late}]"
    )
}

fn each(dice: &mut Dice, next: u64) -> String {
    format!(
        "kind: each\n    over: \"[1, 2, 3]\"\n    as: item\n    at_once: {}\n    on_error: {}\n    graph: {}\n    next: [{{to: n{next}}}, {{to: n{next}, on: [error, error(budget_exhausted)]}}]",
        dice.between(1, 3),
        dice.of(&["stop", "collect"]),
        child(dice)
    )
}

/// A graph in place: a call or two, perhaps a wait or a question between them.
fn child(dice: &mut Dice) -> String {
    let unknown = if dice.chance(5_000) { "{to: b, on: unknown}, " } else { "" };
    let (first, last) = (name(dice), name(dice));
    let between = dice.of(&[
        "{next: c}",
        "{kind: wait, delay: 1s, next: c}",
        "{kind: human, ask: \"'More?'\", options: [yes, no], next: c}",
    ]);
    format!(
        "{{state: {{a: any}}, start: a, nodes: {{a: {{kind: tool, tool: {first}, into: a, next: [{{to: b}}, {unknown}{{to: b, on: error}}]}}, b: {between}, c: {{kind: tool, tool: {last}, next: [{{to: d}}, {{to: d, on: error}}]}}, d: {{kind: final}}}}}}"
    )
}
