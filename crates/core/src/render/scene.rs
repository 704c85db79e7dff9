//! A drawing in the making.

use rustc_hash::{FxHashMap, FxHashSet};

use super::drawing::{Arrow, ArrowEnd, Drawing, DrawingItem, ItemShape};
use super::fault::RenderFault;
use super::ids::Ids;
use super::label::{EdgeTexts, Label};
use super::lines::{MAX_LINE_CHARS, broken, joined};
use super::options::Options;
use crate::model::{Graph, Model};
use crate::value::Str;

/// The most items, and the most arrows, of a drawing: graphs that call graphs several times can grow beyond all bounds.
const MAX_ITEMS: usize = 100_000;

/// The words on an arrow for an edge without any: beside guards, and beside errors.
const OTHERWISE: &str = "otherwise";
const DONE: &str = "done";

/// A drawing in the making.
pub(super) struct Scene<'a> {
    pub(super) model: &'a Model,
    pub(super) options: &'a Options,
    pub(super) texts: EdgeTexts<'a>,
    items: Vec<DrawingItem>,
    ids: Ids,
    arrows: Vec<Pending>,
    /// The arrows that others join.
    merged: FxHashMap<(ArrowEnd, ArrowEnd, Merge), usize>,
    /// The labels printed on those already.
    labelled: FxHashSet<(usize, Label)>,
}

/// An arrow in the making.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Pending {
    from: ArrowEnd,
    to: ArrowEnd,
    explicit: Vec<String>,
    derived: Vec<String>,
    /// One of the edges that it stands for says nothing: it is taken whenever its node is done.
    plain: bool,
    /// One of them says nothing, and the others may.
    silent: bool,
    /// One of them is for an error.
    fails: bool,
    error: bool,
    taken: bool,
    /// The graph of its edges, and their numbers.
    graph: Option<usize>,
    edges: Vec<usize>,
}

/// The arrows that are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Merge {
    /// All of one pair of ends, where one of them is a composite that is not open.
    Pair,
    /// All of one pair of ends, each with its words.
    All,
    /// Those of one pair and one cause, with a label or without one: nothing that is printed is lost.
    Cause { error: bool, labelled: bool },
}

/// An edge of the graph, as it is drawn.
pub(super) struct EdgeSketch {
    /// The graph, and the number of the edge in it.
    pub(super) source: (usize, usize),
    pub(super) label: Label,
    pub(super) error: bool,
    pub(super) taken: bool,
}

/// The draft of an item.
pub(super) struct Sketch<'s> {
    pub(super) name: &'s str,
    pub(super) label: &'s str,
    pub(super) shape: ItemShape,
    pub(super) parent: Option<usize>,
    pub(super) open: bool,
    /// The graph and the name of the node.
    pub(super) source: Option<(usize, &'s Str)>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(model: &'a Model, texts: EdgeTexts<'a>, options: &'a Options) -> Self {
        Self {
            model,
            options,
            texts,
            items: Vec::new(),
            ids: Ids::new(),
            arrows: Vec::new(),
            merged: FxHashMap::default(),
            labelled: FxHashSet::default(),
        }
    }

    pub(super) fn add(&mut self, sketch: &Sketch<'_>) -> Result<usize, RenderFault> {
        if self.items.len() >= MAX_ITEMS {
            return Err(RenderFault::TooLarge(MAX_ITEMS));
        }
        self.items.push(DrawingItem {
            id: self.ids.make(sketch.name, sketch.open),
            label: broken(sketch.label, MAX_LINE_CHARS),
            shape: sketch.shape,
            parent: sketch.parent,
            open: sketch.open,
            ends: false,
            alone: false,
            taken: false,
            fails: false,
            graph: sketch.source.map(|(graph, _)| graph),
            nodes: sketch.source.map(|(_, name)| name.clone()).into_iter().collect(),
        });
        Ok(self.items.len() - 1)
    }

    pub(super) fn item(&mut self, item: usize) -> &mut DrawingItem {
        &mut self.items[item]
    }

    /// The arrow from a start point.
    pub(super) fn start(&mut self, parent: Option<usize>, to: usize, label: Option<&str>, taken: bool) {
        let explicit = label.map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        let (from, to) = (ArrowEnd::Start(parent), ArrowEnd::Item(to));
        let explicit = explicit.into_iter().collect();
        self.arrows.push(Pending {
            from,
            to,
            explicit,
            derived: Vec::new(),
            plain: false,
            silent: false,
            fails: false,
            error: false,
            taken,
            graph: None,
            edges: Vec::new(),
        });
    }

    /// An arrow from item to item. It joins an earlier one of this pair: at a composite that is not open any, elsewhere one of
    /// the same cause.
    pub(super) fn arrow(&mut self, ends: (usize, usize), edge: EdgeSketch) -> Result<(), RenderFault> {
        let EdgeSketch { source, label, error, taken } = edge;
        let pair = self.is_collapsed(ends.0) || self.is_collapsed(ends.1);
        let (Label::Explicit(text) | Label::Derived(text)) = &label;
        let merge = match (pair, self.options.merge) {
            (true, _) => Merge::Pair,
            (false, true) => Merge::All,
            (false, false) => Merge::Cause { error, labelled: !text.is_empty() },
        };
        let (from, to) = (ArrowEnd::Item(ends.0), ArrowEnd::Item(ends.1));
        let at = match self.merged.get(&(from, to, merge)) {
            Some(known) => *known,
            None => self.new_arrow(from, to, merge)?,
        };
        let arrow = &mut self.arrows[at];
        arrow.fails |= error;
        arrow.error &= error;
        arrow.taken |= taken;
        arrow.graph = Some(source.0);
        arrow.edges.push(source.1);
        arrow.plain |= label == Label::Derived(String::new());
        if text.is_empty() && merge == Merge::All {
            // Beside the words of the others, nothing would be taken for a condition.
            arrow.silent = true;
        }
        if text.is_empty() || self.labelled.contains(&(at, label.clone())) {
            return Ok(());
        }
        let texts = match &label {
            Label::Explicit(_) => &mut arrow.explicit,
            // Nothing is preferred where each of the labels is true.
            Label::Derived(_) if !pair => &mut arrow.explicit,
            Label::Derived(_) => &mut arrow.derived,
        };
        texts.push(text.clone());
        self.labelled.insert((at, label));
        Ok(())
    }

    fn new_arrow(&mut self, from: ArrowEnd, to: ArrowEnd, merge: Merge) -> Result<usize, RenderFault> {
        let at = self.arrows.len();
        if at >= MAX_ITEMS {
            return Err(RenderFault::TooLarge(MAX_ITEMS));
        }
        self.arrows.push(Pending {
            from,
            to,
            explicit: Vec::new(),
            derived: Vec::new(),
            plain: false,
            silent: false,
            fails: false,
            error: true,
            taken: false,
            graph: None,
            edges: Vec::new(),
        });
        self.merged.insert((from, to, merge), at);
        Ok(at)
    }

    /// The number of a graph of the model.
    pub(super) fn number(&self, graph: &Graph) -> usize {
        self.model.graphs.iter().position(|other| std::ptr::eq(other, graph)).unwrap_or_default()
    }

    /// Returns true if an item is a composite that is not open.
    pub(super) fn is_collapsed(&self, item: usize) -> bool {
        self.items[item].is_collapsed()
    }

    pub(super) fn finish(self, name: &str) -> Drawing {
        let arrows = self.arrows.into_iter().map(|pending| {
            let Pending { from, to, explicit, derived, plain, silent, fails, error, taken, graph, edges } =
                pending;
            // Conditions on an arrow that stands for an edge without one would be taken for its conditions.
            let derived = if plain { Vec::new() } else { derived };
            let mut texts = if explicit.is_empty() { derived } else { explicit };
            match (silent && !texts.is_empty(), fails) {
                (true, true) => texts.insert(0, DONE.to_owned()),
                (true, false) => texts.push(OTHERWISE.to_owned()),
                (false, _) => {}
            }
            let label = joined(&texts, MAX_LINE_CHARS);
            Arrow { from, to, label, error, back: false, taken, graph, edges }
        });
        let mut drawing = Drawing {
            name: name.to_owned(),
            across: self.options.across,
            graphs: self.model.graphs.iter().map(|graph| graph.id.to_string()).collect(),
            arrows: arrows.collect(),
            items: self.items,
        };
        ends_alone(&mut drawing);
        drawing
    }
}

/// A final is drawn alone as the end point of its box where all arrows to it come from within the same box: an end point
/// cannot be reached from elsewhere in a state diagram.
fn ends_alone(drawing: &mut Drawing) {
    for i in 0..drawing.arrows.len() {
        let (from, to) = (drawing.arrows[i].from, drawing.arrows[i].to);
        if let ArrowEnd::Item(item) = to
            && (matches!(from, ArrowEnd::Start(_)) || drawing.home(from) != drawing.items[item].parent)
        {
            drawing.items[item].alone = false;
        }
    }
    for arrow in &mut drawing.arrows {
        if let ArrowEnd::Item(item) = arrow.to
            && drawing.items[item].alone
        {
            arrow.to = ArrowEnd::Finish(drawing.items[item].parent);
        }
    }
}
