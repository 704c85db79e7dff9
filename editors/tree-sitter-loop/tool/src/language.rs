//! The compiled parser.

use std::path::{Path, PathBuf};

use tree_sitter::{Language, Parser};
use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_loop() -> *const ();
}

/// The language that `build.rs` compiled.
pub(crate) fn language() -> Language {
    // SAFETY: the function comes from the generated parser, which gives the language that it stands for.
    unsafe { LanguageFn::from_raw(tree_sitter_loop) }.into()
}

/// A parser of it.
pub(crate) fn parser() -> Result<Parser, String> {
    let mut parser = Parser::new();
    parser.set_language(&language()).map_err(|fault| fault.to_string())?;
    Ok(parser)
}

/// The folder of the grammar.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
