//! The files of the page. They are part of the program.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asset {
    /// Its name below `/page/`.
    pub(super) name: &'static str,
    pub(super) content_type: &'static str,
    pub(super) text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! assets {
    ($($name:literal: $content_type:expr),* $(,)?) => {
        &[$(Asset { name: $name, content_type: $content_type, text: include_str!(concat!("assets/", $name)) }),*]
    };
}

/// All of them.
pub(super) const ASSETS: &[Asset] = assets! {
    "page.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "acts.js": SCRIPT,
    "api.js": SCRIPT,
    "charts.js": SCRIPT,
    "coverage.js": SCRIPT,
    "dom.js": SCRIPT,
    "drawing.js": SCRIPT,
    "editor.js": SCRIPT,
    "findings.js": SCRIPT,
    "form.js": SCRIPT,
    "format.js": SCRIPT,
    "graph.js": SCRIPT,
    "graphs.js": SCRIPT,
    "history.js": SCRIPT,
    "inbox.js": SCRIPT,
    "keys.js": SCRIPT,
    "main.js": SCRIPT,
    "prompt.js": SCRIPT,
    "question.js": SCRIPT,
    "run.js": SCRIPT,
    "runs.js": SCRIPT,
    "spent.js": SCRIPT,
    "timeline.js": SCRIPT,
    "tree.js": SCRIPT,
    "versions.js": SCRIPT,
};

/// The file of a name.
pub(super) fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
