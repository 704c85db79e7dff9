//! Messages over a pair of streams.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::thread;

use lsp_server::{Connection, Message, Notification};
use serde_json::json;

use super::server::LanguageServer;

/// The longest message that is read, in bytes. A longer one ends the connection.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// The longest line before a message, in bytes.
const MAX_HEADER_BYTES: u64 = 4096;

/// Serves a client that writes to `input` and reads from `output`, until it goes. Gives true if it said before that it would.
#[must_use]
pub fn serve_streams(
    server: LanguageServer,
    input: impl Read + Send + 'static,
    mut output: impl Write + Send + 'static,
) -> bool {
    let (own, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    let answers = sender.clone();
    let reader = move || {
        let mut input = BufReader::new(input);
        while let Ok(Some(text)) = read(&mut input) {
            let message = serde_json::from_slice(&text).unwrap_or_else(|_| ignored());
            if answers.send(message).is_err() {
                break;
            }
        }
    };
    let writer = move || {
        let written = receiver.iter().try_for_each(|message| message.write(&mut output));
        written.and_then(|()| output.flush())
    };
    // The reader may wait for input that never comes; it ends with the process.
    thread::spawn(reader);
    let writer = thread::spawn(writer);
    drop(sender);
    let orderly = server.serve(&own);
    drop(own);
    let written = writer.join();
    orderly && written.is_ok_and(|written| written.is_ok())
}

/// The message in place of one that cannot be read: it is answered with a line in the log of the client.
fn ignored() -> Message {
    Notification::new(LanguageServer::UNREADABLE.to_owned(), json!({})).into()
}

/// The bytes of one message; nothing where there are no more.
fn read(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let text = String::from_utf8_lossy(&line);
        match text.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok();
            }
            None if text.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let length = length.filter(|length| *length <= MAX_MESSAGE_BYTES).ok_or(io::ErrorKind::InvalidData)?;
    let mut bytes = Vec::new();
    let wanted = u64::try_from(length).unwrap_or(u64::MAX);
    if input.take(wanted).read_to_end(&mut bytes)? < length {
        return Ok(None);
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::{MAX_MESSAGE_BYTES, read};

    #[test]
    fn a_message_is_as_long_as_its_header_says() {
        let mut input = &b"Content-Length: 2\r\nX: y\r\n\r\n{}content-length:3\n\nabc"[..];
        assert_eq!(read(&mut input).expect("a message"), Some(b"{}".to_vec()));
        assert_eq!(read(&mut input).expect("another one"), Some(b"abc".to_vec()));
        assert_eq!(read(&mut input).expect("the end"), None);
    }

    #[test]
    fn what_is_no_message_is_refused_without_taking_memory() {
        let huge = format!("Content-Length: {}\r\n\r\n", MAX_MESSAGE_BYTES + 1);
        let long = "x".repeat(10_000);
        for text in [huge.as_str(), "\r\n", "Content-Length: -1\r\n\r\n", &long] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text:.40}");
        }
        let cut = "Content-Length: 60000000\r\n\r\nabc";
        assert_eq!(read(&mut cut.as_bytes()).expect("it is cut off"), None);
    }
}
