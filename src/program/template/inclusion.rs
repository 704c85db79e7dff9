//! Where texts take in others.

use std::ops::Range;

use crate::value::Str;

/// A place where a text takes in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inclusion {
    /// The other text's name.
    pub(super) name: Str,
    /// The bytes of the quoted name.
    pub(super) range: Range<usize>,
    /// The bytes of the whole `{% … %}`.
    pub(super) block: Range<usize>,
    /// Whether the other one is put in this place, as by `include`; `import` and `extends` take it in otherwise.
    pub(super) inline: bool,
    /// Whether it may be missing.
    pub(super) optional: bool,
}

/// A place where a text takes in another one whose name is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Computed {
    /// The expression for the name, as it is written.
    pub(super) expression: String,
    /// The bytes of the whole `{% … %}`.
    pub(super) block: Range<usize>,
}

/// The places where a text takes in others, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Inclusions {
    /// By a name that is written out.
    pub(super) named: Vec<Inclusion>,
    /// By a name that is computed: then it may use the variables of any text.
    pub(super) computed: Vec<Computed>,
}

/// Looks for the places where a text takes in others.
pub(super) fn inclusions(source: &str) -> Inclusions {
    let mut found = Inclusions::default();
    let mut at = 0;
    let mut raw = false;
    while let Some(open) = source[at..].find('{').map(|start| at + start) {
        let rest = &source[open..];
        let (close, is_block) = match rest.as_bytes().get(1) {
            Some(b'#') if !raw => (rest.find("#}"), false),
            Some(b'{') if !raw => (rest.find("}}"), false),
            Some(b'%') => (rest.find("%}"), true),
            _ => (Some(0), false),
        };
        let Some(close) = close else { break };
        let end = if close == 0 { open + 1 } else { open + close + 2 };
        at = end;
        if !is_block {
            continue;
        }
        let inside =
            source[open + 2..end - 2].trim_start_matches(['-', '+']).trim_end_matches(['-', '+']).trim();
        let (word, argument) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        match word {
            "raw" => raw = true,
            "endraw" => raw = false,
            "include" | "import" | "extends" | "from" if !raw => {
                if let Some(inclusion) = inclusion(source, open..end, word, argument.trim_start()) {
                    found.named.push(inclusion);
                } else {
                    let expression = name_expression(argument);
                    found.computed.push(Computed { expression, block: open..end });
                }
            }
            _ => {}
        }
    }
    found
}

/// The expression behind `include` and its like, without what follows it.
fn name_expression(argument: &str) -> String {
    let endings = [" ignore missing", " with context", " without context", " import ", " as "];
    let end = endings.iter().filter_map(|ending| argument.find(ending)).min().unwrap_or(argument.len());
    argument[..end].trim().to_owned()
}

/// Reads the quoted name behind `include` and its like; `None` if it is an expression.
fn inclusion(source: &str, block: Range<usize>, word: &str, argument: &str) -> Option<Inclusion> {
    let quote = argument.chars().next().filter(|char| matches!(char, '\'' | '"'))?;
    let (name, behind) = argument[1..].split_once(quote)?;
    let behind = behind.trim();
    let plain = ["", "ignore missing", "with context", "without context"];
    let inline = word == "include";
    if (inline || word == "extends") && !plain.contains(&behind) && !behind.starts_with("ignore") {
        return None;
    }
    let start = block.start + source[block.clone()].find(argument)?;
    let range = start..start + name.len() + 2;
    Some(Inclusion { name: name.into(), range, block, inline, optional: behind.contains("ignore missing") })
}
