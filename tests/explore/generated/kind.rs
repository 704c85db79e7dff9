//! The kinds of nodes of random graphs.

/// A kind of node. Its lists hold templates, as [`super::writer`] tells them.
pub(super) struct Kind {
    /// What graphs call it, if they say it.
    pub(super) word: &'static str,
    /// How often it is taken, beside the others, in a graph and in a graph that is called.
    pub(super) shares: [usize; 2],
    /// One of these has the lines that it needs.
    pub(super) heads: &'static [&'static str],
    /// Further lines, with how often they are there in a hundred nodes.
    pub(super) extras: &'static [(usize, &'static str)],
    /// What edges of no other kind are for.
    pub(super) failures: &'static [&'static str],
}

const DO: &str = "do: |\n%block";
const THEN: &str = "then: |\n%block";

const FAILURES: &[&str] = &[
    "error(@error)",
    "error(@error)",
    "error(@error)",
    "error(transient)",
    "error(recoverable)",
    "error(fatal)",
    "error(evaluation)",
    "error(stuck)",
];

pub(super) const FINAL: Kind = Kind {
    word: "final",
    shares: [0, 0],
    heads: &[""],
    extras: &[(15, DO), (15, "ok: \"$bool\""), (25, "outcome: \"$bool ? 'a' : 'b'\"")],
    failures: &[],
};

pub(super) const COMPOSITE: Kind =
    Kind { word: "composite", shares: [0, 0], heads: &[""], extras: &[(65, DO)], failures: FAILURES };

pub(super) const CHOICE: Kind =
    Kind { word: "choice", shares: [8, 1], heads: &[""], extras: &[], failures: &[] };

pub(super) const TOOL: Kind = Kind {
    word: "tool",
    shares: [18, 2],
    heads: &[
        "tool: t~\ninto: &bool",
        "tool: t~\ninto: &small",
        "tool: t~\ninto: &small",
        "tool: t~\ninto: &letter",
        "tool: t~\ninto: &maybe_small",
    ],
    extras: &[
        (40, DO),
        (20, "args: {x: \"$int\", y: \"$text\", z: \"$counts\"}"),
        (15, "timeout: 10s"),
        (
            12,
            "delivery: at_least_once\n\
             retry: {attempts: 2, on: [transient], first: 1s, factor: 2, max: 1m, jitter: 0}",
        ),
        (45, THEN),
    ],
    failures: &[
        "error(@error)",
        "error(@error)",
        "error(transient)",
        "error(recoverable)",
        "error(fatal)",
        "unknown",
        "unknown",
    ],
};

/// The kinds that plans choose from, beside composites.
pub(super) static KINDS: [Kind; 9] = [
    TOOL,
    CHOICE,
    Kind { word: "action", shares: [7, 1], heads: &[""], extras: &[(90, DO)], failures: &[] },
    Kind {
        word: "human",
        shares: [1, 0],
        heads: &["ask: \"'x'\"\noptions: [a, b, c]\ninto: &letter"],
        extras: &[(40, DO), (40, "timeout: 1h"), (45, THEN)],
        failures: FAILURES,
    },
    Kind { word: "wait", shares: [1, 0], heads: &["delay: 5s"], extras: &[(40, DO)], failures: &[] },
    Kind {
        word: "model",
        shares: [1, 0],
        heads: &[
            "role: r\nprompt: \"'x' + $text\"\noutput: bool\ninto: &bool",
            "role: r\nprompt: \"'x' + $text\"\noutput: int(0..2)\ninto: &small",
            "role: r\nprompt: \"'x' + $text\"\noutput: enum(a, b, c)\ninto: &letter",
            "role: r\nprompt: \"'x' + $text\"\noutput: int(0..2)?\ninto: &maybe_small",
        ],
        extras: &[(40, DO), (45, THEN)],
        failures: FAILURES,
    },
    Kind {
        word: "call",
        shares: [2, 0],
        heads: &["graph: child.yaml\nwith: {w: \"$small\"}\ninto: one"],
        extras: &[(40, DO), (45, THEN)],
        failures: FAILURES,
    },
    Kind {
        word: "each",
        shares: [1, 0],
        heads: &[
            "over: \"[1, 2]\"\nas: item\ngraph: child.yaml\nwith: {w: item}\ninto: all",
            "over: \"#ints\"\nas: item\ngraph: child.yaml\nwith: {w: item}\ninto: all",
            "over: \"[1, 2]\"\nas: item\ngraph: child.yaml\nwith: {w: item}\n\
             into: tried\non_error: collect",
        ],
        extras: &[(40, DO)],
        failures: FAILURES,
    },
    Kind {
        word: "parallel",
        shares: [1, 0],
        heads: &["branches:\n  \
             l: {graph: child.yaml, with: {w: \"$small\"}, into: one}\n  \
             r: {graph: child.yaml, with: {w: \"$small\"}, into: two}"],
        extras: &[(40, DO)],
        failures: FAILURES,
    },
];

impl Kind {
    /// The line that names it.
    pub(super) fn line(&self) -> String {
        if ["action", "composite"].contains(&self.word) {
            String::new()
        } else {
            format!("kind: {}", self.word)
        }
    }

    /// True for one whose nodes run a graph of their own.
    pub(super) fn calls(&self) -> bool {
        self.heads[0].contains("child.yaml")
    }
}
