//! The door: host, origin and token of a request, before anything of it is read.

use axum::extract::Request;
use axum::http::header::{self, AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;

use super::person::{Person, Tokens, missing};
use super::problem::Problem;

/// The headers of every response: no page may frame, sniff or run anything of it, and nothing of another origin is loaded.
const HEADERS: [(HeaderName, &str); 8] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    (header::VARY, "Origin, Cookie, Authorization"),
];

/// The header in which browsers say whether a page of another origin sends a request.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The parameters of an address that may hold a secret. What is in an address is in logs and histories.
const SECRET_PARAMETERS: [&str; 5] = ["token", "access_token", "key", "secret", "authorization"];

/// The addresses by which a server is known, and the tokens that it asks for.
#[derive(Debug)]
pub struct Door {
    tokens: Tokens,
    /// The hosts that requests may name; none where any name may lead here, and TLS and the token keep others out.
    hosts: Option<Vec<String>>,
    /// The origins of its own pages.
    origins: Vec<String>,
    /// The name of its cookie. Cookies of two servers on one host do not replace each other.
    cookie: String,
    /// True if browsers reach it by TLS.
    is_secure: bool,
}

impl Door {
    /// The door of a server whose pages are at these origins, such as `http://127.0.0.1:7788`. With `any_host` requests may name other
    /// hosts as well: it is reached by TLS, and its names are not known.
    #[must_use]
    pub fn new(tokens: Tokens, origins: Vec<String>, any_host: bool, port: u16) -> Self {
        let is_secure = origins.iter().any(|origin| origin.starts_with("https://"));
        let hosts =
            origins.iter().filter_map(|origin| Some(origin.split_once("://")?.1.to_ascii_lowercase()));
        let hosts = (!any_host).then(|| hosts.collect());
        Self { tokens, hosts, origins, cookie: format!("loopwright_{port}"), is_secure }
    }

    /// Looks at a request to what needs a token: whose it is.
    pub(super) fn person(&self, request: &Request) -> Result<Person, Problem> {
        let headers = request.headers();
        if let Some(token) = bearer(headers) {
            return self.tokens.of_token(token).cloned().ok_or_else(missing);
        }
        let person =
            self.cookie(headers).and_then(|value| self.tokens.of_session(value)).ok_or_else(missing)?;
        self.check_origin(request, true)?;
        Ok(person.clone())
    }

    /// Refuses a request to another host, and one with a secret in its address.
    pub(super) fn check(&self, request: &Request) -> Result<(), Problem> {
        let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
        let host = host.map(str::to_ascii_lowercase).unwrap_or_default();
        if self.hosts.as_ref().is_some_and(|hosts| !hosts.contains(&host)) || host.is_empty() {
            let detail =
                "the request names a host that this server is not known by; `--public-origin` names another";
            return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "host", detail));
        }
        let query = request.uri().query().unwrap_or_default();
        let is_secret = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            SECRET_PARAMETERS.contains(&&*name.to_ascii_lowercase()) || self.tokens.of_token(value).is_some()
        };
        if query.split('&').any(is_secret) {
            let detail = "a token in an address is refused: addresses stand in logs and histories; send `Authorization: Bearer TOKEN`";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "token-in-address", detail));
        }
        Ok(())
    }

    /// Refuses a request that a page of another origin sends. What changes something must say where it comes from, if
    /// `needs_origin` is true: it has a cookie, which browsers add by themselves.
    pub(super) fn check_origin(&self, request: &Request, needs_origin: bool) -> Result<(), Problem> {
        let refused = |detail: &str| Err(Problem::new(StatusCode::FORBIDDEN, "origin", detail));
        let headers = request.headers();
        let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
        match headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or_default()) {
            Some(origin) if self.is_own(origin, headers) => {}
            Some(_) => return refused("the request comes from a page of another origin"),
            None if is_safe || !needs_origin => {}
            None => return refused("a request with a cookie says where it comes from: `Origin`"),
        }
        let site = headers.get(FETCH_SITE).map(|site| site.to_str().unwrap_or_default());
        match site {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => refused("the request comes from a page of another site"),
        }
    }

    /// True for an origin of this server. Where any name leads here, it is that which the request names.
    fn is_own(&self, origin: &str, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin))
            || self.hosts.is_none() && origin.eq_ignore_ascii_case(&format!("https://{host}"))
    }

    fn cookie<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie).map(|(_, value)| value)
    }

    /// The person whose token that is.
    pub(super) fn of_token(&self, token: &str) -> Option<&Person> {
        self.tokens.of_token(token)
    }

    /// The header that sets the cookie to a value, or removes it.
    pub(super) fn set_cookie(&self, value: Option<&str>) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let age = if value.is_some() { "" } else { "; Max-Age=0" };
        format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict{secure}{age}",
            self.cookie,
            value.unwrap_or_default()
        )
    }
}

/// The token that a program brings.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Adds the headers of every response. What a handler has set stays.
pub(super) fn guard(response: &mut Response) {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
