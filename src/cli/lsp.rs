//! `lsp`: a language server over standard input and output.

use super::args::Reach;
use super::files::Disk;
use super::{Exit, trust};
use loopwright_core::lsp::{LanguageServer, serve_stdio};

/// `lsp`.
#[derive(Debug, clap::Args)]
pub(super) struct LspArgs {
    #[command(flatten)]
    reach: Reach,
}

pub(super) fn run(args: &LspArgs) -> Exit {
    let disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return exit,
    };
    let consent = match trust::consent(&[]) {
        Ok(consent) => consent,
        Err(exit) => return exit,
    };
    if serve_stdio(LanguageServer::new(disk.into_inner(), consent)) { Exit::Ok } else { Exit::Usage }
}
