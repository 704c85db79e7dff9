//! The reference: runs a random graph by what the description of the language says, step by step and slowly.
//!
//! Sentences in quotes are the description's.

use std::collections::BTreeMap;

use loopwright::program::Semantics;

use super::graph::{Budget, Graph, Guard, KINDS, Kind, Number, Statement, Trigger};
use super::{Deed, Reply, Told, World};

/// Runs the graph and gives the log of what it did.
pub(super) fn run(graph: &Graph, world: World, semantics: Semantics) -> Vec<Deed> {
    let fields = (0..super::graph::FIELDS).map(|i| i64::try_from(i).expect("few fields")).collect();
    let mut reference = Reference {
        graph,
        world,
        semantics,
        fields,
        used: BTreeMap::new(),
        budgets: BTreeMap::new(),
        log: Vec::new(),
    };
    for budget in &graph.budgets {
        reference.fresh(budget);
    }
    reference.go();
    reference.log
}

/// How the work of a node, or a list of statements, ends other than well.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Trouble {
    Error(String),
    Exhausted(String),
    /// Nobody knows what became of a call; the kind of error it shows.
    Unknown(String),
}

/// What a node's work came to.
type Result<T> = std::result::Result<T, Trouble>;

/// Where the run is after a step.
enum Now {
    /// A node (or composite) was entered and is to be left: well, or with trouble.
    Leaving(usize, Result<()>),
    /// It ended.
    Over,
}

struct Reference<'g> {
    graph: &'g Graph,
    world: World,
    semantics: Semantics,
    fields: Vec<i64>,
    used: BTreeMap<String, i64>,
    budgets: BTreeMap<String, Budget>,
    log: Vec<Deed>,
}

impl Reference<'_> {
    fn fresh(&mut self, budget: &Budget) {
        self.used.insert(budget.name.clone(), 0);
        self.budgets.insert(budget.name.clone(), budget.clone());
    }

    fn go(&mut self) {
        let mut now = self.enter(self.graph.start, None);
        while let Now::Leaving(at, how) = now {
            now = self.leave(at, how);
        }
    }

    // ---- entering ----------------------------------------------------------------------------------------

    /// "Crossing into an inner node runs the `do` of every composite entered, outermost first, and skips their
    /// `start`; an edge to a composite enters its `start`." `inside` is the composite that stays entered.
    fn enter(&mut self, target: usize, inside: Option<usize>) -> Now {
        let mut stays: Vec<usize> = inside.into_iter().collect();
        if let Some(inside) = inside {
            stays.extend(self.graph.around(inside));
        }
        let mut crossed = self.graph.around(target);
        crossed.reverse();
        for composite in crossed {
            if !stays.contains(&composite)
                && let Err(trouble) = self.cross(composite)
            {
                return Now::Leaving(composite, Err(trouble));
            }
        }
        if let Kind::Composite { start, .. } = self.graph.nodes[target].kind {
            return match self.cross(target) {
                Ok(()) => self.enter(start, Some(target)),
                Err(trouble) => Now::Leaving(target, Err(trouble)),
            };
        }
        self.visit(target)
    }

    /// A composite "may declare `state` and `budgets`, fresh at every entry".
    fn cross(&mut self, composite: usize) -> Result<()> {
        let node = &self.graph.nodes[composite];
        if let Kind::Composite { budgets, .. } = &node.kind {
            for budget in budgets {
                self.fresh(budget);
            }
        }
        self.list(&node.entry)?;
        self.log.push(Deed::Entered(node.name.clone()));
        Ok(())
    }

    fn visit(&mut self, index: usize) -> Now {
        let node = &self.graph.nodes[index];
        let how = match &node.kind {
            Kind::Tool { .. } => self.tool(index),
            _ => self.list(&node.entry).map(|()| self.log.push(Deed::Entered(node.name.clone()))),
        };
        match (&node.kind, &how, node.parent) {
            // "`final` ends this graph or composite"; a composite's "own `done` edges fire only when its own `final`
            // is entered".
            (Kind::Final, Ok(()), Some(composite)) => Now::Leaving(composite, Ok(())),
            (Kind::Final, Ok(()), None) => self.over(node.name.clone(), true),
            _ => Now::Leaving(index, how),
        }
    }

    /// "Order of one visit: … node `do`, keys evaluated, request recorded and made, outcome, `into` + `then` (one
    /// transaction)". "A `do` or `args` that hits an exhausted budget means the call is not made."
    fn tool(&mut self, index: usize) -> Result<()> {
        let node = &self.graph.nodes[index];
        let Kind::Tool { arg, into, then, attempts } = &node.kind else { return Ok(()) };
        let before = self.fields.clone();
        let prepared = self.list(&node.entry).and_then(|()| self.number(*arg)).and_then(|n| {
            self.may_call()?;
            Ok(n)
        });
        let n = prepared.inspect_err(|_| self.fields.clone_from(&before))?;
        self.log.push(Deed::Entered(node.name.clone()));
        let mut attempt = 1;
        let value = loop {
            // "Entry `do` runs once, every attempt charges".
            self.call(&node.name, n);
            let reply = self.world.reply();
            let unknown = match reply {
                Reply::Value(value) => break value,
                Reply::Error(kind) | Reply::NeverBegan(kind) => {
                    if class(kind) != "transient" || attempt >= *attempts {
                        return Err(Trouble::Error(kind.to_owned()));
                    }
                    // No tool here says how often it may be called: at most once.
                    let never_began = matches!(reply, Reply::NeverBegan(_));
                    if never_began || self.semantics == Semantics::FIRST {
                        attempt += 1;
                        self.may_call()?;
                        continue;
                    }
                    kind
                }
                Reply::Unknown => "unknown",
            };
            // "`unknown` without one pauses the run for a person."
            if self.handles_unknown(index, unknown) {
                return Err(Trouble::Unknown(unknown.to_owned()));
            }
            self.log.push(Deed::Asked(node.name.clone()));
            let told = self.world.tell();
            match told {
                Told::Retry => self.may_call()?,
                Told::Fail => return Err(Trouble::Error("tool_failed".to_owned())),
                Told::Result(value) => break value,
            }
        };
        let before = self.fields.clone();
        self.fields[*into] = value;
        self.list(then).inspect_err(|_| self.fields.clone_from(&before))
    }

    /// Whether an edge of the node is for a call whose outcome nobody knows.
    fn handles_unknown(&self, index: usize, kind: &str) -> bool {
        let edges = self.graph.nodes[index].edges.iter().filter(|edge| edge.on.contains(&Trigger::Unknown));
        // A failing guard is dealt with where the edges are tried.
        let mut guards =
            edges.map(|edge| edge.when.as_ref().map_or(Ok(true), |guard| self.holds(guard, kind)));
        guards.any(|holds| holds != Ok(false))
    }

    fn may_call(&mut self) -> Result<()> {
        let meter = self.budgets.values().find(|b| b.meters_calls).cloned();
        if let Some(meter) = meter
            && self.used[&meter.name] + 1 > meter.limit + meter.grace
        {
            return Err(Trouble::Exhausted(meter.name));
        }
        Ok(())
    }

    fn call(&mut self, node: &str, n: i64) {
        let meter = self.budgets.values().find(|b| b.meters_calls).map(|b| b.name.clone());
        if let Some(name) = meter {
            self.debit(&name, 1);
        }
        self.log.push(Deed::Called(node.to_owned(), n));
    }

    // ---- leaving -----------------------------------------------------------------------------------------

    /// "The first edge whose trigger matches and whose guard holds is taken."
    fn leave(&mut self, at: usize, how: Result<()>) -> Now {
        let (mut at, mut how) = (at, how);
        loop {
            let trouble = match self.handle(at, how) {
                Ok(now) => return now,
                Err(trouble) => trouble,
            };
            // "`error` and `exhausted` without a fitting edge go to the enclosing composites, innermost first, then end
            // the run (outcome = the kind, failed)".
            let Some(parent) = self.graph.nodes[at].parent else {
                let kind = match trouble {
                    Trouble::Error(kind) | Trouble::Unknown(kind) => kind,
                    Trouble::Exhausted(_) => "budget_exhausted".to_owned(),
                };
                return self.over(kind, false);
            };
            (at, how) = (parent, Err(trouble));
        }
    }

    /// One node's edges. What it cannot handle goes outward.
    fn handle(&mut self, at: usize, how: Result<()>) -> Result<Now> {
        let mut barred = None;
        let mut how = how;
        // "its error edges are tried once; a second failure goes outward"
        for round in 0..2 {
            let failure = match self.fitting(at, &how, barred) {
                Ok(Some(number)) => {
                    let edge = &self.graph.nodes[at].edges[number];
                    match self.list(&edge.action) {
                        Ok(()) => {
                            self.log.push(Deed::Took(self.graph.nodes[at].name.clone(), number));
                            return Ok(self.enter(edge.to, self.graph.nodes[at].parent));
                        }
                        // "A failing edge `do` leaves … without that edge."
                        Err(failure) => {
                            barred = Some(number);
                            failure
                        }
                    }
                }
                // "`done` never propagates: an inner `done` without a fitting edge is `stuck`."
                Ok(None) => {
                    how?;
                    Trouble::Error("stuck".to_owned())
                }
                // "A guard that errors is not false: the node's outcome becomes `error(evaluation)`".
                Err(failure) => failure,
            };
            if round == 1 {
                return Err(failure);
            }
            how = Err(failure);
        }
        unreachable!("the second round returns")
    }

    fn fitting(&mut self, at: usize, how: &Result<()>, barred: Option<usize>) -> Result<Option<usize>> {
        for (number, edge) in self.graph.nodes[at].edges.iter().enumerate() {
            if Some(number) == barred || !edge.on.iter().any(|trigger| matches(trigger, how)) {
                continue;
            }
            let kind = match how {
                Ok(()) => "",
                Err(Trouble::Error(kind) | Trouble::Unknown(kind)) => kind,
                Err(Trouble::Exhausted(_)) => "budget_exhausted",
            };
            if edge.when.as_ref().map_or(Ok(true), |guard| self.holds(guard, kind))? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    fn over(&mut self, outcome: String, ok: bool) -> Now {
        let used = self.graph.budgets.iter().map(|b| self.used[&b.name]).collect();
        self.log.push(Deed::Ended(outcome, ok, self.fields.clone(), used));
        Now::Over
    }

    // ---- statements and expressions ----------------------------------------------------------------------

    /// "A failing list undoes its own writes; spends are never undone by a failure."
    fn list(&mut self, statements: &[Statement]) -> Result<()> {
        let before = self.fields.clone();
        self.statements(statements).inspect_err(|_| self.fields.clone_from(&before))
    }

    fn statements(&mut self, statements: &[Statement]) -> Result<()> {
        for statement in statements {
            match statement {
                Statement::Set(field, value) => self.fields[*field] = self.number(*value)?,
                Statement::Spend(name, amount) => self.spend(name, *amount)?,
                Statement::Fail(kind) => return Err(Trouble::Error((*kind).to_owned())),
                Statement::If(guard, then, otherwise) => {
                    let list = if self.holds(guard, "")? { then } else { otherwise };
                    self.statements(list)?;
                }
            }
        }
        Ok(())
    }

    /// "`hard`: a `spend` past `limit + grace` is not made: the node leaves by `exhausted(b)`." "`advisory`: counts,
    /// informs, never stops."
    fn spend(&mut self, name: &str, amount: i64) -> Result<()> {
        let budget = &self.budgets[name];
        if budget.hard && self.used[name] + amount > budget.limit + budget.grace {
            return Err(Trouble::Exhausted(name.to_owned()));
        }
        self.debit(name, amount);
        Ok(())
    }

    fn debit(&mut self, name: &str, amount: i64) {
        *self.used.get_mut(name).expect("budgets in scope are there") += amount;
        self.log.push(Deed::Spent(name.to_owned(), amount));
    }

    fn number(&self, number: Number) -> Result<i64> {
        Ok(match number {
            Number::Constant(n) => n,
            Number::Field(field) => self.fields[field],
            Number::Sum(field, n) => self.fields[field] + n,
            Number::Quotient(n, field) => {
                n.checked_div(self.fields[field]).ok_or_else(|| Trouble::Error("evaluation".to_owned()))?
            }
        })
    }

    /// "`&& || !` with CEL's absorption of errors": a side that decides hides the other's error.
    fn holds(&self, guard: &Guard, error: &str) -> Result<bool> {
        Ok(match guard {
            Guard::Less(number, n) => self.number(*number)? < *n,
            Guard::Equals(number, n) => self.number(*number)? == *n,
            // "`exhausted(b)` is true from `used >= limit` on"
            Guard::Exhausted(name) => self.used[name] >= self.budgets[name].limit,
            Guard::Used(name, n) => self.used[name] < *n,
            Guard::ErrorKind(kind) => error == *kind,
            Guard::And(left, right) => match (self.holds(left, error), self.holds(right, error)) {
                (Ok(false), _) | (_, Ok(false)) => false,
                (left, right) => left? && right?,
            },
            Guard::Or(left, right) => match (self.holds(left, error), self.holds(right, error)) {
                (Ok(true), _) | (_, Ok(true)) => true,
                (left, right) => left? || right?,
            },
        })
    }
}

/// "`error` (any) never matches `cancelled`, `unknown` or `exhausted`: only by name."
fn matches(trigger: &Trigger, how: &Result<()>) -> bool {
    match (trigger, how) {
        (Trigger::Done, Ok(()))
        | (Trigger::Error, Err(Trouble::Error(_)))
        | (Trigger::Unknown, Err(Trouble::Unknown(_))) => true,
        (Trigger::Kind(wanted), Err(Trouble::Error(kind))) => kind == wanted,
        (Trigger::Kind(wanted), Err(Trouble::Exhausted(_))) => *wanted == "budget_exhausted",
        (Trigger::Class(wanted), Err(Trouble::Error(kind))) => class(kind) == *wanted,
        (Trigger::Exhausted(wanted), Err(Trouble::Exhausted(name))) => name == wanted,
        _ => false,
    }
}

/// The description's table of kinds and classes, and the graph's own.
fn class(kind: &str) -> &'static str {
    if let Some((_, class)) = KINDS.iter().find(|(own, _)| *own == kind) {
        return class;
    }
    match kind {
        "rate_limited" | "unavailable" | "timeout" => "transient",
        "denied" | "budget_exhausted" | "too_large" | "internal" => "fatal",
        "cancelled" => "cancelled",
        _ => "recoverable",
    }
}
