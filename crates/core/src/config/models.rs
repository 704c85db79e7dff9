//! `[models.ROLE]`: which model serves a role.

use std::time::Duration;

use serde_json::{Value as Json, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::address::address;
use super::fallback::{self, FallbackConfig};
use super::faults::Faults;
use super::fields::{TableFields, article, in_order, words};
use super::reasoning::{self, REASONING};
use super::throttle::{self, Throttle};
use crate::machine::Usage;
use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};
use crate::value::{Str, usd};
use crate::wire::{ModelTarget, Provider, Structured};

/// The role in the configuration that stands for every role that is not named.
pub const ANY_ROLE: &str = "*";

/// The time the next byte of a reply is waited for unless a model says otherwise.
const SILENCE: Duration = Duration::from_mins(5);

/// The number of attempts for a call, where nothing of a reply was seen, unless a model says otherwise.
const DEFAULT_ATTEMPTS: usize = 3;

/// The longest reply unless a model says otherwise, in bytes.
const REPLY_BYTES: usize = 1 << 20;

/// The longest file in a message unless a model says otherwise, in bytes.
const FILE_BYTES: usize = 5 << 20;

/// The keys of an entry that is a model.
const MODEL_KEYS: &[FileKey] = &[
    FileKey::new(
        "provider",
        KeyForm::Words(|| Provider::all().map(Provider::name).collect()),
        "The protocol of the provider; `openai` is also that of llama.cpp, vLLM and many others.",
    )
    .required(),
    FileKey::new("model", KeyForm::Text, "The provider's name of the model.").required(),
    FileKey::new("base_url", KeyForm::Text, "The address of the server; default: the provider's own."),
    FileKey::new("key", KeyForm::Keys(SECRET_KEYS), "The environment variable that holds the key."),
    FileKey::new("temperature", KeyForm::Number(0.0, 2.0), "The temperature; default: the provider's own."),
    FileKey::new("seed", KeyForm::Count(0, u32::MAX as usize), "The seed of the model's random numbers."),
    FileKey::new(
        "max_tokens",
        KeyForm::Count(1, 10_000_000),
        "The most tokens of an answer; one that is cut off there is `invalid_output`.",
    ),
    FileKey::new(
        "structured",
        KeyForm::Words(|| words(&Structured::ALL)),
        "The way in which a typed answer is requested.",
    ),
    REASONING,
    FileKey::new("silence", KeyForm::Duration, "The longest wait for the next byte of a reply; default 5m."),
    FileKey::new(
        "attempts",
        KeyForm::Count(1, 10),
        "The number of attempts of one call, as long as no part of a reply arrived; default 3.",
    ),
    FileKey::new("max_reply", KeyForm::Count(1024, 64 << 20), "The longest reply in bytes; default 1 MiB."),
    FileKey::new("price", KeyForm::Keys(PRICE_KEYS), "The cost of a million tokens of each kind."),
    throttle::KEYS[0],
    throttle::KEYS[1],
    throttle::KEYS[2],
    FileKey::new("files", KeyForm::Keys(FILES_KEYS), "The files that messages may carry to this model."),
];

/// The keys of a table that names the place of a secret.
pub(super) const SECRET_KEYS: &[FileKey] =
    &[FileKey::new("env", KeyForm::Text, "The name of the environment variable.").required()];

/// The keys of `price`.
const PRICE_KEYS: &[FileKey] = &[
    FileKey::new("input", KeyForm::Text, "Dollars for a million tokens that are read, such as `\"$0.15\"`."),
    FileKey::new("output", KeyForm::Text, "Dollars for a million tokens that are written."),
    FileKey::new(
        "cached",
        KeyForm::Text,
        "Dollars for a million tokens out of the provider's cache; default: as `input`.",
    ),
    FileKey::new(
        "cache_write",
        KeyForm::Text,
        "Dollars for a million tokens put into the provider's cache; default: as `input`.",
    ),
    FileKey::new(
        "reasoning",
        KeyForm::Text,
        "Dollars for a million tokens of reasoning; default: as `output`.",
    ),
];

/// The keys of `files`.
const FILES_KEYS: &[FileKey] = &[
    FileKey::new("root", KeyForm::Text, "The folder of the files, relative to this file.").required(),
    FileKey::new("max_bytes", KeyForm::Count(1, 32 << 20), "The longest file in bytes; default 5 MiB."),
];

/// The JSON Schema of `[models]`.
pub(super) fn schema() -> Json {
    by_name(&json!({"anyOf": [keys_schema(MODEL_KEYS), fallback::schema()]}))
}

/// A model that serves a role.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelConfig {
    /// The role; `*` is every role that is not named.
    pub role: Str,
    /// The model.
    pub target: ModelTarget,
    /// The variable of the operator's environment that holds the key.
    pub key: Option<String>,
    /// The longest wait for the next byte of a reply.
    pub silence: Duration,
    /// Tries of one call, as long as nothing of a reply was seen.
    pub attempts: usize,
    /// The longest reply, in bytes.
    pub max_reply: usize,
    /// The price of tokens.
    pub price: Price,
    /// The pace at which it is asked.
    pub throttle: Throttle,
    /// The files that messages may carry to it.
    pub files: Option<ModelFiles>,
}

/// The files that messages may carry to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFiles {
    /// The folder in which they lie, from that of the configuration.
    pub root: String,
    /// The longest file, in bytes.
    pub max_bytes: usize,
}

/// The price of a million tokens, in billionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Price {
    /// Tokens read.
    pub input: u64,
    /// Tokens read out of the provider's cache.
    pub cached: u64,
    /// Tokens read that the provider put into its cache.
    pub cache_write: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens written that are reasoning.
    pub reasoning: u64,
}

impl Price {
    /// The price of tokens read and of tokens written. Kinds of their own cost what these do.
    #[must_use]
    pub const fn flat(input: u64, output: u64) -> Self {
        Self { input, cached: input, cache_write: input, output, reasoning: output }
    }

    /// The cost of tokens, in billionths of a dollar, rounded up. The cost that they have already does not count.
    #[must_use]
    pub fn of(self, usage: Usage) -> u64 {
        let Usage {
            input_tokens,
            cached_tokens,
            cache_write_tokens,
            output_tokens,
            reasoning_tokens,
            cost: _,
        } = usage;
        let fresh = input_tokens.saturating_sub(cached_tokens).saturating_sub(cache_write_tokens);
        let parts = [
            (self.input, fresh),
            (self.cached, cached_tokens),
            (self.cache_write, cache_write_tokens),
            (self.output, output_tokens.saturating_sub(reasoning_tokens)),
            (self.reasoning, reasoning_tokens),
        ];
        let cost = parts.into_iter().map(|(price, tokens)| u128::from(price) * u128::from(tokens));
        let cost = cost.fold(0, u128::saturating_add).div_ceil(1_000_000);
        u64::try_from(cost).unwrap_or(u64::MAX)
    }

    /// The prices with their names. Of kinds of their own, those that do not cost what the others do.
    pub fn named(self) -> impl Iterator<Item = (&'static str, u64)> {
        let own = |name, price, usual| (price != usual).then_some((name, price));
        [
            Some(("input", self.input)),
            own("cached", self.cached, self.input),
            own("cache_write", self.cache_write, self.input),
            Some(("output", self.output)),
            own("reasoning", self.reasoning, self.output),
        ]
        .into_iter()
        .flatten()
    }
}

/// Reads `[models]`, in the order of the file: models, and lists of them.
pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> (Vec<ModelConfig>, Vec<FallbackConfig>) {
    let (mut models, mut lists) = (Vec::new(), Vec::new());
    for (key, value) in in_order(table) {
        let role = key.get_ref();
        match value.get_ref() {
            DeValue::Table(table) if fallback::is_list(table) => {
                lists.extend(fallback::read(role, table, faults));
            }
            DeValue::Table(table) => models.extend(ModelConfig::read(role, key.span(), table, faults)),
            other => {
                faults.say(value.span(), format!("found {}, wanted a table", article(other))).help(format!(
                    "write [models.{role}] and `provider` and `model` under it; [models.\"{ANY_ROLE}\"] serves every \
                     role that is not named"
                ));
            }
        }
    }
    fallback::check(table, faults);
    (models, lists)
}

impl ModelConfig {
    fn read(
        role: &str,
        place: std::ops::Range<usize>,
        table: &DeTable<'_>,
        faults: &mut Faults,
    ) -> Option<Self> {
        let fields = TableFields::new(format!("[models.{role}]"), MODEL_KEYS, table);
        let providers: Vec<_> = Provider::all().map(|provider| (provider.name(), provider)).collect();
        let provider = fields.choice("provider", &providers, faults);
        let model = fields.string("model", faults);
        for (key, found) in
            [("provider", table.contains_key("provider")), ("model", table.contains_key("model"))]
        {
            if !found {
                faults.say(place.clone(), format!("[models.{role}] has no `{key}`"));
            }
        }
        let base_url = base_url(&fields, provider, faults);
        let key = key(role, &fields, faults);
        let temperature = fields.number("temperature", faults);
        let seed = fields.count("seed", faults).and_then(|n| i64::try_from(n).ok());
        let max_tokens = fields.count("max_tokens", faults).and_then(|n| u32::try_from(n).ok());
        let structured = fields.choice("structured", &Structured::ALL, faults);
        let reasoning = reasoning::read(&fields, faults);
        let silence = fields.duration("silence", faults).and_then(|n| u64::try_from(n).ok());
        let attempts = fields.count("attempts", faults);
        let max_reply = fields.count("max_reply", faults);
        let price = fields.table("price", faults).map(|table| price(role, table, faults));
        let throttle = Throttle::read(&fields, faults);
        let files = fields.get("files").and_then(|value| ModelFiles::read(role, value, faults));
        let reasoning_place = fields.place("reasoning");
        fields.finish(faults);
        let target = ModelTarget {
            provider: provider?,
            base_url,
            model: model?.into(),
            temperature,
            seed,
            max_tokens,
            reasoning,
            structured: structured.unwrap_or(Structured::Schema),
        };
        reasoning::check(&target, reasoning_place, faults);
        Some(Self {
            role: role.into(),
            target,
            key,
            silence: silence.map_or(SILENCE, Duration::from_nanos),
            attempts: attempts.unwrap_or(DEFAULT_ATTEMPTS),
            max_reply: max_reply.unwrap_or(REPLY_BYTES),
            price: price.unwrap_or_default(),
            throttle,
            files,
        })
    }
}

impl ModelFiles {
    fn read(role: &str, value: &Spanned<DeValue<'_>>, faults: &mut Faults) -> Option<Self> {
        let cure = "write it like this: files = {root = \"folder\"}; no file outside that folder is sent";
        let DeValue::Table(table) = value.get_ref() else {
            let found = format!("`files` is {}, wanted the folder of the files", article(value.get_ref()));
            faults.say(value.span(), found).help(cure);
            return None;
        };
        let fields = TableFields::new(format!("`files` of [models.{role}]"), FILES_KEYS, table);
        let root = fields.string("root", faults);
        let max_bytes = fields.count("max_bytes", faults);
        fields.finish(faults);
        if !table.contains_key("root") {
            faults.say(value.span(), "`files` has no `root`").help(cure);
        }
        Some(Self { root: root?.to_owned(), max_bytes: max_bytes.unwrap_or(FILE_BYTES) })
    }
}

fn base_url(fields: &TableFields<'_>, provider: Option<Provider>, faults: &mut Faults) -> String {
    let home = provider.map(Provider::home).unwrap_or_default();
    let Some((url, place)) = fields.string_at("base_url", faults) else { return home.to_owned() };
    address(url).unwrap_or_else(|cure| {
        faults.say(place, format!("`base_url` is {url:?}, wanted the address of a provider")).help(cure);
        url.to_owned()
    })
}

/// `key = {env = "NAME"}`. The file must not contain a key itself.
fn key(role: &str, fields: &TableFields<'_>, faults: &mut Faults) -> Option<String> {
    let value = fields.get("key")?;
    let DeValue::Table(table) = value.get_ref() else {
        // What was found is not shown: it may be a key.
        faults
            .say(value.span(), "`key` names the environment variable with the key")
            .help("write it like this: key = {env = \"OPENAI_API_KEY\"}; this file contains no key");
        return None;
    };
    let own = TableFields::new(format!("`key` of [models.{role}]"), SECRET_KEYS, table);
    let variable = own.string("env", faults);
    if !table.contains_key("env") {
        faults
            .say(value.span(), "`key` has no `env`")
            .help("write it like this: key = {env = \"OPENAI_API_KEY\"}");
    }
    own.finish(faults);
    variable.map(str::to_owned)
}

fn price(role: &str, table: &DeTable<'_>, faults: &mut Faults) -> Price {
    let fields = TableFields::new(format!("`price` of [models.{role}]"), PRICE_KEYS, table);
    let amount = |key, faults: &mut Faults| dollars(key, "dollars for a million tokens", &fields, faults);
    let (input, output) = (amount("input", faults), amount("output", faults));
    let usual = Price::flat(input.unwrap_or_default(), output.unwrap_or_default());
    let price = Price {
        cached: amount("cached", faults).unwrap_or(usual.cached),
        cache_write: amount("cache_write", faults).unwrap_or(usual.cache_write),
        reasoning: amount("reasoning", faults).unwrap_or(usual.reasoning),
        ..usual
    };
    fields.finish(faults);
    price
}

/// An amount of dollars, in billionths.
pub(super) fn dollars(
    key: &'static str,
    wanted: &str,
    fields: &TableFields<'_>,
    faults: &mut Faults,
) -> Option<u64> {
    let (text, place) = fields.string_at(key, faults)?;
    let nanos = usd::parse(text.strip_prefix('$').unwrap_or(text)).ok();
    let amount = nanos.and_then(|nanos| u64::try_from(nanos).ok());
    if amount.is_none() {
        faults
            .say(place, format!("`{key}` is {text:?}, wanted {wanted}"))
            .help(format!("write it like this: {key} = \"$0.15\""));
    }
    amount
}
