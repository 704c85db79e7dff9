//! The workshop of the grammar: makes the parser, and tells what it makes of texts.
//!
//! - `generate` writes `src/` anew out of `grammar.js`, `generate --check` says whether it is what the grammar gives;
//! - `corpus` holds the trees of `test/corpus` (`--update` writes them), `highlights FILE...` prints what is highlighted;
//! - `edits FILE...` changes files bit by bit, and holds the trees that are brought up to date against those of the whole texts;
//! - `verdicts` reads texts from standard input, each after a line with its length in bytes, and writes a line for each:
//!   `accepted`, or the place of the first error.

mod corpus;
mod edits;
mod generate;
mod highlights;
mod language;
mod verdicts;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["generate"] => generate::write(),
        ["generate", "--check"] => generate::check(),
        ["corpus"] => corpus::hold(false),
        ["corpus", "--update"] => corpus::hold(true),
        ["edits", files @ ..] => edits::hold(files),
        ["highlights", files @ ..] => highlights::print(files),
        ["verdicts"] => verdicts::answer(),
        _ => Err(
            "usage: generate [--check] | corpus [--update] | edits FILE... | highlights FILE... | verdicts"
                .into(),
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::FAILURE
        }
    }
}
