# Commands of everyday work. `just` alone lists them.

_list:
    @just --list

# Looks for errors and lints in everything that is built.
check:
    cargo fmt --check
    cargo clippy --locked --all-targets --all-features -- -D warnings

# Runs the tests whose names hold the words; all of them without words.
test *words:
    cargo test --locked -- {{ words }}

# Rewrites snapshots and generated pages of the tests whose names hold the words. Read every changed line.
bless *words:
    INSTA_UPDATE=always LOOPWRIGHT_UPDATE=1 cargo test --locked -- {{ words }}

# Counts instructions of the main kinds of work, and compares them with the stored counts (needs valgrind).
bench *options:
    cargo bench --locked --bench instructions -- {{ options }}

# Builds the documentation of the library.
docs:
    RUSTDOCFLAGS='-D warnings' cargo doc --locked --all-features --no-deps

# Builds the book of `docs` and looks at its links.
book:
    .ci/book

# Makes the parser of the editors anew, after a change of their grammar.
grammar:
    cargo run --locked --quiet --manifest-path editors/tree-sitter-loop/tool/Cargo.toml -- generate

# Builds and tries every package of a release; publishes nothing. With `--dry-run` it does not say what is left to a person.
release *options:
    .ci/release {{ options }}

# Does all that CI does.
ci:
    .ci/run
