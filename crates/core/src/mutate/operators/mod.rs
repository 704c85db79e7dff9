//! Operators by the sites that they change.

mod edge;
mod expression;
mod node;
mod statement;
mod value;

use super::known::KnownTypes;
use super::mutation::Mutation;
use super::site::MutationSite;
use super::walk::SiteContext;

/// All mutations of a site.
pub(super) fn mutations(site: &MutationSite<'_>, context: &SiteContext, known: &KnownTypes) -> Vec<Mutation> {
    match site {
        MutationSite::Expr { expr, nested } => expression::mutations(expr, *nested, known),
        MutationSite::Condition(expr) => expression::negated(expr).into_iter().collect(),
        MutationSite::Values(values) => value::swapped(values, known),
        MutationSite::Block(block) => statement::dropped(block),
        MutationSite::Place(place) => value::replaced(place, &context.names).into_iter().collect(),
        MutationSite::Target(target) => {
            let leads = format!("the edge to `{}`", target.value);
            edge::retargeted(target, &leads, &context.names).into_iter().collect()
        }
        MutationSite::Start(target) => {
            edge::retargeted(target, "the start", &context.names).into_iter().collect()
        }
        MutationSite::Triggers(triggers) => edge::triggers(triggers, &context.names),
        MutationSite::Edges(edges) => edge::dropped(edges).into_iter().chain(edge::swapped(edges)).collect(),
        MutationSite::Keys(keys) => node::dropped(keys),
        MutationSite::Node(node) => statement::moved(node),
    }
}
