//! Lists and paces in `loopwright.toml`: what is read, and what is said of faults.

use std::fmt::Write as _;

use loopwright::program::error::ErrorKind;

use crate::config::{good, read};

const MODELS: &str = "
[models.fast]
provider = \"openai\"
model = \"small\"
requests_per_minute = 60
tokens_per_minute = 100_000
at_once = 4
[models.strong]
provider = \"anthropic\"
model = \"large\"
";

#[test]
fn a_list_names_entries_in_order() {
    let config = good(&format!(
        "[models.decider]\nuse = [\"strong\", \"fast\"]\nalso_on = [\"context_limit\"]\n{MODELS}"
    ));
    let [list] = config.fallbacks.as_slice() else { panic!("{:?}", config.fallbacks) };
    assert_eq!(
        (list.role.as_str(), list.entries.iter().map(loopwright::value::Str::as_str).collect::<Vec<_>>()),
        ("decider", vec!["strong", "fast"])
    );
    let goes_on = ErrorKind::ALL.iter().filter(|kind| list.goes_on_after(**kind)).map(|kind| kind.name());
    assert_eq!(goes_on.collect::<Vec<_>>(), ["context_limit", "rate_limited", "unavailable", "denied"]);
    assert!(config.serves("decider") && config.serves("fast") && !config.serves("other"));
    let pace = config.models[0].throttle;
    assert_eq!(
        (pace.requests_per_minute, pace.tokens_per_minute, pace.at_once),
        (Some(60), Some(100_000), Some(4))
    );
    assert!(config.models[1].throttle.is_free());
}

#[test]
fn any_role_may_be_a_list() {
    let config = good(&format!("[models.\"*\"]\nuse = [\"fast\"]\n{MODELS}"));
    assert!(config.serves("whatever"));
    let config = good("[models.a]\nuse = [\"*\"]\n[models.\"*\"]\nprovider = \"ollama\"\nmodel = \"m\"\n");
    assert_eq!(config.fallbacks[0].entries, ["*"]);
}

/// Every fault is one error at its place.
#[test]
fn faults_of_lists_are_said_once_with_their_places() {
    let faults = [
        ("a name that is not there", "[models.a]\nuse = [\"fast\", \"strnog\"]\n"),
        ("a name that is like nothing", "[models.a]\nuse = [\"elsewhere\"]\n"),
        ("an empty list", "[models.a]\nuse = []\n"),
        ("no list", "[models.a]\nuse = \"fast\"\n"),
        ("a list of numbers", "[models.a]\nuse = [\"fast\", 7]\n"),
        ("twice the same", "[models.a]\nuse = [\"fast\", \"strong\", \"fast\"]\n"),
        ("itself", "[models.a]\nuse = [\"fast\", \"a\"]\n"),
        ("a circle of two", "[models.a]\nuse = [\"b\"]\n[models.b]\nuse = [\"a\"]\n"),
        (
            "a circle of three",
            "[models.a]\nuse = [\"b\"]\n[models.b]\nuse = [\"c\"]\n[models.c]\nuse = [\"a\"]\n",
        ),
        ("a list in a list", "[models.a]\nuse = [\"b\", \"fast\"]\n[models.b]\nuse = [\"strong\"]\n"),
        ("a list that is a model", "[models.a]\nuse = [\"fast\"]\nprovider = \"openai\"\nmodel = \"m\"\n"),
        ("a list with a key of a model", "[models.a]\nuse = [\"fast\"]\nprice = {input = \"$1\"}\n"),
        ("a slip", "[models.a]\nuse = [\"fast\"]\nalso_no = [\"invalid_output\"]\n"),
        ("another kind of error", "[models.a]\nuse = [\"fast\"]\nalso_on = [\"invalid_outptu\"]\n"),
        ("a kind that always counts", "[models.a]\nuse = [\"fast\"]\nalso_on = [\"denied\"]\n"),
        ("too many", &format!("[models.a]\nuse = [{}]\n", "\"fast\", ".repeat(17))),
        ("no requests", "[models.a]\nprovider = \"openai\"\nmodel = \"m\"\nrequests_per_minute = 0\n"),
        ("no tokens", "[models.a]\nprovider = \"openai\"\nmodel = \"m\"\ntokens_per_minute = -1\n"),
        ("a word for a number", "[models.a]\nprovider = \"openai\"\nmodel = \"m\"\nat_once = \"all\"\n"),
        ("a misspelt pace", "[models.a]\nprovider = \"openai\"\nmodel = \"m\"\nrequest_per_minute = 3\n"),
    ];
    let mut said = String::new();
    for (name, text) in faults {
        let found = read(&format!("{text}{MODELS}")).expect_err(name);
        assert_eq!(found.matches(": config-").count(), 1, "{name}: {found}");
        let _ = writeln!(said, "# {name}\n{found}");
    }
    insta::assert_snapshot!(said);
}
