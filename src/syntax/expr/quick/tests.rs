//! The short cut and the grammar read the same.

use proptest::prelude::*;

use super::agree::{agree, all_agree};
use super::*;
use crate::diag::Diagnostic;
use crate::source::FileId;
use crate::syntax::expr;

const EXPRESSIONS: &[&str] = &[
    "answer.action == 'call_tool' && answer.tool_call != null",
    "exhausted(rounds)",
    "!done || count + 1 < limit(rounds) * 2",
    "xs.exists(x, x.id == id) && kind in ['a', \"b\",]",
    " -5 + -(a) - b[0].c ?? 1m30s\n",
    "a ? b : c ? {'k': 1, d: [2]}['k'] : T{x: 1, y: e ? f : g}.x",
    "is(x, list<string?>(3)?) && (a\n  && b\n  .c ? d\n  : -1)",
    "a &&\n  b\n  || c",
];

const BLOCKS: &[&str] = &[
    "x = 1",
    "spend rounds\ncount += 1; note()\n# done\n",
    "spend stage[k].calls by 2",
    "phase = size(note ?? '') > 100 ? 'closed' : 'open'\nx[0].y = [\n  1,\n  2,\n]\n",
    "if a ? b : c {\n  x = 1; y = 2\n}\nelse if d\n  && e { emit sent } else { fail gone 'why' }\nz = 3",
    "for x in xs { if x.y { let z = x.z; emit found {a: z} } } note()",
];

const FIELDS: &[&str] = &[
    "int",
    "string? = null where size(it) > 1",
    "list<map<Decision>>(5)? = []",
    "enum(open, closed,) = 'open'",
    "int(-1..9) where it != 0",
    "string(200)",
    "outputs('child.yaml')?",
];

#[test]
fn common_texts_are_read_here() {
    for text in EXPRESSIONS {
        assert!(agree(text, expression, expr::expression_by_grammar), "{text}");
    }
    for text in BLOCKS {
        let slow = |f: &Fragment, _: &mut Vec<Diagnostic>| Some(expr::block_by_grammar(f).0);
        assert!(agree(text, block, slow), "{text}");
    }
    for text in FIELDS {
        assert!(agree(text, field_line, expr::field_by_grammar), "{text}");
    }
}

/// Long and deep texts go to the grammar, which has limits for them.
#[test]
fn long_texts_are_left_to_the_grammar() {
    let read = |text: &str| block(&Fragment::verbatim(text, FileId(0), 0)).is_some();
    let sum = |n: usize| format!("x = 1{}\n", " + 1".repeat(n));
    assert!(read(&sum(40).repeat(100)));
    assert!(!read(&sum(80)));
    assert!(read(&format!("x = {}1{}", "(".repeat(20), ")".repeat(20))));
    assert!(!read(&format!("x = {}1{}", "(".repeat(40), ")".repeat(40))));
    assert!(!read(&format!("x = '{}'", "a".repeat(5_000))));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_ways_agree(pieces in prop::collection::vec(prop::sample::select(vec![
        "a", "b.c", "T", "is", "in", "by", "spend", "when", "true", "1", "-", "!", "1.5", "2s", "0x1", "3u", "'t'",
        "r'\\d'", "", "b'x'", "(", ")", "[", "]", "{", "}", ",", ":", ".", "..", " ", " ", "\n", ";", "#c\n",
        "=", "+=", " == ", " && ", " || ", " < ", " + ", " * ", " ?? ", " ? ", "f(", "a.g(", "x = ", "()", "a[",
    ]), 1..14)) {
        all_agree(&pieces.concat());
    }

    /// Texts that are read, with a few changes.
    #[test]
    fn both_ways_agree_on_changed_texts(
        text in prop::sample::select([EXPRESSIONS, BLOCKS, FIELDS].concat()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, prop::sample::select(vec![
            "", "", " ", "\n", ";", "a", "T", "1", "'t'", "(", ")", "{", "}", "[", "]", "<", ">", "?", ":", ",", ".",
            "-", "=", "if ", " else ", "in", "is", "fail ", "emit ", "let ", "enum", "list<", "where ", "#",
        ])), 1..4),
    ) {
        let mut text: Vec<char> = text.chars().collect();
        for (place, removed, put) in changes {
            let at = place.index(text.len() + 1);
            let end = text.len().min(at + removed);
            text.splice(at..end, put.chars());
        }
        all_agree(&text.into_iter().collect::<String>());
    }
}
