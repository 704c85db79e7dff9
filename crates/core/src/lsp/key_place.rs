//! The place of a byte among the keys of a text that may be half written.

/// The keys around a byte, and what is wanted there.
pub(super) struct KeyPlace {
    /// The keys around it, outermost first.
    pub(super) path: Vec<String>,
    /// The key whose value it is; none where a key is wanted.
    pub(super) value_of: Option<String>,
    /// The `kind` of the mapping that it is in.
    pub(super) kind: Option<String>,
    /// True if a quote was opened before it.
    pub(super) is_quoted: bool,
    /// True if it is in the head of a table, where keys have no values.
    pub(super) is_head: bool,
}

impl KeyPlace {
    const fn new(path: Vec<String>, value_of: Option<String>) -> Self {
        Self { path, value_of, kind: None, is_quoted: false, is_head: false }
    }

    /// The place in a text of YAML.
    pub(super) fn in_yaml(text: &str, start: usize) -> Option<Self> {
        let line_start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line_start..start];
        let dashes = before.len() - before.trim_start_matches([' ', '-']).len();
        let own = &before[dashes..];
        let lines: Vec<&str> = text[..line_start].lines().collect();
        let mut path = ancestors(&lines, dashes);
        let brackets = Brackets::of(own);
        // Inside of brackets on this line, the keys before them are around it.
        if let Some(innermost) = brackets.open.last() {
            path.extend(brackets.open.iter().filter_map(|open| key_of(open.before).map(str::to_owned)));
            let value_of =
                if innermost.is_list { path.pop() } else { key_of(brackets.part).map(str::to_owned) };
            let kind = innermost.inner.split(',').find_map(|part| part.trim_start().strip_prefix("kind:"));
            let kind = kind.map(|kind| kind.trim().to_owned());
            return Some(Self { kind, ..Self::new(path, value_of) });
        }
        match (own.trim(), key_of(own)) {
            ("", _) => Some(Self { kind: sibling_kind(text, line_start, dashes), ..Self::new(path, None) }),
            (written, Some(key)) if written.ends_with(':') || written.ends_with(',') => {
                Some(Self::new(path, Some(key.to_owned())))
            }
            _ => None,
        }
    }

    /// The place in a text of TOML.
    pub(super) fn in_toml(text: &str, start: usize) -> Option<Self> {
        let before = text.get(..start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = &before[line_start..];
        if is_head(line) {
            let (path, name) = dotted(line.trim_start().trim_start_matches('['));
            return name.is_empty().then(|| Self { is_head: true, ..Self::new(path, None) });
        }
        let (mut path, section) = section(&before[..line_start]);
        let brackets = Brackets::of(&before[section..]);
        let add = |path: &mut Vec<String>, key: &str| {
            let (keys, last) = dotted(key);
            path.extend(keys);
            last
        };
        for (key, _) in brackets.open.iter().filter_map(|open| open.before.split_once('=')) {
            let last = add(&mut path, key);
            path.push(last);
        }
        let value_of = match brackets.part.split_once('=') {
            _ if brackets.open.last().is_some_and(|open| open.is_list) => path.pop(),
            Some((key, value)) if value.trim().trim_matches(['"', '\'']).is_empty() => {
                Some(add(&mut path, key))
            }
            None if add(&mut path, brackets.part).is_empty() => None,
            _ => return None,
        };
        Some(Self { is_quoted: brackets.is_quoted, ..Self::new(path, value_of) })
    }
}

/// Returns true if a line of TOML may be the head of a table.
fn is_head(line: &str) -> bool {
    line.trim_start().starts_with('[') && !line.contains('=')
}

/// The keys of the last table that a text of TOML begins, and the byte where its own text begins.
fn section(text: &str) -> (Vec<String>, usize) {
    let mut start = text.len();
    for line in text.split_inclusive('\n').rev() {
        // The items of a list over several lines may begin with a bracket as well.
        if is_head(line) && line.trim_end().ends_with(']') && !line.trim_start().starts_with("[\"") {
            let (mut keys, last) = dotted(line.trim().trim_matches(['[', ']']));
            keys.push(last);
            return (keys, start);
        }
        start -= line.len();
    }
    (Vec::new(), start)
}

/// The brackets of a text that are open at its end.
struct Brackets<'t> {
    /// The open ones, outermost first.
    open: Vec<OpenBracket<'t>>,
    /// The text since the last bracket or comma; outside of brackets since the last line break.
    part: &'t str,
    /// True if the end is in quotes.
    is_quoted: bool,
}

/// A bracket that is not closed.
struct OpenBracket<'t> {
    /// The text before it, as far as it is about it.
    before: &'t str,
    /// The text after it.
    inner: &'t str,
    is_list: bool,
}

impl<'t> Brackets<'t> {
    fn of(text: &'t str) -> Self {
        let mut open: Vec<OpenBracket<'t>> = Vec::new();
        let (mut part, mut last) = (0, None);
        let (mut quote, mut in_comment) = (None, false);
        for (at, c) in text.char_indices() {
            match (quote, c) {
                (_, '\n') => {
                    in_comment = false;
                    if open.is_empty() {
                        (part, quote) = (at + 1, None);
                    }
                }
                _ if in_comment => {}
                (Some(own), c) => quote = quote.filter(|_| own != c),
                // An apostrophe inside of a word is none.
                (None, '"' | '\'') if last.is_none_or(|last| "[{(,:=\n".contains(last)) => quote = Some(c),
                (None, '#') => in_comment = true,
                (None, '{' | '[') => {
                    open.push(OpenBracket {
                        before: &text[part..at],
                        inner: &text[at + 1..],
                        is_list: c == '[',
                    });
                    part = at + 1;
                }
                (None, '}' | ']') => {
                    open.pop();
                    part = at + 1;
                }
                (None, ',') if !open.is_empty() => part = at + 1,
                _ => {}
            }
            if !c.is_whitespace() || c == '\n' {
                last = Some(c);
            }
        }
        Self { open, part: &text[part..], is_quoted: quote.is_some() }
    }
}

/// The parts of a dotted key before its last dot, and the one after it.
fn dotted(key: &str) -> (Vec<String>, String) {
    let (mut parts, mut part, mut quote) = (Vec::new(), String::new(), None);
    for c in key.trim().chars() {
        match (quote, c) {
            (Some(own), c) if own == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '.') => parts.push(std::mem::take(&mut part)),
            (None, ' ') => {}
            _ => part.push(c),
        }
    }
    (parts, part)
}

/// The key at the beginning of a piece of a line.
fn key_of(text: &str) -> Option<&str> {
    let key = text.trim_start_matches([' ', '-', '{']).split_once(':')?.0.trim_matches(['"', '\'', ' ']);
    (!key.is_empty() && !key.contains(' ')).then_some(key)
}

/// The keys of the lines above that are indented less, outermost first.
fn ancestors(lines: &[&str], depth: usize) -> Vec<String> {
    let mut path = Vec::new();
    let mut least = depth;
    for line in lines.iter().rev() {
        let own = line.len() - line.trim_start_matches([' ', '-']).len();
        if line.trim().is_empty() || line.trim_start().starts_with('#') || own >= least {
            continue;
        }
        least = own;
        path.extend(key_of(line).map(str::to_owned));
    }
    path.reverse();
    path
}

/// The `kind` that a line of the same mapping says.
fn sibling_kind(text: &str, line_start: usize, depth: usize) -> Option<String> {
    let own = |line: &&str| line.len() - line.trim_start().len() == depth;
    let kind = |line: &str| line.trim_start().strip_prefix("kind:").map(|kind| kind.trim().to_owned());
    let stays = |line: &&str| line.trim().is_empty() || line.len() - line.trim_start().len() >= depth;
    let above = text[..line_start].lines().rev().take_while(stays);
    let below = text[line_start..].lines().skip(1).take_while(stays);
    above.filter(own).find_map(kind).or_else(|| below.filter(own).find_map(kind))
}
