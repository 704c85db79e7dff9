//! Who prints, by the source: nobody but `cli::screen` writes to the two streams.

use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

use crate::parts;

/// What writes past `screen`, where it stands.
#[derive(Default)]
struct Printing(Vec<(String, usize)>);

impl Printing {
    fn note(&mut self, what: &str, span: proc_macro2::Span) {
        self.0.push((what.to_owned(), span.start().line));
    }
}

impl<'ast> Visit<'ast> for Printing {
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if let Some(last) = mac.path.segments.last()
            && ["print", "println", "eprint", "eprintln", "dbg"].iter().any(|name| last.ident == name)
        {
            self.note(&format!("{}!", last.ident), last.ident.span());
        }
        syn::visit::visit_macro(self, mac);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let span = path.segments[0].ident.span();
        let streams =
            names.len() > 1 && names.last().is_some_and(|name| name == "stdout" || name == "stderr");
        if streams || names[0] == "anstream" || names[0] == "indicatif" {
            self.note(&names.join("::"), span);
        }
        // The reader of the command line prints by itself, and ends the process.
        if names.ends_with(&["Args".to_owned(), "parse".to_owned()]) {
            self.note("Args::parse", span);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if call.args.is_empty() && (call.method == "print" || call.method == "exit") {
            self.note(&format!(".{}()", call.method), call.method.span());
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_use_tree(&mut self, tree: &'ast syn::UseTree) {
        let name = match tree {
            syn::UseTree::Path(path) if path.ident == "anstream" || path.ident == "indicatif" => {
                Some(&path.ident)
            }
            syn::UseTree::Name(name) if name.ident == "stdout" || name.ident == "stderr" => Some(&name.ident),
            syn::UseTree::Rename(name) if name.ident == "stdout" || name.ident == "stderr" => {
                Some(&name.ident)
            }
            _ => None,
        };
        if let Some(name) = name {
            self.note(&format!("use of {name}"), name.span());
        }
        syn::visit::visit_use_tree(self, tree);
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn printing(text: &str) -> Vec<(String, usize)> {
    let mut printing = Printing::default();
    printing.visit_file(&syn::parse_file(text).expect("source parses"));
    printing.0
}

#[test]
fn only_the_screen_writes_to_the_streams() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for code in parts::code() {
        files(&code, &mut paths);
    }
    let mut wrong = Vec::new();
    for path in paths {
        let inner = path.strip_prefix(root).expect("it lies there").to_string_lossy().into_owned();
        // The live line draws itself; a unit of its own writes out what stands in it. A process of the server answers it over
        // a pipe.
        let own = ["src/cli/run/progress.rs", "crates/core/src/serve/confined/process.rs"];
        if inner.starts_with("src/cli/screen/") || own.contains(&inner.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file can be read");
        wrong.extend(printing(&text).into_iter().map(|(what, line)| format!("{inner}:{line}: {what}")));
    }
    assert!(wrong.is_empty(), "what is printed goes through `cli::screen`:\n{}", wrong.join("\n"));
}

#[test]
fn what_prints_is_found() {
    for text in [
        "fn f() { println!(\"a\"); }",
        "fn f() { std::io::stdout().write(b\"\"); }",
        "use std::io::stderr; fn f() {}",
        "use anstream::stdout as out; fn f() {}",
        "fn f(e: clap::Error) { e.print(); }",
        "fn f() { Args::parse(); }",
    ] {
        assert!(!printing(text).is_empty(), "{text}");
    }
    assert!(
        printing("fn f(c: Command, o: Output) { c.stdout(Stdio::piped()); let stdout = o.stdout; }")
            .is_empty()
    );
}
