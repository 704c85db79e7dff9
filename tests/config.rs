//! `loopwright.toml`: what is read, and what is said about faults.

use loopwright::config::{Argument, Config, ExitCodes, Overflow, Parse, Source, Stdin};
use loopwright::program::graph::Delivery;
use loopwright::source::Sources;
use loopwright::value::{Value, json};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStringExt as _;

pub(crate) fn read(text: &str) -> Result<Config, String> {
    let mut sources = Sources::new();
    let file = sources.add("loopwright.toml", text);
    let read = Config::read(text, file);
    if read.is_ok() {
        crate::schemas::fits_the_schema_of_configurations(text);
    }
    read.map_err(|faults| {
        let mut said = String::new();
        for fault in faults {
            let (line, column) = sources.line_col(fault.span());
            let _ = writeln!(said, "{line}:{column}: {}: {}", fault.rule, fault.message);
            for help in fault.help {
                let _ = writeln!(said, "    {help}");
            }
        }
        said
    })
}

pub(crate) fn good(text: &str) -> Config {
    read(text).unwrap_or_else(|said| panic!("{said}"))
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(good(""), Config::default());
}

#[test]
fn a_full_file_is_read() {
    let config = good(
        r#"
        [inputs]
        folder = "sample"
        policy = {limits = [1, 2.5, true]}
        rounds = {env = "ROUNDS", default = 8}
        token = {env = "TOKEN"}

        [builtin]
        clock = false
        read_file = {root = "sample", max_bytes = 1000}
        list_files = {root = ".", max_results = 20}
        search_files = {root = "sample", max_results = 5, max_bytes = 10, approval = true}
        write_file = {root = "out"}

        [tools.search]
        description = "Finds lines."
        command = ["grep", "-m{limit}", "--", "{text}", "{files}"]
        args = {text = "string", limit = {type = "integer", default = 5}, files = "list<string>?"}
        tags = ["explore"]
        delivery = "pure"
        approval = true
        folder = "sample"
        env = ["PATH", "LANG"]
        set_env = {MODE = "fast"}
        stdin = "args"
        timeout = "1m30s"
        output_bytes = 0x1000
        overflow = "fail"
        parse = "lines"
        ok_exit = [0, 1]

        [run]
        timeout = "10m"
        at_once = 4
        "#,
    );
    let names: Vec<_> = config.inputs.iter().map(|origin| origin.name.as_str()).collect();
    assert_eq!(names, ["folder", "policy", "rounds", "token"]);
    assert_eq!(
        config.inputs[2].source,
        Source::Env { variable: "ROUNDS".to_owned(), default: Some(Value::Int(8)) }
    );
    assert_eq!(config.inputs[3].source, Source::Env { variable: "TOKEN".to_owned(), default: None });
    assert!(config.builtin.calculator && !config.builtin.clock);
    let tools: Vec<_> = config.builtin.file_tools.iter().collect();
    let [read, list, search, write] = tools.as_slice() else { panic!("four tools over files") };
    assert_eq!((read.tool.name(), read.max_bytes, read.approval.is_needed()), ("read_file", 1000, false));
    assert_eq!((list.tool.name(), list.max_results, list.approval.is_needed()), ("list_files", 20, false));
    assert_eq!((search.max_results, search.max_bytes, search.approval.is_needed()), (5, 10, true));
    assert_eq!((write.tool.name(), &*write.root, write.max_bytes), ("write_file", "out", 256 << 10));
    assert!(write.approval.is_needed(), "a person is asked unless the file says otherwise");
    assert_eq!(config.run.timeout, Some(600_000_000_000));
    assert_eq!(config.run.at_once, 4);

    let [tool] = config.tools.as_slice() else { panic!("one tool") };
    assert_eq!(tool.list[3], Argument::Whole("text".into()));
    assert_eq!((tool.delivery, tool.approval.is_needed()), (Delivery::Pure, true));
    assert_eq!((tool.stdin, tool.overflow, tool.parse), (Stdin::Args, Overflow::Fail, Parse::Lines));
    assert_eq!((tool.timeout.as_secs(), tool.output_bytes), (90, 4096));
    assert_eq!(tool.ok_exit, ExitCodes::These(vec![0, 1]));
    assert_eq!(
        json::canonical(&tool.schema),
        r#"{"additionalProperties":false,"properties":{"files":{"items":{"type":"string"},"type":"array"},"limit":{"default":5,"type":"integer"},"text":{"type":"string"}},"required":["text"],"type":"object"}"#
    );
}

/// The keys of the tools over files, and what is said of wrong ones.
#[test]
fn a_tool_over_files_has_the_limits_that_it_uses() {
    let said = read(
        r#"
[builtin]
read_file = {root = "a", max_results = 1}
list_files = {root = "a", max_bytes = 1}
search_files = {max_results = 0}
write_file = {root = 5, approval = "no", folders = true}
[tools.write_file]
command = ["tee"]
"#,
    );
    insta::assert_snapshot!(said.expect_err("it has faults"));
}

#[test]
fn a_command_alone_is_enough() {
    let config = good(r#"tools.count.command = ["wc", "-l", "--", "{file}"]"#);
    let tool = &config.tools[0];
    assert_eq!(tool.delivery, Delivery::AtMostOnce);
    assert_eq!(tool.env, ["PATH"]);
    assert_eq!(
        json::canonical(&tool.schema),
        r#"{"additionalProperties":false,"properties":{"file":{"type":"string"}},"required":["file"],"type":"object"}"#
    );
}

#[test]
fn exit_codes_are_a_list_or_any() {
    let codes = |text: &str| {
        let mut tools = read(&format!("[tools.a]\ncommand = [\"a\"]\n{text}"))?.tools;
        Ok::<_, String>(tools.remove(0).ok_exit)
    };
    assert_eq!(codes(""), Ok(ExitCodes::These(vec![0])));
    assert_eq!(codes("ok_exit = \"any\""), Ok(ExitCodes::Any));
    assert_eq!(codes("ok_exit = [0, 255]"), Ok(ExitCodes::These(vec![0, 255])));
    for bad in ["[]", "\"all\"", "true", "0", "[-1]", "[\"any\"]"] {
        let said = codes(&format!("ok_exit = {bad}")).expect_err("a fault");
        assert_eq!(said.matches("config-").count(), 1, "{said}");
        assert!(said.contains("3:11: config-value: `ok_exit` is a list of exit codes"), "{said}");
    }
}

#[test]
fn every_fault_is_said_with_place_and_hint() {
    let said = read(
        r#"
[input]
x = 1

[inputs]
when = 2026-01-01
far = {env = "FAR", defualt = 1}

[builtin]
read_file = true
calculator = "yes"

[tools.calculator]
command = ["bc"]

[tools.shell]
command = "rm -rf {path}"

[tools.search]
comand = ["grep"]

[tools.several]
command = ["{program}", "{", "{a b}", "{text}", "{txt}", 5]
delivery = "once"
timeout = "soon"
output_bytes = 0
parse = "jsn"
ok_exit = [0, 300]
env = ["PATH", 1]

[tools.typed]
command = ["x", "{text}", "{lmit}"]
args = {text = "strng", limit = "int"}

[tools.named]
command = ["x", "{lmit}"]
args = {text = "string", limit = "int"}

[tools.schema]
command = ["x"]
schema = {type = "object", properties = {a = {type = "strin"}}}

[tools.remote]
command = ["x"]
schema = {type = "object", "$ref" = "https://example.org/schema.json"}

[tools.both]
command = ["x"]
args = {}
schema = {}

[tools."bad name"]
command = ["x"]

[models.decider]
name = "m"

[models.thinker]
provider = "openia"
model = 4
base_url = "localhost:8080"
key = "sk-secret"
temperature = 7
seed = -1
price = {input = "cheap", outputs = "1"}

[run]
at_once = 0
timeout = 5
"#,
    )
    .expect_err("faults");
    insta::assert_snapshot!(said);
}

#[test]
fn probes_and_undoing_tools_are_looked_at() {
    let good = good(
        r#"
[tools.pay]
command = ["pay", "{to}"]
probe = "paid"
compensate = "refund"

[tools.paid]
command = ["paid", "{to}", "{key}"]
delivery = "pure"
parse = "json"

[tools.refund]
command = ["refund", "{to}", "{result}"]

[tools.read]
command = ["read"]
probe = "calculator"
"#,
    );
    assert_eq!(good.tools[0].probe.as_deref(), Some("paid"));
    assert_eq!(good.tools[0].compensate.as_deref(), Some("refund"));
    let said = read(
        r#"
[builtin]
clock = false

[tools.pay]
command = ["pay", "{to}"]
probe = "payd"
compensate = "pay"

[tools.paid]
command = ["paid", "{account}"]

[tools.one]
command = ["one", "{to}"]
probe = "paid"
compensate = "paid"

[tools.two]
command = ["two"]
probe = "clock"
compensate = 5

[tools.three]
command = ["three"]
probe = "broken"

[tools.broken]
command = 5

[tools.five]
command = ["five"]
probe = "asks"

[tools.asks]
command = ["asks"]
parse = "json"
delivery = "idempotent"
approval = true

[tools.four]
command = ["four"]
schema = {type = "object"}
probe = "four"
compensate = "paid"
"#,
    )
    .expect_err("faults");
    insta::assert_snapshot!(said);
}

#[test]
fn text_that_is_no_toml_is_one_fault_per_place() {
    insta::assert_snapshot!(read("[run]\ntimeout = 10m\nat_once = 1\nat_once = 2\n").expect_err("faults"));
}

#[test]
fn hostile_files_are_refused_quickly() {
    for text in [
        format!("a = {}", "[".repeat(20_000)),
        format!("a = {}", "{a = ".repeat(20_000)),
        format!("{}=1", "a.".repeat(20_000)),
        "x".repeat(5 << 20),
        format!("[inputs]\nx = {}1{}", "[".repeat(70), "]".repeat(70)),
    ] {
        let said = read(&text).expect_err("a fault");
        assert!(said.lines().count() < 20, "{said}");
    }
}

const TYPED: &str = r"
graph: typed
input:
  name: string = 'nobody'
  rounds: int(1..9) = 3
  wait: duration = 1s
  cost: usd = 0.5
  way: enum(left, right) = 'left'
  flag: bool = true
  list: list<int> = []
  rest: any
start: end
nodes:
  end: {kind: final}
";

fn typed() -> std::sync::Arc<loopwright::program::Program> {
    let mut sources = Sources::new();
    let mut files = loopwright::model::Files::new().with("graph.yaml", TYPED);
    loopwright::drive::open(&mut sources, &mut files, "graph.yaml")
        .unwrap_or_else(|found| panic!("{}", loopwright::diag::text::render(&found, &sources, false)))
}

#[test]
fn texts_become_inputs_by_their_type() {
    use loopwright::config::input_of_text;
    let program = typed();
    let read = |name: &str, text: &str| match input_of_text(&program, name, text) {
        Ok(value) => format!("{value:?}"),
        Err(fault) => format!("{fault} ({})", fault.help),
    };
    let good = [
        ("name", "42", "\"42\""),
        ("name", "", "\"\""),
        ("rounds", "5", "5"),
        ("wait", "1m30s", "1m30s"),
        ("cost", "0.25", "$0.25"),
        ("way", "right", "\"right\""),
        ("flag", "false", "false"),
        ("list", "[1, 2]", "[1, 2]"),
        ("rest", "{\"a\": 1}", "{\"a\": 1}"),
        ("rest", "plain", "\"plain\""),
        ("rest", "plain {\"a\": 1}", "\"plain {\\\"a\\\": 1}\""),
        ("rest", "\"[plain]\"", "\"[plain]\""),
    ];
    for (name, text, wanted) in good {
        assert_eq!(read(name, text), wanted, "{name}={text}");
    }
    let deep = "[".repeat(65) + &"]".repeat(65);
    let bad: Vec<String> = [
        ("rest", "{\"a\": 1, \"a\": 2}"),
        ("rest", " [1, 2"),
        ("rest", &deep),
        ("rounds", "10"),
        ("rounds", "many"),
        ("wait", "soon"),
        ("way", "lfet"),
        ("flag", "yes"),
        ("list", "[1, \"a\"]"),
        ("ruonds", "1"),
        ("entirely_else", "1"),
    ]
    .iter()
    .map(|(name, text)| read(name, text))
    .collect();
    insta::assert_snapshot!(bad.join("\n"));
}

#[test]
fn inputs_come_from_the_file_and_the_environment() {
    let program = typed();
    let gather = |text: &str| {
        let mut sources = Sources::new();
        let file = sources.add("loopwright.toml", text);
        let config = Config::read(text, file).expect("a good file");
        let env = |name: &str| match name {
            "ROUNDS" => Some("7".into()),
            "BROKEN" => Some("many".into()),
            "EMPTY" => Some("".into()),
            "DOUBLED" => Some("{\"secret\": 1, \"secret\": 2}".into()),
            "BYTES" => Some(std::ffi::OsString::from_vec(vec![0xff])),
            _ => None,
        };
        let said = |found: &[_]| loopwright::diag::text::render(found, &sources, false);
        match loopwright::config::gather(&config.inputs, &program, &env) {
            Ok(gathered) => {
                let warnings: Vec<_> = gathered.unread.into_iter().map(|unread| unread.warning).collect();
                said(&warnings) + &json::canonical(&Value::Map(gathered.input))
            }
            Err(found) => said(&found),
        }
    };
    assert_eq!(gather("inputs.rounds = {env = \"ROUNDS\", default = 2}"), r#"{"rounds":7}"#);
    assert_eq!(gather("inputs.rounds = {env = \"UNSET\", default = 2}"), r#"{"rounds":2}"#);
    assert_eq!(gather("inputs.rounds = {env = \"UNSET\"}"), "{}");
    assert_eq!(gather("inputs.name = {env = \"EMPTY\"}"), r#"{"name":""}"#);
    // Variables that are set and do not fit: each is said, none shows its text.
    insta::assert_snapshot!(
        "variables_that_do_not_fit",
        gather(
            "[inputs]\nrounds = {env = \"BROKEN\", default = 2}\nlist = {env = \"BROKEN\"}\nway = {env = \"EMPTY\", default = \"right\"}\nname = {env = \"BYTES\"}\nrest = {env = \"DOUBLED\"}\n"
        )
    );
    assert_eq!(
        gather("inputs = {name = \"x\", wait = \"2s\", list = [1]}"),
        r#"{"list":[1],"name":"x","wait":"2s"}"#
    );
    insta::assert_snapshot!(gather(
        "[inputs]\nruonds = 1\nrounds = 99\nwait = 5\nlist = {env = \"UNSET\", default = [\"a\"]}\n"
    ));
}

#[test]
fn the_page_about_the_file_holds_good_files() {
    let page = include_str!("../docs/configuration.md");
    let blocks: Vec<&str> =
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 4, "the page has examples");
    for block in blocks {
        good(block);
    }
}

#[test]
fn the_page_about_the_file_names_every_key() {
    // A misspelt key makes the reader list those it knows; each of them stands on the page.
    let page = include_str!("../docs/configuration.md");
    for table in [
        "",
        "[builtin]\n",
        "[run]\n",
        "[tools.a]\ncommand = [\"a\"]\n",
        "[models.a]\nmodel = \"a\"\nprovider = \"openai\"\n",
    ] {
        let said = read(&format!("{table}zzzzzzzzzzzz = 1\n")).expect_err("a fault");
        let keys = said.rsplit("are: ").next().expect("a list of keys").trim();
        for key in keys.split(", ") {
            assert!(page.contains(&format!("`{key}`")), "`{key}` is missing on the page");
        }
    }
}

#[test]
fn reasoning_is_held_against_what_the_provider_takes() {
    let entry = |provider: &str, more: &str| {
        format!("[models.m]\nprovider = \"{provider}\"\nmodel = \"m\"\n{more}\n")
    };
    for (provider, more) in [
        ("openai", "reasoning = \"low\""),
        ("ollama", "reasoning = \"high\""),
        ("gemini", "reasoning = 1"),
        ("anthropic", "reasoning = \"medium\""),
        ("anthropic", "reasoning = 1024"),
        ("anthropic", "reasoning = 8000\nmax_tokens = 8001"),
    ] {
        assert!(good(&entry(provider, more)).models[0].target.reasoning.is_some(), "{provider} {more}");
    }
    let faults = [
        ("openai", "reasoning = \"hihg\""),
        ("openai", "reasoning = 2048"),
        ("ollama", "reasoning = 2048"),
        ("gemini", "reasoning = 0"),
        ("gemini", "reasoning = -1"),
        ("gemini", "reasoning = true"),
        ("gemini", "reasoning = 99999999999"),
        ("anthropic", "reasoning = 1000"),
        ("anthropic", "reasoning = 4096"),
        ("anthropic", "reasoning = 8000\nmax_tokens = 8000"),
        ("anthropic", "reasoning = \"low\"\ntemperature = 0"),
    ];
    let mut told = String::new();
    for (provider, more) in faults {
        let said = read(&entry(provider, more)).expect_err(more);
        let _ = writeln!(told, "== {provider}: {}\n{said}", more.replace('\n', "; "));
    }
    insta::assert_snapshot!(told);
}
