//! The book: its printed tables are those of this program, and what it lacks is said by name.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::cli::copy;

pub(crate) const FOLDER: &str = "docs/reference";

/// The most tokens of the skill, as the function `tokens` counts them.
const MAX_SKILL_TOKENS: i64 = 14_000;

fn reference(flag: &str, folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    command.args(["reference", flag]).arg(folder).output().expect("the program runs")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_book_has_what_the_program_prints() {
    let folder = root().join(FOLDER);
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        assert!(reference("--into", &folder).status.success());
    }
    let checked = reference("--check", &folder);
    assert!(checked.status.success(), "run `loopwright reference --into {FOLDER}`:\n{}", printed(&checked));
}

#[test]
fn pages_that_are_not_there_are_written_whole() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    assert!(reference("--into", folder.path()).status.success());
    let checked = reference("--check", folder.path());
    assert!(checked.status.success(), "{}", printed(&checked));
    let page = fs::read_to_string(folder.path().join("exit-codes.md")).expect("the page is there");
    assert!(page.starts_with("# Exit codes\n"), "{page}");
    let again = printed(&reference("--into", folder.path()));
    assert_eq!(again, "nothing to write: all pages are as this program prints them\n");
}

/// Lines that are taken out of a page, each with what `--check` then says.
const MISSING: &[(&str, &str, &str)] = &[
    ("functions.md", "| `string.trim(): string` |", "the function `trim` is missing"),
    ("functions.md", "| `visits(node): int` |", "the question to the run `visits` is missing"),
    ("functions.md", "| `xs.filter(x, test): list` |", "the macro `filter` is missing"),
    ("language/keys.md", "<!-- reference: kind-wait -->", "the kind `wait` is missing"),
    ("language/keys.md", "| `delay` |", "the key `delay` of the kind `wait` is missing"),
    ("language/keys.md", "| `grace` |", "the key `grace` is missing"),
    ("rules.md", "| [maybe-null]", "the rule `maybe-null` is missing"),
    ("language/errors.md", "| `rate_limited` |", "the error kind `rate_limited` is missing"),
    ("language/edges.md", "| `error(class)` |", "the trigger `error(class)` is missing"),
    ("language/expressions.md", "| `outcome` |", "the name `outcome` is missing"),
    ("language/budgets.md", "| `tool.calls` |", "the charge `tool.calls` is missing"),
    ("language/texts.md", "| `tojson` |", "the filter `tojson` is missing"),
    ("command-line.md", "| `--strict` |", "the argument `--strict` of the command `check` is missing"),
    ("command-line.md", "<!-- reference: command-doctor -->", "the command `doctor` is missing"),
    ("exit-codes.md", "| `3` |", "the exit code `3` is missing"),
    ("skill.md", "  `parse_json(string): any`", "the function `parse_json` is missing"),
    ("formats.md", "| `run --format json` |", "the format `run --format json` is missing"),
];

#[test]
fn one_of_each_that_is_taken_out_is_named() {
    for (page, start, wanted) in MISSING {
        let folder = tempfile::tempdir().expect("a folder can be made");
        copy(&root().join(FOLDER), folder.path());
        let path = folder.path().join(page);
        let text = fs::read_to_string(&path).expect("the page is there");
        let rest: String =
            text.lines().filter(|line| !line.starts_with(start)).flat_map(|line| [line, "\n"]).collect();
        assert!(rest.len() < text.len(), "{page} has no line `{start}`");
        fs::write(&path, rest).expect("the page can be written");
        let checked = reference("--check", folder.path());
        assert_eq!(checked.status.code(), Some(1));
        let lines = printed(&checked);
        assert!(lines.lines().any(|line| line.ends_with(&format!("{page}: {wanted}"))), "{wanted}:\n{lines}");
        assert!(lines.lines().count() <= 2, "{lines}");
    }
}

#[test]
fn a_changed_row_and_a_part_of_nothing_are_named() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&root().join(FOLDER), folder.path());
    let path = folder.path().join("exit-codes.md");
    let text = fs::read_to_string(&path).expect("the page is there");
    let changed =
        text.replacen("| `0` |", "| `0` | or so", 1) + "<!-- reference: nothing -->\n<!-- /reference -->\n";
    fs::write(&path, changed).expect("the page can be written");
    let lines = printed(&reference("--check", folder.path()));
    assert!(lines.contains("the exit code `0` is not as the program has it"), "{lines}");
    assert!(lines.contains("the program prints no part `<!-- reference: nothing -->`"), "{lines}");
}

#[test]
fn the_skill_is_one_short_page() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("skill.md");
    let written = reference("--skill", &file);
    assert!(written.status.success(), "{}", printed(&written));
    let skill = fs::read_to_string(&file).expect("it was written");
    assert!(!skill.contains("<!--"), "it has comments of the book");
    let graph = "graph: count\ninput: {text: string}\nstart: done\nnodes: {done: {kind: final}}\noutput: {tokens: tokens(text)}\n";
    let inputs = serde_json::json!({"text": skill});
    fs::write(folder.path().join("count.yaml"), graph).expect("the file can be written");
    fs::write(folder.path().join("inputs.json"), inputs.to_string()).expect("the file can be written");
    let run = Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .args(["run", "count.yaml", "--input", "@inputs.json", "--format", "json"])
        .env("XDG_STATE_HOME", folder.path().join(".state"))
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    let run: serde_json::Value = serde_json::from_str(&printed(&run)).expect("it prints JSON");
    let tokens = run["output"]["tokens"].as_i64().expect("the run counts them");
    assert!(tokens < MAX_SKILL_TOKENS, "the skill has {tokens} tokens");
    assert!(tokens > MAX_SKILL_TOKENS / 3, "the skill has only {tokens} tokens");
}

/// The pages below a folder, by their paths in it.
fn pages_below(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            pages_below(&entry.path(), &format!("{name}/"), found);
        } else if entry.path().extension().is_some_and(|extension| extension == "md") && name != "SUMMARY.md"
        {
            found.push(name);
        }
    }
}

#[test]
fn the_summary_of_the_book_names_every_page() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the book has a summary");
    let mut pages = Vec::new();
    pages_below(&docs, "", &mut pages);
    pages.retain(|page| !summary.contains(&format!("]({page})")));
    assert!(pages.is_empty(), "docs/SUMMARY.md does not name {pages:?}");
}

/// A row of the table of errors: the kind, and the triggers that match it.
fn row(line: &str) -> Option<(&str, Vec<&str>)> {
    let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ").collect();
    let [kind, _, _, any, also] = cells.as_slice() else { return None };
    let mut triggers: Vec<&str> = also.split(", ").map(|trigger| trigger.trim_matches('`')).collect();
    triggers.extend((*any == "yes").then_some("error"));
    Some((kind.strip_suffix('`')?, triggers))
}

#[test]
fn an_edge_is_taken_where_the_table_of_errors_says_so() {
    let page = fs::read_to_string(root().join(FOLDER).join("language/errors.md")).expect("the page is there");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut count = 0;
    for (kind, matching) in page.lines().filter_map(row) {
        let own = format!("error({kind})");
        let classes = ["error(recoverable)", "error(transient)", "error(fatal)", "error(cancelled)"];
        for trigger in classes.into_iter().chain(["error", "timeout", "unknown", &own]) {
            count += 1;
            let graph = format!(
                "graph: g{count}\nstart: ask\nnodes:\n  ask: {{kind: tool, tool: t, next: [{{to: done}}, {{to: matched, on: {trigger}}}]}}\n  done: {{kind: final}}\n  matched: {{kind: final}}\n"
            );
            let outcome = if matching.contains(&trigger) { "matched" } else { kind };
            let scenario = format!(
                "graph: g{count}.yaml\nscenarios:\n  - name: {kind} and {trigger}\n    catalogue: [{{name: t, delivery: pure}}]\n    tools: [{{tool: t, error: {{kind: {kind}}}}}]\n    expect: {{outcome: {outcome}}}\n"
            );
            fs::write(folder.path().join(format!("g{count}.yaml")), graph).expect("the graph can be written");
            fs::write(folder.path().join(format!("g{count}.scenarios.yaml")), scenario)
                .expect("the scenario can be written");
        }
    }
    assert!(count > 100, "only {count} pairs are played");
    let tested = Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .args(["test", "."])
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    let text = printed(&tested);
    assert!(text.ends_with(&format!("{count} passed, 0 failed\n")), "{text}");
}
