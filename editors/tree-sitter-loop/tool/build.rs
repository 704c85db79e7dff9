//! Compiles the parser and its scanner.

fn main() {
    let source = std::path::Path::new("../src");
    let mut build = cc::Build::new();
    build.include(source).flag_if_supported("-std=c11").opt_level(1);
    for file in ["parser.c", "scanner.c"] {
        println!("cargo::rerun-if-changed=../src/{file}");
        build.file(source.join(file));
    }
    build.compile("tree-sitter-loop");
}
