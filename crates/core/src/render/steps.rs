//! The steps of a run, and its rollbacks.

use super::drawing::{Arrow, ArrowEnd, Drawing, DrawingItem, ItemShape};
use super::fault::RenderFault;

/// The most steps that are drawn.
const MAX_STEPS: usize = 2_000;

/// The next step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// It made a step, which led to this node.
    Step(String),
    /// It was sent back to the state after so many steps.
    Back(u64),
}

impl Drawing {
    /// Draws the states a run has been in, one after each step, from left to right; `first` is the step it begins at and
    /// the node it begins with. A way back is a dotted arrow, and what follows it a new path from the state it leads to.
    ///
    /// # Errors
    /// [`RenderFault::TooLong`] for a run of more steps than are drawn.
    pub fn of_steps(name: &str, first: (u64, &str), turns: &[Turn]) -> Result<Self, RenderFault> {
        let mut steps = Steps {
            drawing: Self {
                name: name.to_owned(),
                across: true,
                graphs: Vec::new(),
                items: Vec::new(),
                arrows: Vec::new(),
            },
            path: Vec::new(),
            begin: first.0,
            parted: None,
        };
        steps.state(&format!("State @ Step {}", first.0), first.1);
        for turn in turns {
            match turn {
                Turn::Step(node) => steps.step(node),
                Turn::Back(step) => steps.back(*step),
            }
            if steps.drawing.items.len() > MAX_STEPS {
                return Err(RenderFault::TooLong(MAX_STEPS));
            }
        }
        Ok(steps.drawing)
    }
}

struct Steps {
    drawing: Drawing,
    /// The states on the way the run has come.
    path: Vec<usize>,
    /// The step of the first of them.
    begin: u64,
    /// The step from which a new path begins with the next step.
    parted: Option<u64>,
}

impl Steps {
    fn state(&mut self, head: &str, node: &str) {
        let at = self.drawing.items.len();
        self.drawing.items.push(DrawingItem {
            id: format!("S{at}"),
            label: format!("{head}\n{node}"),
            shape: ItemShape::Action,
            parent: None,
            open: false,
            ends: false,
            alone: false,
            fails: false,
            taken: false,
            graph: None,
            nodes: Vec::new(),
        });
        self.path.push(at);
    }

    fn step(&mut self, node: &str) {
        let Some(last) = self.path.last().copied() else { return };
        let step = self.begin.saturating_add(u64::try_from(self.path.len()).unwrap_or(u64::MAX));
        match self.parted.take() {
            Some(from) => self.state(&format!("State @ Step {from} + new path"), node),
            None => self.state(&format!("State @ Step {step}"), node),
        }
        self.arrow(last, self.drawing.items.len() - 1, String::new());
    }

    fn back(&mut self, step: u64) {
        let place = step.checked_sub(self.begin).and_then(|place| usize::try_from(place).ok());
        let place = place.unwrap_or_default().min(self.path.len().saturating_sub(1));
        let (Some(from), Some(to)) = (self.path.last().copied(), self.path.get(place).copied()) else {
            return;
        };
        self.path.truncate(place + 1);
        self.arrow(from, to, format!("Rollback to Step {step}"));
        self.parted = Some(step);
    }

    fn arrow(&mut self, from: usize, to: usize, label: String) {
        let back = !label.is_empty();
        let (from, to) = (ArrowEnd::Item(from), ArrowEnd::Item(to));
        self.drawing.arrows.push(Arrow {
            from,
            to,
            label,
            error: false,
            back,
            taken: false,
            graph: None,
            edges: Vec::new(),
        });
    }
}
