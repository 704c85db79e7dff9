//! The text of a configuration beside a fault.

/// The text of a configuration as it may be shown beside a fault: what stands in place of a key's name may be a key. Every
/// byte keeps its place.
pub(super) fn showable(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    let value =
        line.trim_start().strip_prefix("key").map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
    match value.map(str::trim) {
        Some(value) if !value.is_empty() && !value.starts_with('{') => {
            let end = line.trim_end().len();
            let begin = line.find('=').map_or(0, |at| at + 1);
            format!("{}{}{}", &line[..begin], "*".repeat(end - begin), &line[end..])
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::showable;

    #[test]
    fn a_key_beside_a_fault_is_not_shown() {
        let text = "[models.a]\n  key = \"sk-ä\"\r\nkey= sk\nkey = {env = \"K\"}\nkeys = 1\nkey =";
        let shown = "[models.a]\n  key =********\r\nkey=***\nkey = {env = \"K\"}\nkeys = 1\nkey =";
        assert_eq!(showable(text), shown);
        assert_eq!(showable(text).len(), text.len());
    }
}
