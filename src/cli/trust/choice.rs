//! The choice of a configuration for a graph where none is named.

use std::fs;
use std::path::{Path, PathBuf};

use super::Digests;
use super::configuration::{Configuration, NAME};
use crate::cli::args::Ports;
use crate::cli::{Exit, screen};
use crate::config::Config;
use crate::folder;
use crate::source::Sources;

/// The configuration beside the graph, or the one in the working folder. Where there are two, a file that came with a
/// graph goes before the working folder's own only if it was allowed.
pub(in crate::cli) struct Choice {
    /// The file that is taken.
    pub(in crate::cli) taken: PathBuf,
    /// The file that is left for it.
    left: Option<PathBuf>,
    /// True if the one that is taken was allowed, as far as that was looked at.
    trusted: bool,
}

impl Choice {
    /// The choice for a graph; nothing where there is no configuration.
    pub(in crate::cli) fn of(graph: &str, digests: &Digests) -> Option<Self> {
        let beside = Path::new(graph).parent().unwrap_or(Path::new("")).join(NAME);
        let here = PathBuf::from(NAME);
        let alone = |taken| Some(Self { taken, left: None, trusted: false });
        match (is_there(&beside), is_there(&here)) {
            (true, true) if !same(&beside, &here) => {
                // Faults of a file that is not taken are nobody's business.
                let trusted = Configuration::glance(&beside, digests).is_some_and(|found| found.trusted);
                let (taken, left) = if trusted { (beside, here) } else { (here, beside) };
                Some(Self { taken, left: Some(left), trusted })
            }
            (true, _) => alone(beside),
            (false, true) => alone(here),
            (false, false) => None,
        }
    }

    /// Says which of two files is taken.
    pub(super) fn say(&self) {
        let Some(left) = &self.left else { return };
        let why = if self.trusted { "" } else { ", which was not allowed" };
        let (taken, left) = (screen::path(&self.taken), screen::path(left));
        screen::say(&format!("note: {taken} is used, not {left}{why}\n"));
    }
}

impl Configuration {
    /// The configuration that is named, or the [one that is chosen](Choice), or none.
    pub(in crate::cli) fn find(ports: &Ports, graph: &str, sources: &mut Sources) -> Result<Self, Exit> {
        let digests = Digests::of(&ports.trust)?;
        if let Some(path) = &ports.config {
            return Self::read(path, true, &digests, sources);
        }
        let Some(choice) = Choice::of(graph, &digests) else {
            return Ok(Self {
                config: Config::default(),
                folder: PathBuf::from("."),
                file: None,
                trusted: false,
                keys: Vec::new(),
            });
        };
        choice.say();
        Self::read(&choice.taken, false, &digests, sources)
    }

    /// The file that is [found](Self::find), if there is one; it is not opened.
    pub(in crate::cli) fn named(ports: &Ports, graph: &str) -> Result<Option<PathBuf>, Exit> {
        let digests = Digests::of(&ports.trust)?;
        Ok(ports.config.clone().or_else(|| Choice::of(graph, &digests).map(|choice| choice.taken)))
    }
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file() || meta.is_symlink())
}

fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(folder::of(path)).ok();
    real(one) == real(other)
}
