//! `test --write`: the scenarios of a graph, written.

use std::fmt::Write as _;
use std::path::Path;

use super::args::{Test, TestFormat};
use super::files::{self, Disk, FileKind, STDIN};
use super::screen::Page;
use super::{Exit, screen, searching};
use loopwright_core::app::{ExtendedSuite, Graph, SuiteDraft, SuiteFault};
use loopwright_core::explore::{StateSpace, print};
use loopwright_core::scenario;
use loopwright_core::source::Sources;

pub(super) fn run(args: &Test) -> Exit {
    match extend(args) {
        Ok((suite, sources)) => {
            let printed = match args.format {
                TestFormat::Json => screen::print(&screen::json(&suite.json(&sources))),
                _ => human(&suite, &sources),
            };
            let is_covered = suite.uncovered.iter().all(|own| !own.is_reached);
            printed.worse(if is_covered { Exit::Ok } else { Exit::Findings })
        }
        Err(exit) => exit,
    }
}

fn extend(args: &Test) -> Result<(ExtendedSuite, Sources), Exit> {
    if args.format == TestFormat::Junit {
        return Err(screen::refuse("what is written is no test case: take `--format json`"));
    }
    let [file] = args.paths.as_slice() else {
        return Err(screen::refuse("`--write` takes one graph file"));
    };
    if file == STDIN || !FileKind::Graph.is_name(Path::new(file)) {
        let help = "give the path of a graph file: its scenarios are written beside it";
        return Err(screen::refuse_with(&format!("{file}: this is no name of a graph file"), help));
    }
    let mut disk = Disk::new(&args.reach)?;
    let graph = searching::graph(file, &mut disk)?;
    let path = companion(file);
    let (draft, before) = draft(&path, &graph, &mut disk)?;
    let mut settings = searching::settings(&args.search, &graph, &mut disk)?;
    draft.settle(&mut settings, &graph);
    let space = StateSpace::new(&graph.model, &graph.program, &settings);
    let mut search = searching::search(&args.search, &space);
    let suite = draft.extend(&mut search, &graph, &name(file), &mut disk);
    let suite = suite.map_err(|fault| refuse(&path, &fault))?;
    if let Some(text) = &suite.text {
        put(&path, before.as_deref(), text, &mut disk)?;
    }
    Ok((suite, graph.sources))
}

/// The scenario file beside a graph file; that in `.yml` where there is one already.
fn companion(graph: &str) -> String {
    let path = Path::new(graph);
    let beside = |ending: &str| path.with_extension(ending).to_string_lossy().into_owned();
    let other = beside("scenarios.yml");
    let usual = beside("scenarios.yaml");
    if Path::new(&other).exists() && !Path::new(&usual).exists() { other } else { usual }
}

/// The name of the graph file, as the scenario file beside it has it.
fn name(graph: &str) -> String {
    Path::new(graph).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The scenario file as it is, and its text.
fn draft(path: &str, graph: &Graph, disk: &mut Disk) -> Result<(SuiteDraft, Option<String>), Exit> {
    let place = disk.place(None, path).map_err(|why| refuse_at(path, &why.to_string()))?;
    if !place.is_there().map_err(|why| refuse_at(path, &why.to_string()))? {
        return Ok((SuiteDraft::new(path.to_owned()), None));
    }
    let text = place.text().map_err(|why| refuse_at(path, &why.to_string()))?;
    let draft = SuiteDraft::read(path.to_owned(), text.clone(), graph, disk);
    Ok((draft.map_err(|fault| refuse(path, &fault))?, Some(text)))
}

fn refuse_at(path: &str, why: &str) -> Exit {
    screen::refuse(&format!("{path}: {why}"))
}

/// Says why nothing was written.
fn refuse(path: &str, fault: &SuiteFault) -> Exit {
    match fault {
        SuiteFault::Findings(findings, sources) => {
            screen::findings(findings, sources);
            Exit::of(findings).worse(Exit::Findings)
        }
        SuiteFault::Failing(reports, sources) => {
            for report in reports.iter().filter(|report| !report.passed()) {
                screen::say(&scenario::print::text(report, sources));
            }
            refuse_at(path, &format!("nothing was written: {fault}"));
            Exit::Findings
        }
        SuiteFault::Internal(_) => {
            refuse_at(path, &format!("nothing was written: {fault}"));
            Exit::Findings
        }
        _ => refuse_at(path, &format!("nothing was written: {fault}")),
    }
}

/// Puts the text in the place of what was read.
fn put(path: &str, before: Option<&str>, text: &str, disk: &mut Disk) -> Result<(), Exit> {
    let Some(before) = before else {
        return files::write_new(Path::new(path), text)
            .map_err(|error| refuse_at(path, &format!("it was not written: {error}")));
    };
    let place = disk.place(None, path).map_err(|why| refuse_at(path, &why.to_string()))?;
    if place.text().ok().as_deref() != Some(before) {
        return Err(refuse_at(
            path,
            "it was changed by somebody else in the meantime, and nothing was written",
        ));
    }
    place.replace(text).map_err(|why| refuse_at(path, &why.to_string()))
}

fn human(suite: &ExtendedSuite, sources: &Sources) -> Exit {
    let mut out = print::extent(&suite.exploration);
    let path = screen::line(&suite.path);
    let had = match suite.present {
        0 => String::new(),
        count => format!(", after the {count} that it has"),
    };
    match suite.added.len() {
        0 => _ = writeln!(out, "nothing to add to {path}"),
        1 => _ = writeln!(out, "wrote 1 scenario to {path}{had}"),
        count => _ = writeln!(out, "wrote {count} scenarios to {path}{had}"),
    }
    for added in &suite.added {
        let _ = writeln!(out, "\n  {}", screen::line(&added.name));
        for part in &added.covers {
            let _ = writeln!(out, "    {} {}", part.part.word(), screen::line(&part.name));
        }
    }
    let covered = suite.parts - suite.uncovered.len();
    let _ = writeln!(out, "\ncovered: {covered} of {} nodes, edges and branches", suite.parts);
    for own in &suite.uncovered {
        let place = screen::line(&scenario::print::place(own.part.span, sources));
        let (word, name) = (own.part.part.word(), screen::line(&own.part.name));
        let _ = writeln!(out, "  {place}  {word} {name}: {}", screen::line(&own.why));
    }
    out += &print::sampled(&suite.exploration, sources);
    let verdict = print::verdict(&suite.exploration);
    if suite.exploration.findings.is_empty() {
        let _ = writeln!(out, "\n{verdict}");
    } else {
        let _ = writeln!(out, "\n{verdict}: see `loopwright explore`");
    }
    Page::for_stdout().text(&out).put()
}
