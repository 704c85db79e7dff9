//! `lsp`: a language server over standard input and output.

use super::args::Reach;
use super::files::Disk;
use super::{Exit, screen, trust};
use loopwright_core::lsp::{LanguageServer, serve_streams};

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
    let (input, output) = screen::blocking_messages();
    let server = LanguageServer::new(disk.into_inner(), consent);
    if serve_streams(server, input, output) { Exit::Ok } else { Exit::Usage }
}
