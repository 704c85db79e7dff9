//! Expressions of a wanted type, over what is visible.

use rand::seq::IndexedRandom;

use super::holes::Hole;
use super::wanted::{WORDS, WantedKind, WantedType};
use super::writer::{GraphWriter, Visible};

/// The depth of expressions.
pub(super) const DEPTH: u32 = 3;

impl GraphWriter<'_> {
    /// A path to a value that fits, nullable or not as asked; more rarely one that may be null where null does not fit.
    pub(super) fn path(&mut self, want: &WantedType) -> Option<String> {
        let bold = self.null_bold;
        let bold = self.chance(bold);
        let mut found = Vec::new();
        for var in &self.vars {
            let mut paths = vec![(var.path.clone(), var.ty.clone())];
            let mut depth = 0;
            while let Some((path, ty)) = paths.pop() {
                let fits = ty.fits(want) && (want.is_any() || !ty.is_any());
                let nearly = bold && ty.not_null().fits(want);
                if fits || nearly {
                    found.push(path.clone());
                }
                depth += 1;
                if depth < 8 {
                    let fields = ty.fields(&self.names).into_iter();
                    paths.extend(fields.map(|(name, ty)| (format!("{path}.{name}"), ty)));
                }
            }
        }
        found.choose(self.random).cloned()
    }

    /// A path to something that may be null and fits otherwise.
    fn nullable_path(&mut self, want: &WantedType) -> Option<String> {
        let want = want.not_null();
        let mut found = Vec::new();
        for var in &self.vars {
            let paths = std::iter::once((var.path.clone(), var.ty.clone())).chain(
                var.ty.fields(&self.names).into_iter().map(|(name, ty)| (format!("{}.{name}", var.path), ty)),
            );
            found.extend(paths.filter(|(_, ty)| ty.null && ty.not_null().fits(&want)).map(|(path, _)| path));
        }
        found.choose(self.random).cloned()
    }

    /// The type of the list or map that is visible, with its path.
    fn container(&mut self, fits: impl Fn(&WantedType) -> bool) -> Option<(String, WantedType)> {
        let all: Vec<(String, WantedType)> = self
            .vars
            .iter()
            .filter(|var| fits(&var.ty))
            .map(|var| (var.path.clone(), var.ty.clone()))
            .collect();
        all.choose(self.random).cloned()
    }

    pub(super) fn literal(&mut self, want: &WantedType) -> Option<String> {
        want.literal(&self.names, self.random)
    }

    /// An expression of the type.
    pub(super) fn expr(&mut self, want: &WantedType, depth: u32) -> String {
        self.try_expr(want, depth).unwrap_or_else(|| "null".to_owned())
    }

    fn simple(&mut self, want: &WantedType) -> Option<String> {
        if self.chance(0.65)
            && let Some(path) = self.path(want)
        {
            return Some(path);
        }
        self.literal(want).or_else(|| self.path(want))
    }

    fn try_expr(&mut self, want: &WantedType, depth: u32) -> Option<String> {
        if depth == 0 || self.chance(0.2) {
            return self.simple(want);
        }
        if want.null && !self.chance(0.4) {
            return match self.below(4) {
                0 => Some("null".to_owned()),
                1 => self.nullable_path(want).or_else(|| self.simple(want)),
                2 => self.first_of(want).or_else(|| self.simple(want)),
                _ => self.simple(want),
            };
        }
        let of = want.not_null();
        let general = match self.below(14) {
            0 => {
                let condition = self.condition(depth - 1);
                let (then, other) = (self.try_expr(want, depth - 1)?, self.try_expr(want, depth - 1)?);
                Some(format!("({condition} ? {then} : {other})"))
            }
            1 => {
                let path = self.nullable_path(&of);
                let other = self.try_expr(want, depth - 1)?;
                path.map(|path| format!("({path} ?? {other})"))
            }
            2 => {
                let path = self.nullable_path(&of);
                let other = self.try_expr(want, depth - 1)?;
                path.map(|path| match self.below(2) {
                    0 => format!("({path} != null ? {path} : {other})"),
                    _ => format!("({path} == null ? {other} : {path})"),
                })
            }
            3 => self.let_call(&of, depth),
            4 => self.element(&of, depth),
            5 if self.any_bold && !of.is_any() => self.untyped(&of),
            _ => None,
        };
        match general {
            Some(text) => Some(text),
            None => self.typed(&of, depth - 1).or_else(|| self.simple(&of)),
        }
    }

    fn let_call(&mut self, want: &WantedType, depth: u32) -> Option<String> {
        let fitting: Vec<_> = self.lets.iter().filter(|one| one.ty.fits(want)).cloned().collect();
        let chosen = fitting.choose(self.random)?.clone();
        if chosen.params.is_empty() {
            return Some(chosen.name);
        }
        let args: Vec<String> =
            chosen.params.iter().map(|param| self.expr(param, depth.min(2) - 1)).collect();
        Some(format!("{}({})", chosen.name, args.join(", ")))
    }

    /// An element of a list or a map, which may not be there.
    fn element(&mut self, want: &WantedType, depth: u32) -> Option<String> {
        let (path, ty) = self.container(|ty| match &ty.kind {
            WantedKind::List(item, _) | WantedKind::Map(item) => !ty.null && item.fits(want),
            _ => false,
        })?;
        let other = self.expr(want, depth - 1);
        if matches!(ty.kind, WantedKind::List(..)) {
            return Some(match self.below(4) {
                0 => {
                    self.index_bold = true;
                    format!("{path}[0]")
                }
                1 => format!("({path}.size() > 0 ? {path}[0] : {other})"),
                _ => format!("({path}.first() ?? {other})"),
            });
        }
        Some(match self.below(4) {
            0 => {
                self.index_bold = true;
                format!("{path}['a']")
            }
            1 => format!("('a' in {path} ? {path}['a'] : {other})"),
            2 if self.closed(Hole::MissingKey) => format!("({path}['b'] ?? {other})"),
            _ => format!("(has({path}.b) ? {path}.b : {other})"),
        })
    }

    fn first_of(&mut self, want: &WantedType) -> Option<String> {
        let (path, _) = self.container(|ty| match &ty.kind {
            WantedKind::List(item, _) => !ty.null && item.not_null().fits(&want.not_null()),
            _ => false,
        })?;
        Some(format!("{path}.{}()", if self.chance(0.5) { "first" } else { "last" }))
    }

    /// A value of `any` where a type is wanted.
    fn untyped(&mut self, want: &WantedType) -> Option<String> {
        let (path, _) = self.container(WantedType::is_any)?;
        if self.chance(0.5) {
            let other = self.literal(want)?;
            let ty = want.written(&self.names);
            return Some(format!("(is({path}, {ty}) ? {path} : {other})"));
        }
        self.any_used = true;
        Some(path)
    }

    /// A condition: a boolean that mostly looks at the state.
    pub(super) fn condition(&mut self, depth: u32) -> String {
        if self.chance(0.15) {
            return self.expr(&WantedType::bool(), depth);
        }
        self.boolean(depth.min(2)).unwrap_or_else(|| "true".to_owned())
    }

    /// An expression made of operators and functions that give the type.
    fn typed(&mut self, want: &WantedType, depth: u32) -> Option<String> {
        match &want.kind {
            WantedKind::Bool => self.boolean(depth),
            WantedKind::Int(None) => Some(self.integer(depth)),
            WantedKind::Int(Some(_)) => {
                let bold = self.bounds_bold && self.chance(0.3);
                bold.then(|| self.integer(depth))
            }
            WantedKind::Float => Some(self.float(depth)),
            WantedKind::Usd | WantedKind::Duration => Some(self.quantity(want, depth)),
            WantedKind::Text(None) => Some(self.string(depth)),
            WantedKind::Text(Some(_)) => {
                let bold = self.bounds_bold && self.chance(0.3);
                bold.then(|| self.string(depth))
            }
            WantedKind::List(item, most) => self.list(item, *most, depth),
            WantedKind::Map(item) => {
                let one = self.expr(item, depth);
                let (path, _) = self.container(|ty| ty == want)?;
                Some(match self.below(3) {
                    0 => format!("merge({path}, {{'a': {one}}})"),
                    1 => format!("without({path}, ['a'])"),
                    _ => format!("{{'c': {one}}}"),
                })
            }
            WantedKind::Record(place) => {
                let record = self.names.records[*place].clone();
                let fields: Vec<String> = record
                    .fields
                    .iter()
                    .map(|field| {
                        let value = self.expr(&field.ty, depth.min(1));
                        format!("{}: {value}", field.name)
                    })
                    .collect();
                Some(format!("{}{{{}}}", record.name, fields.join(", ")))
            }
            WantedKind::Any => {
                let text = self.expr(&WantedType::text(), depth.min(1));
                Some(match self.below(3) {
                    0 => format!("parse_json({text})"),
                    1 => format!("dyn({text})"),
                    _ => text,
                })
            }
            WantedKind::Enum(_) | WantedKind::Outputs(_) => None,
        }
    }

    fn comparison(&mut self, depth: u32) -> String {
        let sign = self.pick(&["<", "<=", ">", ">="]);
        let ty = match self.below(7) {
            0 => WantedType::of(WantedKind::Float),
            1 => WantedType::text(),
            2 => WantedType::of(WantedKind::Duration),
            3 => WantedType::of(WantedKind::Usd),
            _ => WantedType::int(),
        };
        let (a, b) = (self.expr(&ty, depth), self.expr(&ty, depth));
        format!("({a} {sign} {b})")
    }

    fn boolean(&mut self, depth: u32) -> Option<String> {
        let deeper = depth.saturating_sub(1);
        Some(match self.below(22) {
            0..4 => self.comparison(deeper),
            4 | 5 => {
                let (a, b) = (self.condition(deeper), self.condition(deeper));
                format!("({a} {} {b})", self.pick(&["&&", "||"]))
            }
            6 => {
                let inner = self.condition(deeper);
                if inner.starts_with('(') { format!("!{inner}") } else { format!("!({inner})") }
            }
            7..10 => self.null_test()?,
            10 | 11 => self.enum_test()?,
            12 => {
                let text = self.expr(&WantedType::text(), deeper);
                let call =
                    self.pick(&["contains('t')", "startsWith('t')", "endsWith('r')", "matches('^[a-z]+$')"]);
                format!("{text}.{call}")
            }
            13 => format!("exhausted({})", self.any_budget()?),
            14 => format!("left({}) > 0", self.whole_budget()?),
            15 => {
                let (path, ty) = self.container(|ty| matches!(ty.kind, WantedKind::List(..)) && !ty.null)?;
                let WantedKind::List(item, _) = ty.kind else { return None };
                let local = self.local();
                self.vars.push(Visible::read(&local, *item));
                let inner = self.condition(deeper);
                self.vars.pop();
                format!("{path}.{}({local}, {inner})", self.pick(&["all", "exists"]))
            }
            16 => {
                let (path, _) = self.container(|ty| matches!(ty.kind, WantedKind::Map(_)) && !ty.null)?;
                self.pick(&["'a' in %", "has(%.a)", "%.size() > 1"]).replace('%', &path)
            }
            17 => format!("visits({}) {} {}", self.node_name()?, self.pick(&["<", ">", "=="]), self.below(4)),
            18 => {
                let (path, _) = self.container(WantedType::is_any)?;
                self.pick(&["is(%, int)", "is(%, list<string>)", "% == null", "% == 3", "is(%, map<any>)"])
                    .replace('%', &path)
            }
            19 => {
                let path = self.path(&WantedType::of(WantedKind::Float))?;
                format!("math.isNaN({path})")
            }
            20 => {
                let (path, _) = self.container(|ty| {
                    matches!(&ty.kind, WantedKind::List(item, _) if **item == WantedType::int()) && !ty.null
                })?;
                format!("{} in {path}", self.expr(&WantedType::int(), deeper))
            }
            _ => {
                let ty = self.scalar();
                let (a, b) = (self.expr(&ty.or_null(), deeper), self.simple(&ty)?);
                format!("({b} {} {a})", self.pick(&["==", "!="]))
            }
        })
    }

    /// `x != null`, mostly with a use of `x` that relies on it.
    fn null_test(&mut self) -> Option<String> {
        let ty = self.scalar();
        let path = self.nullable_path(&ty)?;
        let used = match &ty.kind {
            WantedKind::Int(None) => format!("{path} > {}", self.below(3)),
            WantedKind::Text(None) => format!("{path}.size() < 4"),
            WantedKind::Duration => format!("{path} < 2m"),
            WantedKind::Bool => path.clone(),
            _ => return Some(format!("{path} {} null", self.pick(&["==", "!="]))),
        };
        Some(match self.below(5) {
            0 => format!("({path} != null && {used})"),
            1 => format!("({path} == null || {used})"),
            2 => format!("{path} == null"),
            _ => format!("{path} != null"),
        })
    }

    fn enum_test(&mut self) -> Option<String> {
        let words = *WORDS.choose(self.random)?;
        let path = self.path(&WantedType::of(WantedKind::Enum(words)).or_null())?;
        let (one, other) = (self.pick(words), self.pick(words));
        Some(match self.below(4) {
            0 if one != other => format!("{path} in ['{one}', '{other}']"),
            1 => format!("{path} != '{one}'"),
            _ => format!("{path} == '{one}'"),
        })
    }

    fn integer(&mut self, depth: u32) -> String {
        let deeper = depth.saturating_sub(1);
        let text = match self.below(16) {
            0..4 => {
                let sign = self.pick(&["+", "-", "*", "+", "%", "/"]);
                let (a, b) = (self.expr(&WantedType::int(), deeper), self.expr(&WantedType::int(), deeper));
                Some(format!("({a} {sign} {b})"))
            }
            4 => Some(format!("-({})", self.expr(&WantedType::int(), deeper))),
            5 | 6 => {
                let found = self.container(|ty| {
                    matches!(ty.kind, WantedKind::List(..) | WantedKind::Map(_) | WantedKind::Text(_))
                        && !ty.null
                });
                found.map(|(path, _)| format!("{path}.size()"))
            }
            7 => self
                .whole_budget()
                .map(|budget| format!("{}({budget})", self.pick(&["used", "left", "limit"]))),
            8 => Some("step()".to_owned()),
            9 => self.node_name().map(|node| format!("visits({node})")),
            10 => {
                let text = self.expr(&WantedType::text(), deeper);
                let other = self.below(3);
                Some(format!("(parse_int({text}) ?? {other})"))
            }
            11 => {
                let list = self.path(&WantedType::int().list());
                list.map(|path| {
                    self.pick(&["sum(%)", "%.filter(q, q > 1).size()", "(%.last() ?? 0)"]).replace('%', &path)
                })
            }
            12 => {
                let (a, b) = (self.expr(&WantedType::int(), deeper), self.expr(&WantedType::int(), deeper));
                Some(format!("math.greatest({a}, {b})"))
            }
            13 => Some(format!("int({})", self.expr(&WantedType::of(WantedKind::Float), deeper))),
            14 => Some((*["0x1F", "7", "1000000"].choose(self.random).unwrap_or(&"1")).to_owned()),
            _ => Some(format!("{}.indexOf('t')", self.expr(&WantedType::text(), deeper))),
        };
        text.unwrap_or_else(|| self.below(4).to_string())
    }

    fn float(&mut self, depth: u32) -> String {
        let float = WantedType::of(WantedKind::Float);
        let deeper = depth.saturating_sub(1);
        match self.below(5) {
            0 | 1 => {
                let sign = self.pick(&["+", "-", "*", "/"]);
                let (a, b) = (self.expr(&float, deeper), self.expr(&float, deeper));
                format!("({a} {sign} {b})")
            }
            2 => format!("double({})", self.expr(&WantedType::int(), deeper)),
            3 => format!(
                "math.{}({})",
                self.pick(&["floor", "round", "sqrt", "abs"]),
                self.expr(&float, deeper)
            ),
            _ => "1.5e-3".to_owned(),
        }
    }

    fn quantity(&mut self, want: &WantedType, depth: u32) -> String {
        let deeper = depth.saturating_sub(1);
        let a = self.expr(want, deeper);
        match self.below(3) {
            0 => format!("({a} * {})", self.below(3)),
            1 => format!("({a} + {})", self.expr(want, deeper)),
            _ => format!("math.abs({a})"),
        }
    }

    fn string(&mut self, depth: u32) -> String {
        let deeper = depth.saturating_sub(1);
        let text = WantedType::text();
        match self.below(12) {
            0..3 => format!("({} + {})", self.expr(&text, deeper), self.expr(&text, deeper)),
            3 => {
                let of = [
                    WantedType::int(),
                    WantedType::of(WantedKind::Float),
                    WantedType::bool(),
                    WantedType::of(WantedKind::Duration),
                ];
                let of = of.choose(self.random).cloned().unwrap_or(text);
                format!("string({})", self.expr(&of, deeper))
            }
            4 => format!(
                "{}.{}()",
                self.expr(&text, deeper),
                self.pick(&["trim", "upperAscii", "lowerAscii", "reverse"])
            ),
            5 => format!("{}.replace('t', 'd')", self.expr(&text, deeper)),
            6 => match self.path(&text.clone().list()) {
                Some(path) => format!("{path}.join('-')"),
                None => "r'\\d+'".to_owned(),
            },
            7 => format!("json({})", self.expr(&WantedType::any(), deeper)),
            8 => format!(
                "'%s-%d'.format([{}, {}])",
                self.expr(&text, deeper),
                self.expr(&WantedType::int(), deeper)
            ),
            9 => "'''several\nlines'''".to_owned(),
            10 if self.can_render && !self.texts.is_empty() => {
                let chosen = self.texts.choose(self.random).cloned().unwrap_or_default();
                format!("render({chosen})")
            }
            _ => format!("digest({})", self.expr(&WantedType::any(), deeper)),
        }
    }

    fn list(&mut self, item: &WantedType, most: Option<u64>, depth: u32) -> Option<String> {
        let deeper = depth.saturating_sub(1);
        if most.is_some() {
            return Some(format!("[{}]", self.try_expr(item, deeper)?));
        }
        let own = item.clone().list();
        match self.below(8) {
            0 => Some(format!("[{}, {}]", self.try_expr(item, deeper)?, self.try_expr(item, deeper)?)),
            1 => {
                let path = self.path(&own)?;
                Some(format!("({path} + [{}])", self.try_expr(item, deeper)?))
            }
            2 => {
                let path = self.path(&own)?;
                let local = self.local();
                self.vars.push(Visible::read(&local, item.clone()));
                let inner = self.condition(deeper);
                self.vars.pop();
                Some(format!("{path}.filter({local}, {inner})"))
            }
            3 => {
                let (path, ty) = self.container(|ty| matches!(ty.kind, WantedKind::List(..)) && !ty.null)?;
                let WantedKind::List(from, _) = ty.kind else { return None };
                let local = self.local();
                self.vars.push(Visible::read(&local, *from));
                let inner = self.try_expr(item, deeper);
                self.vars.pop();
                Some(format!("{path}.map({local}, {})", inner?))
            }
            4 => {
                let path = self.path(&own)?;
                Some(format!("{path}.{}()", self.pick(&["reverse", "distinct"])))
            }
            5 if *item == WantedType::int() => Some("lists.range(3)".to_owned()),
            5 if *item == WantedType::text() => {
                let (path, _) = self.container(|ty| matches!(ty.kind, WantedKind::Map(_)) && !ty.null)?;
                Some(format!("keys({path})"))
            }
            6 if *item == WantedType::text() => Some(format!("{}.split(' ')", self.expr(item, deeper))),
            6 => {
                let path = self.path(&own)?;
                self.index_bold = true;
                Some(format!("{path}.slice(0, 1)"))
            }
            _ => {
                let (path, _) = self
                    .container(|ty| matches!(&ty.kind, WantedKind::Map(of) if of.fits(item)) && !ty.null)?;
                Some(format!("values({path})"))
            }
        }
    }
}
