//! Compares the declarations and nodes of graphs.

use super::edge;
use super::item::{DiffItem, ItemFact, Section};
use super::piece::{DraftSide, TextPiece};
use super::side::Side;
use crate::model::expr::{BudgetId, FamilyId, SlotId, SlotKind};
use crate::model::graph::PropertyBody;
use crate::model::node::{NameSource, NodeKind};
use crate::program::graph::{Charge, Gate, PropertyCode};
use crate::source::Span;
use crate::value::Str;

type ListedSection = (Section<'static>, Vec<DiffItem>);

/// A section whose order gives numbers.
const fn section(
    path: &'static str,
    added: &'static str,
    removed: &'static str,
    noun: &'static str,
) -> Section<'static> {
    Section { path, added, removed, order: Some("order-changed"), noun }
}

pub(super) const INPUT: Section<'static> = section("input", "input-added", "input-removed", "inputs");
pub(super) const STATE: Section<'static> = section("state", "state-added", "state-removed", "state fields");
pub(super) const BUDGETS: Section<'static> = section("budgets", "budget-added", "budget-removed", "budgets");
pub(super) const FAMILIES: Section<'static> =
    section("budgets", "family-added", "family-removed", "families of budgets");

/// The declarations of a graph, always the same sections in the same order.
pub(super) fn sections(side: &mut Side<'_>) -> Vec<ListedSection> {
    let graph = side.graph;
    let of_kind = |kind: SlotKind| {
        let slots = (0..).zip(&graph.slots).filter(move |(_, slot)| slot.kind == kind);
        slots.map(|(id, _)| SlotId(id)).collect::<Vec<_>>()
    };
    let budgets: Vec<BudgetId> =
        (0..).zip(&graph.budgets).filter(|(_, b)| b.scope.is_none()).map(|(id, _)| BudgetId(id)).collect();
    let families: Vec<FamilyId> =
        (0..).zip(&graph.families).filter(|(_, f)| f.scope.is_none()).map(|(id, _)| FamilyId(id)).collect();
    vec![
        (INPUT, slots(side, &of_kind(SlotKind::Input), "")),
        (STATE, slots(side, &of_kind(SlotKind::State), "")),
        (FAMILIES, self::families(side, &families, "")),
        (BUDGETS, self::budgets(side, &budgets, "")),
        (section("let", "let-added", "let-removed", "lets"), lets(side)),
        (section("actions", "action-added", "action-removed", "actions"), actions(side)),
        (section("texts", "text-added", "text-removed", "texts"), texts(side)),
        (section("errors", "error-added", "error-removed", "error kinds"), errors(side)),
        (Section { order: None, ..section("roles", "role-added", "role-removed", "roles") }, roles(side)),
        (section("output", "output-added", "output-removed", "outputs"), outputs(side)),
        (section("properties", "property-added", "property-removed", "properties"), properties(side)),
        (
            Section {
                order: None,
                ..section("migrate", "migration-added", "migration-removed", "earlier names")
            },
            migration(side),
        ),
        (Section { order: None, ..section("views", "view-added", "view-removed", "views") }, views(side)),
    ]
}

/// An item of a section; `within` is the path of the composite with a dot after it.
fn item(within: &str, section: &str, noun: &str, name: &str, span: Span, facts: Vec<ItemFact>) -> DiffItem {
    let owner = match within.trim_end_matches('.').strip_prefix("nodes.") {
        Some(node) => format!("{noun} `{name}` of the node `{node}`"),
        None => format!("{noun} `{name}`"),
    };
    DiffItem { name: name.to_owned(), path: format!("{within}{section}.{name}"), owner, span, facts }
}

/// The variables of these ids.
pub(super) fn slots(side: &mut Side<'_>, ids: &[SlotId], within: &str) -> Vec<DiffItem> {
    let (graph, code) = (side.graph, side.code);
    let one = |id: &SlotId| {
        let (slot, code) = (&graph.slots[id.0 as usize], &code.slots[id.0 as usize]);
        let is_input = slot.kind == SlotKind::Input;
        let slugs = if is_input {
            ["input-type-changed", "input-default-changed"]
        } else {
            ["state-type-changed", "state-default-changed"]
        };
        let span = slot.name.span;
        let mut facts = vec![ItemFact::plain("type", slugs[0], side.words.shape(code.shape), span)];
        facts.extend(side.optional("default", slugs[1], slot.init.as_ref(), code.init));
        let condition = slot.condition.as_ref();
        facts.extend(side.optional("where", "input-condition-changed", condition, code.condition));
        let (section, noun) = if is_input { ("input", "input") } else { ("state", "state field") };
        item(within, section, noun, &slot.name.value, span, facts)
    };
    ids.iter().map(one).collect()
}

/// The budgets and meters of these ids.
pub(super) fn budgets(side: &mut Side<'_>, ids: &[BudgetId], within: &str) -> Vec<DiffItem> {
    let (graph, code) = (side.graph, side.code);
    let one = |id: &BudgetId| {
        let (budget, code) = (&graph.budgets[id.0 as usize], &code.budgets[id.0 as usize]);
        let span = budget.name.span;
        let mut facts = vec![side.expr("limit", "budget-limit-changed", &budget.limit, code.limit)];
        facts.extend(side.optional("grace", "budget-grace-changed", budget.grace.as_ref(), code.grace));
        if budget.gate == Gate::Advisory {
            facts.push(ItemFact::plain("gate", "budget-gate-changed", "advisory", span));
        }
        facts.extend(
            budget
                .unit
                .iter()
                .map(|unit| ItemFact::plain("unit", "budget-unit-changed", unit.as_str(), span)),
        );
        let charge = budget.charge.map(Charge::name);
        facts.extend(charge.map(|charge| ItemFact::plain("charge", "budget-charge-changed", charge, span)));
        item(within, "budgets", "budget", &budget.name.value, span, facts)
    };
    ids.iter().map(one).collect()
}

/// The families of these ids; their meters are among the budgets.
pub(super) fn families(side: &mut Side<'_>, ids: &[FamilyId], within: &str) -> Vec<DiffItem> {
    let (graph, code) = (side.graph, side.code);
    let one = |id: &FamilyId| {
        let (family, code) = (&graph.families[id.0 as usize], &code.families[id.0 as usize]);
        let facts = vec![side.expr("each", "family-keys-changed", &family.each, code.each)];
        item(within, "budgets", "family of budgets", &family.name.value, family.name.span, facts)
    };
    ids.iter().map(one).collect()
}

fn lets(side: &mut Side<'_>) -> Vec<DiffItem> {
    let (graph, code) = (side.graph, side.code);
    let one = |(entry, op): (&crate::model::graph::Let, &crate::program::op::OpId)| {
        let facts = vec![side.expr("", "let-changed", &entry.body, *op)];
        item("", "let", "let", &entry.name.value, entry.name.span, facts)
    };
    graph.lets.iter().zip(&code.lets).map(one).collect()
}

fn actions(side: &mut Side<'_>) -> Vec<DiffItem> {
    let (graph, code, names) = (side.graph, side.code, side.actions.clone());
    let one =
        |((action, code), name): ((&crate::model::graph::Action, &crate::program::code::Block), Str)| {
            let facts = side.block("", "action-changed", &action.body, *code).into_iter().collect();
            item("", "actions", "action", &name, action.name.span, facts)
        };
    graph.actions.iter().zip(&code.actions).zip(names).map(one).collect()
}

fn texts(side: &Side<'_>) -> Vec<DiffItem> {
    let one = |text: &crate::model::graph::Text| {
        let body = ItemFact::plain("", "text-changed", text.body.text.as_str(), text.name.span);
        item("", "texts", "text", &text.name.value, text.name.span, vec![body])
    };
    side.graph.texts.iter().map(one).collect()
}

fn errors(side: &Side<'_>) -> Vec<DiffItem> {
    let one = |(kind, class): &(crate::source::Spanned<Str>, Str)| {
        let class = ItemFact::plain("", "error-class-changed", class.as_str(), kind.span);
        item("", "errors", "error kind", &kind.value, kind.span, vec![class])
    };
    side.graph.errors.iter().map(one).collect()
}

/// Roles that no node asks for by name: of the others the nodes tell.
fn roles(side: &Side<'_>) -> Vec<DiffItem> {
    let graph = side.graph;
    let asked = graph.graph.node_weights().filter_map(|node| match &node.kind {
        NodeKind::Model(model) => match &model.role {
            NameSource::Fixed(role) => Some(role.value.as_str()),
            NameSource::Computed(_) => None,
        },
        _ => None,
    });
    let asked: rustc_hash::FxHashSet<&str> = asked.collect();
    let free = graph.roles.iter().filter(|role| !asked.contains(role.value.as_str()));
    free.map(|role| item("", "roles", "role", &role.value, role.span, Vec::new())).collect()
}

fn outputs(side: &mut Side<'_>) -> Vec<DiffItem> {
    let (graph, code) = (side.graph, side.code);
    let one =
        |((name, expr), (_, op)): (&(crate::source::Spanned<Str>, crate::model::expr::Expr), &(Str, _))| {
            let facts = vec![side.expr("", "output-changed", expr, *op)];
            item("", "output", "output", &name.value, name.span, facts)
        };
    graph.output.iter().zip(&code.output).map(one).collect()
}

fn properties(side: &mut Side<'_>) -> Vec<DiffItem> {
    let (graph, code) = (side.graph, side.code);
    let one = |(property, (_, code)): (&crate::model::graph::Property, &(Str, PropertyCode))| {
        let word = |text: &str| TextPiece::Word(text.to_owned());
        let mut words = |op| side.words.expr(op);
        let (written, meaning, span) = match (&property.body, *code) {
            (PropertyBody::Precedes(a, b), PropertyCode::Precedes(first, then)) => (
                vec![TextPiece::Expr(a.span), word(" precedes "), TextPiece::Expr(b.span)],
                format!("{} precedes {}", words(first), words(then)),
                a.span,
            ),
            (PropertyBody::Never(e), PropertyCode::Never(op)) => {
                (vec![word("never "), TextPiece::Expr(e.span)], format!("never {}", words(op)), e.span)
            }
            (PropertyBody::Always(e), PropertyCode::Always(op)) => {
                (vec![word("always "), TextPiece::Expr(e.span)], format!("always {}", words(op)), e.span)
            }
            (PropertyBody::Eventually(e), PropertyCode::Eventually(op)) => (
                vec![word("eventually "), TextPiece::Expr(e.span)],
                format!("eventually {}", words(op)),
                e.span,
            ),
            // The program has the forms of its model.
            _ => (Vec::new(), String::new(), property.name.span),
        };
        let fact = ItemFact::of("", "property-changed", DraftSide { meaning, written, span });
        item("", "properties", "property", &property.name.value, property.name.span, vec![fact])
    };
    graph.properties.iter().zip(&code.properties).map(one).collect()
}

fn migration(side: &Side<'_>) -> Vec<DiffItem> {
    let decl = &side.graph.migrate;
    let mut items = Vec::new();
    if let Some(id) = &decl.graph {
        let fact = ItemFact::plain("", "migration-changed", id.value.clone(), id.span);
        items.push(item("", "migrate", "earlier name", "graph", id.span, vec![fact]));
    }
    for (section, renames) in [("fields", &decl.fields), ("nodes", &decl.nodes), ("budgets", &decl.budgets)] {
        items.extend(renames.iter().map(|(before, now)| {
            let fact = ItemFact::plain("", "migration-changed", now.value.clone(), now.span);
            let name = format!("{section}.{}", before.value);
            item("", "migrate", "earlier name", &name, before.span, vec![fact])
        }));
    }
    items
}

fn views(side: &Side<'_>) -> Vec<DiffItem> {
    let one = |view: &crate::model::graph::View| {
        let open = view.open.iter().map(|node| side.nodes[node.index()].to_string()).collect::<Vec<_>>();
        let fact = |key: &str, text: String| ItemFact::plain(key, "view-changed", text, view.span);
        let facts = vec![
            fact("as", view.form.to_string()),
            fact("open", format!("[{}]", open.join(", "))),
            fact("flat", view.flat.to_string()),
            fact("errors", view.errors.to_string()),
            fact("direction", if view.across { "LR" } else { "TB" }.to_owned()),
        ];
        item("", "views", "view", &view.name.value, view.name.span, facts)
    };
    side.graph.views.iter().map(one).collect()
}

/// The edges of a node that is in one version only, one a line.
pub(super) fn other_triggers(side: &mut Side<'_>, node: crate::model::node::NodeId) -> Vec<ItemFact> {
    edge::edges(side, node).iter().map(edge::EdgeText::fact).collect()
}
