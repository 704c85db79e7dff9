//! A graph without the texts that only go out.
//!
//! Nothing in a run depends on what a prompt says: models, tools and people answer whatever is tried. Rendering prompts takes
//! longer than all else that a step does, so the search goes by a program in which they are empty. What is found is played again with
//! the graph as it is.

use super::live::{GraphReads, ModelReads};
use super::unread::{UnreadWrites, constant, leave_out, plainest};
use crate::model::graph::Graph;
use crate::model::node::{NodeKind, Pause, TextSource};
use crate::model::types::{Kind, Type};
use crate::model::{GraphId, Model};
use crate::value::{List, Value};

/// The model with empty texts in place of those that only go out and can always be made, and without what nothing reads.
pub(super) fn without_texts(model: &Model, read: &ModelReads) -> Model {
    let mut silent = model.clone();
    for ((id, own), graph) in (0..).map(GraphId).zip(&mut silent.graphs).zip(&model.graphs) {
        let reads = GraphReads::new(graph);
        silence(&reads, own);
        if id == GraphId(0) {
            // Nothing in a run reads what the first graph gives at its end.
            own.output.retain(|(_, value)| !reads.is_total(value));
        }
        for (name, value) in &mut own.output {
            let is_unread = !read.results.has(id, &name.value) && reads.is_total(value);
            if let Some(plain) = plainest(&value.ty, &model.types).filter(|_| is_unread) {
                *value = constant(plain, value.ty.clone());
            }
        }
        let after = &read.after[id.0 as usize];
        leave_out(graph, &UnreadWrites { reads, after, types: &model.types }, own);
    }
    silent
}

fn silence(reads: &GraphReads<'_>, silent: &mut Graph) {
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
