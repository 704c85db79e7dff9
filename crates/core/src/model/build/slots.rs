//! Inputs, state and the state of composites: names and types first, defaults and conditions when all names are known.

use super::context::{Context, named};
use super::plan::Plan;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{SlotId, SlotKind};
use crate::model::graph::Slot;
use crate::model::load::Unit;
use crate::model::node::NodeId;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Cx, Facts, Here, Path, Reach, Root, Scope, learn_keys};
use crate::syntax::tree::FieldDecl;

/// A slot and its declaration.
pub(super) struct DeclaredSlot<'u> {
    pub(super) slot: Slot,
    decl: &'u FieldDecl,
    /// True if its name is its own.
    is_usable: bool,
}

/// The id of the slot at that index.
pub(super) fn id(index: usize) -> SlotId {
    SlotId(u32::try_from(index).expect("slots are limited by the file's size"))
}

/// Declares all variables: inputs, state, then the state of composites in order of the text.
pub(super) fn declare<'u>(
    unit: &'u Unit,
    plan: &Plan<'u>,
    scope: &mut Scope,
    sink: &mut Vec<Diagnostic>,
) -> Vec<DeclaredSlot<'u>> {
    let inputs = unit.tree.input.iter().map(|decl| (decl, SlotKind::Input));
    let state = unit.tree.state.iter().map(|decl| (decl, SlotKind::State));
    let inner = plan.ids().flat_map(|id| {
        let decl = plan.at(id).decl;
        decl.state.iter().map(move |field| (field, SlotKind::Inner(id)))
    });
    let mut list = Vec::new();
    for (decl, kind) in inputs.chain(state).chain(inner) {
        let ty = scope.types.resolve(&decl.ty, sink);
        let is_usable = scope.add_slot(&decl.name, id(list.len()), ty.clone(), kind, sink);
        let slot = Slot { name: named(&decl.name), ty, kind, init: None, condition: None };
        list.push(DeclaredSlot { slot, decl, is_usable });
    }
    list
}

/// Types defaults and conditions; gives what is known at the start.
pub(super) fn finish(cx: &Context<'_>, list: &mut [DeclaredSlot<'_>], sink: &mut Vec<Diagnostic>) -> Facts {
    let mut facts = Facts::default();
    for (i, DeclaredSlot { slot, decl, is_usable }) in list.iter_mut().enumerate() {
        // Another name often gets another type: what else is wrong is said once it has one.
        let found = sink.len();
        slot.init = default(cx, slot, decl, sink);
        if !*is_usable {
            sink.truncate(found);
        }
        slot.condition = condition(cx, slot, decl, sink);
        let starts_set = slot.kind == SlotKind::State && is_set(slot);
        if starts_set {
            facts.insert(Path::root(Root::Slot(id(i))));
        }
        if slot.kind == SlotKind::State
            && let Some(init) = &slot.init
        {
            learn_keys(&mut facts, &Path::root(Root::Slot(id(i))), init);
        }
        if let Some(condition) = &slot.condition {
            facts = facts.and(&cx.scope.facts_when(condition, true).of_slots());
        }
    }
    facts
}

/// True if the default of a nullable slot is not null.
pub(super) fn is_set(slot: &Slot) -> bool {
    slot.ty.nullable
        && slot.init.as_ref().is_some_and(|e| !e.ty.nullable && !matches!(e.ty.kind, Kind::Null | Kind::Any))
}

fn default(
    cx: &Context<'_>,
    slot: &Slot,
    decl: &FieldDecl,
    sink: &mut Vec<Diagnostic>,
) -> Option<crate::model::expr::Expr> {
    let Some(default) = &decl.default else {
        let needs = slot.kind != SlotKind::Input
            && !slot.ty.nullable
            && !matches!(slot.ty.kind, Kind::Any | Kind::Error);
        if needs {
            let message = format!("the state field `{}` has no value to start with", slot.name.value);
            let fault = Diagnostic::error(rule::MISSING_DEFAULT, slot.name.span, message);
            sink.push(fault.help(format!(
                "give it one (`{} = {}`), or allow null with `?`",
                spelled(cx, slot),
                example(&slot.ty)
            )));
        }
        return None;
    };
    let here = match slot.kind {
        SlotKind::Input => Here::new(Reach::Constants),
        SlotKind::State => Here::new(Reach::Inputs),
        SlotKind::Inner(home) => Here { composite: parent(cx, home), ..Here::new(Reach::State) },
    };
    Some(Cx::new(&cx.scope, cx.types, here, sink).check(default, &slot.ty))
}

fn parent(cx: &Context<'_>, home: NodeId) -> Option<NodeId> {
    cx.plan.at(home).parent
}

fn condition(
    cx: &Context<'_>,
    slot: &Slot,
    decl: &FieldDecl,
    sink: &mut Vec<Diagnostic>,
) -> Option<crate::model::expr::Expr> {
    let condition = decl.condition.as_ref()?;
    if slot.kind != SlotKind::Input {
        let message = "only a field of `input` can have a condition";
        let fault = Diagnostic::error(rule::MISPLACED_CONDITION, condition.span, message);
        sink.push(fault.help("put a condition for every path under `properties`, as `always …`"));
        return None;
    }
    Some(Cx::new(&cx.scope, cx.types, Here::new(Reach::Inputs), sink).condition(condition))
}

fn spelled(cx: &Context<'_>, slot: &Slot) -> String {
    format!("{}: {}", slot.name.value, crate::model::typing::show(&slot.ty, cx.types))
}

fn example(ty: &Type) -> String {
    match &ty.kind {
        Kind::Bool => "false".to_owned(),
        Kind::Int(Some((low, high))) if *low > 0 || *high < 0 => low.to_string(),
        Kind::Int(_) | Kind::Usd => "0".to_owned(),
        Kind::Float => "0.0".to_owned(),
        Kind::Duration => "0s".to_owned(),
        Kind::List(..) => "[]".to_owned(),
        Kind::Enum(members) => members.members.first().map_or_else(String::new, |m| format!("'{m}'")),
        Kind::Map(_) | Kind::Record(_) => "{…}".to_owned(),
        _ => "''".to_owned(),
    }
}
