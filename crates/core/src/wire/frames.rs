//! Cutting a stream of bytes into frames.

/// The framing of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events: the data of each. See <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
    Events,
    /// A frame a line.
    Lines,
}

/// A frame as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The text; what is no UTF-8 has U+FFFD in its place.
    pub(crate) text: String,
    /// True where nothing had to be replaced.
    pub(crate) intact: bool,
}

/// Bytes that are no whole frame yet. Its owner bounds how many bytes come in all.
#[derive(Debug)]
pub(crate) struct Frames {
    framing: Framing,
    /// The bytes of a line so far.
    line: Vec<u8>,
    /// The data of an event that is not at its end.
    data: Vec<u8>,
    /// True if the last byte was a carriage return, whose line feed ends no second line.
    after_return: bool,
}

impl Frames {
    pub(crate) const fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), data: Vec::new(), after_return: false }
    }

    /// Takes bytes and gives the frames they make whole.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut whole = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => self.end_line(&mut whole),
                _ => self.line.push(*byte),
            }
            self.after_return = *byte == b'\r';
        }
        whole
    }

    /// The frame that the stream ended in, if it is a line. An event without its empty line is none.
    pub(crate) fn end(&mut self) -> Vec<Frame> {
        let mut whole = Vec::new();
        if self.framing == Framing::Lines {
            self.end_line(&mut whole);
        }
        whole
    }

    fn end_line(&mut self, whole: &mut Vec<Frame>) {
        let line = std::mem::take(&mut self.line);
        match self.framing {
            Framing::Lines => {
                if !line.iter().all(u8::is_ascii_whitespace) {
                    whole.push(Frame::of(line));
                }
            }
            Framing::Events if line.is_empty() => {
                let data = std::mem::take(&mut self.data);
                if !data.is_empty() {
                    whole.push(Frame::of(data));
                }
            }
            Framing::Events => {
                if let Some(data) = line.strip_prefix(b"data:") {
                    if !self.data.is_empty() {
                        self.data.push(b'\n');
                    }
                    self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
                } else if let Some(error) = line.strip_prefix(b"error:") {
                    // Older servers of llama.cpp name the field after what it holds.
                    let Frame { text, intact } = Frame::of(error.to_vec());
                    whole.push(Frame { text: format!("{{\"error\":{}}}", text.trim()), intact });
                }
            }
        }
    }
}

impl Frame {
    fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self { text, intact: true },
            Err(error) => {
                Self { text: String::from_utf8_lossy(error.as_bytes()).into_owned(), intact: false }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Frames, Framing};

    fn texts(frames: Vec<Frame>) -> Vec<String> {
        frames.into_iter().map(|frame| frame.text).collect()
    }

    #[test]
    fn frames_are_the_same_however_the_bytes_come() {
        let stream =
            "data: a\r\n\r\n: a comment\nevent: x\ndata: b\ndata:c ü\n\ndata: d\r\rid: 1\n\ndata: cut";
        for size in 1..stream.len() {
            let mut frames = Frames::new(Framing::Events);
            let whole: Vec<String> =
                stream.as_bytes().chunks(size).flat_map(|bytes| texts(frames.push(bytes))).collect();
            assert_eq!(
                (whole, texts(frames.end())),
                (vec!["a".into(), "b\nc ü".into(), "d".into()], vec![]),
                "{size}"
            );
        }
        let mut frames = Frames::new(Framing::Lines);
        assert_eq!(texts(frames.push(b"{}\n\r\n  \n{\"a\":1}\n{")), ["{}", "{\"a\":1}"]);
        assert_eq!(texts(frames.end()), ["{"]);
        assert_eq!(Frames::new(Framing::Lines).end(), []);
    }
}
