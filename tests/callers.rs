//! What comes out of a called graph: its errors, its budgets, and what it was charged.

use loopwright::model::Files;
use loopwright::scenario::{Suite, print};
use loopwright::source::Sources;

use crate::rebuilt;

const CHILD: &str = "
graph: child
errors: {misread: recoverable}
input: {n: int}
state: {got: any = null}
budgets: {tries: 1}
start: work
nodes:
  work:
    kind: tool
    tool: work
    args: {n: n}
    into: got
    do: spend tries
    next:
      - {to: broken, when: got == 'bad'}
      - {to: work, when: got == 'again'}
      - {to: end}
  broken: {do: fail misread 'cannot be read', next: [{to: end}]}
  end: {kind: final, ok: got != 'wrong'}
output: {got: got}
";

const CALLER: &str = "
graph: caller
state: {answer: any = null, told: any = null}
budgets:
  calls: {limit: 2, charge: tool.calls}
  rounds: 5
start: ask
nodes:
  ask:
    kind: call
    graph: child.yaml
    with: {n: visits(ask)}
    into: answer
    next:
      - {to: ask, when: answer.got == 'more', do: spend rounds}
      - {to: end}
      - {to: misread, on: error(misread), do: told = error}
      # A used-up budget is an error of that name, too: the caller's own comes first.
      - {to: spent, on: exhausted(calls)}
      - {to: spent_inside, on: error(budget_exhausted), do: told = error}
      - {to: failed, on: error, do: told = error}
  misread: {kind: final}
  spent_inside: {kind: final}
  spent: {kind: final}
  failed: {kind: final}
  end: {kind: final}
output: {answer: answer, told: told}
";

const SCENARIOS: &str = "
graph: caller.yaml
scenarios:
  - name: an answer
    tools: [{tool: work, ok: good}]
    expect: {outcome: end, budgets: {calls: 1}, output: {answer: {outcome: end, got: good}}}
  - name: an end that is no success is an answer, too
    tools: [{tool: work, ok: wrong}]
    expect: {outcome: end, output: {answer: {got: wrong}}}
  - name: an error of the child's own kind
    tools: [{tool: work, ok: bad}]
    expect: {outcome: misread, output: {answer: null, told: {kind: misread, class: recoverable, message: cannot be read}}}
  - name: an error of its tool
    tools: [{tool: work, error: {kind: denied, message: no}}]
    expect: {outcome: failed, budgets: {calls: 1}, output: {told: {kind: denied, class: fatal, message: no}}}
  - name: the child has used up its own budget
    tools: [{tool: work, ok: again}]
    expect: {outcome: spent_inside, output: {told: {kind: budget_exhausted, details: {budget: tries}}}}
  - name: every call has the child's budget anew, and is charged to the caller
    tools: [{tool: work, ok: more}, {tool: work, ok: more}]
    expect:
      outcome: spent
      budgets: {calls: 2}
      tool_calls: [{args: {n: 1}, lane: 'ask#1/'}, {args: {n: 2}, lane: 'ask#2/'}]
";

#[test]
fn what_comes_out_of_a_called_graph() {
    let mut files = Files::new()
        .with("caller.yaml", CALLER)
        .with("child.yaml", CHILD)
        .with("caller.scenarios.yaml", SCENARIOS);
    let mut sources = Sources::new();
    let loaded = Suite::load(&mut sources, &mut files, "caller.scenarios.yaml");
    let findings = loopwright::diag::text::render(&loaded.findings, &sources, false);
    let suite = loaded.suite.unwrap_or_else(|| panic!("{findings}"));
    for report in rebuilt::play_all(&suite) {
        assert!(report.passed(), "{}", print::text(&report, &sources));
    }
}
