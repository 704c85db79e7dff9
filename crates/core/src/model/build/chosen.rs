//! The results of lanes that run one of several graphs.

use super::collected;
use super::context::{Built, ChosenResults, LaneResult};
use crate::model::load::{Callee, Calls, Unit};
use crate::model::record::{Field, RecordType, TypeTable};
use crate::model::types::{Kind, Type};
use crate::model::typing::{Builtins, join};
use crate::source::Span;
use crate::syntax::tree::{CandidateDecl, KeyValue, NodeDecl, each_node};

/// Declares what the results of the graphs that a node chooses from have in common.
pub(super) fn declare(
    unit: &Unit,
    calls: &Calls,
    built: &Built,
    builtins: &Builtins,
    types: &mut TypeTable,
) -> ChosenResults {
    let mut found = ChosenResults::default();
    each_choice(&unit.tree.nodes, &mut |at, among| {
        let results = among.iter().map(|decl| {
            let graph = calls.get(Callee::of(&decl.graph)?)?;
            built.interface(graph).map(|interface| &interface.result)
        });
        if let Some(results) = results.collect::<Option<Vec<_>>>() {
            found.insert(at, common(&results, builtins, types));
        }
    });
    found
}

fn each_choice(nodes: &[NodeDecl], seen: &mut dyn FnMut(Span, &[CandidateDecl])) {
    each_node(nodes, &mut |node| {
        for (_, (key, value)) in node.all_keys() {
            if let KeyValue::Graphs(among) = value {
                seen(key.span, among);
            }
        }
    });
}

/// The outputs that all of them have. A lane's result may have more.
fn common(results: &[&LaneResult], builtins: &Builtins, types: &mut TypeTable) -> LaneResult {
    let Some((first, others)) = results.split_first() else { return LaneResult::default() };
    if others.iter().all(|other| other.outputs == first.outputs) {
        return (*first).clone();
    }
    let all: Option<Vec<&RecordType>> = results
        .iter()
        .map(|result| match result.outputs.kind {
            Kind::Record(id) => Some(types.record(id)),
            _ => None,
        })
        .collect();
    let Some(all) = all else { return LaneResult::default() };
    let fields: Vec<Field> = all[0].fields.iter().filter_map(|field| in_all(field, &all, types)).collect();
    let open = all.iter().any(|record| record.fields.len() > fields.len());
    let names: Vec<&str> = all.iter().map(|record| record.name.as_str()).collect();
    let name = ecow::EcoString::from(names.join(" or "));
    let outputs = types.add(name.clone(), open, fields);
    let collected = collected(types, &name, &outputs, builtins);
    LaneResult { outputs, collected }
}

/// The field as all records have it.
fn in_all(field: &Field, all: &[&RecordType], types: &TypeTable) -> Option<Field> {
    let mut ty = field.ty.clone();
    for record in &all[1..] {
        let other = &record.fields.get(&field.name)?.ty;
        ty = join(types, &ty, other).unwrap_or_else(|| Type::of(Kind::Any));
    }
    Some(Field { name: field.name.clone(), ty, default: None })
}
