//! Budgets and families: names first, limits when all names are known.
//!
//! A limit may use `limit(other)`; the list is ordered so that each budget is after those it uses.

use rustc_hash::{FxHashMap, FxHashSet};

use super::context::{Context, list, named};
use super::plan::Plan;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{BudgetId, Expr, FamilyId};
use crate::model::graph::{Budget, Family};
use crate::model::load::Unit;
use crate::model::name_use::{NameHolder, NameKind};
use crate::model::node::NodeId;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Cx, Here, Reach, Scope, children, dependencies_first};
use crate::program::graph::{Charge, Gate};
use crate::source::Spanned;
use crate::syntax::ast::{self, Name};
use crate::syntax::tree::{BudgetBody, BudgetDecl, MeterDecl};
use crate::value::Str;

/// Budgets in the order of their ids.
pub(super) struct Amounts<'u> {
    meters: Vec<AmountMeter<'u>>,
    families: Vec<FamilyOf<'u>>,
}

struct AmountMeter<'u> {
    name: Spanned<Str>,
    scope: Option<NodeId>,
    family: Option<FamilyId>,
    decl: &'u MeterDecl,
    charge: Option<Charge>,
}

struct FamilyOf<'u> {
    name: &'u Name,
    scope: Option<NodeId>,
    each: &'u ast::Expr,
    binding: Option<&'u Name>,
    meters: Vec<BudgetId>,
}

/// The id of the budget at that index.
pub(super) fn budget_id(index: usize) -> BudgetId {
    BudgetId(u32::try_from(index).expect("budgets are limited by the file's size"))
}

/// The id of the family at that index.
pub(super) fn family_id(index: usize) -> FamilyId {
    FamilyId(u32::try_from(index).expect("families are limited by the file's size"))
}

/// Declares the budgets of the graph, then those of composites in order of the text.
pub(super) fn declare<'u>(
    unit: &'u Unit,
    plan: &Plan<'u>,
    scope: &mut Scope,
    sink: &mut Vec<Diagnostic>,
) -> Amounts<'u> {
    let own: Vec<&BudgetDecl> = unit.budgets().collect();
    let mut amounts = Amounts { meters: Vec::new(), families: Vec::new() };
    let lets: FxHashMap<&str, &ast::Expr> = unit.lets().map(|l| (l.name.as_str(), &l.body)).collect();
    for decl in ordered(&own, &lets, &|name| scope.is_taken(name, None), sink) {
        amounts.add(decl, None, scope, sink);
    }
    for id in plan.ids() {
        let inner: Vec<&BudgetDecl> = plan.at(id).decl.budgets.iter().collect();
        if !inner.is_empty() {
            for decl in ordered(&inner, &lets, &|name| scope.is_taken(name, Some(id)), sink) {
                amounts.add(decl, Some(id), scope, sink);
            }
        }
    }
    amounts
}

impl<'u> Amounts<'u> {
    fn add(
        &mut self,
        decl: &'u BudgetDecl,
        home: Option<NodeId>,
        scope: &mut Scope,
        sink: &mut Vec<Diagnostic>,
    ) {
        match &decl.body {
            BudgetBody::Counter(meter) => {
                let (id, ty) = self.meter(named(&decl.name), home, None, meter, sink);
                scope.add_budget(&decl.name, id, home, ty, sink);
            }
            BudgetBody::Family { each, binding, meters } => {
                let family = family_id(self.families.len());
                let mut ids: Vec<(Str, BudgetId, Type)> = Vec::new();
                for (name, meter) in meters {
                    if ids.iter().any(|(own, ..)| *own == name.value) {
                        let message =
                            format!("the family `{}` has two meters `{}`", decl.name.value, name.value);
                        sink.push(Diagnostic::error(rule::DUPLICATE_NAME, name.span, message));
                        continue;
                    }
                    let full = ecow::eco_format!("{}.{}", decl.name.value, name.value);
                    let (id, ty) = self.meter(Spanned::new(full, name.span), home, Some(family), meter, sink);
                    let holder = NameHolder::Family(decl.name.span);
                    scope.recorder().define_part(holder, NameKind::Meter, &named(name), Some(&ty));
                    ids.push((name.as_str().into(), id, ty));
                }
                let meters = ids.iter().map(|(_, id, _)| *id).collect();
                scope.add_family(&decl.name, family, home, ids, sink);
                self.families.push(FamilyOf {
                    name: &decl.name,
                    scope: home,
                    each,
                    binding: binding.as_ref(),
                    meters,
                });
            }
        }
    }

    fn meter(
        &mut self,
        name: Spanned<Str>,
        scope: Option<NodeId>,
        family: Option<FamilyId>,
        decl: &'u MeterDecl,
        sink: &mut Vec<Diagnostic>,
    ) -> (BudgetId, Type) {
        let charge = decl.charge.as_ref().and_then(|word| charge(word, family, sink));
        let id = budget_id(self.meters.len());
        self.meters.push(AmountMeter { name, scope, family, decl, charge });
        (id, counted_in(charge))
    }
}

/// The type of the counters of a budget.
fn counted_in(charge: Option<Charge>) -> Type {
    Type::of(match charge {
        Some(Charge::ModelCost) => Kind::Usd,
        Some(Charge::Time) => Kind::Duration,
        _ => Kind::Int(None),
    })
}

fn charge(word: &Spanned<String>, family: Option<FamilyId>, sink: &mut Vec<Diagnostic>) -> Option<Charge> {
    if family.is_some() {
        let fault =
            Diagnostic::error(rule::BAD_BUDGET, word.span, "a meter of a family cannot have a `charge`");
        sink.push(
            fault.help("the runtime does not know which key to charge: spend it, or charge a plain budget"),
        );
        return None;
    }
    one_of(&word.value, word.span, "charge", &Charge::ALL.map(|charge| (charge.name(), charge)), sink)
}

/// The meaning of a word out of a few; another one is reported.
pub(super) fn one_of<T: Copy>(
    word: &str,
    span: crate::source::Span,
    key: &str,
    words: &[(&str, T)],
    sink: &mut Vec<Diagnostic>,
) -> Option<T> {
    let found = words.iter().find(|(own, _)| *own == word).map(|(_, value)| *value);
    if found.is_none() {
        let names: Vec<&str> = words.iter().map(|(own, _)| *own).collect();
        let fault = Diagnostic::error(rule::UNKNOWN_WORD, span, format!("`{key}` cannot be `{word}`"));
        let near = nearest(word, names.iter().copied());
        sink.push(fault.meant_or(near, format!("it is one of {}", names.join(", "))));
    }
    found
}

/// The declarations, each after those whose limits it uses. Circles are reported; what is in one keeps its place.
/// A name that is taken means what it meant before.
fn ordered<'u>(
    decls: &[&'u BudgetDecl],
    lets: &FxHashMap<&str, &ast::Expr>,
    is_taken: &dyn Fn(&str) -> bool,
    sink: &mut Vec<Diagnostic>,
) -> Vec<&'u BudgetDecl> {
    let names = decls.iter().enumerate().map(|(i, decl)| (decl.name.as_str(), i));
    let places: FxHashMap<&str, usize> = names.filter(|(name, _)| !is_taken(name)).collect();
    let needs: Vec<Vec<usize>> = decls.iter().map(|decl| used(decl, &places, lets)).collect();
    if needs.iter().all(Vec::is_empty) {
        return decls.to_vec();
    }
    let (mut order, circles) = dependencies_first(&needs);
    for circle in circles {
        let names: Vec<&str> = circle.iter().map(|i| decls[*i].name.as_str()).collect();
        let message = match names.as_slice() {
            [only] => format!("the limit of `{only}` uses itself"),
            _ => format!("the limits of {} use each other in a circle", names.join(" -> ")),
        };
        let help = match names.as_slice() {
            [_] => "a limit is a number, or computed from the input and other limits",
            _ => "make one of them independent of the others",
        };
        sink.push(Diagnostic::error(rule::LIMIT_CYCLE, decls[circle[0]].name.span, message).help(help));
        order.extend(circle);
    }
    order.into_iter().map(|i| decls[i]).collect()
}

/// The budgets whose names occur in a budget's limits, also through lets.
fn used(
    decl: &BudgetDecl,
    places: &FxHashMap<&str, usize>,
    lets: &FxHashMap<&str, &ast::Expr>,
) -> Vec<usize> {
    let meters: Vec<&MeterDecl> = match &decl.body {
        BudgetBody::Counter(meter) => vec![meter],
        BudgetBody::Family { meters, .. } => meters.iter().map(|(_, meter)| meter).collect(),
    };
    let mut used = Vec::new();
    let mut opened: FxHashSet<&str> = FxHashSet::default();
    let mut open: Vec<&ast::Expr> = meters.iter().flat_map(|m| m.grace.iter().chain([&m.limit])).collect();
    while let Some(expr) = open.pop() {
        let name = match &expr.kind {
            ast::ExprKind::Name(name) => name.as_str(),
            ast::ExprKind::Call { receiver: None, name, .. } => name.as_str(),
            _ => "",
        };
        if let Some(place) = places.get(name) {
            used.push(*place);
        } else if let Some((name, body)) = lets.get_key_value(name)
            && opened.insert(name)
        {
            open.push(body);
        }
        children(expr, &mut open);
    }
    used
}

/// Types limits, graces and keys.
pub(super) fn finish(
    cx: &Context<'_>,
    amounts: &Amounts<'_>,
    sink: &mut Vec<Diagnostic>,
) -> (Vec<Budget>, Vec<Family>) {
    let families = amounts.families.iter().map(|family| {
        let keys = list(Type::of(Kind::String(None)));
        let each = context(cx, family.scope, sink).check(family.each, &keys);
        let binding = crate::model::expr::LocalId(0);
        Family { name: named(family.name), scope: family.scope, each, binding, meters: family.meters.clone() }
    });
    let families = families.collect();
    let budgets = amounts.meters.iter().map(|meter| finish_meter(cx, amounts, meter, sink)).collect();
    (budgets, families)
}

fn finish_meter(
    cx: &Context<'_>,
    amounts: &Amounts<'_>,
    meter: &AmountMeter<'_>,
    sink: &mut Vec<Diagnostic>,
) -> Budget {
    const GATES: [(&str, Gate); 2] = [("hard", Gate::Hard), ("advisory", Gate::Advisory)];
    let gate = meter.decl.gate.as_ref().and_then(|word| one_of(word, word.span, "gate", &GATES, sink));
    let binding = meter.family.and_then(|id| amounts.families[id.0 as usize].binding);
    let limit = amount(cx, meter, binding, &meter.decl.limit, sink);
    let grace = meter.decl.grace.as_ref().map(|grace| amount(cx, meter, binding, grace, sink));
    if let (Some(Gate::Advisory), Some(grace)) = (gate, &grace) {
        let fault = Diagnostic::warning(
            rule::BAD_BUDGET,
            grace.span,
            "an advisory budget stops nothing, so its grace has no effect",
        );
        sink.push(fault.help("remove the grace, or the `gate: advisory`"));
    }
    Budget {
        name: meter.name.clone(),
        scope: meter.scope,
        family: meter.family,
        limit,
        grace,
        gate: gate.unwrap_or(Gate::Hard),
        unit: meter.decl.unit.as_ref().map(|unit| unit.as_str().into()),
        charge: meter.charge,
    }
}

/// Types a limit or grace. Money and time may also be given as a plain number of usd or seconds.
fn amount(
    cx: &Context<'_>,
    meter: &AmountMeter<'_>,
    binding: Option<&Name>,
    expr: &ast::Expr,
    sink: &mut Vec<Diagnostic>,
) -> Expr {
    let mut wanted = counted_in(meter.charge);
    if !matches!(wanted.kind, Kind::Int(_)) {
        let mut scratch = Vec::new();
        let mut probe = context(cx, meter.scope, &mut scratch);
        if let Some(name) = binding {
            probe.push_local(name, Type::of(Kind::String(None)));
        }
        if matches!(probe.infer(expr).ty.kind, Kind::Int(_)) {
            wanted = Type::of(Kind::Int(None));
        }
    }
    let mut typed = context(cx, meter.scope, sink);
    if let Some(name) = binding {
        typed.push_local(name, Type::of(Kind::String(None)));
    }
    typed.check(expr, &wanted)
}

/// Limits are fixed at the start, or at the entry of their composite: they see the input and other limits.
fn context<'c>(cx: &'c Context<'_>, scope: Option<NodeId>, sink: &'c mut Vec<Diagnostic>) -> Cx<'c> {
    let here = Here { composite: scope, ..Here::new(Reach::Inputs) };
    Cx::new(&cx.scope, cx.types, here, sink)
}
