//! The faults that a checked graph can still end by: what its types do not rule out, and what people may do.

/// A fault that `check` leaves to the run.
#[derive(Debug)]
pub struct RunTimeFault {
    /// The fault, in a few words.
    pub title: &'static str,
    /// The kind of error; `unknown` where the run waits for a person instead.
    pub kind: &'static str,
    /// A graph with it.
    pub example: FaultExample,
    /// The way to rule it out or to answer it.
    pub cure: &'static str,
}

/// A graph that `check` finds nothing wrong with, and that comes to the fault.
#[derive(Debug)]
pub enum FaultExample {
    /// An expression over some inputs.
    Expression {
        /// `input` of the graph, in YAML.
        input: &'static str,
        /// The expression.
        text: &'static str,
    },
    /// A graph with what the world does.
    Scenario {
        /// The part that matters.
        shown: &'static str,
        /// The sections of the graph, in YAML.
        graph: &'static str,
        /// The keys of the scenario, in YAML.
        world: &'static str,
    },
}

const fn expression(
    title: &'static str,
    (input, text): (&'static str, &'static str),
    kind: &'static str,
    cure: &'static str,
) -> RunTimeFault {
    RunTimeFault { title, kind, example: FaultExample::Expression { input, text }, cure }
}

const fn scenario(
    title: &'static str,
    (shown, graph, world): (&'static str, &'static str, &'static str),
    kind: &'static str,
    cure: &'static str,
) -> RunTimeFault {
    RunTimeFault { title, kind, example: FaultExample::Scenario { shown, graph, world }, cure }
}

const LONG_LOOP: &str = "\
budgets: {rounds: 200000}
start: count
nodes:
  count: {do: spend rounds, next: [{to: count}, {to: end, on: exhausted(rounds)}]}
  end: {kind: final}
";

const LONG_TEXT: &str = "\
input: {n: int = 100000}
texts: {long: '{% for i in range(n) %}{% for j in range(n) %}{{ j }}{% endfor %}{% endfor %}'}
start: end
nodes: {end: {kind: final}}
output: {x: render(long)}
";

const MISFIT: &str = "\
input: {given: \"any = {'x': 1}\"}
state: {name: string = ''}
start: take
nodes:
  take: {do: name = given, next: end}
  end: {kind: final}
";

const OUT_OF_BOUNDS: &str = "\
input: {n: int = 7}
state: {level: int(0..3) = 0}
start: raise
nodes:
  raise: {do: level = n, next: end}
  end: {kind: final}
";

const OUTPUT_OUT_OF_BOUNDS: &str = "\
types: {Rated: {outcome: string, level: 'int(0..3)'}}
input: {n: int = 7}
state: {rated: Rated?}
start: rate
nodes:
  rate:
    kind: call
    graph:
      input: {n: int}
      start: end
      nodes: {end: {kind: final}}
      output: {level: n}
    with: {n: n}
    into: rated
    next: end
  end: {kind: final}
";

const CONDITION: &str = "\
input: {n: int = 0}
start: halve
nodes:
  halve:
    kind: call
    graph:
      input: {n: int where n > 0}
      start: end
      nodes: {end: {kind: final}}
      output: {half: n / 2}
    with: {n: n}
    next: end
  end: {kind: final}
";

const LONG_LIST: &str = "\
input: {n: int = 2000}
state: {sum: int = 0}
start: add
nodes:
  add:
    do: |
      for x in lists.range(n) { for y in lists.range(n) { sum = x } }
    next: end
  end: {kind: final}
";

const NO_AMOUNT: &str = "\
input: {n: int = 0}
budgets: {work: 10}
start: charge
nodes:
  charge: {do: spend work by n, next: [{to: end}, {to: end, on: exhausted(work)}]}
  end: {kind: final}
";

const PAUSED: &str = "\
pause: {when: step() == 0}
start: go
nodes:
  go: {next: end}
  end: {kind: final}
";

const LOST_CALL: &str = "\
start: pay
nodes:
  pay: {kind: tool, tool: pay, delivery: at_most_once, timeout: 10s, next: [{to: end}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
";

const UNLISTED: &str = "\
input: {next: string = 'third'}
start: work
nodes:
  work:
    kind: call
    graph_of: next
    graphs:
      first: {start: end, nodes: {end: {kind: final}}}
      second: {start: end, nodes: {end: {kind: final}}}
    next: end
  end: {kind: final}
";

/// All of them.
pub const RUN_TIME_FAULTS: &[RunTimeFault] = &[
    expression(
        "a conversion or a parse that fails",
        ("text: \"string = 'x'\"", "int(text)"),
        "evaluation",
        "test the text first: `text.matches('^[0-9]+$')`",
    ),
    expression("a division by zero", ("n: int = 0", "1 / n"), "evaluation", "`n == 0 ? 0 : 1 / n`"),
    expression(
        "an int overflow",
        ("n: int = 9223372036854775807", "n + 1"),
        "evaluation",
        "bound the input: `n: int(0..1000)`",
    ),
    expression(
        "an index out of range",
        ("xs: \"list<int> = []\"", "xs[0]"),
        "evaluation",
        "`size(xs) > 0 ? xs[0] : 0`",
    ),
    expression(
        "a key that is not there",
        ("m: \"map<int> = {}\"", "m['k']"),
        "evaluation",
        "`'k' in m ? m['k'] : 0`",
    ),
    expression(
        "an operator on a value of `any`",
        ("given: any = 'x'", "given - 1"),
        "evaluation",
        "`is(given, int) ? given - 1 : 0`, or give the field a type",
    ),
    expression(
        "a part that begins behind its end, or outside of the text or list",
        ("xs: \"list<int> = [1]\"", "xs.slice(0, 2)"),
        "evaluation",
        "`xs.slice(0, math.least(size(xs), 2))`",
    ),
    scenario(
        "a computed value out of the bounds of its place",
        ("`level = n` with `level: int(0..3)` and `n: int = 7`", OUT_OF_BOUNDS, ""),
        "evaluation",
        "`level = math.least(3, math.greatest(0, n))`",
    ),
    scenario(
        "a spend of less than 1",
        ("`spend work by n` with `n: int = 0`", NO_AMOUNT, ""),
        "evaluation",
        "`spend work by math.greatest(1, n)`, or bound the input: `n: int(1..10)`",
    ),
    scenario(
        "a value of `any` that does not fit its place",
        ("`name = given`", MISFIT, ""),
        "evaluation",
        "`is(given, string)` before the assignment, or an edge `on: error`",
    ),
    scenario(
        "an output of a called graph out of the bounds of its place",
        (
            "`into: rated` with `level: int(0..3)` there and `level: n` as the output",
            OUTPUT_OUT_OF_BOUNDS,
            "",
        ),
        "invalid_output",
        "bound the output in the called graph, or an edge `on: error(invalid_output)`",
    ),
    scenario(
        "an input of a called graph that breaks its `where`",
        ("`with: {n: n}` with `n: int where n > 0` there and `n: int = 0` here", CONDITION, ""),
        "invalid_args",
        "the same `where` at the input here, or an edge `on: error(invalid_args)`",
    ),
    scenario(
        "a computed graph that is none of those it is chosen from",
        ("`graph_of: next` with `next: string` and `graphs: {first: …, second: …}`", UNLISTED, ""),
        "evaluation",
        "give the name the type of an enum: `next: enum(first, second)`",
    ),
    expression(
        "the cost limit of an evaluation",
        ("n: int = 3000", "lists.range(n).map(x, size(lists.range(n).map(y, [x, y])))"),
        "evaluation",
        "bound the lists that it goes through",
    ),
    scenario(
        "a list of statements that runs too long",
        ("`for x in xs { for y in ys { … } }` with 2,000 items each", LONG_LIST, ""),
        "evaluation",
        "bound the lists that it goes through",
    ),
    scenario(
        "the cost limit of a text",
        ("`{% for i in range(n) %}`", LONG_TEXT, ""),
        "evaluation",
        "bound the lists that it goes through",
    ),
    expression(
        "a value or a step past a limit of size",
        ("n: int = 10000000", "size(lists.range(n))"),
        "too_large",
        "bound the inputs; see [Limits](limits.md)",
    ),
    scenario(
        "too many transitions in a row without anything from outside",
        ("`spend rounds` 200,000 times", LONG_LOOP, ""),
        "too_large",
        "give budgets smaller limits; see `long-loop`",
    ),
    scenario(
        "an operator or a person who ends the run",
        ("`abort` at a pause", PAUSED, "human: [abort]"),
        "cancelled",
        "an edge `on: error(cancelled)`",
    ),
    scenario(
        "a call whose outcome nobody knows",
        (
            "`timeout: 10s` of a call that is made at most once",
            LOST_CALL,
            "tools: [{tool: pay, ok: paid, after: 1m}]",
        ),
        "unknown",
        "an edge `on: unknown`; without it the run waits for a person",
    ),
];
