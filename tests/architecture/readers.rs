//! The files that look at characters and tokens under `crates/core/src/syntax`.
//!
//! Texts are read by the grammar. Its scanner turns characters into tokens, for messages and layout; any other file that looks
//! at characters, or scans tokens, stands in a table with its reason, so that no second reader grows unseen.

use proc_macro2::{TokenStream, TokenTree};

/// Methods that go through a text character by character.
const METHODS: [&str; 4] = ["chars", "bytes", "char_indices", "as_bytes"];

/// Files that look at characters or scan tokens, and why. A folder ends with `/`.
const ROWS: &[(&str, &str)] = &[
    ("expr/scan.rs", "it is the scanner"),
    ("expr/nesting.rs", "bounds the nesting before the grammar reads"),
    ("expr/split.rs", "cuts a faulty list of statements at their ends"),
    ("expr/recover.rs", "blanks out the faulty statements of a list"),
    ("expr/message/mod.rs", "names the tokens around the place where reading stopped"),
    ("expr/literal.rs", "turns digits and escapes into values"),
    ("dsl/tokens.rs", "keeps comments and line ends, with the scanner's tokens"),
    ("dsl/cut.rs", "finds where the parts of a faulty file end"),
    ("dsl/piece.rs", "looks at the token behind a piece that was read"),
    ("dsl/body.rs", "collects the names of fields for a message"),
    ("dsl/mod.rs", "finds the end of the character that a message is about"),
    ("quoted.rs", "takes the quotes and the indentation off texts"),
    ("names.rs", "says what may be a name"),
    ("outline.rs", "tells graphs from other files by the words at the margin"),
    ("print.rs", "writes quotes and escapes"),
    ("write/", "measures and writes lines; its tokens stay as they were read"),
    ("yaml/", "reads YAML, in which no expression is looked at"),
];

/// The lines of a source file at which it looks at characters or scans tokens.
pub(super) fn readings(text: &str) -> Vec<usize> {
    let tokens: TokenStream = text.parse().expect("source parses");
    let mut found = Vec::new();
    look(tokens, &mut found);
    found
}

fn look(tokens: TokenStream, found: &mut Vec<usize>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, text: &str| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| token.to_string() == text)
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => look(group.stream(), found),
            TokenTree::Ident(name) => {
                let method = METHODS.iter().any(|method| name == method);
                let called = is(at.checked_sub(1), ".") || is(at.checked_sub(1), ":");
                let scanner = name == "Scanner" || name == "Tokens";
                let scans = scanner && is(Some(at + 1), ":") && is(Some(at + 3), "new");
                if method && called || scans {
                    found.push(name.span().start().line);
                }
            }
            _ => {}
        }
    }
}

/// The faults of these files below `crates/core/src/syntax`: who reads and has no row, and rows of which nobody has need.
pub(super) fn faults(files: &[(String, String)]) -> Vec<String> {
    let mut used = vec![false; ROWS.len()];
    let mut wrong = Vec::new();
    for (file, text) in files {
        let row =
            ROWS.iter().position(|(path, _)| file == path || path.ends_with('/') && file.starts_with(path));
        let lines = readings(text);
        match row {
            Some(row) => used[row] |= !lines.is_empty(),
            None => wrong.extend(lines.iter().map(|line| {
                format!("crates/core/src/syntax/{file}:{line} looks at characters: read by a rule of the grammar, or give the reason in a row")
            })),
        }
    }
    let idle = ROWS.iter().zip(used).filter(|(_, used)| !used);
    wrong.extend(
        idle.map(|((path, _), _)| {
            format!("crates/core/src/syntax/{path} looks at no characters: its row goes")
        }),
    );
    wrong
}
