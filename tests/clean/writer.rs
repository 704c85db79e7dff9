//! The state of the generator: what is visible, what may be called, what it dares.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

use super::holes::Hole;
use super::wanted::{NamedTypes, WORDS, WantedKind, WantedType};

/// Something that can be read, and perhaps written.
#[derive(Debug, Clone)]
pub(super) struct Visible {
    pub(super) path: String,
    pub(super) ty: WantedType,
    pub(super) writable: bool,
}

impl Visible {
    pub(super) fn read(path: &str, ty: WantedType) -> Self {
        Self { path: path.to_owned(), ty, writable: false }
    }

    pub(super) fn write(path: &str, ty: WantedType) -> Self {
        Self { path: path.to_owned(), ty, writable: true }
    }
}

/// A let with the types of its parameters.
#[derive(Debug, Clone)]
pub(super) struct LetPlan {
    pub(super) name: String,
    pub(super) params: Vec<WantedType>,
    pub(super) ty: WantedType,
}

/// A budget as expressions and `spend` name it.
#[derive(Debug, Clone)]
pub(super) struct BudgetPlan {
    pub(super) name: String,
    pub(super) hard: bool,
    pub(super) charge: Option<&'static str>,
}

/// Writes one graph.
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of its own")]
pub(super) struct GraphWriter<'r> {
    pub(super) random: &'r mut SmallRng,
    pub(super) closed: &'r dyn Fn(Hole) -> bool,
    pub(super) names: NamedTypes,
    pub(super) vars: Vec<Visible>,
    pub(super) lets: Vec<LetPlan>,
    pub(super) actions: Vec<String>,
    pub(super) budgets: Vec<BudgetPlan>,
    pub(super) texts: Vec<String>,
    pub(super) errors: Vec<(String, &'static str)>,
    /// The nodes that there are, for `visits`.
    pub(super) nodes: Vec<String>,
    /// Numbers that names were made with.
    pub(super) numbers: usize,
    /// The likelihood of a value that may be null where null fails.
    pub(super) null_bold: f64,
    /// Values of `any` stand where a type is wanted.
    pub(super) any_bold: bool,
    /// Computed values go to places with bounds.
    pub(super) bounds_bold: bool,
    /// A value of `any` was put where a type is wanted.
    pub(super) any_used: bool,
    /// Results go to places that look alike.
    pub(super) alike_used: bool,
    /// Something was indexed without a test.
    pub(super) index_bold: bool,
    pub(super) can_render: bool,
}

impl<'r> GraphWriter<'r> {
    pub(super) fn new(random: &'r mut SmallRng, closed: &'r dyn Fn(Hole) -> bool, names: NamedTypes) -> Self {
        let null_bold = [0.0, 0.05, 0.15, 0.4][random.random_range(0..4)];
        let (any_bold, bounds_bold) = (random.random_bool(0.25), random.random_bool(0.25));
        Self {
            random,
            closed,
            names,
            vars: Vec::new(),
            lets: Vec::new(),
            actions: Vec::new(),
            budgets: Vec::new(),
            texts: Vec::new(),
            errors: Vec::new(),
            nodes: Vec::new(),
            numbers: 0,
            null_bold,
            any_bold,
            bounds_bold,
            any_used: false,
            alike_used: false,
            index_bold: false,
            can_render: false,
        }
    }

    pub(super) fn chance(&mut self, of: f64) -> bool {
        self.random.random_bool(of)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.random.random_range(0..n)
    }

    pub(super) fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from.choose(self.random).copied().unwrap_or_default()
    }

    pub(super) fn closed(&self, hole: Hole) -> bool {
        (self.closed)(hole)
    }

    pub(super) fn name(&mut self, head: &str) -> String {
        self.numbers += 1;
        format!("{head}{}", self.numbers)
    }

    pub(super) fn local(&mut self) -> String {
        self.name("v")
    }

    pub(super) fn node_name(&mut self) -> Option<String> {
        self.nodes.choose(self.random).cloned()
    }

    pub(super) fn any_budget(&mut self) -> Option<String> {
        self.budgets.choose(self.random).map(|budget| budget.name.clone())
    }

    /// A budget that counts whole numbers.
    pub(super) fn whole_budget(&mut self) -> Option<String> {
        let whole: Vec<_> = self
            .budgets
            .iter()
            .filter(|budget| !matches!(budget.charge, Some("time" | "model.cost")))
            .map(|budget| budget.name.clone())
            .collect();
        whole.choose(self.random).cloned()
    }

    /// A hard budget that is spent by hand.
    pub(super) fn paying_budget(&mut self) -> Option<String> {
        let paying: Vec<_> = self
            .budgets
            .iter()
            .filter(|budget| budget.hard && budget.charge.is_none())
            .map(|budget| budget.name.clone())
            .collect();
        paying.choose(self.random).cloned()
    }

    /// A type without parts.
    pub(super) fn scalar(&mut self) -> WantedType {
        let words = WORDS.choose(self.random).copied().unwrap_or(WORDS[0]);
        WantedType::of(match self.below(10) {
            0..3 => WantedKind::Int(None),
            3..5 => WantedKind::Text(None),
            5 => WantedKind::Bool,
            6 => WantedKind::Duration,
            7 => WantedKind::Float,
            _ => WantedKind::Enum(words),
        })
    }

    /// Any type that a field may have.
    pub(super) fn ty(&mut self, depth: u32) -> WantedType {
        let words = WORDS.choose(self.random).copied().unwrap_or(WORDS[0]);
        let kind = match self.below(24) {
            4 => WantedKind::Int(Some([(0, 3), (1, 9), (-5, 5)][self.below(3)])),
            5 => WantedKind::Float,
            6 => WantedKind::Usd,
            7 => WantedKind::Duration,
            8..11 => WantedKind::Text(None),
            11 => WantedKind::Text(Some(5)),
            12 | 13 => WantedKind::Bool,
            14 | 15 => WantedKind::Enum(words),
            16 => WantedKind::Any,
            17 | 18 if depth > 0 => {
                let most = self.chance(0.2).then_some(3);
                WantedKind::List(Box::new(self.ty(depth - 1)), most)
            }
            19 if depth > 0 => WantedKind::Map(Box::new(self.ty(depth - 1))),
            20..23 if !self.names.records.is_empty() => {
                WantedKind::Record(self.below(self.names.records.len()))
            }
            _ => WantedKind::Int(None),
        };
        let null = kind != WantedKind::Any && self.chance(0.35);
        WantedType { kind, null }
    }

    /// Places that can be written, with their types.
    pub(super) fn places(&self) -> Vec<(String, WantedType)> {
        let mut found = Vec::new();
        for var in self.vars.iter().filter(|var| var.writable) {
            found.push((var.path.clone(), var.ty.clone()));
            if !var.ty.null && matches!(var.ty.kind, WantedKind::Record(_)) {
                let fields = var.ty.fields(&self.names).into_iter();
                found.extend(fields.map(|(name, ty)| (format!("{}.{name}", var.path), ty)));
            }
        }
        found
    }

    /// A variable that nothing writes to.
    pub(super) fn fixed(&mut self, fits: impl Fn(&WantedType) -> bool) -> Option<String> {
        let fixed: Vec<_> = self.vars.iter().filter(|var| !var.writable && fits(&var.ty)).collect();
        fixed.choose(self.random).map(|var| var.path.clone())
    }

    pub(super) fn place(&mut self, fits: impl Fn(&WantedType) -> bool) -> Option<(String, WantedType)> {
        let places: Vec<_> = self.places().into_iter().filter(|(_, ty)| fits(ty)).collect();
        places.choose(self.random).cloned()
    }
}
