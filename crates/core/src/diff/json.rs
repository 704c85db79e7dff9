//! A diff for machines.

use serde_json::{Value, json};

use super::{Change, ChangeEffect, ChangeSide, Diff, VersionName};
use crate::check::{Amount, Bound};
use crate::diag;
use crate::source::Sources;

/// The version of the form.
const FORM: u32 = 1;

/// The diff as one object; `docs/diff.md` describes it.
#[must_use]
pub fn render(diff: &Diff, sources: &Sources) -> Value {
    let counts: serde_json::Map<String, Value> = ChangeEffect::ALL
        .iter()
        .map(|effect| (effect.name().to_owned(), diff.count(*effect).into()))
        .collect();
    json!({
        "version": FORM,
        "before": head(&diff.before),
        "after": head(&diff.after),
        "same_program": diff.same_program(),
        "counts": counts,
        "bounds": {"before": bound(diff.bounds[0].as_ref()), "after": bound(diff.bounds[1].as_ref())},
        "changes": diff.changes.iter().map(|change| one(change, sources)).collect::<Vec<_>>(),
    })
}

fn bound(bound: Option<&Bound>) -> Value {
    let amount = |(name, amount): (&str, &Amount)| {
        (name.replace(' ', "_"), json!({"number": amount.number, "formula": amount.formula}))
    };
    bound.map_or(Value::Null, |bound| Value::Object(bound.amounts().into_iter().map(amount).collect()))
}

fn head(head: &VersionName) -> Value {
    json!({"file": head.file, "graph": head.graph, "digest": head.digest})
}

fn one(change: &Change, sources: &Sources) -> Value {
    let part = |part: &Option<ChangeSide>| match part {
        None => Value::Null,
        Some(part) => {
            let mut value = json!({"text": part.text});
            value["at"] = diag::json::place(part.span, sources);
            value
        }
    };
    json!({
        "path": change.path,
        "kind": change.kind.slug,
        "effect": change.effect().name(),
        "graph": change.graph,
        "message": change.message,
        "before": part(&change.before),
        "after": part(&change.after),
    })
}
