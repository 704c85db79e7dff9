//! The settings of a connection: those of the address, and what the environment adds.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use nix::unistd::{User, geteuid};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::store::postgres_address::{AddressFault, PostgresAddress, TlsMode};

/// The time that a connection may take to be made, unless the address says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time after which bytes that nobody acknowledges end a connection.
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

/// The silence after which it is asked whether the server is still there, the time between two such questions, and how many stay
/// without an answer before the connection is over.
const KEEPALIVES: (Duration, Duration, u32) = (Duration::from_secs(30), Duration::from_secs(10), 3);

/// The folder of the sockets of a server on this machine.
const SOCKETS: &str = "/var/run/postgresql";

/// The port of a server that names none.
const PORT: u16 = 5432;

/// The settings of connections to an address.
///
/// # Errors
/// The address is faulty. The message does not repeat it.
pub(super) fn config(address: &PostgresAddress) -> Result<Config, AddressFault> {
    let mut config: Config = address.rest().parse().map_err(|error: tokio_postgres::Error| {
        let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        AddressFault::new(format!(
            "the address cannot be read: {why}; write postgres://USER@HOST:PORT/DATABASE"
        ))
    })?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        match std::env::var("PGHOST") {
            Ok(host) if !host.is_empty() => config.host(host),
            _ if Path::new(SOCKETS).is_dir() => config.host(SOCKETS),
            _ => config.host("localhost"),
        };
    }
    let sockets = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
    config.ssl_mode(match address.tls() {
        // Nobody listens on a socket of this machine.
        _ if sockets && !config.get_hosts().is_empty() => SslMode::Disable,
        TlsMode::Disable => SslMode::Disable,
        TlsMode::Prefer => SslMode::Prefer,
        TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
    });
    if config.get_user().is_none() {
        let own = || User::from_uid(geteuid()).ok().flatten().map(|user| user.name);
        match std::env::var("PGUSER").ok().filter(|user| !user.is_empty()).or_else(own) {
            Some(user) => config.user(user),
            None => {
                return Err(AddressFault::new(
                    "the address names no user; write postgres://USER@HOST/DATABASE",
                ));
            }
        };
    }
    let password = address.password().map(str::to_owned).or_else(|| std::env::var("PGPASSWORD").ok());
    if let Some(password) = password.or_else(|| noted_password(&config)) {
        config.password(password);
    }
    if config.get_application_name().is_none() {
        config.application_name("loopwright");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNACKNOWLEDGED);
    }
    let (idle, interval, retries) = KEEPALIVES;
    config.keepalives_idle(idle).keepalives_interval(interval).keepalives_retries(retries);
    Ok(config)
}

/// The password of the first line of `~/.pgpass` that fits, as the programs of Postgres read it: one that others may read is not
/// looked at.
fn noted_password(config: &Config) -> Option<String> {
    let named = std::env::var_os("PGPASSFILE").map(std::path::PathBuf::from);
    let path = named.or_else(|| std::env::home_dir().map(|home| home.join(".pgpass")))?;
    let meta = fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    if meta.mode() & 0o077 != 0 {
        tracing::warn!(path = %path.display(), "others may read this file of passwords: it is not used; chmod 600 mends that");
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        _ => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(PORT).to_string();
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    let wanted = [host.as_str(), &port, database, user];
    text.lines().find_map(|line| password_of(line, wanted))
}

/// The password of a line `HOST:PORT:DATABASE:USER:PASSWORD`, if it is for what is wanted. `*` is for everything, `\` before a
/// character leaves that as it is.
fn password_of(line: &str, wanted: [&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ':' if fields.len() <= wanted.len() => fields.push(String::new()),
            '\\' => fields.last_mut()?.extend(rest.next()),
            other => fields.last_mut()?.push(other),
        }
    }
    let password = fields.get(wanted.len())?.clone();
    let fits = fields.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
    fits.then_some(password)
}

#[cfg(test)]
mod tests {
    use super::password_of;

    #[test]
    fn lines_of_passwords_are_read() {
        let wanted = ["db", "5432", "runs", "ada"];
        assert_eq!(password_of("db:5432:runs:ada:s:e\\\\t", wanted).as_deref(), Some("s:e\\t"));
        assert_eq!(password_of("*:*:*:*:x", wanted).as_deref(), Some("x"));
        assert_eq!(password_of("other:*:*:*:x", wanted), None);
        assert_eq!(password_of("#db:5432:runs:ada:x", wanted), None);
        assert_eq!(password_of("db:5432:runs", wanted), None);
    }
}
