//! A stand-in for hosted models, with the four shapes on the wire: one loop on each of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value as Json;

use super::part::Server;
use crate::cli::Desk;
use crate::parts::skip;

/// The version that was tried.
const LOCK: &[u8] = include_bytes!("standin/package-lock.json");

const KEY: &str = "sk-of-nobody";

/// The folder in which `.ci/standin` has installed it. [`None`], with a line that says so, where it is not there and need not
/// be.
pub(super) fn installed() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("standin");
        let why = match fs::read(folder.join("installed")) {
            Ok(lock) if lock == LOCK => return Some(folder),
            Ok(_) => "another version is installed; `.ci/standin` installs the right one",
            Err(_) => "it is not installed; `.ci/standin` installs it",
        };
        skip("no graph is run with the stand-in for hosted models", why);
        None
    };
    FOLDER.get_or_init(find).as_deref()
}

/// Serves answers out of a file.
fn serve(folder: &Path, answers: &Path) -> Server {
    // Node looks for the package beside the program.
    fs::write(folder.join("standin.mjs"), include_str!("../../examples/standin.mjs"))
        .expect("it can be written");
    Server::start(Command::new("node").arg(folder.join("standin.mjs")).arg(answers))
}

/// Each provider with the path below the address of the stand-in, and a model.
const SHAPES: [(&str, &str, &str); 4] = [
    ("openai", "/v1", "gpt-4o-mini"),
    ("anthropic", "/v1", "claude-sonnet-4-5"),
    ("gemini", "/v1beta", "gemini-2.5-flash"),
    ("ollama", "", "llama3.2"),
];

#[test]
fn a_loop_runs_over_each_of_the_four_wire_shapes() {
    let Some(folder) = installed() else { return };
    let answers = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/standin.json");
    let server = serve(folder, &answers);
    let desk = Desk::new();
    for (provider, path, model) in SHAPES {
        let url = format!("{}{path}", server.url);
        let config = format!(
            "[models.decider]\nprovider = \"{provider}\"\nbase_url = \"{url}\"\nmodel = \"{model}\"\n\
             key = {{env = \"STANDIN_KEY\"}}\nmax_tokens = 200\nprice = {{input = \"$1\", output = \"$2\"}}\n"
        );
        desk.write("models.toml", &config);
        desk.trust("models.toml");
        let words = format!("run graphs/mini.yaml --config models.toml --run-id {provider} --format json");
        let ran = desk.run_with(&words, &[("STANDIN_KEY", KEY)]);
        assert_eq!(ran.code, Some(0), "{provider}: {}", ran.transcript());
        let log = desk.run(&format!("log {provider} --format jsonl"));
        let events = log.stdout.lines().map(|line| serde_json::from_str(line).expect("events are JSON"));
        let answers: Vec<Json> = events.filter(|event: &Json| event["type"] == "resolved").collect();
        assert_eq!(answers.len(), 3, "{provider}: {}", log.transcript());
        assert_eq!(answers[1]["result"], 731, "{provider}: the calculator: {}", log.transcript());
        for answer in [&answers[0], &answers[2]] {
            // Where the stand-in counts nothing, our own estimate stands.
            let [read, written] = ["input_tokens", "output_tokens"].map(|key| answer["usage"][key].as_u64());
            assert!(read > Some(10) && written > Some(5), "{provider}: {answer:#}");
        }
        assert!(!log.stdout.contains(KEY), "the key is in the journal");
        let replayed = desk.run(&format!("replay {provider}"));
        assert_eq!(replayed.code, Some(0), "{}", replayed.transcript());
    }
}

#[test]
fn a_conversation_with_tools_runs_over_each_of_the_four_wire_shapes() {
    let Some(folder) = installed() else { return };
    let answers = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/standin/chat.json");
    let server = serve(folder, &answers);
    let desk = Desk::new();
    for (provider, path, model) in SHAPES {
        let url = format!("{}{path}", server.url);
        let builtin = "[builtin]\nread_file = {root = \"graphs/chat/notes\"}\nsearch_files = {root = \"graphs/chat/notes\"}\n";
        let config = format!(
            "{builtin}[models.assistant]\nprovider = \"{provider}\"\nbase_url = \"{url}\"\nmodel = \"{model}\"\n\
             key = {{env = \"STANDIN_KEY\"}}\nmax_tokens = 200\n"
        );
        desk.write("models.toml", &config);
        desk.trust("models.toml");
        let run = format!(
            "run graphs/chat/agent.loop --config models.toml --run-id {provider} --format json --input question=How_many \
             --input offered=[\"read_file\",\"search_files\",\"calculator\"]"
        );
        let mut words: Vec<&str> = run.split(' ').collect();
        let question = words.iter().position(|word| word.starts_with("question=")).expect("it is there");
        words[question] = "question=How many baskets do the apples fill?";
        let ran = desk.run_words(&words, &[("STANDIN_KEY", KEY)]);
        assert_eq!(ran.code, Some(0), "{provider}: {}", ran.transcript());
        let result: Json = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(result["output"]["text"], "The apples fill three baskets.", "{provider}: {result:#}");
        let messages = result["output"]["messages"].as_array().expect("a conversation");
        let told: Vec<&str> = messages.iter().filter_map(|one| one["from"].as_str()).collect();
        let wanted = ["user", "assistant", "tool", "tool", "assistant", "tool", "assistant"];
        assert_eq!(told, wanted, "{provider}: {result:#}");
        let replayed = desk.run(&format!("replay {provider}"));
        assert_eq!(replayed.code, Some(0), "{}", replayed.transcript());
    }
}
