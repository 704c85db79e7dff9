//! `oauth` of a server: what is known of this program where people log in.

use toml::de::DeValue;

use super::address::endpoint;
use crate::config::faults::Faults;
use crate::config::fields::{TableFields, article};
use crate::config::models::SECRET_KEYS;
use crate::syntax::{FileKey, KeyForm};
use crate::value::{List, Map, Value};

/// The keys of `oauth`.
pub(super) const KEYS: &[FileKey] = &[
    FileKey::new("client_id", KeyForm::Text, "The id under which somebody registered this client."),
    FileKey::new(
        "client_secret",
        KeyForm::Keys(SECRET_KEYS),
        "The environment variable that holds its secret.",
    ),
    FileKey::new(
        "client_metadata_url",
        KeyForm::Text,
        "The address of a document about this client, which is its id.",
    ),
    FileKey::new("scopes", KeyForm::Texts, "The scopes that are asked for, where the server names none."),
];

/// The client that a person logs in with, where the server does not take one that nobody registered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OauthConfig {
    /// The id under which somebody registered this client.
    pub client_id: Option<String>,
    /// The variable of the environment with its secret.
    pub client_secret: Option<String>,
    /// The address of a document about this client, which is its id.
    pub client_metadata_url: Option<String>,
    /// The scopes that are asked for, where the server names none.
    pub scopes: Vec<String>,
}

impl OauthConfig {
    /// All that is declared of it.
    pub(super) fn declaration(&self) -> Map {
        let Self { client_id, client_secret, client_metadata_url, scopes } = self;
        let mut map = Map::new();
        let texts = [
            ("client_id", client_id),
            ("client_secret", client_secret),
            ("client_metadata_url", client_metadata_url),
        ];
        for (key, text) in texts {
            map.set(key, text.as_deref().map_or(Value::Null, Value::from));
        }
        map.set("scopes", scopes.iter().map(|scope| Value::from(scope.as_str())).collect::<List>());
        map
    }

    /// The declaration in one line; empty where there is none.
    #[must_use]
    pub fn words(&self) -> String {
        let Self { client_id, client_secret, client_metadata_url, scopes } = self;
        let mut words = Vec::new();
        words.extend(client_id.as_ref().map(|id| format!("the client {id:?}")));
        words.extend(client_secret.as_ref().map(|variable| format!("the variable {variable} as its secret")));
        words.extend(client_metadata_url.as_ref().map(|url| format!("the client at {url}")));
        if !scopes.is_empty() {
            words.push(format!("the scopes {}", scopes.join(" ")));
        }
        if words.is_empty() { String::new() } else { format!(", and logs in with {}", words.join(", ")) }
    }
}

pub(super) fn read(fields: &TableFields<'_>, faults: &mut Faults) -> OauthConfig {
    let Some(table) = fields.table("oauth", faults) else { return OauthConfig::default() };
    let own = TableFields::new("`oauth`", KEYS, table);
    let oauth = OauthConfig {
        client_id: own.string("client_id", faults).map(str::to_owned),
        client_secret: secret(&own, faults),
        client_metadata_url: metadata_url(&own, faults),
        scopes: own
            .strings("scopes", faults)
            .unwrap_or_default()
            .into_iter()
            .map(|(scope, _)| scope.to_owned())
            .collect(),
    };
    if oauth.client_secret.is_some() && oauth.client_id.is_none() {
        faults.say(own.place("client_secret"), "a secret belongs to a `client_id`").help("write both");
    }
    own.finish(faults);
    oauth
}

/// The address of the document about this client. It is the client's id, so that whoever answers there decides who that is.
fn metadata_url(fields: &TableFields<'_>, faults: &mut Faults) -> Option<String> {
    let (text, place) = fields.string_at("client_metadata_url", faults)?;
    if text.starts_with("https://") && endpoint(text).is_ok() {
        return Some(text.to_owned());
    }
    faults
        .say(place, "`client_metadata_url` is not an address of https")
        .help("write it like this: client_metadata_url = \"https://example.com/client.json\"");
    None
}

/// `{env = "NAME"}`: a secret never stands in the file.
fn secret(fields: &TableFields<'_>, faults: &mut Faults) -> Option<String> {
    let value = fields.get("client_secret")?;
    let DeValue::Table(table) = value.get_ref() else {
        faults
            .say(value.span(), format!("`client_secret` is {}, wanted a variable", article(value.get_ref())))
            .help("write client_secret = {env = \"NAME\"}: a secret does not belong into a file");
        return None;
    };
    let own = TableFields::new("`client_secret`", SECRET_KEYS, table);
    let variable = own.string("env", faults).map(str::to_owned);
    if variable.is_none() && !own.has("env") {
        faults
            .say(value.span(), "`client_secret` names no variable")
            .help("write client_secret = {env = \"NAME\"}");
    }
    own.finish(faults);
    variable
}

#[cfg(test)]
mod tests {
    use super::OauthConfig;

    #[test]
    fn declarations_that_differ_have_texts_that_differ() {
        let scopes = |all: &[&str]| OauthConfig {
            scopes: all.iter().map(|scope| (*scope).to_owned()).collect(),
            ..OauthConfig::default()
        };
        assert_ne!(scopes(&["a b"]).declaration(), scopes(&["a", "b"]).declaration());
        let url = |url: &str| OauthConfig { client_metadata_url: Some(url.to_owned()), ..scopes(&[]) };
        let other = OauthConfig { client_metadata_url: Some("u".to_owned()), ..scopes(&["s"]) };
        assert_ne!(url("u, the scopes s").declaration(), other.declaration());
    }
}
