//! Statements, and texts with templates.

use rand::seq::IndexedRandom;
use serde_json::{Value as Json, json};

use super::expression::DEPTH;
use super::holes::Hole;
use super::wanted::{WantedKind, WantedType};
use super::writer::{GraphWriter, Visible};

impl GraphWriter<'_> {
    /// A list of statements, with the budgets that it spends.
    pub(super) fn block(&mut self, most: usize, spends: &mut Vec<String>) -> Json {
        let count = 1 + self.below(most);
        let visible = self.vars.len();
        let list: Vec<String> = (0..count).filter_map(|_| self.statement(2, spends)).collect();
        self.vars.truncate(visible);
        json!(list)
    }

    fn inner(&mut self, depth: u32, spends: &mut Vec<String>) -> String {
        let visible = self.vars.len();
        let count = 1 + self.below(2);
        let lines: Vec<String> = (0..count).filter_map(|_| self.statement(depth - 1, spends)).collect();
        self.vars.truncate(visible);
        lines.join("; ")
    }

    fn statement(&mut self, depth: u32, spends: &mut Vec<String>) -> Option<String> {
        match self.below(20) {
            0..8 => {
                let (place, ty) = self.place(|_| true)?;
                Some(format!("{place} = {}", self.expr(&ty, DEPTH)))
            }
            8..11 => self.addition(),
            11 => self.let_statement(),
            12 => {
                let budget = self.paying_budget()?;
                spends.push(budget.clone());
                Some(match self.below(4) {
                    0 => format!("spend {budget} by 2"),
                    1 => format!("spend {budget} by {}", self.expr(&WantedType::int(), 1)),
                    _ => format!("spend {budget}"),
                })
            }
            13 => {
                let name = self.pick(&["seen", "moved"]);
                Some(match self.below(2) {
                    0 => format!("emit {name}"),
                    _ => format!("emit {name} {{'n': {}}}", self.expr(&WantedType::any(), 1)),
                })
            }
            14 | 15 if depth > 0 => {
                let condition = self.condition(2);
                let then = self.inner(depth, spends);
                Some(match self.below(3) {
                    0 => format!("if {condition} {{ {then} }}"),
                    1 => format!("if {condition} {{ {then} }} else {{ {} }}", self.inner(depth, spends)),
                    _ => {
                        let other = self.condition(1);
                        let (second, third) = (self.inner(depth, spends), self.inner(depth, spends));
                        format!(
                            "if {condition} {{ {then} }} else if {other} {{ {second} }} else {{ {third} }}"
                        )
                    }
                })
            }
            16 if depth > 0 => {
                let lists: Vec<(String, WantedType)> = self
                    .vars
                    .iter()
                    .filter(|var| !var.ty.null)
                    .filter_map(|var| match &var.ty.kind {
                        WantedKind::List(item, _) => Some((var.path.clone(), (**item).clone())),
                        _ => None,
                    })
                    .collect();
                let (list, item) = lists.choose(self.random)?.clone();
                let name = self.local();
                let visible = self.vars.len();
                self.vars.push(Visible::read(&name, item));
                let inner = self.inner(depth, spends);
                self.vars.truncate(visible);
                Some(format!("for {name} in {list} {{ {inner} }}"))
            }
            17 => {
                let action = self.actions.choose(self.random)?;
                Some(format!("{action}()"))
            }
            18 => {
                let (kind, _) = self.errors.choose(self.random)?.clone();
                let condition = self.condition(2);
                Some(match self.below(2) {
                    0 => format!("if {condition} {{ fail {kind} }}"),
                    _ => format!("if {condition} {{ fail {kind} {} }}", self.expr(&WantedType::text(), 1)),
                })
            }
            _ => {
                let (place, ty) = self
                    .place(|ty| matches!(ty.kind, WantedKind::Map(_) | WantedKind::List(..)) && !ty.null)?;
                match ty.kind {
                    WantedKind::Map(item) => {
                        Some(format!("{place}['{}'] = {}", self.pick(&["a", "c"]), self.expr(&item, 2)))
                    }
                    WantedKind::List(item, _) => {
                        self.index_bold = true;
                        Some(format!("{place}[0] = {}", self.expr(&item, 2)))
                    }
                    _ => None,
                }
            }
        }
    }

    fn let_statement(&mut self) -> Option<String> {
        let ty = self.ty(1);
        let kind = match ty.kind {
            WantedKind::Int(_) => WantedKind::Int(None),
            WantedKind::Text(_) => WantedKind::Text(None),
            kind => kind,
        };
        let ty = WantedType { kind, null: ty.null };
        let value = self.path(&ty)?;
        let name = self.local();
        self.vars.push(Visible::read(&name, ty));
        Some(format!("let {name} = {value}"))
    }

    fn addition(&mut self) -> Option<String> {
        let bounds = self.bounds_bold;
        let (place, ty) = self.place(|ty| {
            !ty.null
                && match ty.kind {
                    WantedKind::Int(bound) => bounds || bound.is_none(),
                    WantedKind::Text(most) | WantedKind::List(_, most) => bounds || most.is_none(),
                    WantedKind::Duration | WantedKind::Float | WantedKind::Usd => true,
                    _ => false,
                }
        })?;
        let added = match &ty.kind {
            WantedKind::List(item, _) => (**item).clone(),
            WantedKind::Int(_) => WantedType::int(),
            WantedKind::Text(_) => WantedType::text(),
            _ => ty.clone(),
        };
        Some(format!("{place} += {}", self.expr(&added, 2)))
    }

    /// The body of a text over what every node can see.
    pub(super) fn template(&mut self) -> String {
        let count = 1 + self.below(4);
        (0..count).filter_map(|_| self.template_part(2)).collect::<Vec<_>>().join(" ")
    }

    fn template_part(&mut self, depth: u32) -> Option<String> {
        let vars = self.vars.clone();
        let chosen = vars.choose(self.random)?;
        let bold = self.closed(Hole::TemplateNull) && self.chance(0.2);
        let (path, ty) = (&chosen.path, &chosen.ty);
        Some(match self.below(12) {
            2 => "Words, 'quoted'.".to_owned(),
            3 if depth > 0 => {
                let condition = match &ty.kind {
                    WantedKind::Int(_) if !ty.null || bold => format!("{path} > 1"),
                    WantedKind::Enum(words) => format!("{path} == '{}'", words[0]),
                    _ => path.clone(),
                };
                let (then, other) = (self.template_part(depth - 1)?, self.template_part(depth - 1)?);
                format!("{{% if {condition} %}}{then}{{% else %}}{other}{{% endif %}}")
            }
            4..7 if matches!(ty.kind, WantedKind::Map(_)) && !ty.null => match self.below(6) {
                0 if bold => format!("{{{{ {path}.a }}}}"),
                1 => format!("{{% if 'a' in {path} %}}{{{{ {path}['a'] }}}}{{% endif %}}"),
                2 => format!("{{% if {path}.b is defined %}}{{{{ {path}.b }}}}{{% endif %}}"),
                3 => format!("{{{{ {path}.a | default('none') }}}}"),
                4 => format!(
                    "{{% set q = {path} %}}{{% for x in q | list %}}{{{{ {path}[x] }}}}{{% endfor %}}"
                ),
                _ => format!("{{% for x, y in {path} | dictsort %}}{{{{ {path}[x] }}}}{{% endfor %}}"),
            },
            4 | 5 => {
                let fields = ty.fields(&self.names);
                let (field, _) = fields.choose(self.random)?;
                match (ty.null, self.below(4)) {
                    (true, 0) if bold => format!("{{{{ {path}.{field} }}}}"),
                    (true, 3) if bold => format!("{{{{ ({path} or {{}}).{field} }}}}"),
                    (true, 2) => format!("{{{{ ({path} or {{}}).{field} | default('none') }}}}"),
                    (true, 1) => format!("{{% if {path} %}}{{{{ {path}.{field} }}}}{{% endif %}}"),
                    (true, _) => {
                        format!("{{% if {path} is not none %}}{{{{ {path}.{field} }}}}{{% endif %}}")
                    }
                    _ => format!("{{{{ {path}.{field} }}}}"),
                }
            }
            6 if matches!(ty.kind, WantedKind::List(..)) && (!ty.null || bold) => {
                format!("{{% for x in {path} %}}{{{{ loop.index }}}}: {{{{ x }}}}{{% endfor %}}")
            }
            7 if matches!(ty.kind, WantedKind::List(..) | WantedKind::Text(_) | WantedKind::Map(_))
                && (!ty.null || bold) =>
            {
                format!("{{{{ {path} | length }}}}")
            }
            8 if matches!(ty.kind, WantedKind::Int(_)) && (!ty.null || bold) => {
                format!("{{{{ {path} + 1 }}}}")
            }
            9 if matches!(ty.kind, WantedKind::Text(_)) && (!ty.null || bold) => {
                format!("{{{{ {path} | upper }}}}")
            }
            10 => format!("{{{{ {path} | tojson }}}}"),
            11 if ty.null => format!("{{{{ {path} | default('none', true) }}}}"),
            _ => format!("{{{{ {path} }}}}"),
        })
    }
}
