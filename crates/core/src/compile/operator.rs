//! Compiles the operator's pause: where a run stops and asks, though the graph does not say so.

use super::compile_as;
use crate::diag::{Diagnostic, Severity, rule};
use crate::model::Model;
use crate::model::expr::ExprKind;
use crate::model::graph::Let;
use crate::model::typing::{Cx, Here, Reach};
use crate::program::{OperatorPause, Program, Semantics};
use crate::source::{Fragment, Spanned};
use crate::syntax::expr::expression;
use crate::value::Str;

/// Compiles a model that `check` has found nothing wrong with, and an operator's pause with it. A condition is typed over
/// the state of the root graph.
///
/// # Errors
/// The faults of the condition, or as [`compile()`](super::compile()).
pub fn compile_with_pause(
    model: &Model,
    when: Option<&Fragment>,
    every: Option<u64>,
    semantics: Semantics,
) -> Result<Program, Vec<Diagnostic>> {
    let compiled = |model: &Model| {
        compile_as(model, semantics).map_err(|faults| faults.iter().map(Diagnostic::from).collect::<Vec<_>>())
    };
    let mut program = compiled(model)?;
    let every = every.filter(|every| *every > 0);
    let mut condition = None;
    if let Some(text) = when {
        // The condition is one `let` more, which nothing in the graph names.
        let (model, place) = with_condition(model, text)?;
        let digest = program.digest;
        program = Program { digest, ..compiled(&model)? };
        condition = Some((Str::from(text.text.trim()), program.graphs[0].lets[place]));
    }
    if condition.is_some() || every.is_some() {
        program.graphs[0].pauses = true;
        program.operator = Some(OperatorPause { when: condition, every });
    }
    Ok(program)
}

fn with_condition(model: &Model, text: &Fragment) -> Result<(Model, usize), Vec<Diagnostic>> {
    let mut found = Vec::new();
    let Some(ast) = expression(text, &mut found) else { return Err(found) };
    let Some(scope) = model.scopes.first() else { return Err(found) };
    let here = Here::new(Reach::All);
    let body = Cx::new(scope, &model.types, here, &mut found).condition(&ast);
    // Where it cannot be decided the run stops and says so: a null does no harm.
    found.retain(|finding| finding.severity == Severity::Error && finding.rule != rule::MAYBE_NULL);
    if !found.is_empty() || matches!(body.kind, ExprKind::Error) {
        return Err(found);
    }
    let mut model = model.clone();
    let lets = &mut model.graphs[0].lets;
    let place = lets.len();
    lets.push(Let { name: Spanned::new(Str::from("{{}}"), text.whole()), body });
    Ok((model, place))
}
