//! Regions: sets of places whose values may be the same, and what a graph does with those values.
//!
//! A variable, an answer, a field and an item are places. Two places share a region where a value of one is written to the
//! other, in whatever order that happens. A region knows its parts, so that a record has one for each of its fields.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::Span;
use crate::value::{Str, Value};

/// Index of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RegionId(u32);

/// A use of a value that no finite set of values stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledUse {
    /// The use, in words that follow "it is".
    pub why: &'static str,
    /// The place in the text.
    pub span: Span,
}

/// A region.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a use of its own")]
pub(super) struct Region {
    fields: FxHashMap<Str, RegionId>,
    item: Option<RegionId>,
    /// Constants that its values are compared with.
    pub(super) points: Vec<Value>,
    /// Constants that are written to it.
    pub(super) constants: Vec<Value>,
    /// Numbers that the sizes of its values are compared with.
    pub(super) sizes: Vec<i64>,
    /// True if its values are told apart by their order.
    pub(super) is_ordered: bool,
    /// True if a decision depends on a value, or on its being null.
    pub(super) is_tested: bool,
    /// True if the items of its lists are gone through, or the keys of its maps.
    pub(super) is_iterated: bool,
    /// True if something asks which item of a list comes first, or has a certain number.
    pub(super) is_read_by_place: bool,
    /// True if its values change while a run goes: they are answers, or are written.
    pub(super) varies: bool,
    /// The first use that no finite set of values stands for.
    pub(super) sampled: Option<SampledUse>,
}

/// A comparison of two places.
#[derive(Debug, Clone, Copy)]
struct RegionComparison {
    one: RegionId,
    other: RegionId,
    /// The place of a comparison by order.
    order: Option<Span>,
}

/// A value that is made of another one.
#[derive(Debug, Clone, Copy)]
struct Derivation {
    made: RegionId,
    of: RegionId,
    /// True if the parts of the other value count, too.
    deep: bool,
    used: SampledUse,
}

/// A text whose values are worth a try, since something is made of it.
#[derive(Debug, Clone)]
struct LikelyText {
    made: RegionId,
    of: RegionId,
    texts: LikelyTexts,
}

/// Texts that are worth a try.
#[derive(Debug, Clone)]
pub(super) enum LikelyTexts {
    /// Those that the new value is compared with, if the function leaves them as they are.
    Unchanged(fn(&str) -> bool),
    /// This one.
    One(Str),
}

/// All regions of a model.
#[derive(Debug, Default)]
pub(super) struct Regions {
    parents: Vec<RegionId>,
    all: Vec<Region>,
    comparisons: Vec<RegionComparison>,
    derivations: Vec<Derivation>,
    likely: Vec<LikelyText>,
}

impl Regions {
    /// A new region.
    pub(super) fn add(&mut self) -> RegionId {
        let id = RegionId(u32::try_from(self.all.len()).expect("a model has fewer places"));
        self.parents.push(id);
        self.all.push(Region::default());
        id
    }

    /// The region that stands for all that were joined with this one.
    pub(super) fn find(&self, mut id: RegionId) -> RegionId {
        while self.parents[id.0 as usize] != id {
            id = self.parents[id.0 as usize];
        }
        id
    }

    pub(super) fn get(&self, id: RegionId) -> &Region {
        &self.all[self.find(id).0 as usize]
    }

    pub(super) fn get_mut(&mut self, id: RegionId) -> &mut Region {
        let id = self.find(id);
        &mut self.all[id.0 as usize]
    }

    /// The region of a field, or of the value of a key.
    pub(super) fn field(&mut self, of: RegionId, name: &Str) -> RegionId {
        if let Some(field) = self.get(of).fields.get(name) {
            return *field;
        }
        let field = self.add();
        self.get_mut(of).fields.insert(name.clone(), field);
        field
    }

    /// The region of the items of a list, or of those values of a map whose key is not known.
    pub(super) fn item(&mut self, of: RegionId) -> RegionId {
        if let Some(item) = self.get(of).item {
            return item;
        }
        let item = self.add();
        self.get_mut(of).item = Some(item);
        item
    }

    /// The region of a field that is known.
    pub(super) fn known_field(&self, of: RegionId, name: &str) -> Option<RegionId> {
        self.get(of).fields.get(name).copied()
    }

    /// The fields that are known, in no order.
    pub(super) fn fields(&self, of: RegionId) -> impl Iterator<Item = (&Str, RegionId)> {
        self.get(of).fields.iter().map(|(name, field)| (name, *field))
    }

    /// The region of the items, if it is known.
    pub(super) fn known_item(&self, of: RegionId) -> Option<RegionId> {
        self.get(of).item
    }

    /// Joins two regions with all their parts: values flow from one to the other.
    pub(super) fn join(&mut self, one: RegionId, other: RegionId) {
        let mut open = vec![(one, other)];
        while let Some((one, other)) = open.pop() {
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                continue;
            }
            let gone = std::mem::take(&mut self.all[other.0 as usize]);
            self.parents[other.0 as usize] = one;
            let own = &mut self.all[one.0 as usize];
            own.points.extend(gone.points);
            own.constants.extend(gone.constants);
            own.sizes.extend(gone.sizes);
            own.is_ordered |= gone.is_ordered;
            own.is_tested |= gone.is_tested;
            own.is_iterated |= gone.is_iterated;
            own.is_read_by_place |= gone.is_read_by_place;
            own.varies |= gone.varies;
            own.sampled = own.sampled.or(gone.sampled);
            match (own.item, gone.item) {
                (Some(item), Some(same)) => open.push((item, same)),
                (None, item) => own.item = item,
                (Some(_), None) => {}
            }
            for (name, field) in gone.fields {
                match own.fields.get(&name) {
                    Some(same) => open.push((*same, field)),
                    None => drop(own.fields.insert(name, field)),
                }
            }
        }
    }

    /// Notes that values of two places are compared.
    pub(super) fn compare(&mut self, one: RegionId, other: RegionId, order: Option<Span>) {
        self.comparisons.push(RegionComparison { one, other, order });
    }

    /// Notes that a value is made of another one, which matters where the new one is used.
    pub(super) fn derive(&mut self, made: RegionId, of: RegionId, deep: bool, used: SampledUse) {
        self.derivations.push(Derivation { made, of, deep, used });
    }

    /// Notes texts that are worth a try where what is made of a text is used. They stand for no others.
    pub(super) fn suggest(&mut self, made: RegionId, of: RegionId, texts: LikelyTexts) {
        self.likely.push(LikelyText { made, of, texts });
    }

    /// Notes a use that no finite set of values stands for, of a value with all its parts.
    pub(super) fn sample(&mut self, id: RegionId, used: SampledUse) {
        for part in self.parts(id) {
            self.get_mut(part).sampled.get_or_insert(used);
        }
    }

    /// The region and all its parts.
    pub(super) fn parts(&self, id: RegionId) -> Vec<RegionId> {
        let mut found = vec![self.find(id)];
        let mut seen: FxHashSet<RegionId> = found.iter().copied().collect();
        let mut at = 0;
        while let Some(region) = found.get(at).copied() {
            let region = self.get(region);
            for part in region.fields.values().copied().chain(region.item) {
                let part = self.find(part);
                if seen.insert(part) {
                    found.push(part);
                }
            }
            at += 1;
        }
        found
    }

    /// Joins the values of all keys of each map that is read or written by a key that is not known.
    fn settle_keys(&mut self) {
        let mut at = 0;
        while at < self.all.len() {
            let region = &self.all[at];
            let item = region.item;
            let fields: Vec<RegionId> = region.fields.values().copied().collect();
            if let Some(item) = item {
                for field in fields {
                    self.join(item, field);
                }
            }
            at += 1;
        }
    }

    /// True if lists of the region with the same items in another order are as good: of these only the size is asked for, and what
    /// holds for all or for some of them.
    pub(super) fn is_unordered(&self, id: RegionId) -> bool {
        let own = self.get(id);
        own.sampled.is_none() && !own.is_read_by_place
    }

    /// True if anything depends on a value of the region or on a part of one.
    pub(super) fn is_used(&self, id: RegionId) -> bool {
        self.parts(id).into_iter().any(|part| self.get(part).is_used_itself())
    }

    /// Gives every comparison its consequences, and every value that is made of others those of what it is made of.
    pub(super) fn settle(&mut self) {
        self.settle_keys();
        for RegionComparison { one, other, .. } in self.comparisons.clone() {
            for side in [one, other] {
                self.get_mut(side).is_tested = true;
            }
        }
        loop {
            let changed = self.settle_derivations() | self.settle_orders();
            if !changed {
                break;
            }
        }
        self.settle_likely();
    }

    /// From the outermost function in, so that texts go all the way.
    fn settle_likely(&mut self) {
        for LikelyText { made, of, texts } in std::mem::take(&mut self.likely).into_iter().rev() {
            if !self.is_used(made) {
                continue;
            }
            let likely = match texts {
                LikelyTexts::Unchanged(is_unchanged) => {
                    let with = self.compared_with(made).into_iter().map(|id| self.get(id));
                    let texts = with.flat_map(|own| own.points.iter().chain(&own.constants));
                    texts.filter(|text| text.as_str().is_some_and(is_unchanged)).cloned().collect()
                }
                LikelyTexts::One(text) => vec![Value::Str(text)],
            };
            let own = &mut self.get_mut(of).points;
            for text in likely {
                if !own.contains(&text) {
                    own.push(text);
                }
            }
        }
    }

    fn settle_derivations(&mut self) -> bool {
        let mut changed = false;
        let mut seen = FxHashSet::default();
        for Derivation { made, of, deep, used } in self.derivations.clone() {
            if !seen.insert((self.find(made), self.find(of), deep)) || !self.is_used(made) {
                continue;
            }
            let parts = if deep { self.parts(of) } else { vec![of] };
            for part in parts {
                let part = self.get_mut(part);
                changed |= part.sampled.is_none();
                part.sampled.get_or_insert(used);
            }
        }
        changed
    }

    /// A value that is compared by order with one that changes is not one of finitely many: later ones may lie between.
    fn settle_orders(&mut self) -> bool {
        let mut changed = false;
        for RegionComparison { one, other, order } in self.comparisons.clone() {
            let Some(span) = order else { continue };
            for (own, with) in [(one, other), (other, one)] {
                self.get_mut(own).is_ordered = true;
                if self.get(with).varies && self.get(own).sampled.is_none() {
                    let why = "compared by order with a value that changes";
                    self.get_mut(own).sampled = Some(SampledUse { why, span });
                    changed = true;
                }
            }
        }
        changed
    }

    /// For each region the regions that its values are compared with, itself among them.
    pub(super) fn compared_with(&self, id: RegionId) -> Vec<RegionId> {
        let mut found = vec![self.find(id)];
        let mut at = 0;
        while let Some(own) = found.get(at).copied() {
            for comparison in &self.comparisons {
                let (one, other) = (self.find(comparison.one), self.find(comparison.other));
                for (from, to) in [(one, other), (other, one)] {
                    if from == own && !found.contains(&to) {
                        found.push(to);
                    }
                }
            }
            at += 1;
        }
        found
    }

    /// True if values of the region are compared with others of a run, perhaps of the same region.
    pub(super) fn is_compared(&self, id: RegionId) -> bool {
        let own = self.find(id);
        self.comparisons.iter().any(|c| self.find(c.one) == own || self.find(c.other) == own)
    }
}

impl Region {
    fn is_used_itself(&self) -> bool {
        self.is_tested
            || self.is_iterated
            || !self.points.is_empty()
            || !self.sizes.is_empty()
            || self.sampled.is_some()
    }
}
