//! Uses at nodes and edges, and in what a graph declares.

use super::{RegionId, UseBuilder};
use crate::model::expr::{BudgetRef, Expr, ExprKind, SlotKind};
use crate::model::node::{
    Callable, EachNode, EdgeId, GraphSource, ModelNode, Node, NodeId, NodeKind, Offer, Pause, Trigger,
};
use crate::program::kind::OnError;
use crate::value::{Str, Value};

impl<'m> UseBuilder<'m> {
    /// The limits of budgets, and the keys of families.
    pub(super) fn budgets(&mut self) {
        let graph = self.own();
        for family in &graph.families {
            self.apart(|builder| builder.decide(&family.each, "the keys of budgets"));
        }
        for budget in &graph.budgets {
            self.apart(|builder| {
                for expr in [Some(&budget.limit), budget.grace.as_ref()].into_iter().flatten() {
                    builder.decide(expr, "the limit of a budget");
                }
            });
        }
    }

    pub(super) fn node(&mut self, id: NodeId) {
        let node = &self.own().graph[id];
        let result = self.uses.results[self.graph][id.index()];
        self.block(&node.entry);
        self.times(node);
        match &node.kind {
            NodeKind::Action | NodeKind::Choice => {}
            NodeKind::Composite(own) => self.pause(own.pause.as_deref()),
            NodeKind::Model(own) => self.model(own, result),
            NodeKind::Tool(own) => {
                if let Some(name) = self.name(&own.tool) {
                    let names = self.uses.tool_names;
                    self.regions().join(names, name);
                }
                own.args.iter().for_each(|args| self.apart(|builder| builder.hand_out(args)));
                self.regions().get_mut(result).varies = true;
            }
            NodeKind::Human(own) => {
                self.sent_text(own.ask.as_ref());
                self.regions().get_mut(result).varies = true;
            }
            NodeKind::Call(own) => {
                self.called(&own.graph, result);
                if let Some((place, output)) = &own.merge {
                    let to = self.place(place);
                    let from = self.regions().field(result, output);
                    self.regions().join(to, from);
                }
            }
            NodeKind::Each(own) => self.each(own, result),
            NodeKind::Parallel(own) => {
                for branch in &own.branches {
                    let lane = self.regions().add();
                    self.called(&branch.graph, lane);
                    let collected = self.collected(lane, own.on_error);
                    if let Some(place) = &branch.into {
                        let to = self.apart(|builder| builder.place(place));
                        self.regions().join(to, collected);
                    }
                }
            }
            NodeKind::Wait(delay) => self.apart(|builder| builder.decide(delay, "a time to wait")),
            NodeKind::Final(own) => self.last(node, own),
        }
        if let Some(place) = node.kind.into_place() {
            let to = self.apart(|builder| builder.place(place));
            self.regions().join(to, result);
        }
        self.result = Some(result);
        self.block(&node.then);
        self.result = None;
    }

    fn times(&mut self, node: &'m Node) {
        let times = node.retry.iter().flat_map(|retry| {
            [Some(&retry.attempts), retry.first.as_ref(), retry.factor.as_ref(), retry.max.as_ref()]
        });
        for expr in times.flatten().chain(&node.timeout) {
            self.apart(|builder| builder.decide(expr, "a time or a number of attempts"));
        }
        let jitter = node.retry.as_ref().and_then(|retry| retry.jitter.as_ref());
        let is_none =
            |jitter: &&Expr| matches!(&jitter.kind, ExprKind::Const(share) if *share == Value::from(0.0));
        if let Some(jitter) = jitter.filter(|jitter| !is_none(jitter)) {
            self.note_unexplored("waits before new attempts are random", jitter.span);
        }
    }

    fn model(&mut self, own: &'m ModelNode, result: RegionId) {
        self.name(&own.role);
        self.sent_text(own.system.as_ref());
        self.sent_text(own.prompt.as_ref());
        for expr in own.messages.iter().chain(match &own.offer {
            Offer::Computed(names) => Some(names),
            Offer::Fixed(_) => None,
        }) {
            self.apart(|builder| builder.hand_out(expr));
        }
        let answer = match &own.reply {
            Some(_) => {
                self.reply(result);
                self.regions().field(result, &"answer".into())
            }
            None => result,
        };
        if let Some(limits) = &own.limits {
            self.limits(limits, answer);
        }
        self.regions().get_mut(result).varies = true;
    }

    /// The message of a reply repeats its parts.
    fn reply(&mut self, result: RegionId) {
        let message = self.regions().field(result, &"message".into());
        for part in ["text", "tool_calls"] {
            let (own, same) =
                (self.regions().field(message, &part.into()), self.regions().field(result, &part.into()));
            self.regions().join(own, same);
        }
        let names = self.uses.tool_names;
        let calls = self.regions().field(result, &"tool_calls".into());
        let call = self.regions().item(calls);
        let tool = self.regions().field(call, &"tool".into());
        self.regions().join(names, tool);
    }

    /// An answer has to be one of the values that its limits list.
    fn limits(&mut self, limits: &'m crate::model::expr::Expr, answer: RegionId) {
        let value = self.apart(|builder| builder.read(limits));
        let fields: Vec<(Str, RegionId)> =
            self.regions().fields(value.region).map(|(name, field)| (name.clone(), field)).collect();
        for (name, list) in fields {
            let own = self.regions().field(answer, &name);
            let member = self.regions().item(list);
            self.regions().compare(own, member, None);
        }
        if let Some(Value::Map(map)) = &value.constant {
            for (name, list) in map {
                let own = self.regions().field(answer, name);
                let points = list.as_list().into_iter().flatten().cloned();
                self.regions().get_mut(own).points.extend(points);
            }
        }
    }

    /// The graphs that a lane may run: their inputs, their outcomes and outputs.
    fn called(&mut self, source: &'m GraphSource, result: RegionId) {
        if let GraphSource::Computed { name, among } = source {
            let chosen = self.apart(|builder| builder.read(name)).region;
            let names = among.iter().map(|one| Value::Str(one.name.value.clone()));
            let names: Vec<Value> = names.collect();
            self.regions().get_mut(chosen).points.extend(names);
        }
        for callable in source.callables() {
            self.given(callable);
            let child = callable.graph.0 as usize;
            let (end, outputs) = (self.ends[child], self.outputs[child]);
            let outcome = self.regions().field(result, &"outcome".into());
            self.regions().join(outcome, end);
            self.regions().join(result, outputs);
        }
    }

    fn given(&mut self, callable: &'m Callable) {
        let child = callable.graph.0 as usize;
        let slots = &self.model.graphs[child].slots;
        let inputs = (0..slots.len()).filter(|slot| slots[*slot].kind == SlotKind::Input);
        for (slot, given) in inputs.zip(&callable.with) {
            let to = self.uses.slots[child][slot];
            if let Some(expr) = given {
                // What a lane is given may be the item of its list: locals are those of the node.
                self.flow(expr, to);
                self.regions().get_mut(to).varies = true;
            }
        }
    }

    fn each(&mut self, own: &'m EachNode, result: RegionId) {
        self.apart(|builder| {
            let over = builder.read(&own.over).region;
            let list = builder.regions().get_mut(over);
            list.is_iterated = true;
            list.is_read_by_place = true;
            let item = builder.regions().item(over);
            builder.set_local(own.item, item);
            for expr in own.at_once.iter().chain(&own.limit) {
                builder.decide(expr, "a number of lanes");
            }
            let lane = builder.regions().add();
            builder.called(&own.graph, lane);
            let collected = builder.collected(lane, own.on_error);
            let one = builder.regions().item(result);
            builder.regions().join(one, collected);
        });
    }

    /// The result of a lane as it is written: with its error, where both are collected.
    fn collected(&mut self, lane: RegionId, on_error: OnError) -> RegionId {
        if on_error == OnError::Stop {
            return lane;
        }
        let made = self.regions().add();
        let (ok, error) =
            (self.regions().field(made, &"ok".into()), self.regions().field(made, &"error".into()));
        self.regions().join(ok, lane);
        let own = self.uses.errors[self.graph];
        self.regions().join(error, own);
        made
    }

    fn last(&mut self, node: &'m Node, own: &'m crate::model::node::FinalNode) {
        let to = match node.parent {
            Some(composite) => self.outcome_of(composite),
            None => self.ends[self.graph],
        };
        match &own.outcome {
            Some(expr) => {
                self.apart(|builder| builder.flow(expr, to));
                if node.parent.is_none() && self.graph == 0 {
                    // Each outcome is reported.
                    self.regions().get_mut(to).is_tested = true;
                }
            }
            None => self.names(to, [node.name.value.clone()]),
        }
        own.ok.iter().for_each(|ok| self.apart(|builder| builder.condition(ok)));
    }

    fn outcome_of(&mut self, composite: NodeId) -> RegionId {
        let key = (self.graph, composite.index());
        if let Some(region) = self.outcomes.get(&key) {
            return *region;
        }
        let region = self.uses.regions.add();
        self.outcomes.insert(key, region);
        region
    }

    pub(super) fn edge(&mut self, id: EdgeId) {
        let graph = self.own();
        let edge = &graph.graph[id];
        let Some((from, _)) = graph.graph.edge_endpoints(id) else { return };
        self.result = Some(self.uses.results[self.graph][from.index()]);
        self.outcome = Some(self.outcome_of(from));
        for trigger in &edge.on {
            if let Trigger::Exhausted(BudgetRef::Meter(_, key)) = trigger {
                self.apart(|builder| builder.decide(key, "the key of a budget"));
            }
        }
        if let Some(guard) = &edge.when {
            self.apart(|builder| builder.condition(guard));
        }
        self.block(&edge.action);
        self.result = None;
        self.outcome = None;
    }

    pub(super) fn pause(&mut self, pause: Option<&'m Pause>) {
        let Some(pause) = pause else { return };
        self.apart(|builder| builder.condition(&pause.when));
        self.sent_text(pause.ask.as_ref());
    }

    pub(super) fn output(&mut self) {
        let outputs = self.outputs[self.graph];
        for (name, value) in &self.own().output {
            let field = self.regions().field(outputs, &name.value);
            self.apart(|builder| builder.flow(value, field));
        }
    }

    pub(super) fn properties(&mut self) {
        for property in &self.own().properties {
            self.apart(|builder| property.body.conditions().for_each(|one| builder.condition(one)));
        }
    }

    /// The messages of errors.
    pub(super) fn messages(&mut self) {
        let error = self.uses.errors[self.graph];
        let message = self.regions().field(error, &"message".into());
        let details = self.regions().field(error, &"details".into());
        for region in [message, details] {
            self.regions().get_mut(region).varies = true;
        }
    }
}
