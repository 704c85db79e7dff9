//! The text of a configuration beside a fault.

use crate::value::json::{JsonLimits, parse_strict};

/// The words in the name of a key that say its value is a secret.
const SECRETS: [&str; 11] = [
    "key",
    "apikey",
    "token",
    "secret",
    "secretkey",
    "password",
    "passwd",
    "auth",
    "authorization",
    "bearer",
    "credentials",
];

/// The text of a configuration as it may be shown beside a fault: what is in place of a key's name may be a key. Every
/// byte keeps its place.
pub(super) fn showable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        let (before, rest_of_line) = rest.split_at(at + 1);
        shown += before;
        let value = if is_secret(before) { value(rest_of_line) } else { 0 };
        let (secret, further) = rest_of_line.split_at(value);
        shown.extend(secret.chars().map(hidden));
        rest = further;
    }
    shown + rest
}

/// The text of a file of servers as it may be shown beside a fault: any value may be a secret, so that the keys of its objects
/// alone are shown; of what is not JSON nothing. Every byte keeps its place.
pub(super) fn hidden_values(text: &str) -> String {
    let has_keys = parse_strict(text, JsonLimits::default()).is_ok();
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = if c == '"' { quoted(rest) } else { &rest[..c.len_utf8()] };
        rest = &rest[word.len()..];
        let is_key = has_keys && c == '"' && rest.trim_start().starts_with(':');
        if is_key || c.is_whitespace() || "{}[]:,".contains(c) {
            shown.push_str(word);
            continue;
        }
        // Its own quotes stay, those within it do not.
        let inner = word.strip_prefix('"').map_or(word, |rest| rest.strip_suffix('"').unwrap_or(rest));
        let before = usize::from(c == '"');
        shown.push_str(&word[..before]);
        shown.extend(inner.chars().map(hidden));
        shown.push_str(&word[before + inner.len()..]);
    }
    shown
}

/// A character in place of one that is not shown, as long as it is. Breaks of lines stay.
fn hidden(c: char) -> String {
    if matches!(c, '\n' | '\r') { c.to_string() } else { "*".repeat(c.len_utf8()) }
}

/// A text in quotes at the beginning of another text.
fn quoted(text: &str) -> &str {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let end = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        end
    });
    end.map_or(text, |(at, _)| &text[..=at])
}

/// Returns true if the key before a `=` names a secret.
fn is_secret(before: &str) -> bool {
    let name = before.trim_end_matches('=').trim_end().trim_end_matches(['"', '\'']);
    let begin = name.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).map_or(0, |at| at + 1);
    let name = name.get(begin..).unwrap_or(name).to_lowercase();
    name.split(['_', '-']).any(|word| SECRETS.contains(&word))
}

/// The length of a value that is not shown, from its `=` on. None of one that is written as it must be, since it names a
/// variable.
fn value(text: &str) -> usize {
    let blank = text.len() - text.trim_start().len();
    let value = &text[blank..];
    let line = |text: &str| text.find('\n').unwrap_or(text.len());
    let until =
        |begin: usize, end: &str| value[begin..].find(end).map_or(value.len(), |at| begin + at + end.len());
    let length = match value.get(..3) {
        Some(quotes @ ("\"\"\"" | "'''")) => until(3, quotes),
        _ if value.starts_with('[') => until(1, "]"),
        _ if names_a_variable(value) => return 0,
        _ if value.starts_with('{') => until(1, "}"),
        // A value on a line of its own is none, unless it looks like one.
        _ if text[..blank].contains('\n') && !value.starts_with(['"', '\'']) => return 0,
        _ => 0,
    };
    // Text after it on its last line may belong to it, where its quotes are wrong.
    blank + length + line(&value[length..])
}

fn names_a_variable(value: &str) -> bool {
    let inner = value.strip_prefix('{').map(str::trim_start);
    let rest = inner.and_then(|inner| inner.strip_prefix("env")).map(str::trim_start);
    let inner = rest.filter(|rest| rest.starts_with('=')).and_then(|rest| rest.split('}').next());
    inner.is_some_and(|inner| !inner.contains([',', '\n']))
}

#[cfg(test)]
mod tests {
    use super::{hidden_values, showable};

    #[test]
    fn of_a_file_of_servers_the_keys_alone_are_shown() {
        let text = r#"{"mcpServers": {"a": {"command": "npx", "env": {"A": "x\"y", "B": ["é"]}, "n": -1.5, "args": ["--token", "z"]}}}"#;
        let shown = r#"{"mcpServers": {"a": {"command": "***", "env": {"A": "****", "B": ["**"]}, "n": ****, "args": ["*******", "*"]}}}"#;
        assert_eq!(hidden_values(text), shown);
        for text in [
            "https://me:SECRET@a.com",
            "[remote \"SECRET\"]\n\tSECRET = \"SECRET\": 1",
            "\"SECRET",
            "SECRET\"",
            "\"a\": {\"SECRET",
        ] {
            let shown = hidden_values(text);
            assert!(!shown.contains("SECRET"), "{text}: {shown}");
            assert_eq!(shown.len(), text.len(), "{text}: {shown}");
        }
    }

    #[test]
    fn a_key_beside_a_fault_is_not_shown() {
        let text =
            "[models.a]\n  key = \"sk-ä\"\r\nkey= sk\nkey = {env = \"K\"}\nkeys = 1\nmax_tokens = 1\nkey =";
        let shown =
            "[models.a]\n  key =********\r\nkey=***\nkey = {env = \"K\"}\nkeys = 1\nmax_tokens = 1\nkey =";
        assert_eq!(showable(text), shown);
    }

    #[test]
    fn however_a_key_is_written_it_is_not_shown() {
        for text in [
            "models.\"*\".key = \"SECRET\"",
            "[models]\na = {provider = \"openai\", key = \"SECRET\", model = \"m\"}",
            "'key' = 'SECRET'",
            "\"key\"=\"SECRET\"",
            "key = \"\"\"\nSECRET\nSECRET\"\"\"",
            "key = '''SECRET\n'SECRET''' SECRET",
            "key = \"\"\"\nSECRET",
            "key = [\n  \"SECRET\",\n]",
            "key = {value = \"SECRET\"}",
            "key = {env = \"K\", value = \"SECRET\"}",
            "key = {\n  value = \"SECRET\"\n}",
            "key =\n\"SECRET\"",
            "key = \"a\" \"SECRET\"",
            "key = SECRET # SECRET",
            "key = \"a=SECRET\"",
            "KEY = \"SECRET\"",
            "api_key = \"SECRET\"",
            "x.api-key = \"SECRET\"",
            "auth_token = \"SECRET\"",
            "# key = \"SECRET\"",
            "a = \"b\"\nkey = \"SECRET\"\nc = 1",
            "key = \"ä\nkey = \"SECRET",
        ] {
            let shown = showable(text);
            assert!(!shown.contains("SECRET"), "{text}: {shown}");
            assert_eq!(shown.len(), text.len(), "{text}: {shown}");
            assert_eq!(shown.matches('\n').count(), text.matches('\n').count(), "{text}: {shown}");
        }
    }
}
