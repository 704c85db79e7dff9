//! `models`: the roles that a configuration serves, its models, and whether they answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::args::Format;
use super::run::mask;
use super::{Exit, limits, screen, trust};
use loopwright_core::app::trust::{Configuration, Wants};
use loopwright_core::app::{TestedEntry, secret, test_models};
use loopwright_core::config::{
    ANY_ROLE, FallbackConfig, ModelConfig, ModelFiles, Price, Reasoning, Throttle,
};
use loopwright_core::source::Sources;
use loopwright_core::value::usd;

/// `models`.
#[derive(Debug, clap::Args)]
pub(super) struct ModelsArgs {
    /// Ask each model for one token, and report what it says. Without it nothing is sent.
    #[arg(long)]
    ask: bool,
    /// The configuration; by default `loopwright.toml` in the working folder.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Allow a configuration with this digest, for this command only.
    #[arg(long, value_name = "DIGEST", value_parser = loopwright_core::app::trust::digest)]
    trust: Vec<String>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

pub(super) fn run(args: &ModelsArgs) -> Exit {
    list(args).unwrap_or_else(|exit| exit)
}

fn list(args: &ModelsArgs) -> Result<Exit, Exit> {
    let found = trust::find_named(args.config.as_deref(), &args.trust, "", &mut Sources::new())?;
    let mask = mask(&found);
    let (configuration, tested) = if args.ask {
        let wants = Wants {
            models: !found.config.models.is_empty(),
            inputs: None,
            tools: BTreeSet::new(),
            hooks: false,
        };
        let allowed = trust::admit(found, &wants)?;
        let tested = limits::runtime(true)?.block_on(test_models(&allowed.config, &mask));
        (allowed, tested.map_err(|error| screen::refuse(&error.to_string()))?)
    } else {
        (found, Vec::new())
    };
    let text = match args.format {
        Format::Human => human(&configuration, &tested),
        Format::Json => screen::json(&document(&configuration, &tested)),
    };
    let failed = tested.iter().any(|entry| entry.fault.is_some());
    Ok(screen::print(&text).worse(if failed { Exit::Findings } else { Exit::Ok }))
}

fn human(configuration: &Configuration, tested: &[TestedEntry]) -> String {
    let config = &configuration.config;
    if config.models.is_empty() {
        return format!(
            "no model is bound: write [models.ROLE], or [models.\"{ANY_ROLE}\"] for every role, in loopwright.toml (see \
             docs/models.md)\n"
        );
    }
    let mut text = String::new();
    let roles: Vec<String> =
        config.roles().filter(|role| *role != ANY_ROLE).map(|role| screen::line(role)).collect();
    let any = config.serves(ANY_ROLE).then(|| "every other role (*)".to_owned());
    let _ = writeln!(text, "roles: {}", roles.into_iter().chain(any).collect::<Vec<_>>().join(", "));
    for list in &config.fallbacks {
        let _ = writeln!(text, "{}", list_line(list));
    }
    for model in &config.models {
        let target = &model.target;
        let _ = writeln!(
            text,
            "{}: {} of {} at {}",
            screen::line(&model.role),
            screen::line(&target.model),
            target.provider.name(),
            screen::line(&target.base_url)
        );
        let _ = writeln!(text, "  key: {}", key_words(model));
        if let Some(reasoning) = target.reasoning {
            let _ = writeln!(text, "  reasoning: {reasoning}");
        }
        if let Some(files) = &model.files {
            let _ = writeln!(text, "  files: below {}", screen::line(&files.root));
        }
        let limits = throttle_words(model.throttle);
        if !limits.is_empty() {
            let _ = writeln!(text, "  limits: {}", limits.join(", "));
        }
        if model.price != Price::default() {
            let prices = model.price.named();
            let prices: Vec<_> =
                prices.map(|(kind, price)| format!("${} {}", dollars(price), price_words(kind))).collect();
            let _ = writeln!(text, "  price of a million tokens: {}", prices.join(", "));
        }
        match tested.iter().find(|entry| entry.entry == model.role) {
            None => {}
            Some(TestedEntry { fault: None, .. }) => text.push_str("  asked: it answers\n"),
            Some(TestedEntry { fault: Some(fault), .. }) => {
                let _ = writeln!(text, "  asked: {}: {}", fault.kind, screen::line(&fault.message));
            }
        }
    }
    text
}

/// `decider: fast, then strong; also on invalid_output`
fn list_line(list: &FallbackConfig) -> String {
    let entries: Vec<_> = list.entries.iter().map(|entry| screen::line(entry)).collect();
    let also_on: Vec<_> = list.also_on.iter().map(|kind| kind.name()).collect();
    let also_on =
        if also_on.is_empty() { String::new() } else { format!("; also on {}", also_on.join(", ")) };
    format!("{}: {}{also_on}", screen::line(&list.role), entries.join(", then "))
}

fn key_words(model: &ModelConfig) -> String {
    match &model.key {
        None => "none".to_owned(),
        Some(variable) if is_set(variable) => format!("{} is set", screen::line(variable)),
        Some(variable) => format!("{} is not set", screen::line(variable)),
    }
}

fn is_set(variable: &str) -> bool {
    secret(variable).is_some()
}

fn throttle_words(throttle: Throttle) -> Vec<String> {
    let Throttle { requests_per_minute, tokens_per_minute, at_once } = throttle;
    let requests = requests_per_minute.map(|count| format!("{count} requests per minute"));
    let tokens = tokens_per_minute.map(|count| format!("{count} tokens per minute"));
    let at_once = at_once.map(|count| format!("{count} at once"));
    [requests, tokens, at_once].into_iter().flatten().collect()
}

/// The words for tokens that have a price.
fn price_words(kind: &str) -> &str {
    match kind {
        "input" => "in",
        "output" => "out",
        "cache_write" => "put into the cache",
        other => other,
    }
}

fn dollars(nanos: u64) -> String {
    usd::text(i64::try_from(nanos).unwrap_or(i64::MAX))
}

fn document(configuration: &Configuration, tested: &[TestedEntry]) -> Json {
    let config = &configuration.config;
    let lists = config.fallbacks.iter().map(|list| {
        let also_on: Vec<_> = list.also_on.iter().map(|kind| kind.name()).collect();
        json!({"role": list.role.as_str(), "use": list.entries, "also_on": also_on})
    });
    let own = config
        .models
        .iter()
        .map(|model| json!({"role": model.role.as_str(), "use": [model.role.as_str()], "also_on": []}));
    let roles: Vec<Json> = lists.chain(own).collect();
    let models: Vec<Json> = config.models.iter().map(|model| model_json(model, tested)).collect();
    let file = configuration.file.as_ref().map(|file| file.path.to_string_lossy());
    json!({"configuration": file, "roles": roles, "models": models})
}

fn model_json(model: &ModelConfig, tested: &[TestedEntry]) -> Json {
    let target = &model.target;
    let Throttle { requests_per_minute, tokens_per_minute, at_once } = model.throttle;
    let mut object = json!({
        "entry": model.role.as_str(),
        "provider": target.provider.name(),
        "model": target.model.as_str(),
        "base_url": target.base_url,
        "key": model.key.as_ref().map(|variable| json!({"env": variable, "set": is_set(variable)})),
        "attempts": model.attempts,
        "limits": {
            "requests_per_minute": requests_per_minute,
            "tokens_per_minute": tokens_per_minute,
            "at_once": at_once,
        },
        "price": (model.price != Price::default())
            .then(|| model.price.named().map(|(kind, price)| (kind, dollars(price))).collect::<BTreeMap<_, _>>()),
    });
    if let Some(ModelFiles { root, max_bytes }) = &model.files {
        object["files"] = json!({"root": root, "max_bytes": max_bytes});
    }
    match target.reasoning {
        Some(Reasoning::Effort(effort)) => object["reasoning"] = effort.name().into(),
        Some(Reasoning::Tokens(tokens)) => object["reasoning"] = tokens.into(),
        None => {}
    }
    if let Some(asked) = tested.iter().find(|entry| entry.entry == model.role) {
        object["asked"] = match &asked.fault {
            None => json!({"ok": true}),
            Some(fault) => {
                json!({"ok": false, "error": {"kind": fault.kind.as_str(), "message": fault.message.as_str()}})
            }
        };
    }
    object
}
