//! Exploring graphs: beside a search of all values, beside a model checker, with planted faults, the shipped ones, and by the
//! command.

mod alike;
mod beside;
mod command;
mod concrete;
mod fault;
mod folded;
mod generated;
mod judged;
mod planted;
mod raw;
mod shipped;
mod stateright;
mod tiny;
mod write;

/// A loop in which a model names amounts, a person approves and a tool pays. Given are further lines of the state, lines before the
/// start, further edges from the choice, and what a payment does after it.
fn payments(state: &str, before: &str, edges: &str, after: &str) -> String {
    format!(
        "\
graph: payments
input: {{most: int = 2}}
state:
  approved: bool = false
  amount: int(0..5) = 0
{state}budgets: {{payments: 3}}
{before}start: choose
nodes:
  choose:
    kind: model
    role: clerk
    prompt: \"'How much?'\"
    output: int(0..5)
    into: amount
    next:
      - {{to: done, when: amount == 0}}
{edges}      - {{to: ask}}
      - {{to: failed, on: error}}
  ask:
    kind: human
    ask: \"'Pay?'\"
    options: [yes, no]
    then: approved = result == 'yes'
    next: [{{to: pay, when: approved}}, {{to: done}}]
  pay:
    kind: tool
    tool: pay
    args: {{amount: amount}}
    do: spend payments
    then: {after}
    next:
      - {{to: choose}}
      - {{to: failed, on: error}}
      - {{to: failed, on: unknown}}
      - {{to: done, on: exhausted(payments)}}
  done: {{kind: final}}
  failed: {{kind: final, ok: \"false\"}}
"
    )
}
