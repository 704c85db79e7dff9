//! The ledger of calls.

use std::collections::BTreeMap;

use super::desk::Desk;

/// The lines of a call: how often it began, and how often it came to its end.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) begun: u32,
    pub(super) ended: u32,
}

/// Calls by tool and id.
pub(super) struct Ledger(BTreeMap<(String, String), Lines>);

impl Ledger {
    pub(super) fn read(desk: &Desk) -> Self {
        let mut calls: BTreeMap<(String, String), Lines> = BTreeMap::new();
        for line in std::fs::read_to_string(desk.path("calls")).unwrap_or_default().lines() {
            let words: Vec<&str> = line.split('\t').collect();
            let [what, tool, call, _] = words[..] else { panic!("no line of the ledger: {line}") };
            let lines = calls.entry((tool.to_owned(), call.to_owned())).or_default();
            match what {
                "begin" => lines.begun += 1,
                _ => lines.ended += 1,
            }
        }
        Self(calls)
    }

    /// The lines of a call.
    pub(super) fn of(&self, tool: &str, call: &str) -> Lines {
        self.0.get(&(tool.to_owned(), call.to_owned())).copied().unwrap_or_default()
    }

    /// Holds every call of a run of the graph `steps` that has ended against what its delivery promises. `is_unknown` is true if
    /// the run says that it does not know of the call that is made at most once.
    pub(super) fn judge(&self, run: &str, is_unknown: bool) {
        let once = self.of("once", &format!("{run}:once#1.1"));
        assert!(once.begun <= 1, "{run}: made twice: {once:?}");
        if !is_unknown {
            assert_eq!(once, Lines { begun: 1, ended: 1 }, "{run}: known, and not in the ledger");
        }
        let mut others = vec![("pure", format!("{run}:pure#1.1")), ("again", format!("{run}:again#1.1"))];
        for lane in 0..3 {
            others.push(("pure", format!("{run}:lanes#1[{lane}]/first#1.1")));
            others.push(("again", format!("{run}:lanes#1[{lane}]/second#1.1")));
        }
        for (tool, call) in others {
            assert!(self.of(tool, &call).ended >= 1, "lost: {tool} {call}");
        }
    }
}
