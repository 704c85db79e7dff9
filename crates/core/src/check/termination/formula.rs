//! Amounts as sums of products of limits: `4 + 3 * limit(rounds)`.

use smallvec::SmallVec;

/// An unknown of a formula; index into the names of its graph.
pub(super) type Symbol = u32;

/// A sum has at most so many terms; one that would have more counts as too large to say.
const MAX_TERMS: usize = 32;

/// The product of some unknowns, sorted.
type Product = SmallVec<[Symbol; 2]>;

/// A sum of products. No coefficient is 0; arithmetic saturates, and a saturated amount stays so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Formula {
    constant: u64,
    terms: Vec<(Product, u64)>,
}

impl Formula {
    pub(super) const fn constant(constant: u64) -> Self {
        Self { constant, terms: Vec::new() }
    }

    pub(super) fn symbol(symbol: Symbol) -> Self {
        Self { constant: 0, terms: vec![(Product::from_slice(&[symbol]), 1)] }
    }

    /// Stands for an amount too large to be said.
    const fn boundless() -> Self {
        Self::constant(u64::MAX)
    }

    pub(super) const fn is_boundless(&self) -> bool {
        self.constant == u64::MAX
    }

    /// Joins two sums, term by term.
    fn joined(&self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let mut joined = Self::constant(join(self.constant, other.constant));
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let own = if order.is_le() { left.next() } else { None };
            let others = if order.is_ge() { right.next() } else { None };
            let count = |term: Option<&(Product, u64)>| term.map_or(0, |(_, n)| *n);
            let coefficient = join(count(own), count(others));
            if let Some((product, _)) = own.or(others).filter(|_| coefficient > 0) {
                joined.terms.push((product.clone(), coefficient));
            }
        }
        joined.normal()
    }

    fn normal(self) -> Self {
        let saturated = self.terms.iter().any(|(_, n)| *n == u64::MAX);
        if self.is_boundless() || saturated || self.terms.len() > MAX_TERMS {
            Self::boundless()
        } else {
            self
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        if self.terms.is_empty() && other.terms.is_empty() {
            self.constant = self.constant.saturating_add(other.constant);
        } else {
            *self = self.joined(other, u64::saturating_add);
        }
    }

    /// At least both: the greater coefficient of every term.
    pub(super) fn raise(&mut self, other: &Self) {
        if self.terms.is_empty() && other.terms.is_empty() {
            self.constant = self.constant.max(other.constant);
        } else {
            *self = self.joined(other, u64::max);
        }
    }

    /// At least the difference: what is left of each coefficient, never below 0.
    pub(super) fn lower(&mut self, other: &Self) {
        if self.is_boundless() {
            return;
        }
        if self.terms.is_empty() && other.terms.is_empty() {
            self.constant = self.constant.saturating_sub(other.constant);
        } else {
            *self = self.joined(other, u64::saturating_sub);
        }
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        if self.is_boundless() || other.is_boundless() {
            let nothing = Self::default();
            return if *self == nothing || *other == nothing { nothing } else { Self::boundless() };
        }
        let parts = |f: &Self| {
            let own = (f.constant > 0).then(|| (Product::new(), f.constant));
            own.into_iter().chain(f.terms.iter().cloned()).collect::<Vec<_>>()
        };
        let mut sum = Self::default();
        for (left, n) in parts(self) {
            for (right, m) in parts(other) {
                let mut product = left.clone();
                product.extend_from_slice(&right);
                product.sort_unstable();
                let n = n.saturating_mul(m);
                sum.add(&if product.is_empty() {
                    Self::constant(n)
                } else {
                    Self { constant: 0, terms: vec![(product, n)] }.normal()
                });
            }
        }
        sum
    }

    /// The amount, where every unknown in it has a value and it is not too large to be said.
    pub(super) fn value(&self, of: impl Fn(Symbol) -> Option<u64>) -> Option<u64> {
        if self.is_boundless() {
            return None;
        }
        self.terms.iter().try_fold(self.constant, |sum, (product, n)| {
            let part = product.iter().try_fold(*n, |part, symbol| Some(part.saturating_mul(of(*symbol)?)))?;
            Some(sum.saturating_add(part))
        })
    }

    /// The terms of one unknown alone, with their coefficients.
    pub(super) fn linear(&self) -> impl Iterator<Item = (Symbol, u64)> {
        self.terms.iter().filter_map(|(product, n)| match product.as_slice() {
            [symbol] => Some((*symbol, *n)),
            _ => None,
        })
    }

    /// As it is read: the constant first, then the terms.
    pub(super) fn text(&self, name: impl Fn(Symbol) -> String) -> String {
        if self.is_boundless() {
            return "too long to be written out".to_owned();
        }
        let mut parts = Vec::new();
        if self.constant > 0 || self.terms.is_empty() {
            parts.push(self.constant.to_string());
        }
        for (product, n) in &self.terms {
            let mut factors: Vec<String> = Vec::new();
            if *n > 1 {
                factors.push(n.to_string());
            }
            let only = factors.is_empty() && product.len() == 1;
            factors.extend(product.iter().map(|s| {
                let name = name(*s);
                if !only && name.contains(' ') { format!("({name})") } else { name }
            }));
            parts.push(factors.join(" * "));
        }
        parts.join(" + ")
    }
}

#[cfg(test)]
mod tests {
    use super::Formula;

    fn text(formula: &Formula) -> String {
        formula.text(|s| ["a", "b + 1"][s as usize].to_owned())
    }

    #[test]
    fn sums_products_and_maxima() {
        let (a, b) = (Formula::symbol(0), Formula::symbol(1));
        let mut sum = a.times(&Formula::constant(3));
        sum.add(&b);
        sum.add(&Formula::constant(2));
        assert_eq!(text(&sum), "2 + 3 * a + b + 1");
        assert_eq!(text(&sum.times(&b)), "3 * a * (b + 1) + 2 * (b + 1) + (b + 1) * (b + 1)");
        let mut raised = sum.clone();
        raised.raise(&a.times(&Formula::constant(5)));
        assert_eq!(text(&raised), "2 + 5 * a + b + 1");
        let mut lowered = raised.clone();
        lowered.lower(&sum);
        assert_eq!(text(&lowered), "2 * a");
        assert_eq!(sum.value(|s| Some([4, 2][s as usize])), Some(16));
        assert_eq!(sum.value(|s| (s == 0).then_some(4)), None);
    }

    #[test]
    fn what_is_too_large_stays_so() {
        let mut most = Formula::constant(u64::MAX - 1);
        most.add(&Formula::constant(5));
        assert!(most.is_boundless());
        most.lower(&Formula::constant(u64::MAX));
        assert!(most.is_boundless());
        assert_eq!(text(&most.times(&Formula::symbol(0))), "too long to be written out");
        assert_eq!(text(&most.times(&Formula::default())), "0");
        let mut many = Formula::default();
        for s in 0..100 {
            many.add(&Formula::symbol(s));
        }
        assert!(many.is_boundless());
    }
}
