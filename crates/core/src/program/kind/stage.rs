//! The stages a node goes through.

use std::fmt::Debug;

/// The forms that the parts of a node have in one stage.
pub trait Stage: Debug + Clone {
    /// An expression.
    type Expr: Debug + Clone;
    /// A text or an expression that gives one.
    type Text: Debug + Clone;
    /// A fixed name or an expression that gives one.
    type Name: Debug + Clone;
    /// A word of the file.
    type Word: Debug + Clone;
    /// The type of an answer.
    type Answer: Debug + Clone;
    /// A place that is written to.
    type Place: Debug + Clone;
    /// A graph that is called.
    type Graph: Debug + Clone;
    /// A local of expressions.
    type Local: Debug + Clone;
    /// A node that holds nodes.
    type Composite: Debug + Clone;
}

/// Makes the parts of one stage from those of another.
pub trait Link<A: Stage, B: Stage> {
    /// Maps an expression.
    fn expr(&mut self, expr: &A::Expr) -> B::Expr;
    /// A text or an expression that gives one.
    fn text(&mut self, text: &A::Text) -> B::Text;
    /// A fixed name or an expression that gives one.
    fn name(&mut self, name: &A::Name) -> B::Name;
    /// A word of the file.
    fn word(&mut self, word: &A::Word) -> B::Word;
    /// The type of an answer. A model's may be raw text.
    fn answer(&mut self, answer: &A::Answer, of_model: bool) -> B::Answer;
    /// A place that is written to.
    fn place(&mut self, place: &A::Place) -> B::Place;
    /// A graph that is called.
    fn graph(&mut self, graph: &A::Graph) -> B::Graph;
    /// A local of expressions.
    fn local(&mut self, local: &A::Local) -> B::Local;
    /// A node that holds nodes.
    fn composite(&mut self, composite: &A::Composite) -> B::Composite;

    /// The inputs of a called graph.
    fn inputs(&mut self, inputs: &[Option<A::Expr>]) -> Vec<Option<B::Expr>> {
        inputs.iter().map(|input| input.as_ref().map(|expr| self.expr(expr))).collect()
    }
}
