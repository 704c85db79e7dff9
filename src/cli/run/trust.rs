//! Keys: a run uses them, and nobody sees them.

use crate::cli::{Exit, screen, traces};
use crate::config::Config;
use crate::port::{Mask, ProgramText};

/// A key out of the environment; none where the variable is not set or empty.
pub(super) fn key(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok()?;
    Some(found.trim().to_owned()).filter(|key| !key.is_empty())
}

/// What hides the keys that the configuration names. What is printed and sent as a trace is rid of those for a collector, too;
/// of these a run knows nothing.
pub(super) fn mask(config: &Config) -> Mask {
    let keys: Vec<String> = config.models.iter().filter_map(|model| key(model.key.as_ref()?)).collect();
    let own = traces::secrets();
    screen::hide(Mask::new(keys.iter().chain(&own).map(String::as_str)));
    warn(config);
    Mask::new(keys.iter().map(String::as_str))
}

/// Says which commands are given a key.
fn warn(config: &Config) {
    for tool in &config.tools {
        let mut keys = config.models.iter().filter_map(|model| model.key.as_ref());
        if let Some(variable) = keys.find(|key| tool.env.contains(key)) {
            let name = &tool.name;
            screen::say(&format!(
                "warning: [tools.{name}] hands on {variable}, which holds the key of a model; of what the command prints the \
                 key is hidden, but what else it does with it nobody sees\n"
            ));
        }
    }
}

/// Refuses a graph that holds a key: its text is kept with the run.
pub(super) fn without_keys(text: &ProgramText, mask: &Mask) -> Result<(), Exit> {
    match text.files.iter().find(|(_, text)| mask.finds(text)) {
        None => Ok(()),
        Some((name, _)) => Err(screen::refuse(&format!(
            "{name}: the file holds the key of a model, and it would be kept with the run\nhelp: take it out; a key stands in the \
             environment alone"
        ))),
    }
}

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
