//! The ledger of calls, outside of all processes under test: tools add a line to the file `calls` when they begin and when they
//! end.

use std::collections::BTreeMap;
use std::path::Path;

use crate::desk::Desk;

/// The words that grant all tools, and let a script answer for models.
pub(crate) const PORTS: [&str; 8] =
    ["--script", "steps.script.yaml", "--grant", "pure", "--grant", "again", "--grant", "once"];

/// A folder with the graphs and tools that keep the ledger, and everything in it allowed.
pub(crate) fn desk_with_ledger() -> Desk {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scale/folder");
    let desk = Desk::new(&[]);
    for entry in std::fs::read_dir(from).expect("the folder can be listed").flatten() {
        std::fs::copy(entry.path(), desk.path().join(entry.file_name())).expect("a file can be copied");
    }
    desk.trust();
    desk
}

/// The lines of a call: how often it began, and how often it came to its end.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallLines {
    pub(crate) begun: u32,
    pub(crate) ended: u32,
}

/// Calls by tool and id.
pub(crate) struct Ledger(BTreeMap<(String, String), CallLines>);

impl Ledger {
    /// Reads the ledger in a folder.
    pub(crate) fn read(folder: &Path) -> Self {
        let mut calls: BTreeMap<(String, String), CallLines> = BTreeMap::new();
        for line in std::fs::read_to_string(folder.join("calls")).unwrap_or_default().lines() {
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
    pub(crate) fn of(&self, tool: &str, call: &str) -> CallLines {
        self.0.get(&(tool.to_owned(), call.to_owned())).copied().unwrap_or_default()
    }

    /// Holds every call of a run of the graph `steps` that has ended against what its delivery promises. `is_unknown` is true if
    /// the run says that it does not know of the call that is made at most once.
    pub(crate) fn judge(&self, run: &str, is_unknown: bool) {
        let once = self.of("once", &format!("{run}:once#1.1"));
        assert!(once.begun <= 1, "{run}: made twice: {once:?}");
        if !is_unknown {
            assert_eq!(once, CallLines { begun: 1, ended: 1 }, "{run}: known, and not in the ledger");
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
