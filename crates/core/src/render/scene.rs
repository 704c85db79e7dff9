//! A drawing in the making.

use rustc_hash::{FxHashMap, FxHashSet};

use super::drawing::{Arrow, ArrowEnd, Drawing, DrawingItem, ItemShape};
use super::fault::RenderFault;
use super::ids::Ids;
use super::label::{EdgeTexts, Label};
use super::options::Options;
use crate::model::Model;

/// The most items, and the most arrows, of a drawing: graphs that call graphs several times can grow beyond all bounds.
const MAX_ITEMS: usize = 100_000;

/// The separator of two labels of one arrow.
const SEPARATOR: &str = " / ";

/// A drawing in the making.
pub(super) struct Scene<'a> {
    pub(super) model: &'a Model,
    pub(super) options: &'a Options,
    pub(super) texts: EdgeTexts<'a>,
    items: Vec<DrawingItem>,
    ids: Ids,
    arrows: Vec<Pending>,
    /// The arrows at collapsed composites: there is one for each pair of ends.
    merged: FxHashMap<(ArrowEnd, ArrowEnd), usize>,
    /// The labels printed on those already.
    labelled: FxHashSet<(usize, Label)>,
}

/// An arrow in the making.
struct Pending {
    from: ArrowEnd,
    to: ArrowEnd,
    explicit: Vec<String>,
    derived: Vec<String>,
    /// One of the edges that it stands for says nothing: it is taken whenever its node is done.
    plain: bool,
    error: bool,
    taken: bool,
}

/// The draft of an item.
pub(super) struct Sketch<'s> {
    pub(super) name: &'s str,
    pub(super) label: &'s str,
    pub(super) shape: ItemShape,
    pub(super) parent: Option<usize>,
    pub(super) open: bool,
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
            label: sketch.label.to_owned(),
            shape: sketch.shape,
            parent: sketch.parent,
            open: sketch.open,
            ends: false,
            alone: false,
            taken: false,
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
            error: false,
            taken,
        });
    }

    /// An arrow from item to item. `merge`: it joins the others of this pair.
    pub(super) fn arrow(
        &mut self,
        ends: (usize, usize),
        merge: bool,
        label: Label,
        error: bool,
        taken: bool,
    ) -> Result<(), RenderFault> {
        let (from, to) = (ArrowEnd::Item(ends.0), ArrowEnd::Item(ends.1));
        let known = if merge { self.merged.get(&(from, to)).copied() } else { None };
        let at = known.unwrap_or(self.arrows.len());
        if known.is_none() {
            if at >= MAX_ITEMS {
                return Err(RenderFault::TooLarge(MAX_ITEMS));
            }
            let (explicit, derived) = (Vec::new(), Vec::new());
            self.arrows.push(Pending {
                from,
                to,
                explicit,
                derived,
                plain: false,
                error: true,
                taken: false,
            });
            if merge {
                self.merged.insert((from, to), at);
            }
        }
        let arrow = &mut self.arrows[at];
        arrow.error &= error;
        arrow.taken |= taken;
        if !merge {
            match label {
                Label::Explicit(text) if !text.is_empty() => arrow.explicit = vec![text],
                Label::Derived(text) if !text.is_empty() => arrow.derived = vec![text],
                Label::Explicit(_) | Label::Derived(_) => {}
            }
            return Ok(());
        }
        let (texts, text) = match &label {
            Label::Explicit(text) => (&mut arrow.explicit, text),
            Label::Derived(text) => (&mut arrow.derived, text),
        };
        arrow.plain |= label == Label::Derived(String::new());
        if text.is_empty() || (known.is_some() && self.labelled.contains(&(at, label.clone()))) {
            return Ok(());
        }
        texts.push(text.clone());
        self.labelled.insert((at, label));
        Ok(())
    }

    /// Returns true if an item is a composite that is not open.
    pub(super) fn is_collapsed(&self, item: usize) -> bool {
        self.items[item].is_collapsed()
    }

    pub(super) fn finish(self, name: &str) -> Drawing {
        let arrows = self.arrows.into_iter().map(|pending| {
            let Pending { from, to, explicit, derived, plain, error, taken } = pending;
            // Conditions on an arrow that stands for an edge without one would be taken for its conditions.
            let derived = if plain { Vec::new() } else { derived };
            let mut texts = if explicit.is_empty() { derived } else { explicit };
            let label = if texts.len() > 1 { texts.join(SEPARATOR) } else { texts.pop().unwrap_or_default() };
            Arrow { from, to, label, error, back: false, taken }
        });
        let mut drawing =
            Drawing { name: name.to_owned(), across: false, arrows: arrows.collect(), items: self.items };
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
