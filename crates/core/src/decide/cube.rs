//! Cubes: sets of assignments that give each of some variables one class.

use super::diagram::{Diagram, DiagramVariable, Diagrams, TooLarge};

/// Some variables with one class each, in order of the variables. The others may have any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cube(pub Vec<(DiagramVariable, usize)>);

impl Cube {
    /// The class of a variable, where it has one.
    #[must_use]
    pub fn class(&self, variable: DiagramVariable) -> Option<usize> {
        let at = self.0.binary_search_by_key(&variable, |(own, _)| *own).ok()?;
        Some(self.0[at].1)
    }
}

impl Diagrams {
    /// A cube of the diagram, the first classes first; [`None`] if no assignment is in it.
    #[must_use]
    pub fn cube(&self, one: Diagram) -> Option<Cube> {
        if one.is_none() {
            return None;
        }
        let mut cube = Cube::default();
        let mut at = one;
        while at != Diagram::ALL {
            let variable = self.top(at);
            let mut classes = 0..self.classes(variable);
            // A node with nothing below it is no node: it would be `NONE`.
            let class = classes.find(|class| !self.child(at, variable, *class).is_none())?;
            cube.0.push((variable, class));
            at = self.child(at, variable, class);
        }
        Some(cube)
    }

    /// True if an assignment of the cube may be in the diagram. It is, where the cube gives each variable of the diagram
    /// a class.
    #[must_use]
    pub fn meets(&self, one: Diagram, cube: &Cube) -> bool {
        let mut at = one;
        while at != Diagram::ALL && !at.is_none() {
            let variable = self.top(at);
            let Some(class) = cube.class(variable) else { return true };
            at = self.child(at, variable, class);
        }
        !at.is_none()
    }

    /// The diagram of a cube.
    ///
    /// # Errors
    /// As [`Diagrams::among`].
    pub fn of_cube(&mut self, cube: &Cube) -> Result<Diagram, TooLarge> {
        let mut all = Diagram::ALL;
        for (variable, class) in &cube.0 {
            let one = self.among(*variable, |own| own == *class)?;
            all = self.and(all, one)?;
        }
        Ok(all)
    }

    /// The diagram without a cube.
    ///
    /// # Errors
    /// As [`Diagrams::among`].
    pub fn without(&mut self, one: Diagram, cube: &Cube) -> Result<Diagram, TooLarge> {
        let cube = self.of_cube(cube)?;
        let other = self.not(cube)?;
        self.and(one, other)
    }
}
