//! The address of a Postgres database.

use std::fmt;
use std::path::PathBuf;

/// The schema in which runs are stored unless the address names another.
const SCHEMA: &str = "loopwright";

/// The longest name of a schema, in bytes, as Postgres has it.
const MAX_SCHEMA_BYTES: usize = 63;

/// The schemes of such an address.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// The use of TLS, with the meaning that `sslmode` has for the programs of Postgres.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsMode {
    /// None.
    Disable,
    /// TLS where the server has it. Nobody is kept from answering in the server's place.
    Prefer,
    /// Always TLS. Nobody is kept from answering in the server's place, unless `sslrootcert` is given.
    Require,
    /// TLS with a certificate of an authority that is known.
    VerifyCa,
    /// TLS with a certificate of an authority that is known, for the host of the address.
    VerifyFull,
}

/// The address of a Postgres database, `postgres://USER:PASSWORD@HOST:PORT/DATABASE?KEY=VALUE`. Beside the keys of the programs
/// of Postgres it knows `schema`, the schema in which runs are stored. As text it stands without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresAddress {
    /// The address as it is shown.
    shown: String,
    /// The same for the client: without password, TLS and schema.
    rest: String,
    password: Option<String>,
    schema: String,
    tls: TlsMode,
    authorities: Option<PathBuf>,
}

/// The fault of an address of a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AddressFault(String);

impl AddressFault {
    /// A fault, with its cure.
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl PostgresAddress {
    /// Reads an address; nothing where the text has another scheme or none.
    ///
    /// # Errors
    /// It is faulty. The message does not repeat it: it may hold a password.
    #[must_use]
    pub fn parse(text: &str) -> Option<Result<Self, AddressFault>> {
        let scheme = SCHEMES.iter().find(|scheme| text.starts_with(**scheme))?;
        Some(Self::read(scheme, &text[scheme.len()..]))
    }

    fn read(scheme: &str, text: &str) -> Result<Self, AddressFault> {
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(AddressFault::new(
                "the address of a database has no spaces in it; write `%20` in their place",
            ));
        }
        let (place, keys) = text.split_once('?').unwrap_or((text, ""));
        // Before anything is repeated: what stands before the sign may be a password.
        if keys.contains('@') || place.split_once('/').is_some_and(|(_, rest)| rest.contains('@')) {
            return Err(AddressFault::new(
                "`@` stands after the host; in a user, a password or a key write `@` as `%40`, `/` as `%2F`, `?` as `%3F`",
            ));
        }
        let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
        let (user, hosts) = hosts.rsplit_once('@').map_or((None, hosts), |(user, hosts)| (Some(user), hosts));
        if database.contains('/') {
            return Err(AddressFault::new(format!(
                "the name of a database has no `/`; write it as `%2F`, or name a schema with `?schema=NAME`: {scheme}HOST/DATABASE"
            )));
        }
        let mut address = Self {
            shown: String::new(),
            rest: String::new(),
            password: None,
            schema: SCHEMA.to_owned(),
            tls: TlsMode::Prefer,
            authorities: None,
        };
        let user = user.map(|user| match user.split_once(':') {
            Some((user, password)) => {
                address.password = Some(decoded(password));
                user
            }
            None => user,
        });
        let mut shown = Vec::new();
        let mut rest = Vec::new();
        for pair in keys.split('&').filter(|pair| !pair.is_empty()) {
            let Some((key, value)) = pair.split_once('=') else {
                let why = format!("`{}` has no value; write KEY=VALUE", pair.escape_debug());
                return Err(AddressFault::new(why));
            };
            if address.take(key, &decoded(value))? {
                rest.push(pair);
            }
            if !key.ends_with("password") {
                shown.push(pair);
            }
        }
        let user = user.map(|user| format!("{user}@")).unwrap_or_default();
        let put = |keys: &[&str]| {
            let mark = if keys.is_empty() { "" } else { "?" };
            format!("{scheme}{user}{place}{mark}{}", keys.join("&"), place = place_of(hosts, database))
        };
        (address.shown, address.rest) = (put(&shown), put(&rest));
        Ok(address)
    }

    /// Takes a key that is not the client's. Returns true if it is the client's.
    fn take(&mut self, key: &str, value: &str) -> Result<bool, AddressFault> {
        match key {
            "password" => self.password = Some(value.to_owned()),
            "schema" if value.is_empty() || value.len() > MAX_SCHEMA_BYTES || value.contains('\0') => {
                return Err(AddressFault::new("`schema` is the name of a schema, of 1 to 63 bytes"));
            }
            "schema" if value.starts_with("pg_") => {
                return Err(AddressFault::new("`schema`: names that begin with `pg_` are the server's own"));
            }
            // It is special in the server's search path, and in the texts of its blocks.
            "schema" if value.contains('$') => {
                return Err(AddressFault::new("`schema`: a name with `$` is not used; take another"));
            }
            "schema" => value.clone_into(&mut self.schema),
            "sslrootcert" => self.authorities = Some(PathBuf::from(value)),
            "sslmode" => {
                self.tls = match value {
                    "disable" => TlsMode::Disable,
                    "allow" | "prefer" => TlsMode::Prefer,
                    "require" => TlsMode::Require,
                    "verify-ca" => TlsMode::VerifyCa,
                    "verify-full" => TlsMode::VerifyFull,
                    _ => {
                        let why = "`sslmode` is one of disable, prefer, require, verify-ca, verify-full";
                        return Err(AddressFault::new(why));
                    }
                };
            }
            _ => return Ok(true),
        }
        Ok(false)
    }

    /// The schema in which runs are stored.
    #[must_use]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// The use of TLS.
    #[must_use]
    pub const fn tls(&self) -> TlsMode {
        self.tls
    }

    /// The digest of the address without its password, in hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> String {
        blake3::hash(self.shown.as_bytes()).to_hex().to_string()
    }

    /// The file of the authorities whose certificates are taken; without it those of the system.
    #[cfg(feature = "postgres")]
    pub(super) const fn authorities(&self) -> Option<&PathBuf> {
        self.authorities.as_ref()
    }

    /// The password of the address, if one is in it.
    #[cfg(feature = "postgres")]
    pub(super) fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    /// The part of the address that is the client's.
    #[cfg(feature = "postgres")]
    pub(super) fn rest(&self) -> &str {
        &self.rest
    }
}

/// Hosts and a database as they stand in an address.
fn place_of(hosts: &str, database: &str) -> String {
    if database.is_empty() { hosts.to_owned() } else { format!("{hosts}/{database}") }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresAddress").field(&self.shown).finish()
    }
}

/// A part of an address with its `%XX` read. What is none stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at);
        bytes.extend_from_slice(before.as_bytes());
        let byte = after.get(1..3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        rest = &after[if byte.is_some() { 3 } else { 1 }..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{PostgresAddress, TlsMode};

    fn parsed(text: &str) -> PostgresAddress {
        PostgresAddress::parse(text).expect("an address").expect("it is right")
    }

    #[test]
    fn a_password_is_never_shown() {
        let address = parsed(
            "postgres://ada:s%40cret@db.example:5433/runs?sslmode=verify-full&schema=a%20b&password=other",
        );
        for shown in [address.to_string(), format!("{address:?}")] {
            assert!(!shown.contains("cret") && !shown.contains("other"), "{shown}");
        }
        assert_eq!(
            address.to_string(),
            "postgres://ada@db.example:5433/runs?sslmode=verify-full&schema=a%20b"
        );
        assert_eq!((address.schema(), address.tls()), ("a b", TlsMode::VerifyFull));
        assert_eq!(address.password.as_deref(), Some("other"));
        assert_eq!(parsed("postgres://ada:s%40cret@h/d").password.as_deref(), Some("s@cret"));
        assert!(!parsed("postgres://h/d?sslpassword=secret").to_string().contains("secret"));
        assert_eq!(parsed("postgres://a:b@h").digest(), parsed("postgres://a:c@h").digest());
    }

    #[test]
    fn faults_are_named_without_the_address() {
        for (text, part) in [
            ("postgres://a:secret@h/d/e", "no `/`"),
            ("postgres://a:secret@h/d?sslmode=maybe", "`sslmode` is one of"),
            ("postgres://a:secret@h/d?schema=", "1 to 63 bytes"),
            ("postgres://a:secret@h/d?schema=pg_x", "pg_"),
            ("postgres://a:secret@h/d?fast", "KEY=VALUE"),
            ("postgres://a:sec/secret@h/d", "`%2F`"),
            ("postgres://a:sec?secret@h/d", "`%3F`"),
            ("postgres://a:secret@h/d?schema=$user", "`$`"),
            ("postgres://a:secret@h/d?schema=a$do$b", "`$`"),
            ("postgres://a:secret@h/d d", "no spaces"),
        ] {
            let fault = PostgresAddress::parse(text).expect("an address").expect_err(text).to_string();
            assert!(fault.contains(part) && !fault.contains("secret"), "{text}: {fault}");
        }
        assert!(PostgresAddress::parse("runs.db").is_none());
    }
}
