//! Graphs whose runs stop.

use crate::cli::Desk;

/// Asks whether it shall go on until somebody says `stop`, or gives a number of rounds at once.
pub(crate) const TALK: &str = "
graph: talk
ignore: {unhandled: Nobody goes on for so long.}
state:
  said: list<string> = []
  word: string?
budgets: {rounds: 2000}
start: ask
nodes:
  ask:
    kind: human
    ask: \"'Round ' + string(size(said)) + ': more or stop?'\"
    options: [more, stop]
    into: word
    then: said += word ?? ''
    do: spend rounds
    next: [{to: end, when: word == 'stop'}, {to: ask}]
  end: {kind: final}
output: {rounds: size(said)}
";

/// Takes steps by itself.
pub(super) const STEPS: &str = "
graph: steps
ignore: {unhandled: There are five rounds.}
state: {n: int = 0, last: int?}
budgets: {rounds: 9}
start: add
nodes:
  add:
    do: |
      spend rounds
      n += 1
    next: [{to: end, when: n >= 5}, {to: add}, {to: given_up, on: error(cancelled)}]
  end: {kind: final}
  given_up: {kind: final, ok: false}
output: {n: n, last: last}
";

pub(super) fn talk() -> Desk {
    let desk = Desk::new();
    desk.write("talk.yaml", TALK);
    desk
}

pub(super) fn steps() -> Desk {
    let desk = Desk::new();
    desk.write("steps.yaml", STEPS);
    desk
}

/// A transcript without times.
pub(super) fn timeless(text: &str) -> String {
    let is_stamp = |word: &str| word.len() > 19 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
    let is_clock = |word: &str| word.len() == 12 && word.as_bytes()[2] == b':' && word.as_bytes()[8] == b'.';
    let mut out = String::new();
    for line in text.split_inclusive('\n').filter(|line| !line.ends_with(" (UTC)\n")) {
        let mut rest = line;
        // The time of an event in a log.
        if let (Some(head), Some(_), Some(tail)) =
            (line.get(..8), line.get(8..20).filter(|word| is_clock(word)), line.get(20..))
        {
            out += head;
            out += "TIME";
            rest = tail;
        }
        while let Some(at) = rest.find("20") {
            let end = rest[at..].find(|c: char| !(c.is_ascii_alphanumeric() || "-:.".contains(c)));
            let end = end.map_or(rest.len(), |end| at + end);
            out += &rest[..at];
            out += if is_stamp(&rest[at..end]) { "TIME" } else { &rest[at..end] };
            rest = &rest[end..];
        }
        out += rest;
    }
    out
}
