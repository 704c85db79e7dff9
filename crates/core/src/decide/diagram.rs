//! Diagrams and the operations on them.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

/// The most nodes of all diagrams of one table.
const MAX_NODES: usize = 4096;

/// The most children of all nodes of one table.
const MAX_CHILDREN: usize = 1 << 22;

/// The most steps of all operations of one table together.
const MAX_STEPS: u32 = 1 << 20;

/// A set of assignments: the number of its node in a table of [`Diagrams`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Diagram(u32);

impl Diagram {
    /// No assignment.
    pub const NONE: Self = Self(0);
    /// All assignments.
    pub const ALL: Self = Self(1);

    /// True if no assignment is in it.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    const fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// A variable: variables are asked in the order in which they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DiagramVariable(pub u32);

/// A limit of a table of diagrams is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Branching {
    variable: DiagramVariable,
    children: Children,
}

type Children = SmallVec<[Diagram; 6]>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    And(Diagram, Diagram),
    Or(Diagram, Diagram),
    Not(Diagram),
    Exists(Diagram, DiagramVariable),
}

/// Variables, and the diagrams over them.
#[derive(Debug)]
pub struct Diagrams {
    /// The number of classes of each variable.
    variables: Vec<u32>,
    /// The nodes; the first is number 2.
    nodes: IndexSet<Branching, FxBuildHasher>,
    results: FxHashMap<Operation, Diagram>,
    children: usize,
    steps: u32,
}

/// The room of a new table, for nodes and for results: most need no more, and growing costs more than what they hold.
const ROOM: usize = 24;

impl Default for Diagrams {
    fn default() -> Self {
        Self {
            variables: Vec::new(),
            nodes: IndexSet::with_capacity_and_hasher(ROOM, FxBuildHasher),
            results: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            children: 0,
            steps: 0,
        }
    }
}

impl Diagrams {
    /// Adds a variable with so many classes.
    pub fn variable(&mut self, classes: usize) -> DiagramVariable {
        self.variables.push(u32::try_from(classes).unwrap_or(u32::MAX));
        DiagramVariable(u32::try_from(self.variables.len() - 1).unwrap_or(u32::MAX))
    }

    /// The number of classes of a variable.
    #[must_use]
    pub fn classes(&self, variable: DiagramVariable) -> usize {
        self.variables[variable.0 as usize] as usize
    }

    /// The number of variables.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.variables.len()
    }

    /// The assignments that give the variable one of the classes for which `chosen` is true.
    ///
    /// # Errors
    /// A limit is passed, here and in all other operations.
    pub fn among(
        &mut self,
        variable: DiagramVariable,
        chosen: impl Fn(usize) -> bool,
    ) -> Result<Diagram, TooLarge> {
        let all = 0..self.classes(variable);
        let children = all.map(|class| if chosen(class) { Diagram::ALL } else { Diagram::NONE }).collect();
        self.branch(variable, children)
    }

    /// The assignments in both.
    ///
    /// # Errors
    /// As [`Diagrams::among`].
    pub fn and(&mut self, one: Diagram, other: Diagram) -> Result<Diagram, TooLarge> {
        if one.is_none() || other.is_none() {
            return Ok(Diagram::NONE);
        }
        if one == Diagram::ALL || one == other {
            return Ok(other);
        }
        if other == Diagram::ALL {
            return Ok(one);
        }
        self.joined(Operation::And(one.min(other), one.max(other)), (one, other), Self::and)
    }

    /// All other assignments.
    ///
    /// # Errors
    /// As [`Diagrams::among`].
    pub fn not(&mut self, one: Diagram) -> Result<Diagram, TooLarge> {
        match one {
            Diagram::NONE => return Ok(Diagram::ALL),
            Diagram::ALL => return Ok(Diagram::NONE),
            _ => {}
        }
        if let Some(done) = self.results.get(&Operation::Not(one)) {
            return Ok(*done);
        }
        let variable = self.top(one);
        let done = self.by_class(variable, |diagrams, class| {
            let child = diagrams.child(one, variable, class);
            diagrams.not(child)
        })?;
        self.results.insert(Operation::Not(one), done);
        self.results.insert(Operation::Not(done), one);
        Ok(done)
    }

    /// The assignments in either.
    ///
    /// # Errors
    /// As [`Diagrams::among`].
    pub fn or(&mut self, one: Diagram, other: Diagram) -> Result<Diagram, TooLarge> {
        if one == Diagram::ALL || other == Diagram::ALL {
            return Ok(Diagram::ALL);
        }
        if one.is_none() || one == other {
            return Ok(other);
        }
        if other.is_none() {
            return Ok(one);
        }
        self.joined(Operation::Or(one.min(other), one.max(other)), (one, other), Self::or)
    }

    /// The assignments that are in it with some class of the variable: what is left once its value is forgotten.
    ///
    /// # Errors
    /// As [`Diagrams::among`].
    pub fn exists(&mut self, one: Diagram, variable: DiagramVariable) -> Result<Diagram, TooLarge> {
        if one.is_constant() || self.top(one) > variable {
            return Ok(one);
        }
        let operation = Operation::Exists(one, variable);
        if let Some(done) = self.results.get(&operation) {
            return Ok(*done);
        }
        let top = self.top(one);
        let done = if top == variable {
            self.step()?;
            let mut any = Diagram::NONE;
            for class in 0..self.classes(top) {
                let child = self.child(one, top, class);
                any = self.or(any, child)?;
            }
            any
        } else {
            self.by_class(top, |diagrams, class| {
                let child = diagrams.child(one, top, class);
                diagrams.exists(child, variable)
            })?
        };
        self.results.insert(operation, done);
        Ok(done)
    }

    /// The variables that decide about being in it, in order.
    #[must_use]
    pub fn support(&self, one: Diagram) -> Vec<DiagramVariable> {
        let mut asked = vec![false; self.variables.len()];
        let mut seen = vec![false; self.nodes.len() + 2];
        let mut open = vec![one];
        while let Some(at) = open.pop() {
            if at.is_constant() || std::mem::replace(&mut seen[at.0 as usize], true) {
                continue;
            }
            let node = self.node(at);
            asked[node.variable.0 as usize] = true;
            open.extend(node.children.iter().copied());
        }
        let all = (0..).zip(asked).filter(|(_, asked)| *asked);
        all.map(|(variable, _)| DiagramVariable(variable)).collect()
    }

    /// The variable that is asked first. The constants ask none: they come after all variables.
    pub(super) fn top(&self, one: Diagram) -> DiagramVariable {
        if one.is_constant() { DiagramVariable(u32::MAX) } else { self.node(one).variable }
    }

    /// The rest of a diagram once its first variable, or one before that, has this class.
    pub(super) fn child(&self, one: Diagram, variable: DiagramVariable, class: usize) -> Diagram {
        if self.top(one) == variable { self.node(one).children[class] } else { one }
    }

    /// An operation on two diagrams that does the same to their children.
    fn joined(
        &mut self,
        operation: Operation,
        (one, other): (Diagram, Diagram),
        join: fn(&mut Self, Diagram, Diagram) -> Result<Diagram, TooLarge>,
    ) -> Result<Diagram, TooLarge> {
        if let Some(done) = self.results.get(&operation) {
            return Ok(*done);
        }
        let variable = self.top(one).min(self.top(other));
        let done = self.by_class(variable, |diagrams, class| {
            let own = diagrams.child(one, variable, class);
            let theirs = diagrams.child(other, variable, class);
            join(diagrams, own, theirs)
        })?;
        self.results.insert(operation, done);
        Ok(done)
    }

    /// The node of a variable whose child for each class is made by a function: one step.
    fn by_class(
        &mut self,
        variable: DiagramVariable,
        mut make: impl FnMut(&mut Self, usize) -> Result<Diagram, TooLarge>,
    ) -> Result<Diagram, TooLarge> {
        self.step()?;
        let classes = self.classes(variable);
        let mut children = Children::with_capacity(classes);
        for class in 0..classes {
            children.push(make(self, class)?);
        }
        self.branch(variable, children)
    }

    fn node(&self, one: Diagram) -> &Branching {
        &self.nodes[one.0 as usize - 2]
    }

    const fn step(&mut self) -> Result<(), TooLarge> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(TooLarge) } else { Ok(()) }
    }

    /// The node with these children; none where all are the same.
    fn branch(&mut self, variable: DiagramVariable, children: Children) -> Result<Diagram, TooLarge> {
        match children.split_first() {
            None => return Ok(Diagram::NONE),
            Some((first, rest)) if rest.iter().all(|child| child == first) => return Ok(*first),
            Some(_) => {}
        }
        let size = children.len();
        let (place, is_new) = self.nodes.insert_full(Branching { variable, children });
        if is_new {
            self.children += size;
            if self.nodes.len() > MAX_NODES || self.children > MAX_CHILDREN {
                return Err(TooLarge);
            }
        }
        Ok(Diagram(u32::try_from(place + 2).unwrap_or(u32::MAX)))
    }
}
