//! The choice of a configuration for a graph.

use std::fs;
use std::path::{Path, PathBuf};

use super::configuration::{Configuration, ConfigurationFault, FILE_NAME};
use super::consent::Consent;
use crate::config::Policy;
use crate::diag::Diagnostic;
use crate::folder;
use crate::source::Sources;

/// The configuration that is named; else the one beside the graph, or the one in the working folder. Where there are two, a
/// file that came with a graph goes before the working folder's own only if it was allowed.
#[derive(Debug)]
pub struct Choice {
    /// The file that is taken.
    pub taken: PathBuf,
    /// The file that is left for it.
    pub left: Option<PathBuf>,
    /// True if the one that is taken was allowed, as far as that was looked at.
    pub trusted: bool,
    /// True if the operator named the file.
    named: bool,
}

impl Choice {
    /// The choice for a graph; none where there is no configuration. No file is opened that the operator named.
    #[must_use]
    pub fn of(named: Option<&Path>, graph: &str, consent: &Consent) -> Option<Self> {
        let sole = |taken, named| Some(Self { taken, left: None, trusted: false, named });
        if let Some(path) = named {
            return sole(path.to_owned(), true);
        }
        let beside = Path::new(graph).parent().unwrap_or(Path::new("")).join(FILE_NAME);
        let here = PathBuf::from(FILE_NAME);
        match (is_there(&beside), is_there(&here)) {
            (true, true) if !same(&beside, &here) => {
                // Faults of a file that is not taken are nobody's business.
                let trusted = Configuration::glance(&beside, consent).is_some_and(|found| found.trusted);
                let (taken, left) = if trusted { (beside, here) } else { (here, beside) };
                Some(Self { taken, left: Some(left), trusted, named: false })
            }
            (true, _) => sole(beside, false),
            (false, true) => sole(here, false),
            (false, false) => None,
        }
    }

    /// The rules of the policies of both files: a rule only restricts, so that the one counts, too, which is left. The texts
    /// are added to `sources`.
    ///
    /// # Errors
    /// The faults of both policies.
    pub fn policy(&self, sources: &mut Sources) -> Result<Policy, Vec<Diagnostic>> {
        let taken = Configuration::policy(&self.taken, self.named, sources);
        let left = self.left.as_ref().map(|path| Configuration::policy(path, false, sources));
        match (taken, left.unwrap_or_else(|| Ok(Policy::default()))) {
            (Ok(mut taken), Ok(left)) => {
                taken.deny.extend(left.deny);
                Ok(taken)
            }
            (taken, left) => Err([taken, left].into_iter().filter_map(Result::err).flatten().collect()),
        }
    }

    /// Reads the file that is taken. Its text is added to `sources`.
    ///
    /// # Errors
    /// It cannot be read, or has faults.
    pub fn read(
        &self,
        consent: &Consent,
        sources: &mut Sources,
    ) -> Result<Configuration, ConfigurationFault> {
        Configuration::read(&self.taken, self.named, consent, sources)
    }
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file() || meta.is_symlink())
}

fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(folder::of(path)).ok();
    real(one) == real(other)
}
