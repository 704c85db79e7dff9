//! The path of a run, from its journal or the events it printed.

use std::io::{BufRead, BufReader, Read};
use std::path::Path as FilePath;

use serde_json::Value as Json;

use super::trouble::Trouble;
use crate::cli::files::{Disk, reason};
use crate::cli::stored_runs;
use loopwright_core::app::{JournalCursor, OpenRun};
use loopwright_core::folder;
use loopwright_core::machine::{EventKind, Phase, REPORT_VERSION, Snapshot, event_json};
use loopwright_core::model::{Graph, Model};
use loopwright_core::port::{EntryCause, JournalEntry};
use loopwright_core::program::Program;
use loopwright_core::render::{Drawing, TakenPath, Turn};
use loopwright_core::store::StoreAddress;

/// The longest line of a file of events, in bytes; none is longer than what one step records.
const MAX_LINE: u64 = 64 << 20;

/// The path of a run: one that is stored, or a file of its events.
pub(super) fn of(run: &str, db: &StoreAddress, model: &Model, disk: &mut Disk) -> Result<TakenPath, Trouble> {
    if FilePath::new(run).exists() || db.file().is_some_and(|file| !file.exists()) {
        disk.read.push(run.into());
        return Ok(read(run, model)?);
    }
    let known = stored_runs::reads(async { Ok(stored_runs::open(db)?.store().runs().await) })
        .map_err(Trouble::Reported)?;
    if known.is_ok_and(|runs| runs.iter().all(|info| info.run != run)) {
        let why = format!("{run}: there is no such file, and no run of that id in {db}");
        return Err(why.into());
    }
    let (stored, entries, _) = open(run, db)?;
    let mut cursor = JournalCursor::new(&stored);
    let mut path = TakenPath::default();
    for entry in &entries {
        cursor.enter(&entry.cause);
        for happened in &entry.events {
            cursor.pass(happened);
            let line = event_json(cursor.program(), |frame| cursor.graph(frame), happened).to_string();
            event(&line, model, &mut path).map_err(|why| format!("the run `{run}`: {why}"))?;
        }
    }
    Ok(path)
}

/// The steps of a stored run.
pub(super) fn steps(run: &str, db: &StoreAddress) -> Result<Drawing, Trouble> {
    let (stored, entries, begin) = open(run, db)?;
    let mut cursor = JournalCursor::new(&stored);
    let name = |program: &Program, node: u32| program.graphs[0].nodes[node as usize].name.to_string();
    let first = match begin.root().map(|root| &root.phase) {
        Some(Phase::Enter { target, .. }) => name(cursor.program(), *target),
        _ => name(cursor.program(), cursor.program().graphs[0].start),
    };
    let mut turns = Vec::new();
    for entry in &entries {
        cursor.enter(&entry.cause);
        if let EntryCause::Back { step, .. } = entry.cause {
            turns.push(Turn::Back(step));
        }
        let program = cursor.program();
        turns.extend(entry.events.iter().filter_map(|event| match event.kind {
            EventKind::Took { edge, .. } if event.frame == 0 => {
                Some(Turn::Step(name(program, program.graphs[0].edges[edge as usize].to)))
            }
            _ => None,
        }));
    }
    let graph = &stored.program.graphs[0];
    Ok(Drawing::of_steps(&graph.id, (begin.step(), &first), &turns).map_err(|fault| fault.to_string())?)
}

/// A stored run, its journal, and the state it began with.
fn open(run: &str, db: &StoreAddress) -> Result<(OpenRun, Vec<JournalEntry>, Snapshot), Trouble> {
    let looked = stored_runs::reads(async {
        let stored = stored_runs::find_whole(stored_runs::open(db)?, db, run).await?;
        let entries = stored.entries().await.map_err(|error| stored_runs::unread(db, &error))?;
        let begin = stored.beginning().await.map_err(|error| stored_runs::unread(db, &error))?;
        Ok((stored, entries, begin))
    });
    looked.map_err(Trouble::Reported)
}

/// Reads a file of events, one a line.
fn read(file: &str, model: &Model) -> Result<TakenPath, String> {
    let open = folder::file(FilePath::new(file)).map_err(|fault| format!("{file}: {fault}"))?;
    let mut lines = BufReader::new(open);
    let mut path = TakenPath::default();
    let mut text = String::new();
    for line in 1.. {
        text.clear();
        let read = lines.by_ref().take(MAX_LINE).read_line(&mut text);
        if read.map_err(|error| format!("{file}: {}", reason(&error)))? == 0 {
            break;
        }
        if !text.trim().is_empty() {
            event(&text, model, &mut path).map_err(|why| format!("{file}:{line}: {why}"))?;
        }
    }
    Ok(path)
}

fn event(text: &str, model: &Model, path: &mut TakenPath) -> Result<(), String> {
    let event: Json = serde_json::from_str(text).map_err(|_| "this is not an event of a run".to_owned())?;
    let word = |key: &str| event.get(key).and_then(Json::as_str);
    let (Some(kind), Some(id)) = (word("type"), word("graph")) else {
        return Err("this is not an event of a run".to_owned());
    };
    if event.get("v").and_then(Json::as_u64) != Some(u64::from(REPORT_VERSION)) {
        return Err(format!("the event is not of version {REPORT_VERSION}"));
    }
    let graphs = || model.graphs.iter().filter(|graph| graph.id.as_str() == id);
    match (kind, word("node"), word("from"), word("to"), event.get("edge").and_then(Json::as_u64)) {
        ("entered" | "crossed", Some(node), ..) => {
            if !graphs().any(|graph| has_node(graph, node)) {
                return Err(format!(
                    "the graph has no node `{node}` of `{id}`: this is the run of another graph"
                ));
            }
            path.enter(id, node);
        }
        ("took", _, Some(from), Some(to), Some(edge)) => {
            let edge = usize::try_from(edge).unwrap_or(usize::MAX);
            if !graphs().any(|graph| leads(graph, edge, from, to)) {
                let edge = format!("edge {edge} of `{id}` does not lead from `{from}` to `{to}`");
                return Err(format!("{edge}: this is the run of another graph, or of an older one"));
            }
            path.take(id, edge);
        }
        _ => {}
    }
    Ok(())
}

fn has_node(graph: &Graph, name: &str) -> bool {
    graph.graph.node_weights().any(|node| node.name.as_str() == name)
}

fn leads(graph: &Graph, edge: usize, from: &str, to: &str) -> bool {
    let ends = graph.graph.raw_edges().get(edge).map(|edge| (edge.source(), edge.target()));
    ends.is_some_and(|(a, b)| graph.graph[a].name.as_str() == from && graph.graph[b].name.as_str() == to)
}
