//! Expressions, printed from their ops as a graph file would write them. Locals have lost their names: they are `$0`,
//! `$1`, …

use super::Lister;
use super::value::literal;
use crate::program::function::{Function, FunctionForm};
use crate::program::op::{BudgetQuery, Counter, Macro, Op, OpId, Range, Special};

/// The strength with which an operator binds; what binds less than its surroundings is in parentheses.
type Binding = u8;

const LOOSEST: Binding = 0;
const COALESCE: Binding = 1;
const OR: Binding = 2;
const AND: Binding = 3;
const RELATION: Binding = 4;
const SUM: Binding = 5;
const PRODUCT: Binding = 6;
const PREFIX: Binding = 7;
const POSTFIX: Binding = 8;

impl Lister<'_> {
    /// An expression as text.
    pub(super) fn expr(&mut self, id: OpId) -> String {
        self.operand(id, LOOSEST)
    }

    fn operand(&mut self, id: OpId, least: Binding) -> String {
        let (text, binding) = self.op(id);
        if binding < least { format!("({text})") } else { text }
    }

    fn op(&mut self, id: OpId) -> (String, Binding) {
        let op = self.program.ops[id.0 as usize];
        match op {
            Op::Const(_)
            | Op::Slot(_)
            | Op::Local(_)
            | Op::Special(_)
            | Op::Let(..)
            | Op::Step
            | Op::RolledBack
            | Op::Visits(_)
            | Op::InState(_)
            | Op::Render(..)
            | Op::Now => (self.leaf(op), POSTFIX),
            Op::IsConst { target, constant, negate } => {
                let constant = literal(&self.program.constants[constant as usize]);
                let target = self.operand(target, RELATION);
                (format!("{target} {} {constant}", if negate { "!=" } else { "==" }), RELATION)
            }
            Op::And(operands) => self.chain(" && ", AND, operands),
            Op::Or(operands) => self.chain(" || ", OR, operands),
            Op::Coalesce(left, right) => self.infix("??", COALESCE, left, right),
            Op::Not(inner) => (format!("!{}", self.operand(inner, PREFIX)), PREFIX),
            Op::Conditional(condition, then, otherwise) => {
                let condition = self.operand(condition, COALESCE);
                let (then, otherwise) = (self.expr(then), self.expr(otherwise));
                (format!("{condition} ? {then} : {otherwise}"), LOOSEST)
            }
            Op::Binary(function, left, right) => {
                self.infix(function.name().unwrap_or_default(), binding(function), left, right)
            }
            Op::Call(function, args) => {
                let args: Vec<OpId> = self.program.list(args).to_vec();
                self.call(function, &args)
            }
            op => (self.postfix(op), POSTFIX),
        }
    }

    fn leaf(&self, op: Op) -> String {
        let graph = self.graph;
        let node = |node: u32| self.names.node(node);
        match op {
            Op::Const(id) => literal(&self.program.constants[id as usize]),
            Op::Slot(id) => self.names.slot(id).to_owned(),
            Op::Local(id) => format!("${id}"),
            Op::Special(Special::Result) => "result".to_owned(),
            Op::Special(Special::Error) => "error".to_owned(),
            Op::Special(Special::Outcome) => "outcome".to_owned(),
            Op::Special(Special::Tools) => "tools".to_owned(),
            Op::Let(id, _) => graph.let_names[id as usize].to_string(),
            Op::Visits(id) => format!("visits({})", node(id)),
            Op::InState(id) => format!("in_state({})", node(id)),
            Op::Render(id, _) => format!("render({})", graph.texts[id as usize]),
            Op::Now => "now()".to_owned(),
            Op::RolledBack => "rolled_back()".to_owned(),
            _ => "step()".to_owned(),
        }
    }

    fn postfix(&mut self, op: Op) -> String {
        match op {
            Op::Previous(inner, _) => format!("previous({})", self.expr(inner)),
            Op::Bind { local, value, body } => {
                format!("bind(${local}, {}, {})", self.expr(value), self.expr(body))
            }
            Op::Field { target, name, .. } => {
                format!("{}.{}", self.operand(target, POSTFIX), self.program.names[name as usize])
            }
            Op::Has(target, name) => {
                format!("has({}.{})", self.operand(target, POSTFIX), self.program.names[name as usize])
            }
            Op::Index(target, at) => format!("{}[{}]", self.operand(target, POSTFIX), self.expr(at)),
            Op::List(items) => {
                let items: Vec<OpId> = self.program.list(items).to_vec();
                format!("[{}]", self.items(&items))
            }
            Op::Map(entries) => {
                let entries: Vec<OpId> = self.program.list(entries).to_vec();
                let entries: Vec<String> = entries
                    .chunks(2)
                    .map(|entry| entry.iter().map(|part| self.expr(*part)).collect::<Vec<_>>().join(": "))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
            Op::Record { names, values } => {
                let values: Vec<OpId> = self.program.list(values).to_vec();
                let fields: Vec<String> = (names as usize..)
                    .zip(values)
                    .map(|(name, value)| format!("{}: {}", self.program.names[name], self.expr(value)))
                    .collect();
                format!("record{{{}}}", fields.join(", "))
            }
            Op::Macro { kind, over, local, second, filter, each } => {
                let over = self.operand(over, POSTFIX);
                let mut args = vec![format!("${local}")];
                args.extend(second.map(|second| format!("${second}")));
                args.extend(filter.map(|filter| self.expr(filter)));
                args.extend(each.map(|each| self.expr(each)));
                format!("{over}.{}({})", macro_name(kind), args.join(", "))
            }
            Op::Is(inner, shape) => format!("is({}, {})", self.expr(inner), self.shape(shape)),
            Op::Coerce(inner, shape) => format!("fit({}, {})", self.expr(inner), self.shape(shape)),
            Op::Budget(query, counter) => format!("{}({})", query_name(query), self.counter(counter)),
            Op::InFamily(key, family) => {
                format!("({} in {})", self.operand(key, SUM), self.names.family(family))
            }
            op => self.leaf(op),
        }
    }

    fn infix(&mut self, sign: &str, binding: Binding, left: OpId, right: OpId) -> (String, Binding) {
        let (left, right) = (self.operand(left, binding), self.operand(right, binding + 1));
        (format!("{left} {sign} {right}"), binding)
    }

    fn chain(&mut self, sign: &str, binding: Binding, operands: Range) -> (String, Binding) {
        let operands: Vec<OpId> = self.program.list(operands).to_vec();
        let operands: Vec<String> =
            operands.into_iter().map(|operand| self.operand(operand, binding + 1)).collect();
        (operands.join(sign), binding)
    }

    fn call(&mut self, function: Function, args: &[OpId]) -> (String, Binding) {
        let row = self.program.functions.row(function);
        let name = &row.name;
        match (row.form, args) {
            (FunctionForm::Operator, [inner]) => (format!("{name}{}", self.operand(*inner, POSTFIX)), PREFIX),
            (FunctionForm::Receiver | FunctionForm::Either, [target, rest @ ..]) => {
                let target = self.operand(*target, POSTFIX);
                (format!("{target}.{name}({})", self.items(rest)), POSTFIX)
            }
            _ => (format!("{name}({})", self.items(args)), POSTFIX),
        }
    }

    fn items(&mut self, items: &[OpId]) -> String {
        items.iter().map(|item| self.expr(*item)).collect::<Vec<_>>().join(", ")
    }

    /// A budget, with its family's key where it is a meter: `stage[id].explore`.
    pub(super) fn counter(&mut self, counter: Counter) -> String {
        let name = self.names.budget(counter.budget).to_owned();
        match (counter.key, name.split_once('.')) {
            (Some(key), Some((family, meter))) => format!("{family}[{}].{meter}", self.expr(key)),
            _ => name,
        }
    }
}

const fn binding(function: Function) -> Binding {
    match function {
        Function::MULTIPLY | Function::DIVIDE | Function::MODULO => PRODUCT,
        Function::ADD | Function::SUBTRACT => SUM,
        _ => RELATION,
    }
}

const fn macro_name(kind: Macro) -> &'static str {
    match kind {
        Macro::All => "all",
        Macro::Exists => "exists",
        Macro::ExistsOne => "exists_one",
        Macro::Filter => "filter",
        Macro::Map => "map",
        Macro::SortBy => "sortBy",
        Macro::TransformList => "transformList",
        Macro::TransformMap => "transformMap",
    }
}

const fn query_name(query: BudgetQuery) -> &'static str {
    match query {
        BudgetQuery::Used => "used",
        BudgetQuery::Limit => "limit",
        BudgetQuery::Left => "left",
        BudgetQuery::Exhausted => "exhausted",
    }
}
