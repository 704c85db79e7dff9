//! The macros: `all exists exists_one filter map sortBy` and the two-variable ones.

use super::{Eval, Evaluated, Fault, Trouble, trouble};
use crate::program::function::Function;
use crate::program::meter::{MAX_RESULT, too_large};
use crate::program::op::{Macro, OpId};
use crate::value::{List, Map, Str, Value};

/// The content of a macro's parentheses.
#[derive(Debug, Clone, Copy)]
pub(super) struct MacroBody {
    pub(super) local: u32,
    pub(super) second: Option<u32>,
    pub(super) filter: Option<OpId>,
    pub(super) each: Option<OpId>,
}

/// The item that a macro has before it: an element of a list on the stack, or a key of a map.
#[derive(Debug, Clone, Copy)]
enum MacroItem<'a> {
    Element { list: u32, index: u32 },
    Key(&'a Str),
}

impl Eval<'_> {
    pub(super) fn macro_call(
        &mut self,
        id: OpId,
        kind: Macro,
        over: OpId,
        body: MacroBody,
    ) -> Evaluated<Value> {
        let over = self.eval(over)?;
        match kind {
            Macro::All => self.quantify(id, &over, body, false).map(|found| Value::Bool(!found)),
            Macro::Exists => self.quantify(id, &over, body, true).map(Value::Bool),
            Macro::ExistsOne => {
                let mut hits = 0_u32;
                self.visit(id, &over, body, |eval, _| {
                    hits += u32::from(eval.predicate(body)?);
                    Ok(())
                })?;
                Ok(Value::Bool(hits == 1))
            }
            Macro::Filter => {
                let mut selected = List::new();
                self.visit(id, &over, body, |eval, item| {
                    if eval.predicate(body)? {
                        selected.push(eval.item(item));
                    }
                    Ok(())
                })?;
                Ok(Value::List(selected))
            }
            Macro::Map | Macro::TransformList => self.collect(id, &over, body).map(Value::List),
            Macro::SortBy => {
                let keys = self.collect(id, &over, body)?;
                let args = [over, Value::List(keys)];
                self.program
                    .functions
                    .call(Function::SORT_BY, &args, &mut self.scratch.meter)
                    .map_err(|f| trouble(f, id))
            }
            Macro::TransformMap => self.transform_map(id, &over, body),
        }
    }

    /// Returns true if some item's predicate is `wanted`; errors are absorbed when one is.
    fn quantify(&mut self, id: OpId, over: &Value, body: MacroBody, wanted: bool) -> Evaluated<bool> {
        let mut first: Option<Box<Trouble>> = None;
        let mut found = false;
        self.visit_while(id, over, body, |eval, _| {
            match body.filter.map_or(Ok(true), |filter| eval.test(filter)) {
                Ok(b) => found = b == wanted,
                Err(trouble) if eval.scratch.meter.spent() => return Err(trouble),
                Err(trouble) => first = first.take().or(Some(trouble)),
            }
            Ok(!found)
        })?;
        match first {
            Some(trouble) if !found => Err(trouble),
            _ => Ok(found),
        }
    }

    fn collect(&mut self, id: OpId, over: &Value, body: MacroBody) -> Evaluated<List> {
        let mut list = List::new();
        let before = self.scratch.gathered;
        let done = self.visit(id, over, body, |eval, item| {
            if eval.predicate(body)? {
                let value = match body.each {
                    Some(each) => eval.eval(each)?,
                    None => eval.item(item),
                };
                eval.gather(id, value.size_estimate())?;
                list.push(value);
            }
            Ok(())
        });
        self.scratch.gathered = before;
        done.map(|()| list)
    }

    /// Counts what a macro gathers. Macros inside of macros share one limit, or each level would have its own.
    fn gather(&mut self, id: OpId, bytes: usize) -> Evaluated<()> {
        self.scratch.gathered = self.scratch.gathered.saturating_add(bytes);
        if self.scratch.gathered > MAX_RESULT && self.program.semantics.bounds_macros() {
            return Err(trouble(too_large(), id));
        }
        Ok(())
    }

    fn transform_map(&mut self, id: OpId, over: &Value, body: MacroBody) -> Evaluated<Value> {
        let mut map = Map::new();
        let before = self.scratch.gathered;
        let done = self.visit(id, over, body, |eval, _| {
            if eval.predicate(body)? {
                let key = eval.scratch.locals.get(body.local).cloned().unwrap_or_default();
                let key = match key {
                    Value::Str(key) => key,
                    other => other.to_json().to_string().into(),
                };
                let value = body.each.map_or(Ok(Value::Null), |each| eval.eval(each))?;
                eval.gather(id, value.size_estimate().saturating_add(key.len()))?;
                map.insert(key, value);
            }
            Ok(())
        });
        self.scratch.gathered = before;
        done.map(|()| Value::Map(map))
    }

    fn item(&self, item: MacroItem<'_>) -> Value {
        match item {
            MacroItem::Element { list, index } => {
                self.scratch.locals.item(list, index).cloned().unwrap_or_default()
            }
            MacroItem::Key(key) => Value::Str(key.clone()),
        }
    }

    #[inline]
    fn predicate(&mut self, body: MacroBody) -> Evaluated<bool> {
        body.filter.map_or(Ok(true), |filter| self.test(filter))
    }

    fn visit(
        &mut self,
        id: OpId,
        over: &Value,
        body: MacroBody,
        mut each: impl FnMut(&mut Self, MacroItem<'_>) -> Evaluated<()>,
    ) -> Evaluated<()> {
        self.visit_while(id, over, body, |eval, item| each(eval, item).map(|()| true))
    }

    /// Sets the macro's variables for one item after the other and calls `each` until it says no.
    fn visit_while(
        &mut self,
        id: OpId,
        over: &Value,
        body: MacroBody,
        mut each: impl FnMut(&mut Self, MacroItem<'_>) -> Evaluated<bool>,
    ) -> Evaluated<()> {
        match over {
            Value::List(list) => {
                let entered = self.scratch.locals.enter(over.clone());
                let result = self.visit_list(id, entered, list.len(), body, each);
                self.scratch.locals.leave(entered);
                result
            }
            Value::Map(map) => {
                for (key, value) in map {
                    self.bind_entry(id, body, key, value)?;
                    if !each(self, MacroItem::Key(key))? {
                        break;
                    }
                }
                Ok(())
            }
            other => {
                let message = format!("found {} where a list or map is wanted", other.type_name());
                Err(trouble(Fault::evaluation(message), id))
            }
        }
    }

    fn visit_list(
        &mut self,
        id: OpId,
        list: u32,
        len: usize,
        body: MacroBody,
        mut each: impl FnMut(&mut Self, MacroItem<'_>) -> Evaluated<bool>,
    ) -> Evaluated<()> {
        for index in 0..u32::try_from(len).unwrap_or(u32::MAX) {
            self.tick(id)?;
            match body.second {
                Some(second) => {
                    self.scratch.set_local(body.local, Value::Int(i64::from(index)));
                    self.scratch.locals.set_item(second, list, index);
                }
                None => self.scratch.locals.set_item(body.local, list, index),
            }
            if !each(self, MacroItem::Element { list, index })? {
                break;
            }
        }
        Ok(())
    }

    fn bind_entry(&mut self, id: OpId, body: MacroBody, key: &Str, value: &Value) -> Evaluated<()> {
        self.tick(id)?;
        self.scratch.set_local(body.local, Value::Str(key.clone()));
        if let Some(second) = body.second {
            self.scratch.set_local(second, value.clone());
        }
        Ok(())
    }
}
