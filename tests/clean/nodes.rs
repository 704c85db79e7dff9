//! Nodes of all kinds, and their edges.

use serde_json::{Map, Value as Json, json};

use super::holes::Hole;
use super::wanted::{WORDS, WantedKind, WantedType};
use super::writer::{BudgetPlan, GraphWriter, Visible};

/// The nodes of a graph or of a composite, before they are written. The last is a final.
pub(super) struct Level(Vec<PlannedNode>);

struct PlannedNode {
    name: String,
    kind: &'static str,
    inner: Option<Level>,
}

impl Level {
    pub(super) fn plan(writer: &mut GraphWriter<'_>, count: usize, depth: u32) -> Self {
        let mut nodes = Vec::new();
        for i in 0..=count {
            let kind = if i == count {
                "final"
            } else if depth < 2 && writer.chance(0.15) {
                "composite"
            } else {
                let calls = !writer.names.called.is_empty();
                let kind = writer.pick(&[
                    "action", "action", "choice", "model", "model", "tool", "tool", "human", "wait", "call",
                    "call", "each", "parallel",
                ]);
                if matches!(kind, "call" | "each" | "parallel") && !calls { "choice" } else { kind }
            };
            let inner = (kind == "composite").then(|| {
                let count = 1 + writer.below(3);
                Self::plan(writer, count, depth + 1)
            });
            nodes.push(PlannedNode { name: writer.name("n"), kind, inner });
        }
        if writer.chance(0.5) {
            nodes.push(PlannedNode { name: writer.name("n"), kind: "final", inner: None });
        }
        Self(nodes)
    }

    pub(super) fn start(&self) -> &str {
        &self.0[0].name
    }

    pub(super) fn last(&self) -> &str {
        self.0.last().map_or("", |node| &node.name)
    }

    pub(super) fn all_names(&self) -> Vec<String> {
        let own = self.0.iter().map(|node| node.name.clone());
        let inner = self.0.iter().filter_map(|node| node.inner.as_ref()).flat_map(Self::all_names);
        own.chain(inner).collect()
    }
}

/// A node while it is written.
struct Draft<'a> {
    body: Map<String, Json>,
    /// The nodes that come after it, and those up to it.
    after: &'a [String],
    up_to: &'a [String],
    edges: Vec<Json>,
    /// The budgets that it spends or that are charged there.
    spends: Vec<String>,
    /// Its `do` or `then` may fail.
    fails: bool,
}

impl GraphWriter<'_> {
    /// The nodes of a level by name. `outside` are the nodes after the composite around.
    pub(super) fn level(&mut self, level: &Level, outside: &[String]) -> Map<String, Json> {
        let mut nodes = Map::new();
        let names: Vec<String> = level.0.iter().map(|node| node.name.clone()).collect();
        for (i, node) in level.0.iter().enumerate() {
            let mut after: Vec<String> = names[i + 1..].to_vec();
            if after.is_empty() || self.chance(0.2) {
                after.extend(outside.iter().cloned());
            }
            nodes.insert(node.name.clone(), self.node(node, &after, &names[..=i]));
        }
        nodes
    }

    fn node(&mut self, node: &PlannedNode, after: &[String], up_to: &[String]) -> Json {
        let mut draft =
            Draft { body: Map::new(), after, up_to, edges: Vec::new(), spends: Vec::new(), fails: false };
        draft.body.insert("kind".into(), json!(node.kind));
        if self.chance(0.1) {
            draft.body.insert("title".into(), json!("A node"));
        }
        let (visible, budgets) = (self.vars.len(), self.budgets.len());
        if node.kind != "choice" && self.chance(0.5) {
            let most = if node.kind == "action" { 4 } else { 2 };
            let block = self.block(most, &mut draft.spends);
            draft.body.insert("do".into(), block);
            draft.fails = true;
        }
        match node.kind {
            "model" => self.model(&mut draft),
            "tool" => self.tool(&mut draft),
            "human" => self.human(&mut draft),
            "call" => self.call(&mut draft),
            "each" => self.each(&mut draft),
            "parallel" => self.parallel(&mut draft),
            "wait" => {
                draft.body.insert("delay".into(), json!(self.pick(&["1s", "5m", "90s"])));
                self.done(&mut draft, None);
            }
            "final" => self.last(&mut draft),
            "composite" => self.composite(&mut draft, node),
            _ => self.done(&mut draft, None),
        }
        self.vars.truncate(visible);
        if node.kind != "final" {
            self.exits(&mut draft, node.kind);
            draft.body.insert("next".into(), Json::Array(draft.edges));
        }
        self.budgets.truncate(budgets);
        Json::Object(draft.body)
    }

    fn text_key(&mut self) -> Json {
        if self.chance(0.6)
            && let Some(text) = (!self.texts.is_empty()).then(|| self.below(self.texts.len()))
        {
            return json!(self.texts[text]);
        }
        json!(self.expr(&WantedType::text(), 2))
    }

    /// A place for an answer, with its type.
    fn answer_place(&mut self) -> Option<(String, WantedType)> {
        self.place(|ty| !matches!(ty.kind, WantedKind::Outputs(_)) && !has_outputs(ty))
    }

    fn model(&mut self, draft: &mut Draft<'_>) {
        if self.chance(0.85) {
            draft.body.insert("role".into(), json!(self.pick(&["writer", "judge"])));
        } else {
            draft.body.insert("role_of".into(), json!(self.pick(&["'writer'", "true ? 'judge' : 'writer'"])));
        }
        let prompt = self.text_key();
        draft.body.insert("prompt".into(), prompt);
        if self.chance(0.3) {
            let system = self.text_key();
            draft.body.insert("system".into(), system);
        }
        if self.chance(0.1) {
            draft.body.insert("cache".into(), json!(true));
        }
        let mut result = WantedType::text();
        if let Some((place, ty)) = self.answer_place().filter(|_| self.chance(0.85)) {
            draft.body.insert("output".into(), json!(ty.written(&self.names)));
            draft.body.insert("into".into(), json!(place));
            self.limits(draft, &ty, &place);
            result = ty;
        }
        self.retry(draft);
        self.done(draft, Some(result));
        self.charged(draft, &["model.calls", "model.tokens", "model.cost", "time"]);
    }

    /// Narrows a text of an answer, if it has one; the limit reads nothing of where the answer goes.
    fn limits(&mut self, draft: &mut Draft<'_>, answer: &WantedType, place: &str) {
        let WantedKind::Record(record) = answer.kind else { return };
        let fields = self.names.records[record].fields.clone();
        let mut texts = fields.iter().filter(|field| matches!(field.ty.kind, WantedKind::Text(_)));
        let Some(field) = texts.next_back().filter(|_| self.chance(0.4)) else { return };
        let root = place.split(['.', '[']).next().unwrap_or(place);
        let limit = match self.below(3) {
            0 => "['a', 'red']".to_owned(),
            1 => "tools.map(t, t.name) + ['a']".to_owned(),
            _ => format!("[{}]", self.expr(&WantedType::text(), 1)),
        };
        let limit = if limit.contains(root) { "['a']".to_owned() } else { limit };
        draft.body.insert("limits".into(), json!({field.name.clone(): limit}));
    }

    fn tool(&mut self, draft: &mut Draft<'_>) {
        if self.chance(0.85) {
            draft.body.insert("tool".into(), json!(self.pick(&["probe", "search", "pay"])));
        } else {
            draft.body.insert("tool_of".into(), json!("true ? 'probe' : 'pay'"));
            draft.body.insert("allow".into(), json!(["probe", "search"]));
        }
        if self.chance(0.6) {
            let args = json!({"a": self.expr(&WantedType::any(), 2), "b": self.expr(&WantedType::text(), 1)});
            draft.body.insert("args".into(), args);
        }
        let mut result = WantedType::any();
        if let Some((place, ty)) = self.answer_place().filter(|_| self.chance(0.8)) {
            draft.body.insert("into".into(), json!(place));
            result = ty;
        }
        self.retry(draft);
        if self.chance(0.3) {
            draft.body.insert(
                "delivery".into(),
                json!(self.pick(&["at_most_once", "idempotent", "pure", "at_least_once"])),
            );
        }
        self.done(draft, Some(result));
        if self.chance(0.5) {
            let edge = self.edge(draft, json!("unknown"), None);
            draft.edges.push(edge);
        }
        self.charged(draft, &["tool.calls", "time"]);
    }

    fn retry(&mut self, draft: &mut Draft<'_>) {
        if self.chance(0.25) {
            let retry = match self.below(3) {
                0 => json!(2),
                1 => {
                    json!({"attempts": 3, "on": ["transient"], "first": "1s", "factor": 2, "max": "10s", "jitter": 0.5})
                }
                _ => json!({"attempts": 2, "on": ["unavailable", "rate_limited"]}),
            };
            draft.body.insert("retry".into(), retry);
        }
        if self.chance(0.3) {
            draft.body.insert("timeout".into(), json!(self.pick(&["10s", "1m"])));
        }
    }

    fn human(&mut self, draft: &mut Draft<'_>) {
        let ask = self.text_key();
        draft.body.insert("ask".into(), ask);
        let mut result = WantedType::text();
        let words = WORDS[self.below(WORDS.len())];
        let options = WantedType::of(WantedKind::Enum(words));
        if self.chance(0.4) {
            draft.body.insert("options".into(), json!(words));
            result = options.clone();
            if let Some((place, _)) = self.place(|ty| options.fits(ty) && !ty.is_any()) {
                draft.body.insert("into".into(), json!(place));
            }
        } else if let Some((place, ty)) = self.answer_place() {
            draft.body.insert("answer".into(), json!(ty.written(&self.names)));
            draft.body.insert("into".into(), json!(place));
            result = ty;
        }
        if self.chance(0.5) {
            draft.body.insert("timeout".into(), json!(self.pick(&["1h", "24h"])));
        }
        self.done(draft, Some(result));
    }

    /// The graph that runs: always the same, or one of two names of it.
    fn graph_keys(&mut self, called: usize) -> Map<String, Json> {
        let file = self.names.called[called].file.clone();
        let mut keys = Map::new();
        if self.chance(0.7) {
            keys.insert("graph".into(), json!(file));
        } else {
            let condition = self.condition(1);
            keys.insert("graph_of".into(), json!(format!("({condition}) ? 'one' : 'other'")));
            keys.insert("graphs".into(), json!({"one": file, "other": file}));
        }
        keys
    }

    fn with(&mut self, called: usize, item: Option<(&str, &WantedType)>) -> Json {
        let mut with = Map::new();
        for (name, ty, free) in self.names.called[called].inputs.clone() {
            if free && self.chance(0.4) {
                continue;
            }
            let value = match item {
                Some((item, own)) if own.fits(&ty) && self.chance(0.7) => item.to_owned(),
                _ => self.expr(&ty, 2),
            };
            with.insert(name, json!(value));
        }
        Json::Object(with)
    }

    /// A place that takes the results: of just that type, or, where results are tested, of one that looks alike.
    fn results_place(&mut self, want: &WantedType, called: usize) -> Option<(String, WantedType)> {
        let alike = self.closed(Hole::Unfitted);
        let names = self.names.clone();
        let outputs = names.called[called].outputs.len();
        let found = self.place(|ty| {
            let record = |ty: &WantedType| match &ty.kind {
                WantedKind::Record(place) => {
                    let record = &names.records[*place];
                    record.name.starts_with("Alike") && record.fields.len() > outputs
                }
                _ => false,
            };
            let nearly = match (&ty.kind, &want.kind) {
                (WantedKind::List(own, _), WantedKind::List(..)) => record(own),
                (_, WantedKind::Outputs(_)) => record(ty),
                _ => false,
            };
            want.fits(ty) && !ty.is_any() || alike && nearly
        });
        self.alike_used |= found.as_ref().is_some_and(|(_, ty)| !want.fits(ty));
        found
    }

    fn call(&mut self, draft: &mut Draft<'_>) {
        let called = self.below(self.names.called.len());
        draft.body.extend(self.graph_keys(called));
        let with = self.with(called, None);
        draft.body.insert("with".into(), with);
        let outputs = WantedType::of(WantedKind::Outputs(called));
        if let Some((place, _)) = self.results_place(&outputs, called).filter(|_| self.chance(0.8)) {
            draft.body.insert("into".into(), json!(place));
        }
        let maps = self.names.called[called].outputs.clone();
        let merged = maps.into_iter().find(|(name, ty)| {
            matches!(ty.kind, WantedKind::Map(_))
                && self.vars.iter().any(|var| var.path == *name && var.ty == *ty)
        });
        if let Some((name, _)) = merged {
            draft.body.insert("merge".into(), json!(name));
        }
        self.done(draft, Some(outputs));
        self.of_called(draft);
    }

    fn each(&mut self, draft: &mut Draft<'_>) {
        let called = self.below(self.names.called.len());
        let lists: Vec<(String, WantedType)> = self
            .vars
            .iter()
            .filter(|var| !var.ty.null)
            .filter_map(|var| match &var.ty.kind {
                WantedKind::List(item, _) => Some((var.path.clone(), (**item).clone())),
                _ => None,
            })
            .collect();
        let (over, item) = match lists.len() {
            0 => ("[1, 2]".to_owned(), WantedType::int()),
            n => lists[self.below(n)].clone(),
        };
        let name = self.local();
        draft.body.insert("over".into(), json!(over));
        draft.body.insert("as".into(), json!(name));
        self.vars.push(Visible::read(&name, item.clone()));
        draft.body.extend(self.graph_keys(called));
        let with = self.with(called, Some((&name, &item)));
        self.vars.pop();
        draft.body.insert("with".into(), with);
        if self.chance(0.7) {
            draft.body.insert("limit".into(), json!(1 + self.below(3)));
        }
        if self.chance(0.3) {
            draft.body.insert("at_once".into(), json!(1 + self.below(2)));
        }
        let outputs = WantedType::of(WantedKind::Outputs(called));
        let mut result = outputs.clone().list();
        if self.chance(0.35) {
            draft.body.insert("on_error".into(), json!("collect"));
            let tried = self.names.records.iter().position(|record| record.fields[0].ty == outputs.or_null());
            result =
                tried.map_or(WantedType::any(), |tried| WantedType::of(WantedKind::Record(tried)).list());
        }
        if !result.is_any()
            && let Some((place, _)) = self.results_place(&result, called)
        {
            draft.body.insert("into".into(), json!(place));
        }
        self.done(draft, Some(result));
        self.of_called(draft);
    }

    fn parallel(&mut self, draft: &mut Draft<'_>) {
        let mut branches = Map::new();
        let mut taken = Vec::new();
        for name in ["left", "right"] {
            let called = self.below(self.names.called.len());
            let mut branch = Json::Object(self.graph_keys(called));
            branch["with"] = self.with(called, None);
            let outputs = WantedType::of(WantedKind::Outputs(called));
            if let Some((place, _)) = self.results_place(&outputs, called)
                && !taken.contains(&place)
            {
                branch["into"] = json!(place);
                taken.push(place);
            }
            branches.insert(name.into(), branch);
        }
        draft.body.insert("branches".into(), Json::Object(branches));
        self.done(draft, None);
        self.of_called(draft);
    }

    /// The outcomes of a called graph.
    fn of_called(&mut self, draft: &mut Draft<'_>) {
        if self.chance(0.8) {
            let edge = self.edge(draft, json!("error(budget_exhausted)"), Some(error_fields()));
            draft.edges.push(edge);
        }
        self.charged(draft, &["model.calls", "model.tokens", "model.cost", "tool.calls", "time"]);
    }

    fn charged(&mut self, draft: &mut Draft<'_>, charges: &[&str]) {
        let refusing = self
            .budgets
            .iter()
            .filter(|budget| budget.hard && budget.charge.is_some_and(|c| charges.contains(&c)));
        draft.spends.extend(refusing.map(|budget| budget.name.clone()));
    }

    fn last(&mut self, draft: &mut Draft<'_>) {
        if self.chance(0.3) {
            draft
                .body
                .insert("outcome".into(), json!(self.pick(&["'good'", "step() > 3 ? 'long' : 'short'"])));
        }
        if self.chance(0.3) {
            let condition = self.condition(1);
            draft.body.insert("ok".into(), json!(condition));
        }
        if self.chance(0.05) {
            draft.body.insert("as".into(), json!("end"));
        }
    }

    fn composite(&mut self, draft: &mut Draft<'_>, node: &PlannedNode) {
        let Some(level) = &node.inner else { return };
        let visible = self.vars.len();
        if self.chance(0.6) {
            let mut section = Map::new();
            let ty = self.ty(1);
            let field = self.field(&mut section, ty);
            self.vars.extend(field);
            if !section.is_empty() {
                draft.body.insert("state".into(), Json::Object(section));
            }
        }
        let budgets = self.budgets.len();
        if self.chance(0.5) {
            let name = self.name("b");
            draft.body.insert("budgets".into(), json!({(name.clone()): 1 + self.below(3)}));
            self.budgets.push(BudgetPlan { name: name.clone(), hard: true, charge: None });
            if self.chance(0.8) {
                draft.spends.push(name);
            }
        }
        draft.body.insert("start".into(), json!(level.start()));
        let inner = self.level(level, draft.after);
        draft.body.insert("nodes".into(), Json::Object(inner));
        self.vars.truncate(visible);
        self.budgets.truncate(budgets);
        self.vars.push(Visible::read("outcome", WantedType::text()));
        self.done(draft, None);
        self.vars.truncate(visible);
        draft.fails = true;
    }

    /// `then` and the edges on success.
    fn done(&mut self, draft: &mut Draft<'_>, result: Option<WantedType>) {
        let visible = self.vars.len();
        if let Some(result) = result {
            self.vars.push(Visible::read("result", result));
            if self.chance(0.3) {
                let block = self.block(2, &mut draft.spends);
                draft.body.insert("then".into(), block);
                draft.fails = true;
            }
        }
        for (guard, counted) in self.guards(draft) {
            let mut edge = self.edge(draft, Json::Null, None);
            if let Some(guard) = guard {
                edge["when"] = json!(guard);
            }
            if let Some(counted) = counted {
                edge["do"] = json!([counted]);
            }
            draft.edges.push(edge);
        }
        self.vars.truncate(visible);
    }

    /// The guards of the edges on success: mostly with one edge without, else sets that cover everything.
    fn guards(&mut self, draft: &mut Draft<'_>) -> Vec<(Option<String>, Option<String>)> {
        let plain = |guards: Vec<String>| guards.into_iter().map(|guard| (Some(guard), None)).collect();
        match self.below(12) {
            0 => {
                let words = WORDS[self.below(WORDS.len())];
                let ty = WantedType::of(WantedKind::Enum(words));
                let want = if self.chance(0.3) { ty.or_null() } else { ty };
                if let Some(path) = self.path(&want) {
                    let mut guards: Vec<String> =
                        words.iter().map(|word| format!("{path} == '{word}'")).collect();
                    if want.null {
                        guards.push(format!("{path} == null"));
                    }
                    return plain(guards);
                }
            }
            1 => {
                let ty = match self.below(4) {
                    0 => WantedType::of(WantedKind::Float),
                    1 => WantedType::of(WantedKind::Duration),
                    2 => WantedType::any(),
                    _ => WantedType::int(),
                };
                let gaps =
                    self.closed(Hole::Gaps) || matches!(ty.kind, WantedKind::Int(_) | WantedKind::Duration);
                let (a, b) = (self.path(&WantedType::int()), self.path(&ty));
                let (a, b) =
                    if matches!(ty.kind, WantedKind::Duration) { (self.path(&ty), b) } else { (a, b) };
                if let (Some(a), Some(b)) = (a, b)
                    && gaps
                {
                    self.any_used |= ty.is_any();
                    return plain(vec![format!("{a} < {b}"), format!("{a} >= {b}")]);
                }
            }
            2 => {
                let path = if self.chance(0.5) {
                    self.path(&WantedType::bool())
                } else {
                    self.any_budget().map(|b| format!("exhausted({b})"))
                };
                if let Some(path) = path {
                    return plain(vec![path.clone(), format!("!{path}")]);
                }
            }
            3 => {
                let ty = self.scalar();
                if let Some(path) = self.path(&ty.or_null()) {
                    return plain(vec![format!("{path} == null"), format!("{path} != null")]);
                }
            }
            4 => return self.measured(draft),
            _ => {}
        }
        let count = [0, 0, 0, 1, 1, 2][self.below(6)];
        let mut guards: Vec<(Option<String>, Option<String>)> =
            (0..count).map(|_| (Some(self.condition(2)), None)).collect();
        if self.chance(0.95) {
            guards.push((None, None));
        }
        guards
    }

    /// An edge back that a measure bounds, without a budget.
    fn measured(&mut self, draft: &mut Draft<'_>) -> Vec<(Option<String>, Option<String>)> {
        let most = 1 + self.below(4);
        let (guard, counted) = match self.below(6) {
            0 => (format!("step() < {}", most * 3), None),
            1 => (format!("visits({}) < {most}", draft.up_to.last().cloned().unwrap_or_default()), None),
            // The bound of these depends on what the list begins with and on all that is written to it.
            2 | 3 => match self.place(|ty| !ty.null && matches!(ty.kind, WantedKind::List(..))) {
                Some((place, _)) => {
                    let shorter = format!("{place} = {place}.slice(1, size({place}))");
                    (format!("size({place}) > 0"), Some(shorter))
                }
                None => return vec![(None, None)],
            },
            _ => match self.place(|ty| *ty == WantedType::int()) {
                Some((place, _)) => {
                    let given = self.fixed(|ty| !ty.null && matches!(ty.kind, WantedKind::List(..)));
                    let most = given.map_or_else(|| most.to_string(), |list| format!("size({list})"));
                    (format!("{place} < {most}"), Some(format!("{place} += 1")))
                }
                None => return vec![(None, None)],
            },
        };
        let to = draft.up_to[self.below(draft.up_to.len())].clone();
        let mut edge = json!({"to": to, "when": guard});
        if let Some(counted) = counted {
            edge["do"] = json!([counted]);
        }
        draft.edges.push(edge);
        vec![(None, None)]
    }

    /// The edges on everything but success that may happen there.
    fn exits(&mut self, draft: &mut Draft<'_>, kind: &str) {
        let mut spends = std::mem::take(&mut draft.spends);
        spends.sort();
        spends.dedup();
        for budget in spends {
            if self.chance(0.9) {
                let edge = self.edge(draft, json!(format!("exhausted({budget})")), None);
                draft.edges.push(edge);
            }
        }
        if draft.body.contains_key("timeout") && self.chance(0.8) {
            let edge = self.edge(draft, json!("timeout"), Some(error_fields()));
            draft.edges.push(edge);
        }
        let outside = matches!(kind, "model" | "tool" | "call" | "each" | "parallel");
        if outside && self.chance(0.4) {
            let trigger = self.pick(&[
                "error(transient)",
                "error(invalid_output)",
                "error(denied)",
                "error(fatal)",
                "error(recoverable)",
            ]);
            let trigger =
                if self.chance(0.1) { json!([trigger, "error(unavailable)"]) } else { json!(trigger) };
            let mut edge = self.edge(draft, trigger, Some(error_fields()));
            if self.chance(0.3) {
                let condition = self.condition(2);
                edge["when"] = json!(condition);
            }
            draft.edges.push(edge);
        }
        if outside && self.chance(0.95) || draft.fails && self.chance(0.7) {
            let edge = self.edge(draft, json!("error"), Some(error_fields()));
            draft.edges.push(edge);
        }
    }

    /// An edge, mostly forward; back only with something that is spent.
    fn edge(&mut self, draft: &mut Draft<'_>, on: Json, error: Option<Vec<Visible>>) -> Json {
        let mut edge = Map::new();
        let exhausted = on.as_str().is_some_and(|on| on.starts_with("exhausted"));
        let back = self.chance(if exhausted { 0.05 } else { 0.2 });
        let forward = draft.after.len().min(3);
        let to = if back || forward == 0 {
            draft.up_to[self.below(draft.up_to.len())].clone()
        } else {
            let at = self.below(forward + 1).saturating_sub(1);
            draft.after[at].clone()
        };
        edge.insert("to".into(), json!(to));
        if self.chance(0.1) {
            edge.insert("label".into(), json!("then"));
        }
        if !on.is_null() {
            edge.insert("on".into(), on);
        }
        let visible = self.vars.len();
        self.vars.extend(error.into_iter().flatten());
        if back {
            if let Some(budget) = self.paying_budget() {
                edge.insert("do".into(), json!([format!("spend {budget}")]));
                draft.spends.push(budget);
            }
        } else if self.chance(0.3) {
            let block = self.block(2, &mut draft.spends);
            edge.insert("do".into(), block);
            draft.fails = true;
        }
        self.vars.truncate(visible);
        Json::Object(edge)
    }
}

fn error_fields() -> Vec<Visible> {
    let fields = [
        ("error.kind", WantedType::text()),
        ("error.message", WantedType::text()),
        ("error.attempt", WantedType::int()),
        ("error.details", WantedType::any()),
    ];
    fields.into_iter().map(|(path, ty)| Visible::read(path, ty)).collect()
}

fn has_outputs(ty: &WantedType) -> bool {
    match &ty.kind {
        WantedKind::Outputs(_) => true,
        WantedKind::List(item, _) | WantedKind::Map(item) => has_outputs(item),
        _ => false,
    }
}
