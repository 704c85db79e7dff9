//! Named expressions: typed once without parameters, written out at each use with them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::builtin::unusable;
use super::cx::{Cx, Here, Meaning, poison};
use super::facts::{Facts, Path};
use super::few_slots::FewSlots;
use super::missing::literal_keys;
use super::narrow::ITEM;
use super::scope::{Entry, JudgedLet, LetInfo, Reach, Scope, is_of_uses};
use crate::diag::{Diagnostic, Severity, rule};
use crate::model::expr::{Expr, ExprKind, LetId, LocalId, SlotId, SlotKind};
use crate::model::graph::Let;
use crate::model::name_use::NameKind;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::program::op::Special;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{self, Name};
use crate::syntax::tree::LetDecl;
use crate::value::Str;

impl Cx<'_> {
    /// Writes out a let with parameters: paths take the parameters' places, other arguments are bound.
    pub(super) fn write_out(
        &mut self,
        decl: &Arc<LetDecl>,
        args: &[ast::Expr],
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        if args.len() != decl.params.len() {
            let params: Vec<&str> = decl.params.iter().map(|p| p.as_str()).collect();
            let wanted = super::misuse::count(params.len());
            let message = format!("the let `{}` takes {wanted}, {} given", decl.name.value, args.len());
            let fault =
                Diagnostic::error(rule::WRONG_ARGUMENTS, span, message).also(decl.name.span, "declared here");
            self.report(fault.help(format!("write {}({})", decl.name.value, params.join(", "))));
            return poison(span);
        }
        // An argument that is no plain path is bound to a local, which lives while the arguments after it are evaluated.
        let mut typed: Vec<(Expr, Option<LocalId>)> = Vec::with_capacity(args.len());
        for arg in args {
            let arg = self.typed(arg, None);
            let plain = Path::of(&arg).is_some() || matches!(arg.kind, ExprKind::Const(_));
            let local = (!plain).then(|| self.anonymous());
            typed.push((arg, local));
        }
        let first = typed.iter().find_map(|(_, local)| *local);
        let faulty = typed.iter().any(|(arg, _)| matches!(arg.ty.kind, Kind::Error));
        let body = if faulty { poison(span) } else { self.written_out(decl, typed, span, want) };
        if let Some(first) = first {
            self.release(first);
        }
        body
    }

    fn written_out(
        &mut self,
        decl: &Arc<LetDecl>,
        args: Vec<(Expr, Option<LocalId>)>,
        span: Span,
        want: Option<&Type>,
    ) -> Expr {
        self.inside_let(span, |cx| {
            let before = cx.facts.clone();
            let mut bound = Vec::new();
            for (name, (arg, local)) in decl.params.iter().zip(args) {
                match local {
                    Some(local) => {
                        cx.push(name, Meaning::Stack(local, arg.ty.clone().named()));
                        bound.push((local, arg));
                    }
                    None => cx.push(name, Meaning::Path(arg)),
                }
            }
            let mut body = cx.typed(&decl.body, want);
            cx.drop_locals(decl.params.len());
            cx.facts = before;
            for (local, value) in bound.into_iter().rev() {
                let ty = body.ty.clone();
                let kind = ExprKind::Bind { local, value: Box::new(value), body: Box::new(body) };
                body = Expr { kind, ty, span };
            }
            Expr { span, ..body }
        })
    }
}

impl Cx<'_> {
    /// A use of a let without parameters: what is known here is known in it.
    pub(super) fn use_let(&mut self, id: LetId, info: &LetInfo, span: Span) -> Expr {
        let declared = match &info.alias {
            Some(path) => Expr { span, ..path.clone() },
            None => Expr { kind: ExprKind::Let(id), ty: info.ty.clone(), span },
        };
        let Some(judged) = &info.judged_at_use else { return declared };
        let here = self.judge_here(judged.parts, span, |cx| cx.typed(&judged.body, None));
        let Some(Expr { ty, .. }) = here else {
            self.report_unjudged(id, judged, span);
            return declared;
        };
        let ty = if info.alias.is_some() { ty } else { ty.named() };
        Expr { ty, ..declared }
    }

    /// The let is too long to be judged here: its findings are those of a place where nothing is known.
    fn report_unjudged(&mut self, id: LetId, judged: &JudgedLet, span: Span) {
        self.renderings.extend(judged.renderings.iter().cloned());
        let name = self.scope.let_names.get(id.0 as usize).cloned().unwrap_or_default();
        for finding in &judged.findings {
            if self.has_reported(finding) {
                continue;
            }
            let finding = finding.clone().also(span, "used here");
            self.report(finding.help(format!(
                "`{name}` is too long for what is known at its uses to count in it: cut it into several lets, or give \
                 it a parameter for the value that may be null"
            )));
        }
    }
}

impl Scope {
    /// The type of a let where that is known, and what is to be said of it there.
    #[must_use]
    pub fn let_at(&self, id: LetId, facts: &Facts, types: &TypeTable, span: Span) -> (Type, Vec<Diagnostic>) {
        let mut sink = Vec::new();
        let Some(info) = self.lets.get(id.0 as usize) else { return (Type::of(Kind::Error), sink) };
        let mut cx = Cx::new(self, types, Here::default(), &mut sink).knowing(facts.clone());
        let used = cx.use_let(id, info, span);
        let used = cx.narrow(used);
        (used.ty, sink)
    }

    /// True if the let is a map that is written out with the key.
    pub(crate) fn let_has_key(&self, id: LetId, key: &str) -> bool {
        self.lets.get(id.0 as usize).is_some_and(|info| info.keys.iter().any(|own| own.as_str() == key))
    }

    /// Declares the lets of a graph and types those without parameters. All slots, budgets and nodes are in scope
    /// already; the ids follow the order of the parameterless ones.
    pub fn add_lets(&mut self, decls: &[LetDecl], types: &TypeTable, sink: &mut Vec<Diagnostic>) -> Vec<Let> {
        let mut plain: Vec<(usize, LetId)> = Vec::new();
        let mut added: FxHashMap<&str, usize> = FxHashMap::default();
        for (at, decl) in decls.iter().enumerate() {
            let entry =
                if decl.params.is_empty() { Entry::Error } else { Entry::Template(Arc::new(decl.clone())) };
            if self.add(&decl.name, None, entry, sink) {
                added.insert(&decl.name.value, at);
                self.builtins.names.define(NameKind::Let, &decl.name, None);
                if decl.params.is_empty() {
                    plain.push((at, LetId(u32::try_from(plain.len()).unwrap_or(u32::MAX))));
                }
            }
            self.refuse_parameters(decl, sink);
        }
        for (at, _) in &plain {
            self.let_names.push(decls[*at].name.as_str().into());
            self.lets.push(LetInfo::unknown());
        }
        let order = self.let_order(decls, &added, sink);
        let ids: FxHashMap<usize, LetId> = plain.iter().copied().collect();
        let mut made: FxHashMap<LetId, Let> = FxHashMap::default();
        for at in order {
            match ids.get(&at) {
                Some(id) => {
                    let done = self.type_let(&decls[at], *id, types, sink);
                    made.insert(*id, done);
                }
                None => self.try_template(&decls[at], types, sink),
            }
        }
        let broken = |at: usize| Let { name: name_of(&decls[at].name), body: poison(decls[at].body.span) };
        plain.into_iter().map(|(at, id)| made.remove(&id).unwrap_or_else(|| broken(at))).collect()
    }

    fn refuse_parameters(&self, decl: &LetDecl, sink: &mut Vec<Diagnostic>) {
        for (at, param) in decl.params.iter().enumerate() {
            if let Some(fault) = unusable(param) {
                sink.push(fault);
            } else if let Some(bound) = self.lookup(&param.value, None) {
                sink.push(super::scope::shadowed(param, bound.span));
            } else if let Some(first) = decl.params[..at].iter().find(|p| p.value == param.value) {
                sink.push(super::scope::shadowed(param, first.span));
            }
        }
    }

    /// The lets in an order in which each is after those it uses; circles are reported and left out.
    fn let_order(
        &mut self,
        decls: &[LetDecl],
        added: &FxHashMap<&str, usize>,
        sink: &mut Vec<Diagnostic>,
    ) -> Vec<usize> {
        let uses: Vec<Vec<usize>> = decls.iter().map(|d| used_names(&d.body, added)).collect();
        let (order, circles) = super::order::dependencies_first(&uses);
        for circle in circles {
            let names: Vec<&str> = circle.iter().map(|at| decls[*at].name.as_str()).collect();
            let message = if let [only] = names.as_slice() {
                format!("the let `{only}` uses itself")
            } else {
                format!("the lets {} use each other in a circle", names.join(" -> "))
            };
            let fault = Diagnostic::error(rule::RECURSIVE_LET, decls[circle[0]].name.span, message);
            sink.push(fault.help("a let is written out where it is used, so it cannot use itself"));
            for at in circle {
                self.replace(&decls[at].name.value, Entry::Error);
            }
        }
        order.into_iter().filter(|at| added.get(decls[*at].name.as_str()) == Some(at)).collect()
    }

    fn type_let(&mut self, decl: &LetDecl, id: LetId, types: &TypeTable, sink: &mut Vec<Diagnostic>) -> Let {
        // The same sink as of the lets before: what is reported there is not searched for again.
        let known = sink.len();
        let mut cx = Cx::new(self, types, Here::default(), sink);
        let body = cx.infer(&decl.body);
        let (parts, renderings) = (cx.parts(), std::mem::take(&mut cx.renderings));
        // Whether something may be null depends on where the let is used.
        let (findings, faults): (Vec<_>, Vec<_>) = sink.split_off(known).into_iter().partition(is_of_uses);
        let is_sound = faults.iter().all(|fault| fault.severity != Severity::Error);
        let depends = body.ty.nullable || !findings.is_empty() || !renderings.is_empty();
        sink.extend(faults);
        let mut info = self.describe_let(&body);
        if is_sound && depends {
            let body = decl.body.clone();
            info.judged_at_use = Some(Arc::new(JudgedLet { body, parts, findings, renderings }));
        } else {
            sink.extend(findings);
        }
        self.lets[id.0 as usize] = info;
        self.replace(&decl.name.value, Entry::Let(id));
        Let { name: name_of(&decl.name), body }
    }

    /// Types a let with parameters whose types are not known, so that faults are found though nobody uses it.
    fn try_template(&self, decl: &LetDecl, types: &TypeTable, sink: &mut Vec<Diagnostic>) {
        let mut cx = Cx::new(self, types, Here::default(), sink);
        for param in &decl.params {
            cx.push(param, Meaning::Path(poison(param.span)));
        }
        cx.infer(&decl.body);
    }

    fn describe_let(&self, body: &Expr) -> LetInfo {
        let (mut reads, mut reach) = (FewSlots::default(), Reach::Constants);
        body.walk(&mut |e| {
            reach = reach.max(self.reach_of(&e.kind, &mut reads));
        });
        LetInfo {
            ty: body.ty.clone().named(),
            alias: (reach <= Reach::State && Path::of(body).is_some()).then(|| body.clone()),
            reads,
            reach,
            when_true: self.facts_when(body, true),
            when_false: self.facts_when(body, false),
            of_items: self.facts_of_items(body, ITEM),
            keys: literal_keys(body),
            judged_at_use: None,
        }
    }

    fn reach_of(&self, kind: &ExprKind, reads: &mut FewSlots) -> Reach {
        match kind {
            ExprKind::Slot(id) => {
                reads.add(*id);
                if self.is_input(*id) { Reach::Inputs } else { Reach::State }
            }
            ExprKind::Let(id) => {
                let info = &self.lets[id.0 as usize];
                reads.add_all(&info.reads);
                info.reach
            }
            ExprKind::Special(Special::Tools) => Reach::State,
            ExprKind::Budget(crate::program::op::BudgetQuery::Limit, _) | ExprKind::Now => Reach::Inputs,
            ExprKind::Budget(..)
            | ExprKind::InFamily(..)
            | ExprKind::Step
            | ExprKind::RolledBack
            | ExprKind::Visits(_)
            | ExprKind::InState(_)
            | ExprKind::Special(_)
            | ExprKind::Previous(_)
            | ExprKind::Render(_) => Reach::All,
            _ => Reach::Constants,
        }
    }

    fn is_input(&self, id: SlotId) -> bool {
        let Some(name) = self.slots.get(id.0 as usize) else { return false };
        self.bound(name)
            .iter()
            .any(|b| matches!(&b.entry, Entry::Slot(own, _, SlotKind::Input) if *own == id))
    }
}

impl LetInfo {
    fn unknown() -> Self {
        Self {
            ty: Type::of(Kind::Error),
            alias: None,
            reads: FewSlots::default(),
            reach: Reach::Constants,
            when_true: Facts::default(),
            when_false: Facts::default(),
            of_items: Facts::default(),
            keys: Vec::new(),
            judged_at_use: None,
        }
    }
}

fn name_of(name: &Name) -> Spanned<Str> {
    Spanned::new(name.as_str().into(), name.span)
}

/// The lets whose names occur in the expression.
fn used_names(expr: &ast::Expr, lets: &FxHashMap<&str, usize>) -> Vec<usize> {
    let mut used = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        let name = match &expr.kind {
            ast::ExprKind::Name(name) => Some(name),
            ast::ExprKind::Call { receiver: None, name, .. } => Some(&name.value),
            _ => None,
        };
        used.extend(name.and_then(|n| lets.get(n.as_str())));
        super::order::children(expr, &mut open);
    }
    used
}
