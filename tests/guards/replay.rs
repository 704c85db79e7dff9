//! Witnesses played as scenarios: a run that begins there is stuck.

use std::path::Path;
use std::sync::Arc;

use loopwright::check::{Checked, check_file};
use loopwright::compile::compile;
use loopwright::model::{Files, Model};
use loopwright::scenario::{bind, play, read};
use loopwright::source::Sources;
use serde_json::Value as Json;

/// The outcome of a scenario that begins as a witness says.
fn outcome(model: &Model, witness: &Json) -> Result<String, String> {
    let text = format!(
        "graph: g.yaml\nscenarios:\n  - name: a witness\n    input: {}\n    given: {}\n    expect: {{}}\n",
        witness["input"], witness["given"]
    );
    let mut sources = Sources::new();
    let file = sources.add("witness.scenarios.yaml", text.as_str());
    let (scenarios, findings) = read(&sources, file);
    let said = loopwright::diag::text::render(&findings, &sources, false);
    let [scenario] = scenarios.scenarios.as_slice() else { return Err(format!("{text}\n{said}")) };
    if !said.is_empty() {
        return Err(format!("{text}\n{said}"));
    }
    let program = compile(model).map_err(|faults| format!("{faults:?}"))?;
    let bound = bind(model, [&scenario.answers]).map_err(|faults| format!("{faults:?}"))?;
    let run = play(&program, &Arc::new(bound), scenario);
    let done = run.snapshot.done.ok_or_else(|| format!("the run goes on:\n{text}"))?;
    Ok(done.outcome.to_string())
}

/// Plays all definite witnesses of the first graph of a check; gives their number.
pub(super) fn played(checked: &Checked) -> Result<usize, String> {
    let Some(model) = &checked.model else { return Ok(0) };
    let gaps = checked.findings.iter().filter(|finding| finding.rule.slug() == "no-otherwise");
    let mut count = 0;
    for gap in gaps {
        let definite: Vec<&Json> = gap.witnesses.iter().filter(|one| one["definite"] == true).collect();
        if (gap.severity == loopwright::Severity::Error) == definite.is_empty() {
            return Err(format!("{}: {:?}", gap.message, gap.witnesses));
        }
        for witness in definite {
            let came = outcome(model, witness)?;
            if came != "stuck" {
                return Err(format!("{witness}: {came}"));
            }
            count += 1;
        }
    }
    Ok(count)
}

#[test]
fn definite_gaps_of_all_fixtures_are_replayed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut count = 0;
    let mut wrong = Vec::new();
    for part in ["check", "check/parts", "one_fault", "termination/loops"] {
        let files = std::fs::read_dir(folder.join(part)).into_iter().flatten();
        for path in files.map(|entry| entry.expect("it can be read").path()) {
            let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name").to_owned();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let mut files = Files::new().with(&name, text);
            let checked = check_file(&mut Sources::new(), &mut files, &name);
            match played(&checked) {
                Ok(played) => count += played,
                Err(why) => wrong.push(format!("{name}: {why}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 3, "{count} witnesses");
}
