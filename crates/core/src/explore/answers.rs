//! The answers of models, tools and people that a graph can tell apart.

use std::sync::Arc;

use super::catalogue::name_of;
use super::domain::{DomainMaker, SampledField};
use super::region::RegionId;
use super::uses::ValueUses;
use crate::machine::Usage;
use crate::model::Model;
use crate::model::node::{ModelNode, NodeKind, ToolNode};
use crate::model::types::{Kind, Type};
use crate::program::graph::Charge;
use crate::value::{List, Map, Str, Value};

/// The answers that are tried at one node.
#[derive(Debug, Clone)]
pub(super) struct NodeAnswers {
    /// The values of an answer; those of a model without the text that they are sent as.
    pub(super) values: Arc<[Value]>,
    /// The parts that are sampled.
    pub(super) sampled: Vec<SampledField>,
    /// The places of a run whose values the values depend on, by group that is compared.
    pub(super) depends_on: Vec<Vec<RegionId>>,
}

/// Makes the answers of nodes.
pub(super) struct AnswerMaker<'m> {
    pub(super) model: &'m Model,
    pub(super) uses: &'m ValueUses,
    /// The tools on offer.
    pub(super) tools: &'m List,
}

impl<'m> AnswerMaker<'m> {
    /// The answers at a node, given the limits of a model's answer and the values of a run that they are compared with.
    pub(super) fn of_node(
        &self,
        graph: usize,
        node: usize,
        limits: Option<&Map>,
        present: &dyn Fn(&[RegionId]) -> Vec<Value>,
    ) -> NodeAnswers {
        let region = self.uses.results[graph][node];
        let schema = limits.map_or(Value::Null, schema_of);
        let asked = std::cell::RefCell::new(Vec::<Vec<RegionId>>::new());
        let ask = |regions: &[RegionId]| {
            let own = regions.to_vec();
            if !asked.borrow().contains(&own) {
                asked.borrow_mut().push(own);
            }
            present(regions)
        };
        let mut maker = DomainMaker::new(&self.model.types, &self.uses.regions, &ask);
        let own = &self.model.graphs[graph].graph.node_weights().nth(node).map(|node| &node.kind);
        let values = match own {
            Some(NodeKind::Model(own)) => self.of_model(own, region, &schema, &mut maker),
            Some(NodeKind::Tool(own)) => maker.values(&tool_type(own), Some(region)),
            Some(NodeKind::Human(own)) => match &own.answer.kind {
                // A person may choose each of the options.
                Kind::Enum(options) => options.members.iter().cloned().map(Value::Str).collect(),
                Kind::Bool => vec![Value::Bool(true), Value::Bool(false)],
                _ => maker.values(&own.answer, Some(region)),
            },
            _ => vec![Value::Null],
        };
        let sampled = maker.sampled;
        NodeAnswers { values: values.into(), sampled, depends_on: asked.into_inner() }
    }

    /// The values of an input.
    pub(super) fn of_input(&self, slot: usize) -> (Vec<Value>, Vec<SampledField>) {
        let none = |_: &[RegionId]| Vec::new();
        let mut maker = DomainMaker::new(&self.model.types, &self.uses.regions, &none);
        let own = &self.model.root().slots[slot];
        let values = maker.values(&own.ty, Some(self.uses.slots[0][slot]));
        (values, maker.sampled)
    }

    fn of_model<'s>(
        &self,
        own: &ModelNode,
        region: RegionId,
        schema: &'s Value,
        maker: &mut DomainMaker<'s>,
    ) -> Vec<Value>
    where
        'm: 's,
    {
        if own.reply.is_none() {
            return maker.wanted(&own.output, Some(region), schema);
        }
        let regions = &self.uses.regions;
        let is_raw = matches!(own.output.kind, Kind::String(None)) && !own.output.nullable;
        let answer = regions.known_field(region, if is_raw { "text" } else { "answer" });
        let answers = maker.wanted(&own.output, answer, schema);
        let texts: Vec<Value> = answers.into_iter().map(|value| sent(own, value)).collect();
        let mut all: Vec<Value> = texts.iter().map(|text| reply(text.clone(), &[])).collect();
        if regions.known_field(region, "finish").is_some_and(|finish| regions.is_used(finish)) {
            all.extend(texts.iter().map(|text| cut_off(reply(text.clone(), &[]))));
        }
        let offered = own.offer.names();
        let is_offered = |name: &Str| offered.is_empty() || offered.iter().any(|own| own.value == *name);
        let args = regions
            .known_field(region, "tool_calls")
            .and_then(|calls| regions.known_item(calls))
            .and_then(|call| regions.known_field(call, "args"));
        let of_args = Type::of(Kind::Map(Arc::new(Type::of(Kind::Any))));
        let mut calls: Vec<(Str, Value)> = Vec::new();
        for tool in self.tools {
            let Some(name) = name_of(tool).filter(is_offered) else { continue };
            let schema = tool.as_map().and_then(|tool| tool.get("schema")).unwrap_or(&Value::Null);
            let args = maker.wanted(&of_args, args, schema);
            calls.extend(args.into_iter().map(|args| (name.clone(), args)));
        }
        // What a model says beside its calls.
        let beside =
            if answer.is_some_and(|answer| regions.is_used(answer)) { texts.as_slice() } else { &[] };
        let all_texts = std::iter::once(Value::from("")).chain(beside.iter().cloned());
        all.extend(
            all_texts.flat_map(|text| {
                calls.iter().map(move |call| reply(text.clone(), &[call])).collect::<Vec<_>>()
            }),
        );
        let pairs = calls.iter().flat_map(|one| calls.iter().map(move |other| [one, other]));
        all.extend(pairs.map(|pair| reply("".into(), &pair)));
        all
    }
}

/// A reply that was cut off for its length.
fn cut_off(mut reply: Value) -> Value {
    if let Value::Map(parts) = &mut reply {
        parts.insert("finish".into(), "length".into());
    }
    reply
}

/// The schema of an answer with these limits of its fields.
fn schema_of(limits: &Map) -> Value {
    Value::Map([("properties", Value::Map(limits.clone()))].into_iter().collect::<Map>())
}

/// The type of what a tool answers.
pub(super) fn tool_type(own: &ToolNode) -> Type {
    own.into.as_ref().map_or(Type::of(Kind::Any), |place| place.ty.clone())
}

/// An answer of a model as it is sent.
fn sent(own: &ModelNode, value: Value) -> Value {
    match (&own.output.kind, value) {
        (Kind::String(None), Value::Str(text)) => Value::Str(text),
        (_, value) => written(&value),
    }
}

/// True for a node whose answers are sent as JSON texts.
pub(super) fn are_written(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Model(own) if own.reply.is_none() && !matches!(own.output.kind, Kind::String(None)))
}

/// A value as a JSON text.
pub(super) fn written(value: &Value) -> Value {
    Value::from(value.to_json().to_string().as_str())
}

/// A reply with the calls that it asks for.
fn reply(text: Value, calls: &[&(Str, Value)]) -> Value {
    let call = |(at, (tool, args)): (usize, &&(Str, Value))| {
        let id = Value::from(format!("call-{}", at + 1).as_str());
        let tool = Value::Str(tool.clone());
        Value::Map([("id", id), ("tool", tool), ("args", args.clone())].into_iter().collect::<Map>())
    };
    let calls: List = calls.iter().enumerate().map(call).collect();
    Value::Map([("text", text), ("tool_calls", Value::List(calls))].into_iter().collect::<Map>())
}

/// The costs of a call that are tried: nothing, and more than any budget has left, where a budget is charged with it.
pub(super) fn usages(model: &Model) -> Vec<Usage> {
    let charged = |charge: Charge| {
        model.graphs.iter().flat_map(|graph| &graph.budgets).any(|budget| budget.charge == Some(charge))
    };
    let mut all = vec![Usage::default()];
    if charged(Charge::ModelTokens) || charged(Charge::ModelCost) {
        let typical = Usage { input_tokens: 900, output_tokens: 100, cost: 2_000_000, ..Usage::default() };
        let most = u64::from(u32::MAX);
        let past =
            Usage { input_tokens: most, output_tokens: most, cost: most * 1_000_000, ..Usage::default() };
        all.extend([typical, past]);
    }
    all
}
