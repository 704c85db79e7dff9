//! From trees to graphs: names become ids, expressions are typed, facts flow along the edges.

mod amounts;
mod called;
mod calls;
mod chosen;
mod context;
mod declare;
mod edges;
mod flow;
mod graph;
mod keys;
mod kinds;
mod limits;
mod migrate;
mod models;
mod names;
mod plan;
mod prompt;
mod retry;
mod sections;
mod slots;
mod work;

pub use self::edges::{TRIGGER_FORMS, TriggerForm};

use std::sync::Arc;

use super::expr::SlotKind;
use super::graph::{Graph, Model};
use super::load::{Links, Reader, Unit};
use super::name_use::{NameHolder, NameKind};
use super::record::{Field, TypeTable};
use super::types::{Kind, Type};
use super::typing::Builtins;
use crate::value::Str;
use context::{Built, Input, Interface, LaneResult};

/// Builds all graphs. [`None`] where one of them lacks so much that there is nothing to look at.
pub(super) fn build(reader: &mut Reader<'_>, units: &[Unit], links: &Links) -> Option<Model> {
    let mut types = TypeTable::default();
    let functions = reader.functions();
    let builtins = Builtins::declare(&mut types).with_functions(functions.clone());
    let builtins = builtins.with_recorder(reader.recorder());
    let mut built = Built { graphs: vec![None; units.len()], interfaces: vec![None; units.len()] };
    let mut scopes = vec![None; units.len()];
    for id in &links.order {
        let unit = &units[id.0 as usize];
        let graph = graph::build(reader, unit, links.of(*id), &built, &builtins, &mut types, id.0 == 0);
        if let Some((graph, scope)) = graph {
            scopes[id.0 as usize] = Some(Arc::new(scope));
            built.interfaces[id.0 as usize] = Some(interface(&graph, &built, &builtins, &mut types));
            built.graphs[id.0 as usize] = Some(graph);
        }
    }
    let graphs = built.graphs.into_iter().collect::<Option<Vec<_>>>()?;
    let scopes = scopes.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Model { types, functions, graphs, scopes })
}

fn interface(graph: &Graph, built: &Built, builtins: &Builtins, types: &mut TypeTable) -> Interface {
    let inputs = graph.slots.iter().filter(|slot| slot.kind == SlotKind::Input);
    let inputs = inputs.map(|slot| Input {
        name: slot.name.clone(),
        ty: slot.ty.clone(),
        optional: slot.init.is_some() || slot.ty.nullable || matches!(slot.ty.kind, Kind::Error),
    });
    let inputs = inputs.collect();
    let outcome = Field { name: "outcome".into(), ty: Type::of(Kind::String(None)), default: None };
    let output = graph.output.iter().filter(|(name, _)| name.value != "outcome");
    let output = output.map(|(name, value)| Field {
        name: name.value.clone(),
        ty: value.ty.clone().named(),
        default: None,
    });
    let fields = std::iter::once(outcome).chain(output).collect();
    // By the graph's id, not its path: the name is in messages of a run, and those must not depend on the folder
    // it was started from.
    let name = ecow::eco_format!("outputs of {}", graph.id.value);
    let outputs = types.add(name.clone(), false, fields);
    if let Kind::Record(id) = outputs.kind {
        for (name, value) in &graph.output {
            builtins.names.define_part(NameHolder::Record(id), NameKind::Field, name, Some(&value.ty));
        }
    }
    let collected = collected(types, &name, &outputs, builtins);
    let mut errors = graph.errors.clone();
    for id in graph.called() {
        for error in built.interface(id).into_iter().flat_map(|i| &i.errors) {
            if !errors.contains(error) {
                errors.push(error.clone());
            }
        }
    }
    Interface { inputs, result: LaneResult { outputs, collected }, errors }
}

/// The type of a lane's result where errors are collected.
fn collected(types: &mut TypeTable, name: &Str, outputs: &Type, builtins: &Builtins) -> Type {
    let field = |name: &str, ty: Type| Field { name: name.into(), ty, default: None };
    let fields =
        vec![field("ok", outputs.clone().or_null()), field("error", builtins.error.clone().or_null())];
    types.add(ecow::eco_format!("{name} or an error"), false, fields)
}
