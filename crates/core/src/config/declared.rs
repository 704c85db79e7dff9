//! A declared command as one text, so that a grant can be for just that.

use super::arguments::{Argument, ArgumentPiece};
use super::command::{CommandConfig, ExitCodes, Overflow, PARSES, Stdin};
use crate::program::graph::Delivery;
use crate::value::{List, Map, Str, Value, json};

impl CommandConfig {
    /// All that is declared, in one canonical text: two declarations have the same one only if they say the same. A key
    /// that a later version adds is left out of it while it has its default.
    #[must_use]
    pub fn declaration(&self) -> String {
        let Self {
            name,
            description,
            tags,
            delivery,
            approval,
            probe,
            compensate,
            list,
            schema,
            dashes,
            folder,
            env,
            set_env,
            stdin,
            timeout,
            output_bytes,
            overflow,
            parse,
            ok_exit,
        } = self;
        let texts = |all: &mut dyn Iterator<Item = &str>| Value::List(all.map(Value::from).collect::<List>());
        let or_null = |text: Option<&str>| text.map_or(Value::Null, Value::from);
        let number = |n: u128| Value::from(n.to_string());
        let set: List = set_env.iter().map(|(name, value)| Value::from(vec![name.as_str(), value])).collect();
        let mut map = Map::new();
        map.set("name", name.as_str());
        map.set("description", description.as_str());
        map.set("tags", texts(&mut tags.iter().map(Str::as_str)));
        map.set("delivery", word(&Delivery::ALL, delivery));
        map.set("approval", approval.is_needed());
        approval.put(&mut map);
        map.set("probe", or_null(probe.as_deref()));
        map.set("compensate", or_null(compensate.as_deref()));
        map.set("command", list.iter().map(element).collect::<List>());
        map.set("schema", schema.clone());
        map.set("dashes", *dashes);
        map.set("folder", or_null(folder.as_deref()));
        map.set("env", texts(&mut env.iter().map(String::as_str)));
        map.set("set_env", set);
        map.set("stdin", if *stdin == Stdin::Closed { "closed" } else { "args" });
        map.set("timeout", number(timeout.as_nanos()));
        map.set("output_bytes", number(*output_bytes as u128));
        map.set("overflow", if *overflow == Overflow::Cut { "cut" } else { "fail" });
        map.set("parse", word(&PARSES, parse));
        let codes = match ok_exit {
            ExitCodes::Any => Value::from("any"),
            ExitCodes::These(codes) => {
                codes.iter().map(|code| Value::Int(i64::from(*code))).collect::<List>().into()
            }
        };
        map.set("ok_exit", codes);
        json::canonical(&Value::Map(map))
    }
}

/// The word of the file for a choice.
fn word<T: PartialEq>(words: &[(&'static str, T)], chosen: &T) -> &'static str {
    words.iter().find(|(_, value)| value == chosen).map_or("", |(word, _)| word)
}

/// An element of the command line: texts and the names of arguments cannot be taken for each other.
fn element(argument: &Argument) -> Value {
    let text = |text: &str| Value::from(vec!["text", text]);
    let field = |name: &str| Value::from(vec!["argument", name]);
    match argument {
        Argument::Fixed(fixed) => text(fixed),
        Argument::Whole(name) => field(name),
        Argument::Mixed(pieces) => pieces
            .iter()
            .map(|piece| match piece {
                ArgumentPiece::Text(plain) => text(plain),
                ArgumentPiece::Field(name) => field(name),
            })
            .collect::<List>()
            .into(),
    }
}
