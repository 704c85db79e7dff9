//! Uses by functions and operators.

use super::expression::UsedValue;
use super::{RegionId, SampledUse, UseBuilder};
use crate::explore::region::LikelyTexts;
use crate::model::expr::Expr;
use crate::model::types::Kind;
use crate::program::function::Function;
use crate::value::Value;

impl<'m> UseBuilder<'m> {
    /// The value of a call, with what it does with its arguments.
    pub(super) fn call(&mut self, expr: &'m Expr, function: Function, args: &'m [Expr]) -> UsedValue {
        let lists = matches!(expr.ty.kind, Kind::List(..) | Kind::Map(_));
        match (function.name(), args) {
            (Some("==" | "!="), [a, b]) => self.compared(a, b, false, expr),
            (Some("<" | "<=" | ">" | ">="), [a, b]) => self.compared(a, b, true, expr),
            (Some("in"), [item, of]) => self.contained(item, of, expr),
            (Some("size"), [of]) => {
                let of = self.read(of).region;
                UsedValue { size_of: Some(of), ..Self::value_of(self.uses.regions.add()) }
            }
            (Some("dyn"), [one]) => self.read(one),
            (Some("first" | "last"), [list]) => {
                let list = self.read(list).region;
                let own = self.regions().get_mut(list);
                own.is_iterated = true;
                own.is_read_by_place = true;
                Self::value_of(self.regions().item(list))
            }
            (Some("values"), [map]) => {
                let map = self.read(map).region;
                self.regions().get_mut(map).is_iterated = true;
                let made = self.regions().add();
                let (own, item) = (self.regions().item(made), self.regions().item(map));
                self.regions().join(own, item);
                Self::value_of(made)
            }
            (Some("merge"), [first, others @ ..]) => {
                let made = self.read(first).region;
                for other in others {
                    let other = self.read(other).region;
                    self.regions().join(made, other);
                }
                Self::value_of(made)
            }
            (Some("+"), [a, b]) if lists => self.joined(&[a, b], expr),
            (Some("slice" | "reverse"), [list, others @ ..]) if lists => {
                for other in others {
                    self.decide(other, "a bound of a part of a list");
                }
                self.joined(&[list], expr)
            }
            (Some(name), _) => self.made(name, expr, args),
            (None, _) => self.made("", expr, args),
        }
    }

    /// A list of the items of others.
    fn joined(&mut self, lists: &[&'m Expr], expr: &Expr) -> UsedValue {
        let made = self.regions().add();
        let own = self.regions().item(made);
        for list in lists {
            let list = self.read(list).region;
            let item = self.regions().item(list);
            self.regions().join(own, item);
            let used = SampledUse { why: "part of a longer list", span: expr.span };
            self.regions().derive(made, list, false, used);
        }
        Self::value_of(made)
    }

    /// A value that is made of its arguments. Where the function may fail, that alone depends on them.
    fn made(&mut self, name: &str, expr: &'m Expr, args: &'m [Expr]) -> UsedValue {
        let made = self.regions().add();
        let fails = !is_total(name, expr);
        let why = if matches!(name, "+" | "-" | "*" | "/" | "%" | "sum") {
            "part of a sum, a product or a longer text"
        } else {
            "an argument of a function"
        };
        let read: Vec<UsedValue> = args.iter().map(|arg| self.read(arg)).collect();
        for arg_value in read.iter().filter(|value| value.constant.is_none()) {
            let of = arg_value.size_of.unwrap_or(arg_value.region);
            if fails {
                self.sample(of, why, expr);
            } else {
                self.regions().derive(made, of, true, SampledUse { why, span: expr.span });
            }
        }
        self.suggest(name, made, &read);
        let region = self.regions().get_mut(made);
        region.varies = true;
        Self::value_of(made)
    }

    /// Texts that are worth a try as the first argument of a function. The field stays sampled.
    fn suggest(&mut self, name: &str, made: RegionId, args: &[UsedValue]) {
        let [text @ UsedValue { constant: None, size_of: None, .. }, others @ ..] = args else { return };
        let texts = match (name, others) {
            ("trim", []) => LikelyTexts::Unchanged(|text| text.trim() == text),
            ("lowerAscii", []) => LikelyTexts::Unchanged(|text| text.to_ascii_lowercase() == text),
            ("upperAscii", []) => LikelyTexts::Unchanged(|text| text.to_ascii_uppercase() == text),
            (
                "contains" | "startsWith" | "endsWith" | "indexOf" | "lastIndexOf",
                [UsedValue { constant: Some(Value::Str(part)), .. }, ..],
            ) => LikelyTexts::One(part.clone()),
            _ => return,
        };
        self.regions().suggest(made, text.region, texts);
    }

    fn compared(&mut self, a: &'m Expr, b: &'m Expr, ordered: bool, expr: &Expr) -> UsedValue {
        let (one, other) = (self.read(a), self.read(b));
        match (&one.constant, &other.constant) {
            (Some(_), Some(_)) => {}
            (None, Some(point)) => self.pointed(&one, point, ordered, expr),
            (Some(point), None) => self.pointed(&other, point, ordered, expr),
            (None, None) => self.related(&one, &other, ordered, expr),
        }
        Self::value_of(self.uses.regions.add())
    }

    /// A value is compared with a constant.
    fn pointed(&mut self, value: &UsedValue, point: &Value, ordered: bool, expr: &Expr) {
        if let Some(of) = value.size_of {
            match point {
                Value::Int(size) => self.regions().get_mut(of).sizes.push(*size),
                _ => self.sample(of, "measured", expr),
            }
            return;
        }
        match point {
            Value::List(list) if list.is_empty() => self.regions().get_mut(value.region).sizes.push(0),
            Value::Map(map) if map.is_empty() => self.regions().get_mut(value.region).sizes.push(0),
            Value::List(_) | Value::Map(_) => self.sample(value.region, "compared as a whole", expr),
            Value::Null => self.regions().get_mut(value.region).is_tested = true,
            scalar => {
                let region = self.regions().get_mut(value.region);
                region.points.push(scalar.clone());
                region.is_ordered |= ordered;
            }
        }
    }

    /// Two values are compared.
    fn related(&mut self, one: &UsedValue, other: &UsedValue, ordered: bool, expr: &Expr) {
        match (one.size_of, other.size_of) {
            (None, None) => {
                let order = ordered.then_some(expr.span);
                self.regions().compare(one.region, other.region, order);
                let has_parts = |regions: &super::Regions, id: RegionId| regions.parts(id).len() > 1;
                for side in [one.region, other.region] {
                    if has_parts(&self.uses.regions, side) {
                        self.sample(side, "compared as a whole", expr);
                    }
                }
            }
            (Some(of), None) | (None, Some(of)) => {
                let with = if one.size_of.is_some() { other.region } else { one.region };
                self.measured(of, with, expr);
            }
            (Some(of), Some(and)) => {
                self.sample(of, "measured, and compared with another size", expr);
                self.sample(and, "measured, and compared with another size", expr);
            }
        }
    }

    /// The size of a value is compared with a value that is no constant.
    fn measured(&mut self, of: RegionId, with: RegionId, expr: &Expr) {
        let size = self.regions().add();
        self.regions().compare(size, with, Some(expr.span));
        let used = SampledUse { why: "measured, and the size is compared", span: expr.span };
        self.regions().derive(size, of, false, used);
    }

    fn contained(&mut self, item: &'m Expr, of: &'m Expr, expr: &Expr) -> UsedValue {
        let is_map = !matches!(of.ty.kind, Kind::List(..));
        let (item, of) = (self.read(item), self.read(of));
        match (&item.constant, &of.constant) {
            (Some(_), Some(_)) => {}
            (None, Some(Value::List(list))) => {
                self.regions().get_mut(item.region).points.extend(list.iter().cloned());
            }
            (None, Some(Value::Map(map))) => {
                let keys: Vec<Value> = map.keys().cloned().map(Value::Str).collect();
                self.regions().get_mut(item.region).points.extend(keys);
            }
            (Some(Value::Str(key)), None) if is_map => {
                let field = self.regions().field(of.region, key);
                self.regions().get_mut(field).is_tested = true;
            }
            (Some(point), None) => {
                let items = self.regions().item(of.region);
                self.regions().get_mut(items).points.push(point.clone());
                self.regions().get_mut(of.region).is_iterated = true;
            }
            _ if is_map => {
                self.sample(item.region, "looked for among the keys of a map", expr);
                self.regions().get_mut(of.region).is_iterated = true;
            }
            _ => {
                let items = self.regions().item(of.region);
                self.regions().compare(item.region, items, None);
                for list in [item.region, items] {
                    self.regions().get_mut(list).is_read_by_place = true;
                }
                self.regions().get_mut(of.region).is_iterated = true;
            }
        }
        Self::value_of(self.uses.regions.add())
    }
}

/// True for a function that gives a value for all arguments of its types.
fn is_total(name: &str, expr: &Expr) -> bool {
    match name {
        "+" => matches!(expr.ty.kind, Kind::String(_) | Kind::Float),
        "-" | "*" => matches!(expr.ty.kind, Kind::Float),
        "!" | "type" | "string" | "contains" | "startsWith" | "endsWith" | "indexOf" | "lastIndexOf"
        | "join" | "lowerAscii" | "upperAscii" | "replace" | "split" | "trim" | "strings.quote"
        | "reverse" | "flatten" | "distinct" | "keys" | "without" | "math.isNaN" | "math.isInf"
        | "math.isFinite" | "math.sign" | "parse_int" | "tokens" | "json" | "digest" | "getHours"
        | "getMinutes" | "getSeconds" | "getMilliseconds" => true,
        _ => false,
    }
}
