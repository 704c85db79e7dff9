//! `[webhooks.NAME]`: programs elsewhere that begin runs of a graph, for `loopwright serve`.

use std::ops::Range;

use serde_json::{Value as Json, json};
use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::{TableFields, article, in_order, words};
use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};
use crate::value::Str;

/// The most webhooks of a file.
const MAX_WEBHOOKS: usize = 64;

/// The words of `scheme`, and whether each is that of Standard Webhooks.
const SCHEMES: [(&str, bool); 2] = [("github", false), ("standard", true)];

/// The keys of a webhook.
const KEYS: &[FileKey] = &[
    FileKey::new("graph", KeyForm::Text, "The name of the graph, as the server lists it.").required(),
    FileKey::new(
        "secret_env",
        KeyForm::Text,
        "The environment variable that holds the secret of the signatures.",
    ),
    FileKey::new("secret_file", KeyForm::Text, "The file that holds the secret of the signatures."),
    FileKey::new(
        "scheme",
        KeyForm::Words(|| words(&SCHEMES)),
        "The parts that a signature covers: as GitHub has it (the default), or as Standard Webhooks.",
    ),
    FileKey::new("signature", KeyForm::Text, "For `github`: the header of the signature."),
    FileKey::new("delivery", KeyForm::Text, "For `github`: the header of the id of a delivery."),
    FileKey::new(
        "inputs",
        KeyForm::Schema(|| by_name(&json!({"type": "string", "pattern": "^(/.*)?$"}))),
        "The inputs, each with the place of its value in the body as a JSON pointer.",
    ),
];

/// The JSON Schema of `[webhooks]`.
pub(super) fn schema() -> Json {
    let mut webhook = keys_schema(KEYS);
    webhook["oneOf"] = json!([{"required": ["secret_env"]}, {"required": ["secret_file"]}]);
    let mut webhooks = by_name(&webhook);
    webhooks["propertyNames"] = json!({"pattern": super::TOOL_NAME});
    webhooks["maxProperties"] = json!(MAX_WEBHOOKS);
    webhooks
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookConfig {
    /// Its name, which its address has.
    pub name: Str,
    /// The name of the graph whose runs it begins.
    pub graph: String,
    /// The place of the secret of its signatures.
    pub secret: SecretPlace,
    /// The parts that a signature covers.
    pub scheme: WebhookScheme,
    /// The inputs, each with the place of its value in the body; none takes the body as the inputs.
    pub inputs: Option<Vec<(Str, String)>>,
}

/// The parts of a delivery that its signature covers, and the headers that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookScheme {
    /// The body alone, as GitHub does it. The id of the delivery is not signed.
    GitHub {
        /// The header of the signature, unless it is `X-Hub-Signature-256`.
        signature: Option<String>,
        /// The header of the id of a delivery, unless it is `X-GitHub-Delivery`.
        delivery: Option<String>,
    },
    /// The id of the delivery, the time and the body, as Standard Webhooks have it.
    Standard,
}

/// The place of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretPlace {
    /// A variable of the environment.
    Variable(String),
    /// A file.
    File(String),
}

/// Reads `[webhooks]`, in the order of the file.
pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> Vec<WebhookConfig> {
    let mut webhooks = Vec::new();
    for (i, (key, value)) in in_order(table).into_iter().enumerate() {
        let name = key.get_ref();
        if i == MAX_WEBHOOKS {
            faults.say(key.span(), format!("there are more than {MAX_WEBHOOKS} webhooks"));
        }
        match value.get_ref() {
            _ if !super::is_tool_name(name) => {
                faults
                    .say(key.span(), format!("`{name}` is not a valid name for a webhook"))
                    .help("a webhook's name has at most 64 letters, digits, `_` and `-`");
            }
            DeValue::Table(table) => webhooks.extend(WebhookConfig::read(name, key.span(), table, faults)),
            other => {
                faults
                    .say(value.span(), format!("found {}, wanted a table", article(other)))
                    .help(format!("write [webhooks.{name}] and `graph` and `secret_env` under it"));
            }
        }
    }
    webhooks
}

impl WebhookConfig {
    fn read(name: &str, place: Range<usize>, table: &DeTable<'_>, faults: &mut Faults) -> Option<Self> {
        let fields = TableFields::new(format!("[webhooks.{name}]"), KEYS, table);
        let graph = fields.string("graph", faults).map(str::to_owned);
        let variable = fields.string("secret_env", faults).map(str::to_owned);
        let file = fields.string("secret_file", faults).map(str::to_owned);
        let scheme = scheme(&fields, faults);
        let inputs = fields.table("inputs", faults).map(|table| places(table, faults));
        if graph.is_none() && !fields.has("graph") && !fields.misspells("graph") {
            faults.say(place.clone(), "this webhook has no `graph`").help("write graph = \"NAME\"");
        }
        let secret = match (variable, file) {
            (Some(variable), None) => Some(SecretPlace::Variable(variable)),
            (None, Some(file)) => Some(SecretPlace::File(file)),
            (found, _) => {
                let is_known =
                    ["secret_env", "secret_file"].iter().any(|key| fields.has(key) || fields.misspells(key));
                if found.is_some() || !is_known {
                    faults
                        .say(place, "this webhook needs one secret")
                        .help("write secret_env = \"VARIABLE\", or secret_file = \"FILE\"");
                }
                None
            }
        };
        fields.finish(faults);
        Some(Self { name: name.into(), graph: graph?, secret: secret?, scheme, inputs })
    }
}

/// `scheme`, and the headers of the one that has no fixed ones.
fn scheme(fields: &TableFields<'_>, faults: &mut Faults) -> WebhookScheme {
    let is_standard = fields.choice("scheme", &SCHEMES, faults);
    let headers = ["signature", "delivery"].map(|key| fields.string_at(key, faults));
    if is_standard != Some(true) {
        let [signature, delivery] = headers.map(|found| found.map(|(name, _)| name.to_ascii_lowercase()));
        return WebhookScheme::GitHub { signature, delivery };
    }
    for (_, place) in headers.into_iter().flatten() {
        faults
            .say(place, "the headers of `scheme = \"standard\"` are `webhook-id`, `webhook-timestamp` and `webhook-signature`")
            .help("remove this line");
    }
    WebhookScheme::Standard
}

/// The inputs with their places in the body.
fn places(table: &DeTable<'_>, faults: &mut Faults) -> Vec<(Str, String)> {
    let mut places = Vec::new();
    for (key, value) in in_order(table) {
        match value.get_ref() {
            DeValue::String(place) if place.is_empty() || place.starts_with('/') => {
                places.push((key.get_ref().as_ref().into(), place.clone().into_owned()));
            }
            _ => {
                faults
                    .say(value.span(), "an input has its place in the body, as a JSON pointer")
                    .help("such as \"/issue/title\"");
            }
        }
    }
    places
}
