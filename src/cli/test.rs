//! `test`: scenario files.

use super::args::{Test, TestFormat};
use super::files::{self, Disk, FileKind};
use super::screen::Page;
use super::{Exit, junit, mutants, rebuild, screen, watch, write};
use loopwright_core::app::{PlayOrder, PlayedFile};
use loopwright_core::scenario::{Coverage, print};
use loopwright_core::source::Sources;

pub(super) fn run(args: &Test) -> Exit {
    if args.write {
        return write::run(args);
    }
    if let Some(flag) = args.search.given() {
        return screen::refuse(&format!("{flag} is for the search of `--write`"));
    }
    if args.mutants {
        return mutants::run(args);
    }
    if args.watch {
        return watch::run(&args.paths, || once(args));
    }
    once(args).0
}

fn once(args: &Test) -> (Exit, Vec<std::path::PathBuf>) {
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return (exit, Vec::new()),
    };
    let paths = match files::find(&args.paths, FileKind::Scenarios, &mut disk) {
        Ok(paths) => paths,
        Err(message) => return (screen::refuse(&message), disk.read),
    };
    let mut sources = Sources::new();
    let mut coverage = Coverage::new();
    let mut all = Vec::new();
    let order =
        PlayOrder { rebuilds: rebuild::asked(), name: args.name.as_deref(), fail_fast: args.fail_fast };
    for path in paths {
        all.push(PlayedFile::play(path, &mut sources, &mut disk, &mut coverage, order));
        if args.fail_fast && all.last().is_some_and(|played| !played.passed()) {
            break;
        }
    }
    if let Some(name) = &args.name
        && all.iter().all(|played| played.reports.is_empty() && played.findings.is_empty())
    {
        return (screen::refuse(&format!("no scenario has `{name}` in its name")), disk.read);
    }
    let short = args.min_coverage.filter(|least| coverage.percent() < f64::from(*least));
    let coverage = (args.coverage || args.min_coverage.is_some()).then_some(&coverage);
    let printed = match args.format {
        TestFormat::Human => human(&all, &sources, coverage),
        TestFormat::Json => screen::print(&json(&all, &sources, coverage)),
        TestFormat::Junit => match junit::document(&all, &sources) {
            Ok(text) => screen::print(&text),
            Err(message) => screen::refuse(&message),
        },
    };
    let mut exit = printed.worse(verdict(&all));
    if let (Some(least), Some(coverage)) = (short, coverage) {
        let why =
            format!("the scenarios took {:.1} % of the graphs, less than {least} %", coverage.percent());
        screen::say(&format!("error: {why}\n"));
        exit = exit.worse(Exit::Findings);
    }
    (exit, disk.read)
}

fn verdict(all: &[PlayedFile]) -> Exit {
    all.iter().fold(Exit::Ok, |exit, played| {
        let failed = played.reports.iter().any(|r| !r.passed());
        let findings = Exit::of(&played.findings);
        exit.worse(findings).worse(if failed { Exit::Findings } else { Exit::Ok })
    })
}

fn human(all: &[PlayedFile], sources: &Sources, coverage: Option<&Coverage>) -> Exit {
    let mut page = Page::for_stdout();
    let (mut passed, mut failed) = (0, 0);
    for played in all {
        page = page.findings(&played.findings, sources).findings(&played.hints, sources);
        for report in &played.reports {
            let good = report.passed();
            *(if good { &mut passed } else { &mut failed }) += 1;
            page = if good {
                page.text(&format!("ok    {}: {}\n", screen::line(&played.path), screen::line(&report.name)))
            } else {
                page.text(&print::text(report, sources))
            };
        }
    }
    if let Some(coverage) = coverage {
        page = page.text(&format!("\n{}", coverage.text()));
    }
    let refused = all.iter().filter(|played| !played.findings.is_empty()).count();
    let refused = match refused {
        0 => String::new(),
        1 => ", 1 file could not be loaded".to_owned(),
        many => format!(", {many} files could not be loaded"),
    };
    page.text(&format!("\n{passed} passed, {failed} failed{refused}\n")).put()
}

fn json(all: &[PlayedFile], sources: &Sources, coverage: Option<&Coverage>) -> String {
    let files: Vec<_> = all.iter().map(|played| played.json(sources)).collect();
    let mut document = serde_json::json!({ "files": files });
    if let Some(coverage) = coverage {
        document["coverage"] = coverage.json();
    }
    screen::json(&document)
}
