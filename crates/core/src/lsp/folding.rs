//! Parts of a file that can be folded: declarations and comments of several lines.

use ls_types::{DocumentSymbol, FoldingRange, FoldingRangeKind};

use super::document::LspDocument;

impl LspDocument<'_> {
    /// The parts that can be folded, in order of the text.
    pub(super) fn folds(&self) -> Vec<FoldingRange> {
        let mut folds = Vec::new();
        add(&self.symbols(), &mut folds);
        let mut first = None;
        for (at, line) in (0..).zip(self.text.lines().chain([""])) {
            let is_comment = line.trim_start().starts_with('#');
            match (is_comment, first) {
                (true, None) => first = Some(at),
                (false, Some(start)) => {
                    folds.extend(fold(start, at - 1, Some(FoldingRangeKind::Comment)));
                    first = None;
                }
                _ => {}
            }
        }
        folds.sort_by_key(|fold| (fold.start_line, fold.end_line));
        folds
    }
}

fn add(symbols: &[DocumentSymbol], folds: &mut Vec<FoldingRange>) {
    for symbol in symbols {
        folds.extend(fold(symbol.range.start.line, symbol.range.end.line, None));
        add(symbol.children.as_deref().unwrap_or_default(), folds);
    }
}

fn fold(start: u32, end: u32, kind: Option<FoldingRangeKind>) -> Option<FoldingRange> {
    (start < end).then(|| FoldingRange { start_line: start, end_line: end, kind, ..FoldingRange::default() })
}
