//! The types that random graphs have variables of, with the expressions and the changes of each.

/// A type. Its lists hold templates, as [`super::writer`] tells them.
pub(super) struct Type {
    /// The word that templates have for it.
    pub(super) word: &'static str,
    /// What graphs call it.
    pub(super) text: &'static str,
    pub(super) constants: &'static [&'static str],
    /// Expressions beside names and constants.
    pub(super) made: &'static [&'static str],
    /// Statements that change a variable, which they call `self`.
    pub(super) changes: &'static [&'static str],
}

impl Type {
    /// The type of a word of templates.
    pub(super) fn of(word: &str) -> &'static Self {
        TYPES.iter().chain([&KEY]).find(|own| own.word == word).expect("templates name types that are there")
    }
}

/// The record that `record` stands for, as graphs declare it.
pub(super) const RECORD: &str = "E: {n: \"int(0..2) = 0\", t: \"bool = false\", s: \"string = ''\"}";

const NUMBERS: &[&str] = &[
    "($int + $int)",
    "($int - $int)",
    "(4 / $small)",
    "($int % 2)",
    "size(#text)",
    "size(#texts)",
    "size(#ints)",
    "size(#records)",
    "size(#counts)",
    "sum(#ints)",
    "@ints[#small]",
    "@records[0].n",
    "@counts[$key]",
    "(#counts[$key] ?? 0)",
    "(@maybe_small ?? #small)",
    "@record.n",
    "(@maybe_record.n ?? 0)",
    "used(@budget)",
    "left(@budget)",
    "limit(@budget)",
    "@small",
    "@small",
];

const RECORDS: &[&str] = &["E{n: $small}", "E{n: $small, t: $bool}", "E{t: $bool, s: $text}"];

/// A key of `counts`. No variable has this type.
const KEY: Type =
    Type { word: "key", text: "", constants: &["'a'", "'b'"], made: &["@letter"], changes: &[] };

pub(super) const TYPES: [Type; 13] = [
    Type {
        word: "bool",
        text: "bool",
        constants: &["true", "false"],
        made: &[
            "!($bool)",
            "($bool && $bool)",
            "($bool || $bool)",
            "($int == #small)",
            "($int != #small)",
            "($int < #small)",
            "($int > $int)",
            "($int >= 1)",
            "($int <= 0)",
            "(@letter == $letter)",
            "(@text != $text)",
            "(@texts == $texts)",
            "(@counts == $counts)",
            "(@record != $record)",
            "(@maybe_small == $maybe_small)",
            "(@maybe_text != null)",
            "(@maybe_record == $maybe_record)",
            "(size(#texts) > 0)",
            "(size(#counts) > 1)",
            "(size(#records) > 2)",
            "#texts.exists(i~, i~ == $text)",
            "#ints.all(i~, i~ < 2)",
            "($text in #texts)",
            "($key in #counts)",
            "@record.t",
            "exhausted(@budget)",
            "in_state(@node)",
            "in_state(@node)",
            "(visits(@node) > 1)",
            "((@outputs.r ?? 0) == 1)",
            "((@outputs.r ?? 0) == 1)",
            "(@outputs.r == #small)",
            "@lanes.exists(i~, i~.r == 1)",
            "@lanes.all(i~, i~.outcome == 'good')",
            "(size(@lanes) > 1)",
            "(size(@tries) > 1)",
            "@tries.exists(i~, i~.error != null)",
        ],
        changes: &["self = $bool"],
    },
    Type {
        word: "small",
        text: "int(0..2)",
        constants: &["0", "1", "2"],
        made: NUMBERS,
        changes: &[
            "self = #small",
            "self = #small",
            "self = ($int + 3) % 3",
            "self += $small",
            "self = $small",
        ],
    },
    Type {
        word: "int",
        text: "int",
        constants: &["0", "1", "2", "3"],
        made: NUMBERS,
        changes: &["self = $int", "self += $small"],
    },
    Type {
        word: "letter",
        text: "enum(a, b, c)",
        constants: &["'a'", "'b'", "'c'"],
        made: &[],
        changes: &["self = $letter"],
    },
    Type {
        word: "text",
        text: "string",
        constants: &["''", "'a'", "'b'", "'1'", "'ab'"],
        made: &[
            "string($int)",
            "string($bool)",
            "json(@counts)",
            "json(@record)",
            "json(@maybe_small)",
            "($text + $text)",
            "(@maybe_text ?? 'a')",
            "@record.s",
            "@texts[0]",
            "#texts.join('')",
            "@letter",
        ],
        changes: &["self = $text", "self = $text", "self += $text"],
    },
    Type {
        word: "texts",
        text: "list<string>",
        constants: &["[]", "['a']", "['1', 'b']"],
        made: &[
            "[$text]",
            "(#texts + $texts)",
            "#ints.map(i~, string(i~))",
            "#texts.filter(i~, i~ != #text)",
            "keys(#counts)",
        ],
        changes: &["self = $texts", "self += $text", "self += $text", "self[0] = $text"],
    },
    Type {
        word: "ints",
        text: "list<int>(2)",
        constants: &["[]", "[1]", "[0, 2]"],
        made: &["[$small]", "[$small, $small]", "#ints.map(i~, i~ + 1)"],
        changes: &["self = $ints", "self += $small"],
    },
    Type {
        word: "records",
        text: "list<E>",
        constants: &["[]", "[E{}]", "[E{n: 2, s: 'a'}]"],
        made: &["[$record]", "(#records + #records)"],
        changes: &["self = $records", "self += $record", "self[#small].n = $small"],
    },
    Type {
        word: "record",
        text: "E",
        constants: &["E{}", "E{n: 1}", "E{n: 2, t: true, s: 'b'}"],
        made: RECORDS,
        changes: &["self = $record", "self.n = $int", "self.n += $int", "self.t = $bool", "self.s = $text"],
    },
    Type {
        word: "maybe_record",
        text: "E?",
        constants: &["null", "E{}", "E{n: 1, s: 'a'}"],
        made: RECORDS,
        changes: &["self = $maybe_record", "self = self == null ? E{} : self\nself.n = $int"],
    },
    Type {
        word: "counts",
        text: "map<int>",
        constants: &["{}", "{'a': 1}", "{'a': 0, 'b': 2}"],
        made: &["{'a': $small}", "{'b': $small}", "merge(#counts, #counts)"],
        changes: &["self = $counts", "self[$key] = $int", "self[$key] = $int", "self[$key] += $int"],
    },
    Type {
        word: "maybe_small",
        text: "int(0..2)?",
        constants: &["null", "0", "1", "2"],
        made: &["$small"],
        changes: &["self = $maybe_small"],
    },
    Type {
        word: "maybe_text",
        text: "string?",
        constants: &["null", "'a'", "'b'"],
        made: &["$text"],
        changes: &["self = $maybe_text"],
    },
];
