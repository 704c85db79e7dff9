//! Statements.

use std::fmt;

use super::Lister;
use crate::program::code::{Block, Code, LoopPlaces, Step};
use crate::program::graph::PlaceCode;

impl Lister<'_> {
    /// A statement list below a head, or nothing if there is none.
    pub(super) fn list(&mut self, head: &str, block: Block) -> fmt::Result {
        if block.is_empty() {
            return Ok(());
        }
        self.nest(format_args!("{head}"), |lister| lister.block(block))
    }

    pub(super) fn block(&mut self, block: Block) -> fmt::Result {
        let program = self.program;
        program.block(block).iter().try_for_each(|code| self.code(code))
    }

    fn code(&mut self, code: &Code) -> fmt::Result {
        let program = self.program;
        match code {
            Code::Assign { slot, steps, add, value } => {
                let (place, value) = (self.path(*slot, steps), self.expr(*value));
                self.line(format_args!("{place} {} {value}", if *add { "+=" } else { "=" }))
            }
            Code::Let(local, value) => {
                let value = self.expr(*value);
                self.line(format_args!("let ${local} = {value}"))
            }
            Code::Spend(counter, amount) => {
                let counter = self.counter(*counter);
                let by = amount.map(|amount| format!(" by {}", self.expr(amount))).unwrap_or_default();
                self.line(format_args!("spend {counter}{by}"))
            }
            Code::Emit(name, payload) => {
                let payload = payload.map(|payload| format!(" {}", self.expr(payload))).unwrap_or_default();
                self.line(format_args!("emit {}{payload}", program.names[*name as usize]))
            }
            Code::If { branch, arms, otherwise } => self.branches(*branch, arms, *otherwise),
            Code::Call(action) => match self.names.action(*action) {
                Some(name) => self.line(format_args!("{name}()")),
                None => self.line(format_args!("call action {action}")),
            },
            Code::For(LoopPlaces { index, item }, list, body) => {
                let list = self.expr(*list);
                let index = index.map(|index| format!("${index}, ")).unwrap_or_default();
                self.nest(format_args!("for {index}${item} in {list}"), |lister| lister.block(*body))
            }
            Code::Fail(kind, message) => {
                let message = message.map(|message| format!(" {}", self.expr(message))).unwrap_or_default();
                self.line(format_args!("fail {}{message}", program.names[*kind as usize]))
            }
        }
    }

    fn branches(
        &mut self,
        first: u32,
        arms: &[(crate::program::op::OpId, Block)],
        otherwise: Block,
    ) -> fmt::Result {
        for (branch, (condition, block)) in (first..).zip(arms) {
            let word = if branch == first { "if" } else { "else if" };
            let condition = self.expr(*condition);
            let number = if self.names.numbers() { format!(" (branch {branch})") } else { String::new() };
            self.nest(format_args!("{word} {condition}{number}"), |lister| lister.block(*block))?;
        }
        self.list("else", otherwise)
    }

    pub(super) fn place(&mut self, place: &PlaceCode) -> String {
        format!("{}: {}", self.path(place.slot, &place.steps), self.shape(place.shape))
    }

    fn path(&mut self, slot: u32, steps: &[Step]) -> String {
        let mut text = self.names.slot(slot).to_owned();
        for step in steps {
            match *step {
                Step::Field(name, _) => {
                    text.push('.');
                    text.push_str(&self.program.names[name as usize]);
                }
                Step::Index(at) => text.extend(["[", &self.expr(at), "]"]),
            }
        }
        text
    }
}
