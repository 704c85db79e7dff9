//! `for v in list`, `for i, v in list`.

use std::sync::Arc;

use super::cx::Cx;
use super::effect::{Write, Writes};
use super::facts::{Path, Root};
use super::missing::keys_gone_over;
use super::present_keys::MapKey;
use super::scope::Entry;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{Expr, ExprKind, LoopLocals, StatementKind};
use crate::model::types::{Kind, Type};
use crate::program::function::Function;
use crate::syntax::ast::{self, LoopNames};
use crate::value::Str;

impl Cx<'_> {
    pub(super) fn repeat(
        &mut self,
        names: &LoopNames,
        list: &ast::Expr,
        body: &ast::Block,
        depth: u32,
    ) -> StatementKind {
        let list = self.infer(list);
        let list = self.not_null(list);
        let item = match &list.ty.kind {
            Kind::List(item, _) if matches!(item.kind, Kind::Null) => Type::of(Kind::Any),
            Kind::List(item, _) => Type::clone(item),
            Kind::Any => Type::of(Kind::Any),
            Kind::Map(_) | Kind::Record(_) => Type::of(Kind::String(None)),
            Kind::Error => list.ty.clone(),
            _ => {
                let message = format!("`for` iterates over a list, this is `{}`", self.show(&list.ty));
                self.report(Diagnostic::error(rule::TYPE_MISMATCH, list.span, message));
                Type::of(Kind::Error)
            }
        };
        if let (Some(index), Kind::Map(_) | Kind::Record(_)) = (&names.index, &list.ty.kind) {
            let item = &names.item.value;
            let message = format!("only a list counts its items, this is `{}`", self.show(&list.ty));
            let fault = Diagnostic::error(rule::TYPE_MISMATCH, index.span, message);
            self.report(fault.help(format!(
                "for the keys and their values write `for {} in …`, and `…[{}]` for the value {item}",
                index.value, index.value
            )));
        }
        let list = keys_of(list);
        // What any round writes is uncertain at the start of the next.
        let writes = self.writes_of(body);
        self.forget(&writes);
        let before = self.facts.clone();
        let index = names.index.as_ref().map(|index| self.push_local(index, Type::of(Kind::Int(None))));
        let item = self.push_local(&names.item, item);
        if let Some(map) = keys_gone_over(&list) {
            let key = MapKey::At(Path::root(Root::Local(item)));
            self.facts.insert_key(map, key);
            self.forget(&writes);
        }
        let body = self.nested(body, depth + 1);
        self.pop_local();
        if index.is_some() {
            self.pop_local();
        }
        self.facts = before.meet(&self.facts);
        StatementKind::For(LoopLocals { index, item }, list, body)
    }

    /// The places that a block writes, as far as they are known before it is typed.
    fn writes_of(&self, block: &ast::Block) -> Writes {
        let mut writes = Writes::default();
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for statement in &block.statements {
                match &statement.kind {
                    ast::StatementKind::Assign { place, .. } => {
                        if let Some(write) = self.write_of(place) {
                            writes.add(&write);
                        }
                    }
                    ast::StatementKind::If(arms, otherwise) => {
                        open.extend(arms.iter().map(|(_, body)| body));
                        open.extend(otherwise);
                    }
                    ast::StatementKind::For(_, _, body) => open.push(body),
                    ast::StatementKind::Call(name) => {
                        if let Some(Entry::Action(id)) =
                            self.scope.lookup(&name.value, self.here.composite).map(|b| &b.entry)
                            && let Some(effect) = self.scope.actions.get(id.0 as usize)
                        {
                            writes.add_all(&effect.writes);
                        }
                    }
                    ast::StatementKind::Let(..)
                    | ast::StatementKind::Spend(..)
                    | ast::StatementKind::Emit(..)
                    | ast::StatementKind::Fail(..) => {}
                }
            }
        }
        writes
    }

    fn write_of(&self, place: &ast::Place) -> Option<Write> {
        let Entry::Slot(id, ..) = &self.scope.lookup(&place.root.value, self.here.composite)?.entry else {
            return None;
        };
        let mut path = Path::root(Root::Slot(*id));
        for step in &place.steps {
            match step {
                ast::PlaceStep::Field(name) => path.fields.push(Str::from(name.as_str())),
                ast::PlaceStep::Index(_) => return Some(Write { path, below: true }),
            }
        }
        Some(Write { path, below: false })
    }
}

/// `for k in map` goes over the keys.
fn keys_of(list: Expr) -> Expr {
    match list.ty.kind {
        Kind::Map(_) | Kind::Record(_) => {
            let span = list.span;
            let ty = Type::of(Kind::List(Arc::new(Type::of(Kind::String(None))), None));
            Expr { kind: ExprKind::Call(Function::KEYS, vec![list]), ty, span }
        }
        Kind::Any => {
            let span = list.span;
            Expr { kind: ExprKind::Coerce(Box::new(list), any_list()), ty: any_list(), span }
        }
        _ => list,
    }
}

fn any_list() -> Type {
    Type::of(Kind::List(Arc::new(Type::of(Kind::Any)), None))
}
