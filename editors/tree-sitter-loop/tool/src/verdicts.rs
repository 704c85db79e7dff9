//! Verdicts about many texts, for a test that holds them against those of the program.

use std::io::{BufRead as _, Read as _, Write as _};

use tree_sitter::{Node, Tree};

use crate::language::parser;

/// Reads texts and writes a verdict for each.
pub(crate) fn answer() -> Result<(), String> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut parser, mut line) = (parser()?, String::new());
    while input.read_line(&mut line).map_err(|fault| fault.to_string())? > 0 {
        let length = line.trim().parse().map_err(|_| format!("`{line}` is no length"))?;
        let mut text = vec![0; length];
        input.read_exact(&mut text).map_err(|fault| fault.to_string())?;
        let tree = parser.parse(&text, None).ok_or("the parser gave up")?;
        writeln!(output, "{}", verdict(&tree)).map_err(|fault| fault.to_string())?;
        line.clear();
    }
    Ok(())
}

fn verdict(tree: &Tree) -> String {
    let root = tree.root_node();
    if root.has_error() { first_error(root).to_string() } else { "accepted".to_owned() }
}

/// The byte of the first error. A token that was put in where one is missing may have no node: then it is that of the innermost
/// node that lacks it.
fn first_error(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let inner = node.children(&mut cursor).find(|child| child.is_error() || child.has_error());
    inner.map_or(node.start_byte(), first_error)
}
