//! `[limits]` in `loopwright.toml`: what is read, and what is said of faults.

use std::fmt::Write as _;

use crate::config::{good, read};

const REST: &str = "[tools.search]\ncommand = [\"grep\"]\n[models.fast]\nprovider = \"ollama\"\nmodel = \"m\"\n[models.decider]\nuse = [\"fast\"]\n";

#[test]
fn limits_are_read() {
    let config = good(&format!(
        "[limits.tools]\nsearch = {{calls = 20, per_minute = 5}}\ncalculator = {{calls = 0}}\n\
         [limits.models.fast]\ncalls = 100\nper_minute = 30\ncost = \"$1.5\"\n{REST}"
    ));
    let search = config.limits.of_tool("search").expect("a limit");
    assert_eq!((search.calls, search.per_minute, search.cost), (Some(20), Some(5), None));
    assert_eq!(config.limits.of_tool("calculator").and_then(|limit| limit.calls), Some(0));
    let fast = config.limits.of_model("fast").expect("a limit");
    assert_eq!((fast.calls, fast.per_minute, fast.cost), (Some(100), Some(30), Some(1_500_000_000)));
    assert!(config.limits.of_model("other").is_none() && config.limits.of_tool("clock").is_none());
}

#[test]
fn faults_of_limits_are_said_once_with_their_places() {
    let mut said = String::new();
    for (name, text) in [
        ("no such tool", "[limits.tools.serch]\ncalls = 1\n"),
        ("no such model", "[limits.models.fats]\ncalls = 1\n"),
        ("a list", "[limits.models.decider]\ncalls = 1\n"),
        ("a tool that is off", "[builtin]\ncalculator = false\n[limits.tools.calculator]\ncalls = 1\n"),
        ("no table", "[limits.tools]\nsearch = 5\n"),
        ("another part", "[limits.graphs.a]\ncalls = 1\n"),
        ("a negative number", "[limits.tools.search]\ncalls = -1\n"),
        ("none a minute", "[limits.tools.search]\nper_minute = 0\n"),
        ("a cost of a tool", "[limits.tools.search]\ncost = \"$1\"\n"),
        ("a number for a cost", "[limits.models.fast]\ncost = 1\n"),
        ("another currency", "[limits.models.fast]\ncost = \"1 EUR\"\n"),
        ("a slip", "[limits.models.fast]\nper_minut = 1\n"),
    ] {
        let found = read(&format!("{text}{REST}")).expect_err(name);
        assert_eq!(found.matches(": config-").count(), 1, "{name}: {found}");
        let _ = writeln!(said, "# {name}\n{found}");
    }
    insta::assert_snapshot!(said);
}
