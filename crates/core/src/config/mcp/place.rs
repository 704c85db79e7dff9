//! Places in a JSON text that was read before.

use std::ops::Range;

/// The place of a value by the names of the fields that lead to it; of the innermost one that is there.
pub(super) fn place(text: &str, path: &[&str]) -> Range<usize> {
    let mut scan = Scan { text: text.as_bytes(), at: 0 };
    scan.blanks();
    let mut from = scan.at;
    for name in path {
        if !scan.enter(name) {
            break;
        }
        from = scan.at;
    }
    let mut end = Scan { text: text.as_bytes(), at: from };
    end.value();
    from..end.at
}

/// A walk over a text that is known to be JSON.
struct Scan<'t> {
    text: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or_default()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    /// Goes to the value of a field of the object that begins here; stays where there is none.
    fn enter(&mut self, name: &str) -> bool {
        let begin = self.at;
        if self.peek() != b'{' {
            return false;
        }
        self.at += 1;
        loop {
            self.blanks();
            if self.peek() != b'"' {
                self.at = begin;
                return false;
            }
            let key = self.at;
            self.value();
            let found =
                serde_json::from_slice::<String>(&self.text[key..self.at]).is_ok_and(|key| key == name);
            self.blanks();
            self.at += 1;
            self.blanks();
            if found {
                return true;
            }
            self.value();
            self.blanks();
            self.at += 1;
        }
    }

    /// Goes past the value that begins here.
    fn value(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                0 if self.at >= self.text.len() => return,
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                _ => {
                    while self.at < self.text.len() && !b",:]} \t\n\r".contains(&self.peek()) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        while self.at < self.text.len() && self.peek() != b'"' {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn a_value_is_found_by_the_fields_that_lead_to_it() {
        let text = r#" {"a": {"x\"": [1, {"b": "}"}], "c": "d"}, "e": -1}"#;
        let found = |path: &[&str]| &text[place(text, path)];
        assert_eq!(found(&["a", "c"]), "\"d\"");
        assert_eq!(found(&["a", "x\""]), r#"[1, {"b": "}"}]"#);
        assert_eq!(found(&["e"]), "-1");
        assert_eq!(found(&["a", "missing"]), r#"{"x\"": [1, {"b": "}"}], "c": "d"}"#);
    }
}
