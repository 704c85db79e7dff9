//! Formats for programs: each has a schema in the book, and every field that a command prints is in it.

use std::fs;

use serde_json::{Value as Json, json};

use crate::cli::Desk;
use crate::reference::{FOLDER, root};

#[cfg(feature = "postgres")]
#[path = "scale/postgres/server.rs"]
#[expect(
    dead_code,
    clippy::duplicate_mod,
    reason = "another test has a server, too, and the others need more of it"
)]
mod server;

/// Files for commands that print for programs, beside the shipped graphs.
const FILES: &[(&str, &str)] = &[
    ("wrong.yaml", "graph: wrong\nstart: done\nnodes: {done: {kind: finale}}\n"),
    ("loose.yaml", "graph:   loose\nstart: done\nnodes: {done: {kind: final}}\n"),
    ("gap.yaml", GAP),
    ("stays.yaml", STAYS),
    (
        "gap.wrong.scenarios.yaml",
        "graph: gap.yaml\nscenarios:\n  - {name: no, human: [{node: ask, ok: \"no\"}], expect: {outcome: done}}\n",
    ),
    ("set/loopwright.toml", SET),
    ("set/alike.yaml", ALIKE),
    ("kept/loopwright.toml", KEPT),
    ("kept/list.sh", "exit 0\n"),
    ("kept/notes.yaml", NOTES),
    ("strange/loopwright.toml", "[mcp.notes]\ncommand = [\"python3\", \"notes.py\"]\nenv = [\"HOME\"]\n"),
];

/// A graph with an answer that no edge takes, and a finding that it ignores.
const GAP: &str = "graph: gap
ignore: {unused: It is read elsewhere.}
state: {answer: \"enum(yes, no)?\", idle: int = 0}
start: ask
nodes:
  ask: {kind: human, ask: \"'Go on?'\", options: [yes, no], into: answer, next: [{to: done, when: answer == 'yes'}]}
  done: {kind: final}
";

/// A graph that asks once more where it is cancelled.
const STAYS: &str = "graph: stays
start: ask
nodes:
  ask: {kind: human, ask: \"'Go on?'\", next: [{to: done}, {to: sure, on: error(cancelled)}]}
  sure: {kind: human, ask: \"'Sure?'\", next: done}
  done: {kind: final}
";

/// A configuration with all that commands print of models.
const SET: &str = "[check]
waits-for-ever = \"off\"

[models.first]
provider = \"openai\"
model = \"small\"
base_url = \"http://127.0.0.1:9/v1\"
key = {env = \"NO_KEY_OF_A_TEST\"}
reasoning = \"low\"
requests_per_minute = 60
price = {input = \"$0.15\", output = \"$0.60\", cached = \"$0.01\"}
files = {root = \".\"}

[models.clerk]
use = [\"first\"]
also_on = [\"invalid_output\"]
";

/// A configuration with tools.
const KEPT: &str = "[tools.note]
command = [\"true\", \"{text}\"]
compensate = \"forget\"

[tools.forget]
command = [\"true\", \"{text}\"]

[tools.list]
command = [\"sh\", \"list.sh\"]
";

/// A graph that calls one of them, and then asks a person.
const NOTES: &str = "graph: notes
start: note
nodes:
  note: {kind: tool, tool: note, args: {text: \"'Plums.'\"}, next: [{to: ask}, {to: ask, on: error}, {to: ask, on: unknown}]}
  ask: {kind: human, ask: \"'Go on?'\", next: done}
  done: {kind: final}
output: {text: \"'Plums.'\"}
";

/// A graph with guards that hold at once, and a finding that its configuration switches off.
const ALIKE: &str = "graph: alike
input: {count: int}
start: ask
nodes:
  ask: {kind: human, ask: \"'Go on?'\", next: sort}
  sort: {kind: choice, next: [{to: many, when: count > 3}, {to: some, when: count > 1}, {to: none}]}
  many: {kind: final}
  some: {kind: final}
  none: {kind: final}
";

/// Commands that print for programs, each with the schemas of what it prints. They run in one folder, in this order.
const PRINTED: &[(&str, &str)] = &[
    ("check", "check --format json graphs/mini.yaml"),
    ("check", "check --format json wrong.yaml gap.yaml"),
    ("check", "check --format json --overlaps --flows graphs/tour/sum.yaml set kept"),
    ("render", "render --format json graphs/mini.yaml"),
    ("render", "render --format json --as svg --direction LR graphs/tour/03-composites.yaml"),
    ("diff", "diff --format json graphs/react/v1.yaml graphs/react/v1_code.yaml"),
    ("diff", "diff --format json graphs/mini.yaml wrong.yaml"),
    ("fmt", "fmt --format json --check graphs/mini.yaml loose.yaml wrong.yaml"),
    ("test", "test --format json --coverage graphs/tour"),
    ("test", "test --format json --coverage gap.wrong.scenarios.yaml"),
    ("test", "test --format json --mutants graphs/mini.scenarios.yaml"),
    ("test", "test --format json --mutants gap.wrong.scenarios.yaml"),
    ("test", "test --format json --write gap.yaml"),
    ("test", "test --format json --write --max-states 5 --walks 0 asked.yaml"),
    ("explore", "explore --format json gap.yaml"),
    ("explore", "explore --format json --max-states 20 --walks 3 graphs/tour/04-people.yaml"),
    ("run", "run --format json graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml"),
    ("event", "run --format jsonl graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml"),
    ("run", "run --format json --run-id stuck gap.yaml"),
    ("run", "resume --format json stuck --answer no"),
    ("show", "show --format json stuck"),
    ("run", "run --format json --run-id stays stays.yaml"),
    ("cancel", "cancel --format json stays"),
    (
        "event",
        "run --format jsonl --run-id one graphs/tour/04-people.yaml --input text=Open. --input cooling=0s",
    ),
    ("show", "show --format json one"),
    ("event", "log --format jsonl one"),
    ("event", "resume --format jsonl one --answer publish"),
    ("show", "show --format json one"),
    ("show", "show --format json one --at 0"),
    ("render", "render --format json graphs/tour/04-people.yaml --run one"),
    ("fork", "fork --format json one --at 0 --run-id two"),
    ("fork", "fork --format json one --at 0 --run-id three"),
    ("fork", "fork --format json one --at 0 --run-id four"),
    ("run", "resume --format json two"),
    ("cancel", "cancel --format json two"),
    ("event cancel", "cancel --format jsonl three"),
    ("run", "run --format json --run-id noted --by Ada kept/notes.yaml --grant note --grant forget"),
    ("event", "log --format jsonl noted"),
    ("rollback", "rollback --format json noted --to 0 --yes --keep"),
    ("run", "resume --format json noted --grant note --grant forget"),
    ("rollback", "rollback --format jsonl noted --to 0 --yes --grant forget"),
    ("render", "render --format json --run noted"),
    ("replay", "replay --format json one"),
    ("replay", "replay --format json one --against graphs/tour/04-people.yaml"),
    ("replay", "replay --format json one --against asked.yaml"),
    ("replay", "replay --format json one --against told.yaml"),
    ("trust", "trust --format json set"),
    ("trust", "trust --format json kept"),
    ("trust", "trust --format json strange"),
    ("trust", "trust --format json --list"),
    ("models", "models --format json"),
    ("models", "models --format json --config set/loopwright.toml"),
    ("models", "models --format json --config set/loopwright.toml --ask"),
    ("tools", "tools --format json --config kept/loopwright.toml --grant note kept/notes.yaml"),
    ("tools", "tools --format json --config strange/loopwright.toml graphs/tour/sum.yaml"),
    ("doctor", "doctor --format json --config set/loopwright.toml --online"),
    ("doctor", "doctor --format json --config kept/loopwright.toml"),
    ("doctor", "doctor --format json --config strange/loopwright.toml"),
    ("doctor", "doctor --format json --config wrong.yaml"),
    ("doctor", "doctor --format json --db .loopwright/runs.db"),
    ("runs", "runs --format json"),
    ("purge", "purge --format json --keep 0 --dry-run"),
    ("purge", "purge --format json one"),
    ("trust", "trust --format json --remove set"),
];

/// The same for runs that are left to a worker, which needs a database: `DB`.
const WORKED: &[(&str, &str)] = &[
    (
        "run",
        "run --format json --db DB --run-id a --detach graphs/tour/04-people.yaml --input text=Open. --input cooling=0s",
    ),
    ("work", "work --format json --db DB --until-idle graphs/tour/04-people.yaml"),
    ("run", "resume --format json --db DB a --answer publish --detach"),
    ("work", "work --format json --db DB --until-idle graphs/tour/04-people.yaml"),
    ("runs", "runs --format json --db DB"),
    ("doctor", "doctor --format json --db DB"),
    ("purge", "purge --format json --db DB a"),
];

/// A schema in the book.
struct Schema {
    document: Json,
    validator: jsonschema::Validator,
}

impl Schema {
    fn named(name: &str) -> Self {
        let text = fs::read_to_string(root().join(FOLDER).join(format!("schemas/{name}.json")));
        let document: Json =
            serde_json::from_str(&text.expect("the schema is there")).expect("the schema is JSON");
        let validator = jsonschema::validator_for(&document).expect("it is a schema");
        Self { document, validator }
    }

    /// The faults of a document: places that do not fit, and fields that the schema does not list.
    fn faults(&self, document: &Json) -> Vec<String> {
        let misfits = self.validator.iter_errors(document).map(|fault| fault.to_string());
        misfits.chain(self.unlisted(&[&self.document], document, "")).collect()
    }

    /// The fields that none of the schemas of a part of the document lists, by their paths.
    fn unlisted(&self, schemas: &[&Json], part: &Json, path: &str) -> Vec<String> {
        let all: Vec<&Json> = schemas.iter().flat_map(|schema| self.joined(schema, part)).collect();
        // By `"additionalProperties": true` a schema says that an object has fields which it cannot list: those of an event depend
        // on its type, those of a state on the graph.
        if all.contains(&&Json::Bool(true)) {
            return Vec::new();
        }
        match part {
            Json::Object(fields) => {
                let one = |(name, value): (&String, &Json)| {
                    let own: Vec<&Json> = all.iter().filter_map(|schema| listed(schema, name)).collect();
                    let path = format!("{path}.{name}");
                    if own.is_empty() { vec![path] } else { self.unlisted(&own, value, &path) }
                };
                fields.iter().flat_map(one).collect()
            }
            Json::Array(items) => {
                let own: Vec<&Json> = all.iter().filter_map(|schema| schema.get("items")).collect();
                items.iter().flat_map(|item| self.unlisted(&own, item, &format!("{path}[]"))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A schema with all that it refers to, and those of its branches that a part of the document fits.
    fn joined<'s>(&'s self, schema: &'s Json, part: &Json) -> Vec<&'s Json> {
        let mut all = vec![schema];
        if let Some(name) = schema["$ref"].as_str() {
            let target = self.document.pointer(name.trim_start_matches('#'));
            all.extend(self.joined(target.expect("the reference leads somewhere"), part));
        }
        for branch in ["allOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten() {
            let mut whole = branch.clone();
            whole["$defs"] = self.document.get("$defs").cloned().unwrap_or_else(|| json!({}));
            if jsonschema::is_valid(&whole, part) {
                all.extend(self.joined(branch, part));
            }
        }
        all
    }
}

/// The schema that a schema has for a field of this name.
fn listed<'s>(schema: &'s Json, name: &str) -> Option<&'s Json> {
    schema["properties"].get(name).or_else(|| schema.get("additionalProperties"))
}

/// A row of the table of formats.
struct FormatRow {
    /// The command and the format: `run --format json`.
    name: String,
    prints: String,
    /// The schemas, parted by spaces.
    schemas: String,
}

impl FormatRow {
    fn all() -> Vec<Self> {
        let page = fs::read_to_string(root().join(FOLDER).join("formats.md")).expect("the page is there");
        page.lines().filter_map(Self::read).collect()
    }

    fn read(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ").collect();
        let [name, prints, links] = cells[..] else { return None };
        let schemas = links.split(", ").filter_map(|link| Some(link.strip_prefix('[')?.split_once(']')?.0));
        let schemas = schemas.collect::<Vec<_>>().join(" ");
        Some(Self { name: name.strip_suffix('`')?.to_owned(), prints: prints.to_owned(), schemas })
    }

    fn is_of(&self, command: &str) -> bool {
        command.strip_prefix(&self.name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    /// True if so many documents on so many lines are what the format is said to print.
    fn is_printed(&self, documents: usize, lines: usize) -> bool {
        match self.prints.as_str() {
            "one JSON document" => documents == 1,
            "one JSON object a line" => documents == lines,
            _ => false,
        }
    }
}

/// Holds what commands print against the schemas; `db` is the address of the database, where they need one.
fn hold(desk: &Desk, commands: &[(&str, &str)], db: &str) {
    let rows = FormatRow::all();
    for (names, command) in commands {
        let schemas: Vec<Schema> = names.split(' ').map(Schema::named).collect();
        let ran = desk.run(&command.replace("DB", db));
        let documents: Result<Vec<Json>, _> =
            serde_json::Deserializer::from_str(&ran.stdout).into_iter().collect();
        let documents = documents.unwrap_or_else(|error| panic!("{error}: {}", ran.transcript()));
        assert!(!documents.is_empty(), "nothing is printed: {}", ran.transcript());
        let row = rows.iter().find(|row| row.is_of(command)).expect("the table has the format");
        let many = (documents.len(), ran.stdout.lines().count());
        assert!(row.is_printed(many.0, many.1), "this is not {}: {}", row.prints, ran.transcript());
        for document in &documents {
            let faults: Vec<_> = schemas.iter().map(|schema| schema.faults(document)).collect();
            assert!(faults.iter().any(Vec::is_empty), "{command}: {faults:#?}\n{document:#}");
        }
    }
}

#[test]
fn what_commands_print_for_programs_fits_its_schema() {
    let desk = Desk::new();
    for folder in ["set", "kept", "strange"] {
        fs::create_dir(desk.folder.path().join(folder)).expect("the folder can be made");
    }
    for (name, text) in FILES {
        desk.write(name, text);
    }
    let people = desk.text("graphs/tour/04-people.yaml");
    // A question that has one more answer, and another output.
    desk.write("asked.yaml", &people.replace("publish, change, reject", "publish, change, reject, later"));
    desk.write("told.yaml", &people.replace("  text: draft\n", "  text: \"draft + '!'\"\n"));
    desk.trust("set");
    desk.trust("kept");
    hold(&desk, PRINTED, "");
}

#[cfg(feature = "postgres")]
#[test]
fn what_a_worker_prints_for_programs_fits_its_schema() {
    if !server::is_here() {
        return;
    }
    let server = server::Server::start(&[]);
    hold(&Desk::new(), WORKED, &server.database());
}

#[test]
fn every_format_has_a_schema_that_a_command_is_held_against() {
    let rows = FormatRow::all();
    for row in &rows {
        if row.prints == "JUnit XML" {
            assert_eq!(row.schemas, "", "no schema is for XML");
            continue;
        }
        assert_ne!(row.schemas, "", "`{}` has no schema", row.name);
        let is_held = |(schemas, command): &(&str, &str)| row.is_of(command) && *schemas == row.schemas;
        assert!(PRINTED.iter().chain(WORKED).any(is_held), "no command of `{}` is held against it", row.name);
    }
    assert!(rows.len() > 20, "only {} formats are read", rows.len());
    let folder = fs::read_dir(root().join(FOLDER).join("schemas")).expect("the folder can be listed");
    for entry in folder.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let is_linked = |row: &FormatRow| row.schemas.split(' ').any(|own| format!("{own}.json") == file);
        assert!(rows.iter().any(is_linked), "no format has {file}");
    }
}

#[test]
fn a_schema_notices_what_does_not_fit_and_what_it_does_not_list() {
    let check = Schema::named("check");
    let bare = json!({"findings": [{}], "bounds": [], "ignored": [], "off": []});
    assert!(check.faults(&bare).iter().any(|fault| fault.contains("required")), "{:?}", check.faults(&bare));
    let fork = json!({"run": "b", "of": "a", "step": 0, "more": 1});
    assert_eq!(Schema::named("fork").faults(&fork), [".more"]);
    let list = json!([{"configuration": "a", "digest": "b", "stands": "changed since", "more": 1}]);
    assert_eq!(Schema::named("trust").faults(&list), ["[].more"]);
    let event =
        json!({"v": 1, "seq": 0, "at": "", "frame": 0, "graph": "a", "type": "entered", "node": {"a": 1}});
    assert_eq!(Schema::named("event").faults(&event), [""; 0]);
}
