//! What a journal means.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use loopwright::machine::{Event, EventKind, event_json};
use loopwright::program::Program;
use serde_json::Value as Json;

/// What only tells how lanes interleaved.
const INTERLEAVING: [&str; 7] = ["v", "seq", "at", "frame", "parent", "until", "deadline"];

/// What each lane did, by its path.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Meaning {
    pub(super) lanes: BTreeMap<String, Lane>,
    /// What the runtime charged, by lane and budget.
    pub(super) charged: BTreeMap<(String, String), i64>,
    /// Calls whose answer came when nobody waited for it any more.
    pub(super) late: BTreeSet<String>,
}

/// What one lane did, in its order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Lane {
    pub(super) events: Vec<Json>,
    /// It was given up before its end.
    pub(super) cancelled: bool,
}

/// Reads a journal event by event.
pub(super) struct Reader<'a> {
    program: &'a Program,
    graphs: HashMap<u32, u32>,
    paths: HashMap<u32, String>,
    /// The node and visit each frame is at.
    places: HashMap<u32, (u32, u32)>,
    pub(super) meaning: Meaning,
}

impl<'a> Reader<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        Self {
            program,
            graphs: HashMap::new(),
            paths: HashMap::from([(0, String::new())]),
            places: HashMap::new(),
            meaning: Meaning::default(),
        }
    }

    pub(super) fn of(program: &'a Program, events: &[Event]) -> Meaning {
        let mut reader = Self::new(program);
        for event in events {
            reader.read(event);
        }
        reader.meaning
    }

    fn read(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Opened { parent, graph, lane, .. } => self.opened(event.frame, *parent, *graph, *lane),
            EventKind::Entered { node, visit, .. } => {
                self.places.insert(event.frame, (*node, *visit));
            }
            _ => {}
        }
        let json = event_json(self.program, |frame| self.graphs.get(&frame).copied().unwrap_or(0), event);
        let path = self.paths[&event.frame].clone();
        match &event.kind {
            EventKind::Charged(_) => {
                let budget = json["budget"].as_str().expect("a budget has a name").to_owned();
                let amount = json["amount"].as_i64().expect("an amount");
                *self.meaning.charged.entry((path, budget)).or_default() += amount;
            }
            EventKind::Late { call, .. } => {
                assert!(self.meaning.late.insert(call.0.to_string()), "{call:?} is late twice");
            }
            EventKind::Abandoned { .. } => {}
            EventKind::Closed { outcome, .. } if outcome == "cancelled" => {
                self.meaning.lanes.entry(path).or_default().cancelled = true;
            }
            _ => self.meaning.lanes.entry(path).or_default().events.push(told(json)),
        }
    }

    fn opened(&mut self, frame: u32, parent: u32, graph: u32, lane: u32) {
        let (node, visit) = self.places[&parent];
        let of = self.graphs.get(&parent).copied().unwrap_or(0);
        let node = &self.program.graphs[of as usize].nodes[node as usize].name;
        let path = format!("{}{node}#{visit}[{lane}]/", self.paths[&parent]);
        self.graphs.insert(frame, graph);
        self.paths.insert(frame, path);
    }
}

fn told(mut event: Json) -> Json {
    let object = event.as_object_mut().expect("an event is an object");
    for key in INTERLEAVING {
        object.remove(key);
    }
    event
}

impl Meaning {
    /// Asserts that every lane of both did the same, as far as it was not given up.
    pub(super) fn agrees(&self, other: &Self) {
        for (path, lane) in &self.lanes {
            let Some(its) = other.lanes.get(path) else { continue };
            let both = lane.events.len().min(its.events.len());
            assert_eq!(lane.events[..both], its.events[..both], "the lane {path}");
            let shorter = [lane, its].into_iter().min_by_key(|one| one.events.len()).expect("there are two");
            let whole = lane.events.len() == its.events.len();
            assert!(whole || shorter.cancelled, "the lane {path} ended early: {shorter:#?}");
        }
    }
}
