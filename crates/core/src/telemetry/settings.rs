//! The destination of traces and of metrics, out of the variables that OpenTelemetry names.
//!
//! Source: "OpenTelemetry Protocol Exporter" and "General SDK Configuration" of the OpenTelemetry specification.

use std::fmt;
use std::time::Duration;

/// The collector's address in the specification.
const USUAL: &str = "http://localhost:4318";

/// Parts of the names of headers whose value is a key.
const KEYS: [&str; 8] = ["auth", "key", "token", "secret", "password", "credential", "cookie", "team"];

/// The time one export may take, unless the environment says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time between two exports of metrics, unless the environment says otherwise.
const INTERVAL: Duration = Duration::from_mins(1);

/// The kinds of what is sent to a collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Spans of runs.
    Traces,
    /// Figures of a process.
    Metrics,
}

/// The destination and form of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The address that takes it.
    pub url: String,
    /// Their encoding.
    pub protocol: Protocol,
    /// The time one export may take.
    pub timeout: Duration,
    /// The time between two exports of metrics.
    pub interval: Duration,
    /// The keys among the headers of every request, by their names; nobody is to see them.
    pub secrets: Vec<String>,
}

/// The encoding of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Protocol buffers.
    Protobuf,
    /// JSON.
    Json,
}

/// A variable with a text that it cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {why}")]
pub struct InvalidVariable {
    /// The name of the environment variable.
    pub variable: &'static str,
    /// The fault; of the address and the headers it shows nothing, since keys may be there.
    pub why: String,
}

/// The variables of a signal: each with that of all signals, which is read where it is not set.
struct Variables {
    exporter: &'static str,
    endpoint: [&'static str; 2],
    compression: [&'static str; 2],
    timeout: [&'static str; 2],
    headers: [&'static str; 2],
    protocol: [&'static str; 2],
    /// The path that is appended to the address of all signals.
    path: &'static str,
}

/// The name of a variable of a signal and that of all signals.
macro_rules! variables {
    ($signal:literal, $path:literal) => {
        Variables {
            exporter: concat!("OTEL_", $signal, "_EXPORTER"),
            endpoint: [concat!("OTEL_EXPORTER_OTLP_", $signal, "_ENDPOINT"), ALL],
            compression: [
                concat!("OTEL_EXPORTER_OTLP_", $signal, "_COMPRESSION"),
                "OTEL_EXPORTER_OTLP_COMPRESSION",
            ],
            timeout: [concat!("OTEL_EXPORTER_OTLP_", $signal, "_TIMEOUT"), "OTEL_EXPORTER_OTLP_TIMEOUT"],
            headers: [concat!("OTEL_EXPORTER_OTLP_", $signal, "_HEADERS"), "OTEL_EXPORTER_OTLP_HEADERS"],
            protocol: [concat!("OTEL_EXPORTER_OTLP_", $signal, "_PROTOCOL"), "OTEL_EXPORTER_OTLP_PROTOCOL"],
            path: $path,
        }
    };
}

/// The address of all signals.
const ALL: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

impl Signal {
    const fn variables(self) -> Variables {
        match self {
            Self::Traces => variables!("TRACES", "/v1/traces"),
            Self::Metrics => variables!("METRICS", "/v1/metrics"),
        }
    }
}

impl Settings {
    /// Reads the settings of a signal from the environment: nothing unless it names a collector or an exporter.
    ///
    /// # Errors
    /// Where it asks for what there is not here.
    pub fn of(
        signal: Signal,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, InvalidVariable> {
        let set =
            |name: &str| variable(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let first = |names: [&'static str; 2]| names.into_iter().find_map(|name| Some((name, set(name)?)));
        let names = signal.variables();
        if set("OTEL_SDK_DISABLED").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        let address = first(names.endpoint);
        if !wanted(names.exporter, set(names.exporter).as_deref(), address.is_some())? {
            return Ok(None);
        }
        if let Some((variable, text)) = first(names.compression).filter(|(_, text)| text != "none") {
            let why = format!("is {text:?}, wanted `none`: what is sent is sent as it is");
            return Err(InvalidVariable { variable, why });
        }
        let interval = ["OTEL_METRIC_EXPORT_INTERVAL"; 2];
        let interval = (signal == Signal::Metrics).then(|| first(interval)).flatten();
        Ok(Some(Self {
            url: url(address, names.path)?,
            protocol: protocol(first(names.protocol))?,
            timeout: first(names.timeout).map_or(Ok(TIMEOUT), |(name, text)| millis(name, &text))?,
            interval: interval.map_or(Ok(INTERVAL), |(name, text)| millis(name, &text))?,
            secrets: first(names.headers).map_or(Ok(Vec::new()), |(name, text)| secrets(name, &text))?,
        }))
    }

    /// The collector as it may be shown: what comes after the host may hold a key.
    #[must_use]
    pub fn collector(&self) -> &str {
        let (_, rest) = self.url.split_once("://").unwrap_or_default();
        rest.split('/').next().unwrap_or_default()
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Protobuf => "http/protobuf",
            Self::Json => "http/json",
        })
    }
}

/// Returns true if a signal is to be exported.
fn wanted(variable: &'static str, exporters: Option<&str>, addressed: bool) -> Result<bool, InvalidVariable> {
    match exporters {
        None => Ok(addressed),
        Some("none") => Ok(false),
        Some("otlp") => Ok(true),
        Some(other) => {
            Err(InvalidVariable { variable, why: format!("is {other:?}, wanted `otlp` or `none`") })
        }
    }
}

/// The address that takes a signal: one that is given for it alone is taken as it is.
fn url(found: Option<(&'static str, String)>, path: &str) -> Result<String, InvalidVariable> {
    let (variable, text) = found.unwrap_or((ALL, USUAL.to_owned()));
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let plain = |c: char| c.is_ascii_graphic() && !"\"#<>?@\\^`{|}".contains(c);
    if !is_host(host) || !text.chars().all(plain) {
        let why =
            "is not an address of a collector, wanted one such as `http://localhost:4318`; keys go into \
                   OTEL_EXPORTER_OTLP_HEADERS"
                .to_owned();
        return Err(InvalidVariable { variable, why });
    }
    Ok(if variable == ALL { format!("{}{path}", text.trim_end_matches('/')) } else { text })
}

/// Returns true if a text is a host, perhaps with a port.
fn is_host(text: &str) -> bool {
    if let Some((name, port)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return name.parse::<std::net::Ipv6Addr>().is_ok() && (port.is_empty() || is_port(port));
    }
    let (name, port) = text.split_at(text.find(':').unwrap_or(text.len()));
    let letters = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
    letters && !name.is_empty() && (port.is_empty() || is_port(port))
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

fn protocol(found: Option<(&'static str, String)>) -> Result<Protocol, InvalidVariable> {
    match found {
        None => Ok(Protocol::Protobuf),
        Some((_, text)) if text == "http/protobuf" => Ok(Protocol::Protobuf),
        Some((_, text)) if text == "http/json" => Ok(Protocol::Json),
        Some((variable, text)) => Err(InvalidVariable {
            variable,
            why: format!("is {text:?}, wanted `http/protobuf` or `http/json`"),
        }),
    }
}

fn millis(variable: &'static str, text: &str) -> Result<Duration, InvalidVariable> {
    match text.parse() {
        Ok(millis @ 1..) => Ok(Duration::from_millis(millis)),
        _ => Err(InvalidVariable { variable, why: format!("is {text:?}, wanted a number of milliseconds") }),
    }
}

/// The values of the headers, `name=value` after commas, each also without the word before it: `Bearer KEY`.
fn secrets(variable: &'static str, text: &str) -> Result<Vec<String>, InvalidVariable> {
    let mut secrets = Vec::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
        };
        let Some((key, value)) = pair.split_once('=').filter(|(key, _)| name(key.trim())) else {
            let why = "has no headers; wanted them as `name=value,name=value`".to_owned();
            return Err(InvalidVariable { variable, why });
        };
        let key = key.to_ascii_lowercase();
        // What else is there may be an everyday word, and those are not hidden.
        if !KEYS.iter().any(|word| key.contains(word)) {
            continue;
        }
        let value = decoded(value.trim());
        secrets.extend(value.split_whitespace().last().map(str::to_owned));
        secrets.push(value);
    }
    Ok(secrets)
}

/// A text in which bytes may be written as `%20`.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        if let Some(found) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            out.push(found);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{InvalidVariable, Protocol, Settings, Signal};

    fn settings(variables: &[(&str, &str)]) -> Result<Option<Settings>, InvalidVariable> {
        of(Signal::Traces, variables)
    }

    fn of(signal: Signal, variables: &[(&str, &str)]) -> Result<Option<Settings>, InvalidVariable> {
        Settings::of(signal, |name| {
            variables.iter().find(|(own, _)| *own == name).map(|(_, text)| (*text).to_owned())
        })
    }

    fn url(variables: &[(&str, &str)]) -> Option<String> {
        settings(variables).expect("the variables fit").map(|settings| settings.url)
    }

    #[test]
    fn nothing_is_exported_unless_it_is_asked_for() {
        assert_eq!(url(&[]), None);
        assert_eq!(url(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]), None);
        assert_eq!(url(&[("OTEL_SERVICE_NAME", "agent")]), None);
        let at = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318");
        assert_eq!(url(&[at, ("OTEL_SDK_DISABLED", "True")]), None);
        assert_eq!(url(&[at, ("OTEL_TRACES_EXPORTER", "none")]), None);
        assert!(url(&[at, ("OTEL_SDK_DISABLED", "false")]).is_some());
    }

    #[test]
    fn the_address_for_all_has_a_path_for_each() {
        let all = |text| url(&[("OTEL_EXPORTER_OTLP_ENDPOINT", text)]);
        assert_eq!(all("http://c:4318").as_deref(), Some("http://c:4318/v1/traces"));
        assert_eq!(all("https://c/otlp/").as_deref(), Some("https://c/otlp/v1/traces"));
        let own = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://d/in"),
        ];
        assert_eq!(url(&own).as_deref(), Some("http://d/in"));
        assert_eq!(all("http://[::1]:4318").as_deref(), Some("http://[::1]:4318/v1/traces"));
        let usual = [("OTEL_TRACES_EXPORTER", "otlp")];
        assert_eq!(url(&usual).as_deref(), Some("http://localhost:4318/v1/traces"));
    }

    #[test]
    fn the_collector_is_shown_without_its_path() {
        let found = settings(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c.example:99/key/in")]);
        assert_eq!(found.expect("it fits").expect("it is asked for").collector(), "c.example:99");
    }

    #[test]
    fn what_is_for_traces_goes_before_what_is_for_all() {
        let found = settings(&[
            ("OTEL_TRACES_EXPORTER", "otlp"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "no"),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "250"),
            (
                "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
                "authorization=Bearer%20k%65y, x-API-Key = two, x-dataset=everyday,",
            ),
        ]);
        let found = found.expect("they fit").expect("it is asked for");
        assert_eq!(found.protocol, Protocol::Json);
        assert_eq!(found.timeout, Duration::from_millis(250));
        assert_eq!(found.secrets, ["key", "Bearer key", "two", "two"]);
    }

    #[test]
    fn metrics_have_variables_of_their_own() {
        let found = of(
            Signal::Metrics,
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
                ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://d/in"),
                ("OTEL_TRACES_EXPORTER", "none"),
                ("OTEL_METRIC_EXPORT_INTERVAL", "500"),
            ],
        );
        let found = found.expect("they fit").expect("it is asked for");
        assert_eq!(found.url, "http://c:4318/v1/metrics");
        assert_eq!(found.interval, Duration::from_millis(500));
        let none = of(
            Signal::Metrics,
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"), ("OTEL_METRICS_EXPORTER", "none")],
        );
        assert_eq!(none, Ok(None));
        let console =
            of(Signal::Metrics, &[("OTEL_METRICS_EXPORTER", "console")]).expect_err("it does not fit");
        assert_eq!(console.variable, "OTEL_METRICS_EXPORTER");
    }

    #[test]
    fn what_does_not_fit_is_named_and_keys_are_not_shown() {
        let rendered = |name, text: &str| {
            let found = settings(&[("OTEL_TRACES_EXPORTER", "otlp"), (name, text)]);
            found.expect_err("it does not fit").to_string()
        };
        let protocol = rendered("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        assert_eq!(
            protocol,
            "OTEL_EXPORTER_OTLP_PROTOCOL is \"grpc\", wanted `http/protobuf` or `http/json`"
        );
        for text in [
            "collector:4318",
            "http://",
            "http://user:secret@c",
            "http://c d",
            "http://?secret",
            "http://c/<secret>",
            "http://{secret}.c",
            "http://[::1/secret",
            "http://c:1:2/secret",
            "http://c:secret",
            "http://c:/secret",
        ] {
            let rendered = rendered("OTEL_EXPORTER_OTLP_ENDPOINT", text);
            assert!(rendered.starts_with("OTEL_EXPORTER_OTLP_ENDPOINT is not an address"), "{rendered}");
            assert!(!rendered.contains("secret"), "{rendered}");
        }
        for text in ["secret", "=secret", "a b=secret", "a=1,secret"] {
            let rendered = rendered("OTEL_EXPORTER_OTLP_HEADERS", text);
            assert_eq!(
                rendered,
                "OTEL_EXPORTER_OTLP_HEADERS has no headers; wanted them as `name=value,name=value`"
            );
        }
        for text in ["0", "-1", "1s"] {
            assert!(
                rendered("OTEL_EXPORTER_OTLP_TIMEOUT", text).ends_with("wanted a number of milliseconds")
            );
        }
        let packed = rendered("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip");
        assert_eq!(
            packed,
            "OTEL_EXPORTER_OTLP_COMPRESSION is \"gzip\", wanted `none`: what is sent is sent as it is"
        );
        let other =
            settings(&[("OTEL_TRACES_EXPORTER", "console")]).expect_err("it does not fit").to_string();
        assert_eq!(other, "OTEL_TRACES_EXPORTER is \"console\", wanted `otlp` or `none`");
    }
}
