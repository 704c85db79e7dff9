//! The tags of expressions and statements. Which branch of an `if` was taken is read from the events of the run.

use loopwright::program::Program;
use loopwright::program::code::{Block, Code, Step};
use loopwright::program::graph::{GraphCode, TextCode};
use loopwright::program::op::{Counter, Macro, Op, OpId, Special};
use loopwright::value::Value;

use super::tags::{Sources, TagStep, Tags, deciding};

/// The tags of one running graph.
#[derive(Debug, Clone, Default)]
pub(super) struct TaggedFrame {
    pub(super) slots: Vec<Tags>,
    pub(super) budgets: Vec<Sources>,
    pub(super) error: Tags,
    pub(super) result: Tags,
    pub(super) outcome: Tags,
}

/// An evaluation over the tags of a frame.
pub(super) struct Tagging<'a> {
    pub(super) program: &'a Program,
    pub(super) graph: &'a GraphCode,
    pub(super) frame: &'a mut TaggedFrame,
    pub(super) locals: Vec<Tags>,
    /// The bit of the operator.
    pub(super) operator: Sources,
    /// The branches that the run took, in order; [`None`] where that is not known.
    pub(super) branches: Option<std::vec::IntoIter<u32>>,
    /// What decided that a statement is run.
    pub(super) control: Sources,
    /// The keys and lengths of the lists that loops around it go through.
    pub(super) times: Sources,
}

impl Tagging<'_> {
    pub(super) fn set_local(&mut self, local: u32, tags: Tags) {
        let at = local as usize;
        if self.locals.len() <= at {
            self.locals.resize(at + 1, Tags::default());
        }
        self.locals[at] = tags;
    }

    fn name(&self, index: u32) -> TagStep {
        TagStep::Key(self.program.names[index as usize].clone())
    }

    fn key(&self, op: OpId) -> Option<TagStep> {
        match self.program.ops[op.0 as usize] {
            Op::Const(index) => match &self.program.constants[index as usize] {
                Value::Str(key) => Some(TagStep::Key(key.clone())),
                _ => Some(TagStep::Item),
            },
            _ => None,
        }
    }

    pub(super) fn all(&mut self, op: OpId) -> Sources {
        self.tags(op).all()
    }

    fn sum(&mut self, ops: &[OpId]) -> Tags {
        let all = ops.iter().fold(0, |all, op| all | self.all(*op));
        Tags::of(all)
    }

    fn counter(&mut self, counter: Counter) -> Sources {
        self.frame.budgets[counter.budget as usize] | counter.key.map_or(0, |key| self.all(key))
    }

    /// The tags of an expression's value.
    pub(super) fn tags(&mut self, op: OpId) -> Tags {
        let program = self.program;
        match program.ops[op.0 as usize] {
            Op::Slot(slot) => self.frame.slots[slot as usize].clone(),
            Op::Local(local) => self.locals.get(local as usize).cloned().unwrap_or_default(),
            Op::Special(Special::Result) => self.frame.result.clone(),
            Op::Special(Special::Error) => self.frame.error.clone(),
            Op::Special(Special::Outcome) => self.frame.outcome.clone(),
            Op::Special(Special::Tools) | Op::RolledBack => Tags::of(self.operator),
            Op::Let(index, _) => self.apart(|own| own.tags(own.graph.lets[index as usize])),
            Op::Bind { local, value, body } => {
                let value = self.tags(value);
                self.set_local(local, value);
                self.tags(body)
            }
            Op::Field { target, name, .. } => {
                let step = self.name(name);
                self.tags(target).child(&step)
            }
            Op::Index(target, key) => {
                let step = self.key(key);
                let mut found = self.tags(target).child(step.as_ref().unwrap_or(&TagStep::Item));
                found.own |= self.all(key);
                found
            }
            Op::Call(function, range) => {
                let args = program.list(range).to_vec();
                self.call(program.functions.row(function).name.as_ref(), &args)
            }
            Op::Binary(function, one, other) => {
                self.call(program.functions.row(function).name.as_ref(), &[one, other])
            }
            Op::Coalesce(one, other) => {
                let one = self.tags(one);
                one.merged(&self.tags(other))
            }
            Op::Conditional(condition, one, other) => {
                let mut found = self.tags(one).merged(&self.tags(other));
                found.own |= self.all(condition);
                found
            }
            Op::List(range) => {
                let items = program.list(range).to_vec();
                let all = items.iter().fold(Tags::default(), |all, item| all.merged(&self.tags(*item)));
                all.inside(TagStep::Item)
            }
            Op::Map(range) => {
                let mut map = Tags::default();
                for pair in program.list(range).to_vec().chunks(2) {
                    map.own |= self.all(pair[0]);
                    let step = self.key(pair[0]).unwrap_or(TagStep::Item);
                    map.merge(&self.tags(pair[1]).inside(step));
                }
                map
            }
            Op::Record { names, values } => {
                let mut record = Tags::default();
                for (name, value) in (names..).zip(program.list(values).to_vec()) {
                    record.merge(&self.tags(value).inside(self.name(name)));
                }
                record
            }
            Op::Has(target, name) => {
                let step = self.name(name);
                Tags::of(self.tags(target).child(&step).all())
            }
            Op::Macro { kind, over, local, second, filter, each } => {
                self.repeat(kind, over, (local, second), (filter, each))
            }
            Op::Coerce(inner, _) => self.tags(inner),
            Op::Budget(_, counter) => Tags::of(self.counter(counter)),
            Op::InFamily(key, family) => {
                let keys = self.graph.families[family as usize].each;
                let all = self.all(key) | self.apart(|own| own.all(keys));
                Tags::of(all)
            }
            Op::Render(text, _) => Tags::of(self.text(text)),
            ref other => {
                let mut parts = Vec::new();
                other.each_operand(&program.operands, |part| parts.push(part));
                self.sum(&parts)
            }
        }
    }

    fn call(&mut self, name: &str, args: &[OpId]) -> Tags {
        let Some(first) = args.first().copied() else { return Tags::default() };
        match name {
            "dyn" => self.tags(first),
            // Nothing lies in a text or a number: their sum has the tags of both.
            "merge" | "+" => args.iter().fold(Tags::default(), |all, arg| all.merged(&self.tags(*arg))),
            "first" | "last" => self.tags(first).child(&TagStep::Item),
            "slice" | "reverse" | "sort" | "distinct" | "sortBy" | "without" => {
                let mut found = self.tags(first);
                found.own |= self.sum(&args[1..]).own;
                found
            }
            "keys" => Tags::of(self.tags(first).own),
            _ => self.sum(args),
        }
    }

    fn repeat(
        &mut self,
        kind: Macro,
        over: OpId,
        (local, second): (u32, Option<u32>),
        (filter, each): (Option<OpId>, Option<OpId>),
    ) -> Tags {
        let over = self.tags(over);
        let item = over.child(&TagStep::Item);
        // Over a map it is the key.
        let first = if over.has_keys() { Tags::of(over.own) } else { item.clone() };
        match second {
            Some(second) => {
                self.set_local(local, Tags::of(over.own));
                self.set_local(second, item);
            }
            None => self.set_local(local, first),
        }
        let filter = filter.map_or(0, |filter| self.all(filter));
        let each = each.map(|each| self.tags(each)).unwrap_or_default();
        match kind {
            Macro::All | Macro::Exists | Macro::ExistsOne => Tags::of(over.own | filter),
            Macro::Filter => over.merged(&Tags::of(filter)),
            Macro::SortBy => over.merged(&Tags::of(each.all())),
            Macro::Map | Macro::TransformList | Macro::TransformMap => {
                each.inside(TagStep::Item).merged(&Tags::of(over.own | filter))
            }
        }
    }

    /// The tags of a rendered text: those of the variables in it.
    pub(super) fn text(&mut self, text: u32) -> Sources {
        let name = &self.graph.texts[text as usize];
        let source = self.graph.templates.source(name).unwrap_or_default().to_owned();
        let includes =
            source.contains("{%") && ["include", "import"].iter().any(|word| source.contains(word));
        let mut all = 0;
        let known = self.graph.slots.iter().map(|slot| slot.name.clone());
        let known: Vec<_> = known.chain(self.graph.let_names.iter().cloned()).collect();
        for path in paths(&source) {
            let root = path.split('.').next().unwrap_or_default();
            if !known.iter().any(|own| own == root) && !["tools", "error", "budgets"].contains(&root) {
                continue;
            }
            let mut tags = match root {
                "tools" => Tags::of(self.operator),
                "error" => self.frame.error.clone(),
                "budgets" => Tags::of(self.frame.budgets.iter().fold(0, |all, own| all | own)),
                _ => self.variable(root),
            };
            for field in path.split('.').skip(1) {
                tags = tags.child(&TagStep::Key(field.into()));
            }
            all |= tags.all();
        }
        if includes {
            let others: Vec<u32> = (0..)
                .zip(&self.graph.texts)
                .filter(|(_, other)| *other != name && source.contains(&format!("\"{other}\"")))
                .map(|(other, _)| other)
                .collect();
            all |= others.into_iter().fold(0, |all, other| all | self.text(other));
        }
        all
    }

    fn variable(&mut self, name: &str) -> Tags {
        if let Some(slot) = self.graph.slots.iter().position(|slot| slot.name == name) {
            return self.frame.slots[slot].clone();
        }
        let own = self.graph.let_names.iter().position(|own| own == name);
        own.map_or_else(Tags::default, |at| self.apart(|tagging| tagging.tags(tagging.graph.lets[at])))
    }

    /// The tags of a text or expression as words.
    pub(super) fn words(&mut self, source: Option<TextCode>) -> Sources {
        match source {
            None => 0,
            Some(TextCode::Text(text)) => self.text(text),
            Some(TextCode::Expr(op)) => self.all(op),
        }
    }

    fn apart<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::take(&mut self.locals);
        let found = follow(self);
        self.locals = outside;
        found
    }

    /// Runs a list that stands alone and comes to its end.
    pub(super) fn run(&mut self, block: Block) {
        self.apart(|own| own.list(block));
    }

    fn list(&mut self, block: Block) {
        let program = self.program;
        for code in program.block(block) {
            self.statement(code);
        }
    }

    /// A place with the tags of its keys.
    pub(super) fn place(&mut self, steps: &[Step]) -> (Vec<TagStep>, Sources) {
        let mut keys = 0;
        let steps = steps.iter().map(|step| match step {
            Step::Field(name, _) => self.name(*name),
            Step::Index(op) => {
                keys |= self.all(*op);
                self.key(*op).unwrap_or(TagStep::Item)
            }
        });
        (steps.collect(), keys)
    }

    pub(super) fn write(&mut self, slot: u32, steps: &[Step], mut value: Tags) {
        value.own |= self.control;
        let (path, keys) = self.place(steps);
        let slot = &mut self.frame.slots[slot as usize];
        slot.put(&path, value);
        slot.own |= keys;
    }

    fn statement(&mut self, code: &Code) {
        match code {
            Code::Assign { slot, steps, add: false, value } => {
                let adds = self.reads(*value, *slot);
                let mut value = self.tags(*value);
                value.own |= if adds { self.times } else { 0 };
                self.write(*slot, steps, value);
            }
            Code::Assign { slot, steps, add: true, value } => {
                let (path, keys) = self.place(steps);
                // What is appended is an item; what is added to a text or a number is part of it.
                let value = self.tags(*value).inside(TagStep::Item);
                let mut whole = value.merged(&Tags::of(self.control | self.times));
                for step in path.into_iter().rev() {
                    whole = whole.inside(step);
                }
                let slot = &mut self.frame.slots[*slot as usize];
                slot.merge(&whole);
                slot.own |= keys;
            }
            Code::Let(local, value) => {
                let value = self.tags(*value);
                self.set_local(*local, value);
            }
            Code::Spend(counter, amount) => {
                let tags = self.counter(*counter) | amount.map_or(0, |amount| self.all(amount));
                self.frame.budgets[counter.budget as usize] |= tags | self.control | self.times;
            }
            Code::Emit(..) | Code::Fail(..) => {}
            Code::If { branch, arms, otherwise } => {
                let taken = self.branches.as_mut().and_then(Iterator::next).map(|id| (id - branch) as usize);
                let outside = self.control;
                let tried = arms.iter().take(taken.map_or(arms.len(), |at| at + 1));
                let read = tried.fold(0, |all, (condition, _)| all | self.all(*condition));
                self.control |= deciding(read);
                match taken {
                    Some(at) => self.list(arms.get(at).map_or(*otherwise, |(_, body)| *body)),
                    None => self.any(arms.iter().map(|(_, body)| *body).chain([*otherwise])),
                }
                // That something was not written says as much.
                for body in arms.iter().map(|(_, body)| *body).chain([*otherwise]) {
                    self.unwritten(body);
                }
                self.control = outside;
            }
            Code::Call(action) => self.run(self.graph.actions[*action as usize]),
            Code::For(places, over, body) => {
                let over = self.tags(*over);
                let outside = (self.control, self.times);
                self.times |= over.own;
                self.control |= deciding(over.own);
                if let Some(index) = places.index {
                    self.set_local(index, Tags::of(over.own));
                }
                let item = if over.has_keys() { Tags::of(over.own) } else { over.child(&TagStep::Item) };
                self.set_local(places.item, item);
                // How often it ran is not known, and so not which branches belong to which turn.
                let branches = self.branches.take();
                for _ in 0..3 {
                    self.any([*body]);
                }
                self.branches = branches;
                self.skip_branches(*body);
                self.unwritten(*body);
                (self.control, self.times) = outside;
            }
        }
    }

    /// Notes what decided about everything that a list would write.
    fn unwritten(&mut self, block: Block) {
        let program = self.program;
        for code in program.block(block) {
            match code {
                Code::Assign { slot, steps, .. } => {
                    let (path, _) = self.place(steps);
                    let decided = Tags::of(self.control);
                    let whole = path.into_iter().rev().fold(decided, Tags::inside);
                    self.frame.slots[*slot as usize].merge(&whole);
                }
                Code::Spend(counter, _) => self.frame.budgets[counter.budget as usize] |= self.control,
                Code::If { arms, otherwise, .. } => {
                    arms.iter().for_each(|(_, body)| self.unwritten(*body));
                    self.unwritten(*otherwise);
                }
                Code::Call(action) => self.unwritten(self.graph.actions[*action as usize]),
                Code::For(_, _, body) => self.unwritten(*body),
                _ => {}
            }
        }
    }

    /// True if an expression reads a variable.
    fn reads(&self, op: OpId, slot: u32) -> bool {
        let own = &self.program.ops[op.0 as usize];
        let mut parts = Vec::new();
        own.each_operand(&self.program.operands, |part| parts.push(part));
        matches!(own, Op::Slot(own) if *own == slot) || parts.into_iter().any(|part| self.reads(part, slot))
    }

    /// Runs some of several lists: what each writes is added to what was there.
    fn any(&mut self, blocks: impl IntoIterator<Item = Block>) {
        for block in blocks {
            let before = self.frame.slots.clone();
            self.list(block);
            for (slot, before) in self.frame.slots.iter_mut().zip(before) {
                slot.merge(&before);
            }
        }
    }

    /// Past the branches of a loop's body nothing is known of further ones, if it has any.
    fn skip_branches(&mut self, body: Block) {
        let mut open = vec![body];
        while let Some(block) = open.pop() {
            for code in self.program.block(block) {
                match code {
                    Code::If { .. } => self.branches = None,
                    Code::For(_, _, body) => open.push(*body),
                    Code::Call(action) => open.push(self.graph.actions[*action as usize]),
                    _ => {}
                }
            }
        }
    }
}

/// The dotted names outside of quotes in the tags of a template; a name that is called or indexed ends before that.
fn paths(source: &str) -> Vec<String> {
    let tags = regex::Regex::new(r"(?s)\{\{(.*?)\}\}|\{%(.*?)%\}").expect("the pattern is one");
    let quoted = regex::Regex::new(r#"'[^']*'|"[^"]*""#).expect("the pattern is one");
    let path = regex::Regex::new(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\(?").expect("the pattern is one");
    let mut found = Vec::new();
    for tag in tags.captures_iter(source) {
        let inside = tag.get(1).or(tag.get(2)).map_or("", |inside| inside.as_str());
        let inside = quoted.replace_all(inside, "''");
        for own in path.find_iter(&inside) {
            let own = own.as_str();
            let plain = match own.strip_suffix('(') {
                Some(called) => called.rsplit_once('.').map_or("", |(target, _)| target),
                None => own,
            };
            found.push(plain.to_owned());
        }
    }
    found
}
