//! Lines of labels.

/// The most characters in a line of a label, unless a word is longer.
pub(super) const MAX_LINE_CHARS: usize = 28;

/// A label whose lines are broken at blanks, so that none has more than `most` characters where words allow it. The breaks
/// that are there stay.
pub(super) fn broken(label: &str, most: usize) -> String {
    let label = label.trim();
    if label.len() <= most {
        return label.to_owned();
    }
    let mut out = String::with_capacity(label.len());
    for (number, line) in label.lines().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let mut written = 0;
        for (at, word) in line.trim().split(' ').enumerate() {
            let count = word.chars().count();
            if at == 0 {
                written = count;
            } else if written + 1 + count > most && written > 0 && !word.is_empty() {
                out.push('\n');
                written = count;
            } else {
                out.push(' ');
                written += 1 + count;
            }
            out.push_str(word);
        }
    }
    out
}

/// Several labels of one arrow, each in lines: those that fit stand in one line, with a stroke between them.
pub(super) fn joined(labels: &[String], most: usize) -> String {
    let mut out = String::new();
    let mut written = 0;
    for (at, label) in labels.iter().enumerate() {
        let label = broken(label, most);
        let count = label.chars().count();
        if at > 0 {
            let fits = !label.contains('\n') && written + 3 + count <= most;
            out.push_str(if fits { " / " } else { " /\n" });
            written = if fits { written + 3 } else { 0 };
        }
        out.push_str(&label);
        // Nothing follows in the last line of a label that has several.
        written += if label.contains('\n') { most } else { count };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks() {
        for (label, wanted) in [
            ("short", "short"),
            ("  two\nlines ", "two\nlines"),
            (
                "answer.kind == 'question' && answer.text.first != null",
                "answer.kind == 'question' &&\nanswer.text.first != null",
            ),
            (
                "one word_that_is_longer_than_any_line is kept",
                "one\nword_that_is_longer_than_any_line\nis kept",
            ),
            ("größer größer größer größer größer", "größer größer größer größer\ngrößer"),
        ] {
            assert_eq!(broken(label, MAX_LINE_CHARS), wanted);
        }
    }

    #[test]
    fn labels_stand_in_one_line_where_they_fit() {
        let joined = |labels: &[&str]| {
            super::joined(&labels.iter().map(ToString::to_string).collect::<Vec<_>>(), MAX_LINE_CHARS)
        };
        assert_eq!(joined(&["done", "failed"]), "done / failed");
        assert_eq!(
            joined(&["a_word_of_twenty_seven_chars", "and a label of more than one line", "no"]),
            "a_word_of_twenty_seven_chars /\nand a label of more than one\nline /\nno"
        );
        assert_eq!(
            joined(&["Yes: of the first", "Yes: of the second", "no"]),
            "Yes: of the first /\nYes: of the second / no"
        );
    }
}
