//! Whole graphs: the sections of a file, and the files of a case.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value as Json, json};

use super::excused::Doings;
use super::holes::Hole;
use super::nodes::Level;
use super::wanted::{FieldPlan, NamedTypes, RecordPlan, Signature, WORDS, WantedKind, WantedType};
use super::writer::{BudgetPlan, GraphWriter, LetPlan, Visible};

/// A graph with the files that it needs, the first of which is run.
#[derive(Debug, Clone, Default)]
pub(super) struct CleanCase {
    pub(super) files: Vec<(String, Json)>,
    pub(super) doings: Doings,
}

/// A random graph.
pub(super) fn random_case(random: &mut SmallRng, closed: &dyn Fn(Hole) -> bool) -> CleanCase {
    let mut case = CleanCase::default();
    case.doings.answered = closed(Hole::Unanswered);
    case.doings.lost = closed(Hole::LostResult);
    let mut called = Vec::new();
    for i in 0..random.random_range(0..3) {
        let file = format!("child{i}.yaml");
        let count = random.random_range(1..4);
        let (doc, signature) = one(random, closed, &file, called.clone(), count, &mut case);
        case.files.insert(0, (file, doc));
        called.push(signature);
    }
    let count = random.random_range(2..8);
    let (mut doc, _) = one(random, closed, "root.yaml", called, count, &mut case);
    if random.random_bool(0.12) {
        case.files.insert(0, ("part.yaml".to_owned(), moved(&mut doc)));
    }
    case.files.insert(0, ("root.yaml".to_owned(), doc));
    if random.random_bool(0.1) {
        let variant = json!({"graph": "variant", "extends": "root.yaml", "title": "A variant"});
        case.files.insert(0, ("variant.yaml".to_owned(), variant));
    }
    case
}

/// Moves what needs no state to a file of its own.
fn moved(doc: &mut Json) -> Json {
    let mut part = json!({"graph": "part"});
    for section in ["types", "budgets"] {
        if let Some(value) = doc.as_object_mut().and_then(|doc| doc.shift_remove(section)) {
            part[section] = value;
        }
    }
    doc["use"] = json!("part.yaml");
    part
}

/// One graph, and what others see of it.
fn one(
    random: &mut SmallRng,
    closed: &dyn Fn(Hole) -> bool,
    file: &str,
    called: Vec<Signature>,
    count: usize,
    case: &mut CleanCase,
) -> (Json, Signature) {
    let is_root = file == "root.yaml";
    let mut writer = GraphWriter::new(random, closed, NamedTypes { records: Vec::new(), called });
    let mut doc = Map::new();
    doc.insert("graph".into(), json!(file.trim_end_matches(".yaml")));
    if writer.chance(0.3) {
        doc.insert("title".into(), json!("A random graph"));
        doc.insert("doc".into(), json!("It was made by a test."));
        doc.insert("version".into(), json!("v1"));
    }
    writer.types(&mut doc);
    let inputs = writer.inputs(&mut doc, is_root);
    writer.budgets(&mut doc);
    writer.state(&mut doc);
    let errors = json!({"oops": "recoverable", "later": "transient", "over": "fatal"});
    if writer.chance(0.5) {
        writer.errors =
            vec![("oops".into(), "recoverable"), ("later".into(), "transient"), ("over".into(), "fatal")];
        doc.insert("errors".into(), errors);
    }
    let level = Level::plan(&mut writer, count, 0);
    writer.nodes = level.all_names();
    writer.lets(&mut doc);
    writer.texts(&mut doc);
    writer.actions(&mut doc);
    if writer.chance(0.2) {
        doc.insert("roles".into(), json!(["writer", "judge"]));
    }
    doc.insert("start".into(), json!(level.start()));
    if writer.chance(0.08) {
        let when = writer.condition(1);
        doc.insert("pause".into(), json!({"when": format!("step() == 1 && {when}"), "ask": "'Go on?'"}));
    }
    let nodes = writer.level(&level, &[]);
    doc.insert("nodes".into(), Json::Object(nodes));
    let outputs = writer.outputs(&mut doc);
    writer.properties(&mut doc, &level);
    case.doings.any |= writer.any_used;
    case.doings.alike |= writer.alike_used;
    case.doings.index |= writer.index_bold;
    case.doings.bounds |= writer.bounds_bold;
    (Json::Object(doc), Signature { file: file.to_owned(), inputs, outputs })
}

/// True if it means the same in another file.
fn is_plain(ty: &WantedType) -> bool {
    match &ty.kind {
        WantedKind::List(item, _) | WantedKind::Map(item) => is_plain(item),
        WantedKind::Record(_) | WantedKind::Outputs(_) => false,
        _ => true,
    }
}

impl GraphWriter<'_> {
    fn types(&mut self, doc: &mut Map<String, Json>) {
        let mut types = Map::new();
        for _ in 0..self.below(3) {
            let name = self.name("R");
            let mut fields = Vec::new();
            let mut body = Map::new();
            for i in 0..=self.below(3) {
                let ty = self.ty(1);
                let name = format!("f{i}");
                let default =
                    (!ty.null && !ty.is_any() && self.chance(0.35)).then(|| self.literal(&ty)).flatten();
                let written = ty.written(&self.names);
                let text =
                    default.as_ref().map_or(written.clone(), |default| format!("{written} = {default}"));
                body.insert(name.clone(), json!(text));
                fields.push(FieldPlan { name, ty, default });
            }
            let open = self.chance(0.1);
            types.insert(if open { format!("open {name}") } else { name.clone() }, Json::Object(body));
            self.names.records.push(RecordPlan { name, fields });
        }
        self.collected(&mut types);
        if self.chance(0.2) {
            types.insert("Colour".into(), json!(format!("enum({})", WORDS[0].join(", "))));
        }
        if !types.is_empty() {
            doc.insert("types".into(), Json::Object(types));
        }
    }

    /// The records that results of called graphs go to: one for `collect`, and others that look like the outputs.
    fn collected(&mut self, types: &mut Map<String, Json>) {
        for place in 0..self.names.called.len() {
            let name = self.name("Tried");
            let ok = WantedType::of(WantedKind::Outputs(place)).or_null();
            types.insert(name.clone(), json!({"ok": ok.written(&self.names), "error": "any"}));
            let plain = |name: &str, ty| FieldPlan { name: name.to_owned(), ty, default: None };
            let fields = vec![plain("ok", ok), plain("error", WantedType::any())];
            self.names.records.push(RecordPlan { name, fields });
            if self.closed(Hole::Unfitted) && self.chance(0.7) {
                self.alike(place, types);
            }
        }
    }

    /// A record with the fields of the outputs, some of them with bounds, defaults or other kinds.
    fn alike(&mut self, place: usize, types: &mut Map<String, Json>) {
        let name = self.name("Alike");
        let mut fields = vec![FieldPlan { name: "outcome".into(), ty: WantedType::text(), default: None }];
        for (name, ty) in self.names.called[place].outputs.clone() {
            let ty = match (&ty.kind, self.below(3)) {
                (WantedKind::Int(_), 0) => WantedType { kind: WantedKind::Int(Some((0, 3))), null: ty.null },
                (WantedKind::Text(_), 0) => WantedType { kind: WantedKind::Text(Some(4)), null: ty.null },
                (WantedKind::Any, 0 | 1) => self.scalar(),
                _ => ty,
            };
            fields.push(FieldPlan { name, ty, default: None });
        }
        if self.chance(0.3) {
            fields.push(FieldPlan {
                name: "more".into(),
                ty: WantedType::text(),
                default: Some("'d'".into()),
            });
        }
        let body: Map<String, Json> = fields
            .iter()
            .map(|field| {
                let written = field.ty.written(&self.names);
                let text = field
                    .default
                    .as_ref()
                    .map_or(written.clone(), |default| format!("{written} = {default}"));
                (field.name.clone(), json!(text))
            })
            .collect();
        types.insert(name.clone(), Json::Object(body));
        self.names.records.push(RecordPlan { name, fields });
    }

    /// A type of an input that means the same in another file.
    fn plain_ty(&mut self) -> WantedType {
        loop {
            let ty = self.ty(1);
            if is_plain(&ty) {
                return ty;
            }
        }
    }

    fn inputs(&mut self, doc: &mut Map<String, Json>, is_root: bool) -> Vec<(String, WantedType, bool)> {
        let (mut found, mut section) = (Vec::new(), Map::new());
        for _ in 0..self.below(4) {
            let name = self.name("i");
            let ty = if is_root { self.ty(1) } else { self.plain_ty() };
            let mut text = ty.written(&self.names);
            let default = if self.chance(0.4) { self.literal(&ty) } else { None };
            let free = default.is_some() || ty.takes_null();
            if let Some(default) = default {
                text = format!("{text} = {default}");
            } else if ty == WantedType::int() && self.chance(0.3) {
                text = format!("int where {name} > -1000");
            }
            section.insert(name.clone(), json!(text));
            self.vars.push(Visible::read(&name, ty.clone()));
            found.push((name, ty, free));
        }
        if !section.is_empty() {
            doc.insert("input".into(), Json::Object(section));
        }
        found
    }

    fn state(&mut self, doc: &mut Map<String, Json>) {
        let mut section = Map::new();
        let count = 2 + self.below(6);
        let before = self.vars.clone();
        let mut added = Vec::new();
        for _ in 0..count {
            let ty = self.ty(2);
            added.extend(self.field(&mut section, ty));
        }
        for place in 0..self.names.called.len() {
            let outputs = WantedType::of(WantedKind::Outputs(place));
            added.extend(self.field(&mut section, outputs.or_null()));
            if self.chance(0.5) {
                added.extend(self.field(&mut section, outputs.list()));
            }
            let tried = self.names.records.iter().position(|record| {
                record.fields.first().is_some_and(|field| {
                    field.name == "ok" && field.ty == WantedType::of(WantedKind::Outputs(place)).or_null()
                })
            });
            if let Some(tried) = tried.filter(|_| self.chance(0.4)) {
                added.extend(self.field(&mut section, WantedType::of(WantedKind::Record(tried)).list()));
            }
            for (name, ty) in self.names.called[place].outputs.clone() {
                if matches!(ty.kind, WantedKind::Map(_))
                    && !ty.null
                    && !section.contains_key(&name)
                    && self.chance(0.8)
                {
                    section.insert(name.clone(), json!(format!("{} = {{}}", ty.written(&self.names))));
                    added.push(Visible::write(&name, ty));
                }
            }
        }
        self.vars = before;
        self.vars.extend(added);
        doc.insert("state".into(), Json::Object(section));
    }

    /// A field of a state. Its default sees the inputs alone.
    pub(super) fn field(&mut self, section: &mut Map<String, Json>, ty: WantedType) -> Option<Visible> {
        let name = self.name("s");
        let written = ty.written(&self.names);
        let plain = ty.null || ty.is_any();
        let text = if plain && self.chance(0.6) {
            written
        } else {
            let own =
                matches!(ty.kind, WantedKind::Int(None) | WantedKind::Text(None) | WantedKind::List(_, None))
                    && self.chance(0.3);
            let default = if own { Some(self.expr(&ty, 1)) } else { self.literal(&ty) };
            format!("{written} = {}", default?)
        };
        section.insert(name.clone(), json!(text));
        Some(Visible::write(&name, ty))
    }

    fn budgets(&mut self, doc: &mut Map<String, Json>) {
        let mut section = Map::new();
        for _ in 0..=self.below(2) {
            let name = self.name("b");
            let hard = self.chance(0.85);
            let limit = 1 + self.below(4);
            let body = match self.below(4) {
                0 if hard => json!({"limit": limit, "grace": 1}),
                1 => {
                    json!({"limit": limit, "gate": if hard { "hard" } else { "advisory" }, "unit": "rounds"})
                }
                _ if hard => json!(limit),
                _ => json!({"limit": limit, "gate": "advisory"}),
            };
            section.insert(name.clone(), body);
            self.budgets.push(BudgetPlan { name, hard, charge: None });
        }
        for charge in ["transitions", "model.calls", "model.tokens", "model.cost", "tool.calls", "time"] {
            if !self.chance(0.06) {
                continue;
            }
            let name = self.name("c");
            let hard = self.chance(0.5);
            let limit = if charge == "time" { json!("1h") } else { json!(3 + self.below(9)) };
            let gate = if hard { "hard" } else { "advisory" };
            section.insert(name.clone(), json!({"limit": limit, "charge": charge, "gate": gate}));
            self.budgets.push(BudgetPlan { name, hard, charge: Some(charge) });
        }
        if self.chance(0.12) {
            let name = self.name("g");
            section.insert(
                name.clone(),
                json!({"each": "['a', 'b']", "as": "key", "meters": {"m": {"limit": "key == 'a' ? 2 : 1"}}}),
            );
            self.budgets.push(BudgetPlan { name: format!("{name}['a'].m"), hard: true, charge: None });
        }
        doc.insert("budgets".into(), Json::Object(section));
    }

    fn lets(&mut self, doc: &mut Map<String, Json>) {
        let mut section = Map::new();
        for _ in 0..self.below(3) {
            let name = self.name("d");
            let ty = self.scalar();
            let ty = if self.chance(0.2) { ty.or_null() } else { ty };
            let mut params = Vec::new();
            let mut heads = Vec::new();
            let visible = self.vars.len();
            if self.chance(0.4) {
                for _ in 0..=self.below(2) {
                    let param = self.name("p");
                    let ty = self.scalar();
                    let ty = if self.chance(0.4) { ty.or_null() } else { ty };
                    self.vars.push(Visible::read(&param, ty.clone()));
                    heads.push(param);
                    params.push(ty);
                }
            }
            let body = self.expr(&ty, 2);
            self.vars.truncate(visible);
            let head = if heads.is_empty() { name.clone() } else { format!("{name}({})", heads.join(", ")) };
            section.insert(head, json!(body));
            self.lets.push(LetPlan { name, params, ty });
        }
        if !section.is_empty() {
            doc.insert("let".into(), Json::Object(section));
        }
    }

    fn texts(&mut self, doc: &mut Map<String, Json>) {
        let mut section = Map::new();
        for _ in 0..=self.below(2) {
            let name = self.name("t");
            let mut body = self.template();
            if let Some(other) = self.texts.first().filter(|_| body.len().is_multiple_of(4)) {
                body = format!("{body} {{% include \"{other}\" %}}");
            }
            section.insert(name.clone(), json!(body));
            self.texts.push(name);
        }
        doc.insert("texts".into(), Json::Object(section));
        self.can_render = true;
    }

    fn actions(&mut self, doc: &mut Map<String, Json>) {
        if !self.chance(0.3) {
            return;
        }
        let name = self.name("act");
        let mut section = Map::new();
        let body = self.block(2, &mut Vec::new());
        section.insert(name.clone(), body);
        self.actions.push(name);
        doc.insert("actions".into(), Json::Object(section));
    }

    fn outputs(&mut self, doc: &mut Map<String, Json>) -> Vec<(String, WantedType)> {
        let (mut found, mut section) = (Vec::new(), Map::new());
        for _ in 0..self.below(5) {
            let plain: Vec<Visible> = self.vars.iter().filter(|var| is_plain(&var.ty)).cloned().collect();
            let Some(var) = plain.choose(self.random).cloned() else { break };
            let name = self.name("o");
            section.insert(name.clone(), json!(var.path));
            found.push((name, var.ty));
        }
        if !section.is_empty() {
            doc.insert("output".into(), Json::Object(section));
        }
        found
    }

    fn properties(&mut self, doc: &mut Map<String, Json>, level: &Level) {
        if self.chance(0.15) {
            let condition = self.condition(1);
            let (first, last) = (level.start(), level.last());
            doc.insert(
                "properties".into(),
                json!({
                    "one": format!("always {condition} || true"),
                    "two": "never step() < 0",
                    "three": format!("in_state({first}) precedes in_state({last})"),
                    "four": format!("eventually visits({first}) > 0"),
                }),
            );
        }
        if self.chance(0.1) {
            doc.insert("views".into(), json!({"short": {"as": "flow", "flat": true, "errors": false}}));
        }
    }
}
