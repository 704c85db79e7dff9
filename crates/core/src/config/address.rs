//! The address of a provider: what is written is what is connected to.
//!
//! Readers of addresses turn some texts into others before they connect: a `\` into a `/`, letters of other scripts and
//! signs that look like digits into those of ASCII, a number into an address of four. Here these are refused, so that
//! what is shown to whoever allows an address is where it leads.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The cure for an address that is none.
const PLAIN: &str = "write it like this: base_url = \"http://127.0.0.1:8080/v1\"; keys are named under `key`";

/// An address with its host in small letters and no `/` at its end; or the cure for one that is not taken.
pub(super) fn address(text: &str) -> Result<String, &'static str> {
    let (scheme, rest) = text.split_once("://").ok_or(PLAIN)?;
    let (server, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    if !matches!(scheme, "http" | "https") || server.contains('@') || path.contains(['?', '#']) {
        return Err(PLAIN);
    }
    if server.contains('\\') || path.contains('\\') {
        return Err("write `/` in place of `\\`");
    }
    if !server.is_ascii() {
        return Err("write the host in letters of ASCII, one with other letters in its coded form (`xn--…`)");
    }
    if !path.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("write what is no letter of ASCII as `%` and two hexadecimal digits");
    }
    let six = server.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (host, port) = if let Some((host, port)) = six {
        let host: Ipv6Addr = host.parse().map_err(|_| PLAIN)?;
        (format!("[{host}]"), port)
    } else {
        let (host, port) = server.find(':').map_or((server, ""), |at| server.split_at(at));
        (name(host)?, port)
    };
    let number = port.strip_prefix(':').map_or(Some(0), |number| {
        number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse::<u16>().ok()).flatten()
    });
    if number.is_none() || port.strip_prefix(':').is_none() && !port.is_empty() {
        return Err(PLAIN);
    }
    Ok(format!("{scheme}://{host}{port}{}", path.trim_end_matches('/')))
}

/// The name of a host, or its address of four numbers.
fn name(host: &str) -> Result<String, &'static str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    if host.is_empty() || !host.bytes().all(plain) || host.starts_with('.') || host.contains("..") {
        return Err(PLAIN);
    }
    let host = host.to_ascii_lowercase();
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    // What ends in a number is read as an address, however it is written: 127.1, 0x7f.1 and 2130706433 are one.
    let is_number = last.bytes().all(|b| b.is_ascii_digit())
        || last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    if is_number && host.parse::<Ipv4Addr>().is_err() {
        return Err("write an address of numbers as four of them, each from 0 to 255: 127.0.0.1");
    }
    Ok(host)
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_is_taken_as_it_is_connected_to() {
        for (written, taken) in [
            ("https://API.openai.com/v1/", "https://api.openai.com/v1"),
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
            ("http://localhost", "http://localhost"),
            ("http://[::1]:80/V1", "http://[::1]:80/V1"),
            ("http://[0:0:0:0:0:0:0:1]", "http://[::1]"),
            ("https://xn--pi-xxx.com/a%20b", "https://xn--pi-xxx.com/a%20b"),
            ("https://my_host.example.:443//", "https://my_host.example.:443"),
        ] {
            assert_eq!(address(written).as_deref(), Ok(taken));
        }
    }

    #[test]
    fn an_address_that_is_read_as_another_one_is_refused() {
        for (written, cure) in [
            ("https://api.op\u{435}nai.com", "xn--"),
            ("http://127.0.0.1\\.example.com:9998", "in place of"),
            ("http://a.com/v1\\..", "in place of"),
            ("http://\u{2460}27.0.0.1", "xn--"),
            ("http://127\u{3002}0\u{3002}0\u{3002}1", "xn--"),
            ("http://a.com/\u{e9}", "hexadecimal"),
            ("http://127.1", "four of them"),
            ("http://2130706433", "four of them"),
            ("http://0x7f000001", "four of them"),
            ("http://0x", "four of them"),
            ("http://127.0.0.01", "four of them"),
            ("http://127.0.0.1.", "four of them"),
            ("http://%31.com", "like this"),
            ("http://a.com:99999", "like this"),
            ("http://a.com:+1", "like this"),
            ("http://[::1]x", "like this"),
            ("http://[fe80::1%25eth0]", "like this"),
            ("http://a.com:80:80", "like this"),
            ("http://me@a.com", "like this"),
            ("http://a.com/?q", "like this"),
            ("http://a.com?q", "like this"),
            ("http://a\tb.com", "like this"),
            ("http://", "like this"),
            ("http:///v1", "like this"),
            ("HTTP://a.com", "like this"),
            ("localhost:8080", "like this"),
        ] {
            let fault = address(written).expect_err(written);
            assert!(fault.contains(cure), "{written}: {fault}");
        }
    }
}
