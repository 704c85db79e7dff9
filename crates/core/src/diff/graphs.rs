//! Pairs the called graphs of two versions.

use rustc_hash::FxHashMap;

use super::change::Draft;
use super::order::moved;
use super::piece::DraftSide;
use crate::model::{Graph, Model};
use crate::value::Str;

/// The graphs of both versions, by index.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Graphs that are in both versions; the graph itself is the first.
    pub(super) both: Vec<(usize, usize)>,
    pub(super) removed: Vec<usize>,
    pub(super) added: Vec<usize>,
    before: Vec<Str>,
    after: Vec<Str>,
}

/// The key by which graphs are paired.
type GraphKey = fn(&Graph) -> (Str, Str);

impl Pairs {
    /// Graphs go together by id and file, then by id, then by file.
    pub(super) fn new(before: &Model, after: &Model) -> Self {
        let mut partner: Vec<Option<usize>> = vec![None; before.graphs.len()];
        let mut taken = vec![false; after.graphs.len()];
        (partner[0], taken[0]) = (Some(0), true);
        let keys: [GraphKey; 3] = [
            |graph| (graph.id.value.clone(), file_name(graph)),
            |graph| (graph.id.value.clone(), Str::new()),
            |graph| (Str::new(), file_name(graph)),
        ];
        for key in keys {
            let mut free: FxHashMap<(Str, Str), Vec<usize>> = FxHashMap::default();
            for (at, graph) in after.graphs.iter().enumerate().rev().filter(|(at, _)| !taken[*at]) {
                free.entry(key(graph)).or_default().push(at);
            }
            for (graph, partner) in before.graphs.iter().zip(&mut partner).filter(|(_, p)| p.is_none()) {
                *partner = free.get_mut(&key(graph)).and_then(Vec::pop);
                if let Some(at) = *partner {
                    taken[at] = true;
                }
            }
        }
        let mut pairs = Self { before: unique(&before.graphs), ..Self::default() };
        pairs.after = vec![Str::new(); after.graphs.len()];
        for (at, partner) in partner.iter().enumerate() {
            match partner {
                Some(other) => {
                    pairs.both.push((at, *other));
                    pairs.after[*other] = pairs.before[at].clone();
                }
                None => pairs.removed.push(at),
            }
        }
        pairs.added = (0..after.graphs.len()).filter(|at| !taken[*at]).collect();
        let own = unique(&after.graphs);
        for at in &pairs.added {
            // A graph that took the place of another one of the same id is another graph.
            let known = pairs.before.contains(&own[*at]);
            pairs.after[*at] = if known { ecow::eco_format!("{} (new)", own[*at]) } else { own[*at].clone() };
        }
        pairs
    }

    /// The names of the first version's graphs.
    pub(super) fn before(&self) -> Vec<Str> {
        self.before.clone()
    }

    /// The names of the second version's graphs.
    pub(super) fn after(&self) -> Vec<Str> {
        self.after.clone()
    }
}

/// The ids; graphs of one id are distinguished by numbers.
fn unique(graphs: &[Graph]) -> Vec<Str> {
    let mut seen: FxHashMap<Str, usize> = FxHashMap::default();
    let mut name = |graph: &Graph| {
        let count = seen.entry(graph.id.value.clone()).or_default();
        *count += 1;
        if *count == 1 { graph.id.value.clone() } else { ecow::eco_format!("{}@{count}", graph.id.value) }
    };
    graphs.iter().map(&mut name).collect()
}

fn file_name(graph: &Graph) -> Str {
    let name = graph.path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).into()
}

/// Graphs that are called in one version only, and the order in which they are numbered.
pub(super) fn compare(before: &Model, after: &Model, pairs: &Pairs, out: &mut Vec<Draft>) {
    let part = |graph: &Graph| Some(DraftSide::plain(graph.path.clone(), graph.id.span));
    let draft = |slug, name: &Str, one, other| {
        Draft::new(slug, format!("graphs.{name}"), format!("called graph `{name}`"), one, other)
    };
    for at in &pairs.removed {
        out.push(draft("called-graph-removed", &pairs.before[*at], part(&before.graphs[*at]), None));
    }
    for at in &pairs.added {
        out.push(draft("called-graph-added", &pairs.after[*at], None, part(&after.graphs[*at])));
    }
    let positions: Vec<usize> = pairs.both.iter().map(|(_, other)| *other).collect();
    if let Some(first) = moved(&positions).first() {
        let (at, other) = pairs.both[*first];
        let list = |names: Vec<&Str>| names.into_iter().map(Str::as_str).collect::<Vec<_>>().join(", ");
        let mut sorted = positions;
        sorted.sort_unstable();
        let one = list(pairs.both.iter().map(|(at, _)| &pairs.before[*at]).collect());
        let two = list(sorted.iter().map(|at| &pairs.after[*at]).collect());
        let one = DraftSide::plain(one, before.graphs[at].id.span);
        let two = DraftSide::plain(two, after.graphs[other].id.span);
        out.push(Draft::new("order-changed", "graphs", "called graphs", Some(one), Some(two)));
    }
}
