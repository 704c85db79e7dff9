//! The language reference as resources, and the pages of rules by a template.

use rmcp::model::{ReadResourceResult, ResourceContents, ResourceTemplate};

use super::protocol::{ServedResource, ServedTemplate};
use super::text_resource::TextResource;
use crate::app::{explain, explained_names};

/// The addresses of rules and kinds of errors.
const RULES: &str = "loopwright://rules/";

/// The pages of the reference: name and text, in the order in which they are read.
macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../docs/reference/language/", $name, ".md")))),*]
    };
}

const PAGES: &[(&str, &str)] = pages![
    "index",
    "graphs",
    "nodes",
    "edges",
    "statements",
    "expressions",
    "values",
    "texts",
    "budgets",
    "errors",
    "people",
    "calls",
    "limits",
    "run-time-faults",
    "keys",
];

/// The pages of the language reference.
#[must_use]
pub fn language_resources() -> Vec<Box<dyn ServedResource>> {
    let page = |(name, text): &(&str, &str)| {
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
        Box::new(TextResource {
            address: format!("loopwright://language/{name}"),
            name: format!("{name}.md"),
            title: title.to_owned(),
            description: format!("The language of graph files: {title}."),
            kind: "text/markdown",
            text: (*text).to_owned(),
        }) as Box<dyn ServedResource>
    };
    PAGES.iter().map(page).collect()
}

/// The pages of rules and kinds of errors.
struct RulePages;

/// The pages of rules and kinds of errors, each by its name.
#[must_use]
pub fn rule_pages() -> Box<dyn ServedTemplate> {
    Box::new(RulePages)
}

impl ServedTemplate for RulePages {
    fn template(&self) -> ResourceTemplate {
        ResourceTemplate::new(format!("{RULES}{{name}}"), "rules")
            .with_title("Rules and kinds of errors")
            .with_description("What a rule of `check` or a kind of error means, and how it is mended.")
            .with_mime_type("text/markdown")
    }

    fn read(&self, address: &str) -> Option<ReadResourceResult> {
        let page = explain(address.strip_prefix(RULES)?).ok()?;
        let text = ResourceContents::text(page, address).with_mime_type("text/markdown");
        Some(ReadResourceResult::new(vec![text]))
    }

    fn complete(&self, variable: &str, typed: &str) -> Vec<String> {
        if variable != "name" {
            return Vec::new();
        }
        explained_names().filter(|name| name.starts_with(typed)).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::PAGES;

    #[test]
    fn every_page_of_the_reference_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/language");
        let files = fs::read_dir(folder).expect("the folder can be listed").flatten();
        let names: BTreeSet<String> = files
            .filter_map(|file| file.file_name().to_str()?.strip_suffix(".md").map(str::to_owned))
            .collect();
        let served: BTreeSet<String> = PAGES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(served, names);
    }
}
