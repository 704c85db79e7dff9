//! `--engine`: an engine that drives runs.

use std::fmt;
use std::path::{Path, PathBuf};

/// An engine that drives runs elsewhere, and its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Engine {
    /// A Restate server, by the address of its ingress.
    Restate(String),
}

impl Engine {
    /// Reads `restate=http://127.0.0.1:8080`.
    ///
    /// # Errors
    /// It is something else.
    pub(in crate::cli) fn read(text: &str) -> Result<Self, String> {
        let wanted = "write restate=URL with the address of a Restate server's ingress, as restate=http://127.0.0.1:8080";
        let Some((name, url)) = text.split_once('=') else {
            return Err(format!("found no `=`; {wanted}"));
        };
        if name != "restate" {
            return Err(format!("found the engine `{name}`, which there is none of; {wanted}"));
        }
        if !is_address(url) {
            return Err(format!("found the address `{url}`; {wanted}"));
        }
        Ok(Self::Restate(url.trim_end_matches('/').to_owned()))
    }
}

/// Returns true if a text begins as the address of a server does.
pub(in crate::cli) fn is_address(url: &str) -> bool {
    let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    host.is_some_and(|host| !host.trim_end_matches('/').is_empty() && !host.contains([' ', '?', '#', '@']))
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restate(url) => write!(f, "restate={url}"),
        }
    }
}

/// The place of runs as messages name it: an engine, or a file.
pub(in crate::cli) fn runs_place(engine: Option<&Engine>, db: &Path) -> PathBuf {
    engine.map_or_else(|| db.to_owned(), |engine| engine.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::Engine;

    #[test]
    fn an_engine_is_read_or_refused_with_what_is_wanted() {
        let restate = Engine::Restate("http://127.0.0.1:8080".to_owned());
        assert_eq!(Engine::read("restate=http://127.0.0.1:8080/"), Ok(restate.clone()));
        assert_eq!(restate.to_string(), "restate=http://127.0.0.1:8080");
        for wrong in
            ["restate", "temporal=http://h", "restate=h:1", "restate=http://", "restate=http://a b", "="]
        {
            let why = Engine::read(wrong).expect_err(wrong);
            assert!(why.contains("write restate=URL"), "{wrong}: {why}");
        }
    }
}
