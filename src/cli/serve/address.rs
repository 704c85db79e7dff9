//! The address of a server, and by which names it is known.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use super::ServeArgs;
use crate::cli::{Exit, files, screen};
use loopwright_core::serve::web::TlsIdentity;

/// The address of a server.
pub(super) struct ServeAddress {
    pub(super) tls: Option<TlsIdentity>,
    /// The origins at which browsers reach it through a proxy.
    public: Vec<String>,
    is_local: bool,
}

impl ServeAddress {
    /// The address that the command line names, if it may be served.
    pub(super) fn of(args: &ServeArgs) -> Result<Self, Exit> {
        let is_local = args.listen.ip().is_loopback();
        let public = args.public_origin.iter().map(|text| origin(text)).collect::<Result<Vec<_>, _>>()?;
        if !is_local && (args.token_file.is_none() || (args.tls_cert.is_none() && public.is_empty())) {
            let why = format!("--listen {}: other machines reach this address", args.listen);
            let help = "give people tokens of their own with --token-file FILE, and encrypt with --tls-cert FILE --tls-key FILE; or name the \
                        proxy that does: --public-origin https://HOST";
            return Err(screen::refuse_with(&why, help));
        }
        let tls = match (&args.tls_cert, &args.tls_key) {
            (Some(certificate), Some(key)) => {
                let identity = TlsIdentity::read(&bytes(certificate)?, &bytes(key)?);
                Some(identity.map_err(|why| screen::refuse(&format!("--tls-cert, --tls-key: {why}")))?)
            }
            _ => None,
        };
        Ok(Self { tls, public, is_local })
    }

    /// True if requests may name any host: it is reached by TLS, and nobody has said by which names.
    pub(super) fn any_host(&self) -> bool {
        !self.is_local && self.tls.is_some() && self.public.is_empty()
    }

    /// The origins of its pages, the one that is printed first.
    pub(super) fn origins(&self, address: SocketAddr) -> Vec<String> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let mut origins = self.public.clone();
        origins.push(format!("{scheme}://{address}"));
        if self.is_local {
            let port = address.port();
            origins
                .extend(["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{scheme}://{host}:{port}")));
        }
        // Browsers leave out the port that a scheme has anyway.
        let usual = if self.tls.is_some() { ":443" } else { ":80" };
        let short: Vec<_> =
            origins.iter().filter_map(|own| own.strip_suffix(usual)).map(str::to_owned).collect();
        origins.extend(short);
        origins
    }
}

/// An origin: a scheme and a host, and nothing after them.
fn origin(text: &str) -> Result<String, Exit> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_host = |host: &str| {
        !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.:[]".contains(&b))
    };
    if host.is_some_and(is_host) {
        return Ok(text.to_ascii_lowercase());
    }
    let why = format!("--public-origin {}: it is no origin", screen::line(text));
    Err(screen::refuse_with(&why, "write https://HOST or https://HOST:PORT, without a path"))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Exit> {
    fs::read(path)
        .map_err(|error| screen::refuse(&format!("{}: {}", screen::path(path), files::reason(&error))))
}
