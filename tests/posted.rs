//! What comes to a server of these tests.

use std::io::Read;
use std::net::TcpStream;

/// A request with its body.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Posted {
    /// Reads one; none where the connection ends before.
    pub(crate) fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        let end = loop {
            let mut piece = [0; 4096];
            let size = stream.read(&mut piece).ok().filter(|size| *size > 0)?;
            bytes.extend_from_slice(&piece[..size]);
            if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
        };
        let mut body = bytes.split_off(end);
        let mut posted = Self { head: String::from_utf8_lossy(&bytes).into_owned(), body: Vec::new() };
        let length: usize = posted.header("content-length")?.parse().ok()?;
        let mut rest = vec![0; length.saturating_sub(body.len())];
        stream.read_exact(&mut rest).ok()?;
        body.extend(rest);
        posted.body = body;
        Some(posted)
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The path that was asked for.
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}
