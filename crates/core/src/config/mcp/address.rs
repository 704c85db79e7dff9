//! The address of a server.

use crate::config::address::address;

/// The cure for an address that is none.
const PLAIN: &str =
    "write it like this: url = \"https://mcp.example.com/mcp\"; tokens are named under `headers`";

/// An address as it is connected to. Other than that of a model it may end in a slash or a query.
///
/// # Errors
/// The cure for an address that is not taken.
pub(super) fn endpoint(text: &str) -> Result<String, &'static str> {
    let (path, query) = text.find('?').map_or((text, ""), |at| text.split_at(at));
    if !query.bytes().all(|b| b.is_ascii_graphic() && b != b'#') {
        return Err(PLAIN);
    }
    let base = address(path).map_err(|cure| if cure.contains("base_url") { PLAIN } else { cure })?;
    let slashes = &path[path.trim_end_matches('/').len()..];
    Ok(format!("{base}{slashes}{query}"))
}

#[cfg(test)]
mod tests {
    use super::endpoint;

    #[test]
    fn an_address_keeps_its_slash_and_its_query() {
        assert_eq!(endpoint("https://A.com/mcp/?x=1"), Ok("https://a.com/mcp/?x=1".to_owned()));
        assert_eq!(endpoint("http://127.0.0.1:8080/mcp"), Ok("http://127.0.0.1:8080/mcp".to_owned()));
        assert!(endpoint("ftp://a.com").is_err_and(|cure| cure.contains("mcp.example.com")));
        assert!(endpoint("https://me@a.com/").is_err());
        assert!(endpoint("https://a.com/?a b").is_err());
    }
}
