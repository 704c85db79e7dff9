//! Tools that are called on behalf of others: probes, and tools that undo.

use std::ops::Range;

use toml::de::DeTable;

use super::builtin::Builtin;
use super::command::{CommandConfig, Parse};
use super::faults::Faults;
use crate::diag::{did_you_mean, nearest};
use crate::program::graph::Delivery;
use crate::value::{Str, Value};

/// One tool names another.
struct NamedTool<'a> {
    tool: &'a CommandConfig,
    key: &'static str,
    other: &'a Str,
    place: Range<usize>,
}

/// Checks that the tools named by `probe` and `compensate` are there and can do it.
pub(super) fn check(table: &DeTable<'_>, tools: &[CommandConfig], builtin: &Builtin, faults: &mut Faults) {
    for tool in tools {
        for (key, other) in [("probe", &tool.probe), ("compensate", &tool.compensate)] {
            let Some(other) = other else { continue };
            let place = place(table, &tool.name, key);
            let named = NamedTool { tool, key, other, place };
            if named.is_there(table, builtin, faults)
                && let Some(command) = tools.iter().find(|command| command.name == *other)
            {
                named.can(command, faults);
            }
        }
    }
}

fn place(table: &DeTable<'_>, tool: &str, key: &str) -> Range<usize> {
    let fields = table.get(tool).and_then(|value| value.get_ref().as_table());
    fields.and_then(|fields| fields.get(key)).map_or(0..0, toml::Spanned::span)
}

impl NamedTool<'_> {
    fn is_there(&self, table: &DeTable<'_>, builtin: &Builtin, faults: &mut Faults) -> bool {
        let Self { tool, key, other, .. } = self;
        let what = if *key == "probe" { "tell of" } else { "undo" };
        if tool.name == **other {
            faults
                .say(self.place.clone(), format!("`{other}` cannot {what} its own calls"))
                .help("name another tool here");
            return false;
        }
        if table.contains_key(other.as_str()) || builtin.offers(other) {
            return true;
        }
        let known = table.keys().map(|name| name.get_ref().as_ref());
        let offered: Vec<&str> = Builtin::names().filter(|name| builtin.offers(name)).collect();
        let known = known.chain(offered);
        let near = nearest(other, known.filter(|name| *name != tool.name));
        let help = near.map_or_else(
            || format!("declare it under [tools.{other}]"),
            |near| did_you_mean(&format!("\"{near}\"")),
        );
        faults.say(self.place.clone(), format!("there is no tool `{other}`")).help(help);
        false
    }

    /// Returns true if the other tool, a command, can be called so.
    fn can(&self, other: &CommandConfig, faults: &mut Faults) {
        let place = || self.place.clone();
        let name = &other.name;
        let more: &[&str] = if self.key == "probe" { &["key"] } else { &["key", "result"] };
        if let Some(missing) = lacking(&self.tool.schema, &other.schema, more) {
            let more = more.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
            faults
                .say(place(), format!("`{name}` requires an argument `{missing}` that `{}` does not have", self.tool.name))
                .help(format!("it gets the arguments of the call that it declares, too, and {more}; give `{missing}` a default, or make it optional"));
        }
        if self.key != "probe" {
            return;
        }
        if other.approval.is_needed() {
            faults
                .say(
                    place(),
                    format!("`{name}` requires an approval for each call, but a probe is called without one"),
                )
                .help(format!("remove `approval` under [tools.{name}]"));
        }
        if other.delivery == Delivery::AtMostOnce {
            faults
                .say(
                    place(),
                    format!(
                        "`{name}` may be called at most once, but a probe is repeated as often as necessary"
                    ),
                )
                .help(format!("write delivery = \"pure\" under [tools.{name}] if it changes nothing"));
        }
        if other.parse != Parse::Json {
            faults
                .say(place(), format!("`{name}` cannot answer as a probe: what it prints is not read as JSON"))
                .help(format!(
                    "write parse = \"json\" under [tools.{name}], and let it print {{\"happened\": true, \"result\": …}} or {{\"happened\": false}}"
                ));
        }
    }
}

/// An argument that a tool must be given and that nobody has for it. Where the arguments of the call may be any, none is
/// missing for sure.
fn lacking<'o>(own: &Value, other: &'o Value, more: &[&str]) -> Option<&'o str> {
    let own = own.as_map()?;
    let closed = own.get("additionalProperties") == Some(&Value::Bool(false));
    let has = own.get("properties").and_then(Value::as_map);
    let required = other.as_map()?.get("required").and_then(Value::as_list)?;
    let given = |name: &str| has.is_some_and(|has| has.contains_key(name)) || more.contains(&name);
    required.iter().filter_map(Value::as_str).find(|name| closed && !given(name))
}
