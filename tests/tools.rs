//! Tools: what they give, and what holds them in.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopwright::config::{Config, FileToolConfig, FileToolKind};
use loopwright::drive::SystemClock;
use loopwright::machine::{CallId, Outcome};
use loopwright::port::{Claim, ToolHost};
use loopwright::source::FileId;
use loopwright::tool::{Calculator, CommandContext, CommandTool, FileTool, Tool as _, Tools};
use loopwright::value::{Value, json};
use nix::sys::signal::killpg;
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::until::LIMIT;

/// The commands of a configuration, all granted, in a folder of their own.
struct Bench {
    folder: TempDir,
    tools: Tools,
}

impl Bench {
    fn new(config: &str) -> Self {
        Self::with_env(config, |name| std::env::var_os(name))
    }

    fn with_env(config: &str, env: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let surroundings =
            CommandContext { folder: folder.path().to_owned(), env: Arc::new(env), guard: None };
        let config = Config::read(config, FileId(0)).unwrap_or_else(|faults| panic!("{faults:#?}"));
        let tools = config
            .tools
            .into_iter()
            .fold(Tools::new(), |tools, command| tools.with(CommandTool::new(command, surroundings.clone())));
        Self { folder, tools: tools.grant_all() }
    }

    async fn call(&self, tool: &str, args: &str) -> Outcome {
        call(&self.tools, tool, args).await
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

async fn call(tools: &Tools, tool: &str, args: &str) -> Outcome {
    let args = match json::parse_strict(args, json::JsonLimits::default()) {
        Ok(Value::Map(args)) => args,
        other => panic!("arguments: {other:?}"),
    };
    tools.invoke(&CallId("run/node/1".into()), &tool.into(), &args).await
}

/// An answer as canonical JSON, a failure as its kind and message.
fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answer { value, .. } => json::canonical(value),
        Outcome::Failed { kind, message, .. } => format!("{kind}: {message}"),
        Outcome::Unknown { message } => format!("unknown: {message}"),
    }
}

fn details(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Failed { details, .. } => json::canonical(details),
        other => panic!("no failure: {other:?}"),
    }
}

#[tokio::test]
async fn the_calculator_calculates() {
    let tools = Tools::new().with(Calculator::new());
    assert_eq!(shown(&call(&tools, "calculator", r#"{"expression": "1 + 2*3"}"#).await), "7");
    assert_eq!(
        shown(&call(&tools, "calculator", r#"{"expression": "1/0"}"#).await),
        "tool_failed: division by zero"
    );
    let wrong = call(&tools, "calculator", r#"{"expresion": "1"}"#).await;
    assert!(shown(&wrong).starts_with("invalid_args: the arguments do not fit `calculator`: "), "{wrong:?}");
    assert!(details(&wrong).contains("\"faults\":["), "{wrong:?}");
    let unknown = call(&tools, "calculater", "{}").await;
    assert_eq!(shown(&unknown), "unknown_tool: there is no tool `calculater`; did you mean `calculator`?");
}

#[tokio::test]
async fn a_closure_is_a_tool() {
    let schema =
        serde_json::json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let tools = Tools::new().closure("double", &schema, |args| async move {
        let n = args.get("n").and_then(Value::as_int).expect("checked");
        n.checked_mul(2).map(Value::Int).ok_or_else(|| "too large".to_owned())
    });
    assert_eq!(shown(&call(&tools, "double", r#"{"n": 21}"#).await), "42");
    assert_eq!(
        shown(&call(&tools, "double", r#"{"n": 9223372036854775807}"#).await),
        "tool_failed: too large"
    );
    assert!(shown(&call(&tools, "double", r#"{"n": "21"}"#).await).starts_with("invalid_args"));
    assert!(tools.ungranted().is_empty());
}

#[tokio::test]
async fn a_command_needs_a_grant() {
    let config = Config::read(r#"tools.hello.command = ["echo", "hello"]"#, FileId(0)).expect("a good file");
    let tool = CommandTool::new(config.tools[0].clone(), CommandContext::of_process("."));
    let tools = Tools::new().with(tool.clone());
    assert_eq!(tools.ungranted(), ["hello"]);
    assert!(tools.catalogue().is_empty());
    assert_eq!(shown(&call(&tools, "hello", "{}").await), "denied: the tool `hello` was not granted");
    let tools = Tools::new().with(tool).grant("hello");
    assert!(tools.ungranted().is_empty());
    assert_eq!(
        shown(&call(&tools, "hello", "{}").await),
        r#"{"exit_code":0,"stderr":"","stdout":"hello\n"}"#
    );
}

#[tokio::test]
async fn results_come_as_they_are_declared() {
    let bench = Bench::new(
        r#"
        tools.record.command = ["sh", "-c", "echo out; echo err >&2; exit 3"]
        tools.record.ok_exit = [0, 3]
        tools.text = {command = ["printf", "a\\nb\\n"], parse = "text"}
        tools.lines = {command = ["printf", "a\\nb\\n"], parse = "lines"}
        tools.json = {command = ["cat"], parse = "json", stdin = "args", args = {n = "int", of = {type = "string", default = "x"}}}
        tools.nojson = {command = ["echo", "{{\"a\": 1, \"a\": 2}}"], parse = "json"}
        tools.fails = {command = ["sh", "-c", "echo started; echo broken >&2; exit 4"]}
        tools.missing = {command = ["no-such-program-anywhere"]}
        tools.key = {command = ["sh", "-c", "echo $IDEMPOTENCY_KEY"], parse = "text"}
        "#,
    );
    assert_eq!(
        shown(&bench.call("record", "{}").await),
        r#"{"exit_code":3,"stderr":"err\n","stdout":"out\n"}"#
    );
    assert_eq!(shown(&bench.call("text", "{}").await), r#""a\nb""#);
    assert_eq!(shown(&bench.call("lines", "{}").await), r#"["a","b"]"#);
    assert_eq!(shown(&bench.call("json", r#"{"n": 1}"#).await), r#"{"n":1,"of":"x"}"#);
    assert!(
        shown(&bench.call("nojson", "{}").await).starts_with("tool_failed: `nojson` did not print JSON: ")
    );
    let failed = bench.call("fails", "{}").await;
    assert_eq!(shown(&failed), "tool_failed: `fails` exited with 4: broken");
    assert_eq!(details(&failed), r#"{"exit_code":4,"stderr":"broken\n","stdout":"started\n"}"#);
    let missing = shown(&bench.call("missing", "{}").await);
    assert_eq!(missing, "tool_failed: the program `no-such-program-anywhere` was not found in PATH");
    assert_eq!(shown(&bench.call("key", "{}").await), r#""run/node/1""#);
}

#[tokio::test]
async fn output_that_is_no_text_is_said() {
    let bench = Bench::new(
        r#"
        tools.record = {command = ["sh", "-c", "printf 'a\\377b'; printf '\\376\\n' >&2"]}
        tools.text = {command = ["printf", "ab\\377"], parse = "text"}
        tools.lines = {command = ["printf", "ab\\n\\377"], parse = "lines"}
        tools.json = {command = ["printf", "\"\\377\""], parse = "json"}
        tools.bytes = {command = ["printf", "ab\\377\\000"], parse = "bytes"}
        tools.much = {command = ["printf", "12345"], parse = "bytes", output_bytes = 4}
        tools.cut = {command = ["printf", "abcä"], parse = "text", output_bytes = 4}
        tools.fails = {command = ["sh", "-c", "printf 'no \\377\\n' >&2; exit 1"]}
        "#,
    );
    assert_eq!(
        shown(&bench.call("record", "{}").await),
        r#"{"exit_code":0,"stderr":"�\n\n[no UTF-8: 1 bytes, shown as �]","stdout":"a�b\n[no UTF-8: 1 bytes, shown as �]"}"#
    );
    for (tool, at) in [("text", 2), ("lines", 3), ("json", 1)] {
        let failed = bench.call(tool, "{}").await;
        assert_eq!(
            shown(&failed),
            format!(
                "tool_failed: `{tool}` printed bytes that are no UTF-8, the first of them byte {at} of its output (parse = \"bytes\" \
                 gives such output as base64)"
            )
        );
        assert!(details(&failed).contains("[no UTF-8: 1 bytes"), "{failed:?}");
    }
    assert_eq!(shown(&bench.call("bytes", "{}").await), r#""YWL/AA==""#);
    assert_eq!(shown(&bench.call("much", "{}").await), "too_large: `much` printed more than 4 bytes");
    assert_eq!(shown(&bench.call("cut", "{}").await), r#""abc\n[cut off: 2 bytes more]""#);
    assert_eq!(shown(&bench.call("fails", "{}").await), "tool_failed: `fails` exited with 1: no �");
}

#[tokio::test]
async fn exit_codes_can_be_left_to_the_caller() {
    let bench = Bench::new(
        r#"
        tools.any = {command = ["sh", "-c", "echo out; echo err >&2; exit {code}"], args = {code = "int"}, ok_exit = "any"}
        tools.text = {command = ["sh", "-c", "echo out; exit 9"], ok_exit = "any", parse = "text"}
        tools.cut = {command = ["sh", "-c", "printf 1234567890; exit 7"], ok_exit = "any", output_bytes = 4}
        tools.killed = {command = ["sh", "-c", "echo so far; kill -9 $$"], ok_exit = "any"}
        tools.slow = {command = ["sh", "-c", "echo so far; sleep 60"], ok_exit = "any", timeout = "1s", delivery = "pure"}
        tools.missing = {command = ["no-such-program-anywhere"], ok_exit = "any"}
        tools.refused = {command = ["./no-program"], ok_exit = "any"}
        "#,
    );
    for code in [0, 1, 127, 255] {
        assert_eq!(
            shown(&bench.call("any", &format!(r#"{{"code": {code}}}"#)).await),
            format!(r#"{{"exit_code":{code},"stderr":"err\n","stdout":"out\n"}}"#)
        );
    }
    assert_eq!(shown(&bench.call("text", "{}").await), r#""out""#);
    assert_eq!(
        shown(&bench.call("cut", "{}").await),
        r#"{"exit_code":7,"stderr":"","stdout":"1234\n[cut off: 6 bytes more]"}"#
    );
    // What has no exit code fails.
    let killed = bench.call("killed", "{}").await;
    assert!(shown(&killed).starts_with("tool_failed: `killed` was ended: "), "{killed:?}");
    assert_eq!(details(&killed), r#"{"exit_code":null,"stderr":"","stdout":"so far\n"}"#);
    assert!(shown(&bench.call("slow", "{}").await).starts_with("timeout: "));
    assert!(shown(&bench.call("missing", "{}").await).starts_with("tool_failed: "));
    fs::write(bench.path().join("no-program"), "text").expect("a file");
    assert!(shown(&bench.call("refused", "{}").await).starts_with("tool_failed: "));
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let bench = Bench::new(
        r#"
        tools.echo = {command = ["printf", "<%s>", "{text}", "{more}", "x{text}"], args = {text = "string", more = "list<string>?"}, parse = "text"}
        tools.find = {command = ["echo", "{path}"]}
        "#,
    );
    let hostile = r#"{"text": "$(touch owned); `id` | cat > f \"'", "more": ["a b", "*"]}"#;
    assert_eq!(
        shown(&bench.call("echo", hostile).await),
        r#""<$(touch owned); `id` | cat > f \"'><a b><*><x$(touch owned); `id` | cat > f \"'>""#
    );
    assert_eq!(fs::read_dir(bench.path()).expect("the folder").count(), 0);
    assert_eq!(
        shown(&bench.call("find", r#"{"path": "-exec"}"#).await),
        "invalid_args: the arguments do not fit `find`: `path` begins with `-`: the program would read it as an option"
    );
    assert!(shown(&bench.call("find", r#"{"path": "a\u0000b"}"#).await).starts_with("invalid_args"));
    assert!(shown(&bench.call("find", r#"{"path": 5}"#).await).starts_with("invalid_args"));
}

#[tokio::test]
async fn a_command_sees_only_what_it_may() {
    let bench = Bench::with_env(
        r#"
        tools.env = {command = ["env"], env = ["SEEN", "UNSET"], set_env = {FIXED = "1"}, parse = "lines"}
        "#,
        |name| match name {
            "SEEN" => Some("yes".into()),
            "SECRET" => panic!("nobody may ask for this"),
            "PATH" => std::env::var_os("PATH"),
            _ => None,
        },
    );
    let Outcome::Answer { value, .. } = bench.call("env", "{}").await else { panic!("an answer") };
    let mut lines: Vec<_> = value.as_list().expect("lines").iter().filter_map(Value::as_str).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["FIXED=1", "IDEMPOTENCY_KEY=run/node/1", "SEEN=yes"]);
}

/// A command that notes its group of processes and leaves a grandchild behind.
const LEAVES_A_CHILD: &str = "sleep 600 & echo $$ > started";

/// The group of processes of a command that has started.
fn group(folder: &Path) -> Option<Pid> {
    let text = fs::read_to_string(folder.join("started")).ok()?;
    text.trim().parse().ok().map(Pid::from_raw)
}

/// Waits until something holds. The runtime takes in processes that have ended, so it goes on meanwhile.
async fn soon(mut holds: impl FnMut() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until no process of the command that started last is left.
async fn nothing_is_left(folder: &Path) {
    let group = group(folder).expect("the command ran");
    // The next command is to note its own.
    fs::remove_file(folder.join("started")).expect("it is there");
    let gone = soon(|| killpg(group, None).is_err());
    tokio::time::timeout(LIMIT, gone).await.expect("no process outlives its call");
}

#[tokio::test]
async fn time_is_over_for_the_whole_group() {
    let config = format!(
        r#"
        tools.slow = {{command = ["sh", "-c", "{LEAVES_A_CHILD}; echo so far; sleep 600"], timeout = "5s"}}
        tools.deaf = {{command = ["sh", "-c", "trap '' TERM; {LEAVES_A_CHILD}; while true; do sleep 1; done"], timeout = "5s"}}
        "#
    );
    let bench = Bench::new(&config);
    let start = Instant::now();
    let outcome = bench.call("slow", "{}").await;
    assert!(start.elapsed() < Duration::from_mins(1), "a tenth of what it would take: {:?}", start.elapsed());
    assert_eq!(shown(&outcome), "timeout: `slow` did not end within 5s");
    assert_eq!(details(&outcome), r#"{"exit_code":null,"stderr":"","stdout":"so far\n"}"#);
    nothing_is_left(bench.path()).await;

    let start = Instant::now();
    assert!(shown(&bench.call("deaf", "{}").await).starts_with("timeout"));
    // Its limit and two seconds until it is killed, and fifty more.
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    nothing_is_left(bench.path()).await;
}

#[tokio::test]
async fn a_call_given_up_ends_the_whole_group() {
    let bench = Bench::new(&format!(r#"tools.slow.command = ["sh", "-c", "{LEAVES_A_CHILD}; sleep 60"]"#));
    tokio::select! {
        outcome = bench.call("slow", "{}") => panic!("{outcome:?}"),
        () = soon(|| group(bench.path()).is_some()) => {}
    }
    nothing_is_left(bench.path()).await;
}

#[tokio::test]
async fn nothing_outlives_a_command_that_ended() {
    let bench = Bench::new(&format!(
        r#"
        tools.quick.command = ["sh", "-c", "{LEAVES_A_CHILD}"]
        tools.long = {{command = ["sh", "-c", "{LEAVES_A_CHILD}"], timeout = "60s"}}
        "#
    ));
    assert!(shown(&bench.call("quick", "{}").await).contains(r#""exit_code":0"#));
    nothing_is_left(bench.path()).await;
    // It would be a time-out if the call waited for its grandchild.
    assert!(shown(&bench.call("long", "{}").await).contains(r#""exit_code":0"#));
    nothing_is_left(bench.path()).await;
}

#[tokio::test]
async fn output_has_a_limit() {
    let bench = Bench::new(
        r#"
        tools.cut = {command = ["sh", "-c", "printf 1234567890; printf abcdef >&2"], output_bytes = 12}
        tools.one = {command = ["printf", "1234567890"], output_bytes = 4, parse = "text"}
        tools.json = {command = ["printf", "[1, 2, 3]"], output_bytes = 4, parse = "json"}
        tools.endless = {command = ["yes"], output_bytes = 1000, overflow = "fail"}
        "#,
    );
    let Outcome::Answer { value, .. } = bench.call("cut", "{}").await else { panic!("an answer") };
    let text = json::canonical(&value);
    // Which of the streams came first is not known; together they were four bytes too long.
    assert!(text.contains("[cut off: 4 bytes more]"), "{text}");
    assert_eq!(shown(&bench.call("one", "{}").await), r#""1234\n[cut off: 6 bytes more]""#);
    assert_eq!(shown(&bench.call("json", "{}").await), "too_large: `json` printed more than 4 bytes");
    // It ends at once: waiting for the command would be a time-out.
    assert_eq!(
        shown(&bench.call("endless", "{}").await),
        "too_large: `endless` printed more than 1000 bytes"
    );
}

#[tokio::test]
async fn a_program_that_reads_nothing_does_not_hang() {
    let bench = Bench::new(r#"tools.deaf = {command = ["true"], stdin = "args", args = {text = "string"}}"#);
    let args = format!(r#"{{"text": "{}"}}"#, "x".repeat(1 << 20));
    assert!(shown(&bench.call("deaf", &args).await).contains(r#""exit_code":0"#));
}

#[tokio::test]
async fn read_file_stays_inside_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("sub")).expect("folders");
    fs::write(folder.path().join("secret"), "secret").expect("a file");
    fs::write(root.join("sub/a.txt"), "inside").expect("a file");
    fs::write(root.join("bytes"), [0xff, 0xfe]).expect("a file");
    fs::write(root.join("long"), "x".repeat(101)).expect("a file");
    fs::write(root.join("fits"), "x".repeat(100)).expect("a file");
    std::os::unix::fs::symlink("../secret", root.join("link")).expect("a link");
    std::os::unix::fs::symlink("..", root.join("up")).expect("a link");
    std::os::unix::fs::symlink("sub/a.txt", root.join("harmless")).expect("a link");
    nix::unistd::mkfifo(&root.join("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");

    let config = FileToolConfig { max_bytes: 100, ..FileToolConfig::new(FileToolKind::Read, "root") };
    let tools = Tools::new().with(FileTool::new(&config, folder.path()));
    let read = async |path: &str| {
        let args = serde_json::json!({ "path": path }).to_string();
        shown(&call(&tools, "read_file", &args).await)
    };
    assert_eq!(read("sub/a.txt").await, r#""inside""#);
    assert_eq!(read("./sub//a.txt").await, r#""inside""#);
    assert!(read("fits").await.starts_with("\"xxx"));
    let absolute = folder.path().join("secret").display().to_string();
    for path in ["../secret", "sub/../../secret", "/etc/passwd", &absolute, "link", "up/secret", "harmless"] {
        assert!(read(path).await.starts_with("denied: "), "{path}: {}", read(path).await);
    }
    for path in ["missing", "", ".", "sub", "pipe", "bytes", "a\0b", "sub/a.txt/b"] {
        assert!(read(path).await.starts_with("tool_failed: "), "{path}: {}", read(path).await);
    }
    assert_eq!(read("long").await, "too_large: `long` is longer than 100 bytes");
}

/// A driver that was stopped until somebody else had its run writes nothing.
#[tokio::test]
async fn write_file_puts_nothing_in_place_after_the_end_of_a_claim() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.txt"), "old").expect("a file");
    let tool = FileTool::new(&FileToolConfig::new(FileToolKind::Write, "."), folder.path());
    let claim = Claim::endless(Arc::new(SystemClock::new()));
    let args =
        || match json::parse_strict(r#"{"path": "a.txt", "content": "new"}"#, json::JsonLimits::default()) {
            Ok(Value::Map(args)) => args,
            other => panic!("arguments: {other:?}"),
        };
    let id = CallId("run/node/1".into());
    claim.renew(0);
    let late = tool.call_within(&id, args(), &claim).await;
    assert_eq!(shown(&late), "tool_failed: the call was given up");
    assert_eq!(fs::read_to_string(folder.path().join("a.txt")).expect("it is there"), "old");
    claim.renew(i64::MAX);
    assert_eq!(shown(&tool.call_within(&id, args(), &claim).await), r#"{"bytes":3,"path":"a.txt"}"#);
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
}
