//! Documents with drawings in them: text between two markers.

use std::ops::Range;

const BEGIN: &str = "<!-- loopwright:";
const END: &str = "<!-- /loopwright -->";

/// A place in a document for a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DrawingBlock {
    /// The line of the first marker, from 1.
    pub(super) line: usize,
    /// The words in the marker: a file and flags.
    pub(super) marker: String,
    /// The same in words.
    pub(super) words: Vec<String>,
    /// The range between the markers, in bytes.
    body: Range<usize>,
    /// The text at the start of each line.
    indent: String,
    /// The end of each line.
    newline: &'static str,
}

/// The blocks of a document in order. Markers in fenced code are text.
///
/// # Errors
/// The line and what is wrong there: a block without its end, an end without a block, a quote that is not closed.
pub(super) fn blocks(text: &str) -> Result<Vec<DrawingBlock>, (usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<DrawingBlock> = None;
    let mut fence: Option<String> = None;
    let mut at = 0;
    for (line, whole) in (1..).zip(text.split_inclusive('\n')) {
        let start = at;
        at += whole.len();
        let trimmed = whole.trim();
        if let Some(block) = &mut open {
            if trimmed == END {
                block.body.end = start;
                found.extend(open.take());
            } else if begun(trimmed).is_some() {
                return Err((block.line, format!("this drawing has no `{END}` before the next one begins")));
            }
        } else if let Some(mark) = &fence {
            if trimmed.starts_with(mark.as_str()) && trimmed.chars().all(|c| mark.starts_with(c)) {
                fence = None;
            }
        } else if let Some(mark) = fenced(trimmed) {
            fence = Some(mark);
        } else if let Some(marker) = begun(trimmed) {
            let indent = whole[..whole.len() - whole.trim_start().len()].to_owned();
            let newline = if whole.ends_with("\r\n") { "\r\n" } else { "\n" };
            let marker = marker.trim().to_owned();
            let words = words(&marker)
                .ok_or_else(|| (line, "this marker has a quote that is not closed".to_owned()))?;
            open = Some(DrawingBlock { line, marker, words, body: at..at, indent, newline });
        } else if trimmed == END {
            return Err((line, "a drawing ends here that has no beginning".to_owned()));
        }
    }
    match open {
        Some(block) => Err((block.line, format!("this drawing has no `{END}`"))),
        None => Ok(found),
    }
}

fn begun(line: &str) -> Option<&str> {
    line.strip_prefix(BEGIN)?.strip_suffix("-->")
}

/// The words of a marker: parted by blanks, but for those in quotes of either kind. [`None`] if a quote is not closed.
fn words(marker: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in marker.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

fn fenced(line: &str) -> Option<String> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|c| *c == mark).count();
    (count >= 3).then(|| String::from(mark).repeat(count))
}

impl DrawingBlock {
    /// Writes the drawing as fenced code, as it should be in the block.
    pub(super) fn wanted(&self, language: &str, drawing: &str) -> String {
        let fenced = format!("```{language}\n{drawing}```\n");
        let mut out = String::with_capacity(fenced.len());
        for line in fenced.lines() {
            out.extend([self.indent.as_str(), line, self.newline]);
        }
        out
    }

    /// True if exactly that is in the block.
    pub(super) fn holds(&self, text: &str, wanted: &str) -> bool {
        text.get(self.body.clone()) == Some(wanted)
    }
}

/// The document with its blocks as they should be.
pub(super) fn replaced(text: &str, wanted: &[(DrawingBlock, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (block, body) in wanted {
        out.extend([&text[at..block.body.start], body.as_str()]);
        at = block.body.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\n\n```text\n<!-- loopwright: not/this.yaml -->\n```\n\n<!-- loopwright: a.yaml --depth 1 -->\nold\n<!-- /loopwright -->\nend\n";

    #[test]
    fn what_lies_between_markers_is_replaced() {
        let blocks = blocks(TEXT).expect("the markers are in order");
        assert_eq!(blocks.len(), 1);
        assert_eq!((blocks[0].line, blocks[0].words.join(" ")), (7, "a.yaml --depth 1".to_owned()));
        let wanted = blocks[0].wanted("mermaid", "stateDiagram-v2\n");
        assert!(!blocks[0].holds(TEXT, &wanted));
        let new = replaced(TEXT, &[(blocks[0].clone(), wanted.clone())]);
        assert_eq!(new, TEXT.replace("old\n", "```mermaid\nstateDiagram-v2\n```\n"));
        let again = self::blocks(&new).expect("the markers are in order");
        assert!(again[0].holds(&new, &wanted));
    }

    #[test]
    fn lines_keep_their_indentation_and_their_end() {
        let text = "- item\r\n  <!-- loopwright: a.yaml -->\r\n  <!-- /loopwright -->\r\n";
        let blocks = blocks(text).expect("the markers are in order");
        assert_eq!(blocks[0].wanted("dot", "x\n"), "  ```dot\r\n  x\r\n  ```\r\n");
    }

    #[test]
    fn quotes_hold_a_word_together() {
        let some = |words: &[&str]| Some(words.iter().map(ToString::to_string).collect::<Vec<_>>());
        for (marker, wanted) in [
            ("a.yaml  --depth 1", some(&["a.yaml", "--depth", "1"])),
            ("\"my graph.yaml\" --node 'a \"b\"'", some(&["my graph.yaml", "--node", "a \"b\""])),
            ("--view=\"a b\"c ''", some(&["--view=a bc", ""])),
            ("", some(&[])),
            ("a.yaml --node 'b", None),
        ] {
            assert_eq!(words(marker), wanted, "{marker}");
        }
        assert_eq!(blocks("\n<!-- loopwright: \"a -->\n").map_err(|(line, _)| line), Err(2));
    }

    #[test]
    fn markers_come_in_pairs() {
        for (text, line) in [
            ("<!-- loopwright: a -->\n", 1),
            ("\n<!-- /loopwright -->\n", 2),
            ("<!-- loopwright: a -->\n<!-- loopwright: b -->\n<!-- /loopwright -->\n", 1),
        ] {
            assert_eq!(blocks(text).map_err(|(line, _)| line), Err(line), "{text}");
        }
    }
}
