//! A graph without the texts that only go out.
//!
//! Nothing in a run depends on what a prompt says: models, tools and people answer whatever is tried. Rendering prompts takes
//! longer than all else that a step does, so the search goes by a program in which they are empty. What is found is played again with
//! the graph as it is.

use super::live::GraphReads;
use super::unread::{constant, leave_out};
use crate::model::Model;
use crate::model::graph::Graph;
use crate::model::node::{NodeKind, Pause, TextSource};
use crate::model::types::{Kind, Type};
use crate::value::{List, Value};

/// The model with empty texts in place of those that only go out and can always be made.
pub(super) fn without_texts(model: &Model) -> Model {
    let mut silent = model.clone();
    for (number, (graph, own)) in model.graphs.iter().zip(&mut silent.graphs).enumerate() {
        silence(graph, own);
        leave_out(graph, number, &model.types, own);
    }
    if let (Some(graph), Some(own)) = (model.graphs.first(), silent.graphs.first_mut()) {
        empty_output(graph, own);
    }
    silent
}

fn silence(graph: &Graph, silent: &mut Graph) {
    let reads = GraphReads::new(graph);
    let text = |text: &mut Option<TextSource>| {
        if text.as_ref().is_some_and(|text| reads.is_total_source(text)) {
            *text = Some(TextSource::Expr(constant(Value::from(""), Type::of(Kind::String(None)))));
        }
    };
    let pause = |pause: &mut Pause| text(&mut pause.ask);
    if let Some(own) = &mut silent.pause {
        pause(own);
    }
    for node in silent.graph.node_weights_mut() {
        match &mut node.kind {
            NodeKind::Model(own) => {
                text(&mut own.system);
                text(&mut own.prompt);
                if let Some(messages) = own.messages.as_mut().filter(|messages| reads.is_total(messages)) {
                    *messages = constant(Value::List(List::new()), messages.ty.clone());
                }
            }
            NodeKind::Human(own) => text(&mut own.ask),
            NodeKind::Composite(own) => {
                if let Some(own) = &mut own.pause {
                    pause(own);
                }
            }
            _ => {}
        }
    }
}

/// Empties what the first graph gives at its end, which nothing in a run reads.
fn empty_output(graph: &Graph, silent: &mut Graph) {
    let reads = GraphReads::new(graph);
    silent.output.retain(|(_, value)| !reads.is_total(value));
}
