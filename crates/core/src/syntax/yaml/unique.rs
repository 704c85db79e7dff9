//! The entries of a mapping, each key once.

use std::borrow::Cow;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::Entry;
use crate::source::Span;

/// Above this number, keys are looked up; few mappings have so many.
const MAX_KEYS_TO_SCAN: usize = 16;

/// Keeps the entries that `keeps` says true to. It is given the place of an earlier entry with the same key, if there
/// is one.
pub(in crate::syntax) fn unique<'s>(
    entries: Vec<Entry<'s>>,
    mut keeps: impl FnMut(&Entry<'s>, Option<Span>) -> ControlFlow<(), bool>,
) -> Vec<Entry<'s>> {
    let mut distinct: Vec<Entry<'s>> = Vec::with_capacity(entries.len());
    let mut places: FxHashMap<Cow<'s, str>, Span> = FxHashMap::default();
    let many = entries.len() > MAX_KEYS_TO_SCAN;
    for entry in entries {
        let earlier = if many {
            places.get(&entry.key.text).copied()
        } else {
            distinct.iter().find(|e| e.key.text == entry.key.text).map(|e| e.key.span)
        };
        match keeps(&entry, earlier) {
            ControlFlow::Break(()) => break,
            ControlFlow::Continue(false) => {}
            ControlFlow::Continue(true) => {
                if many {
                    places.insert(entry.key.text.clone(), entry.key.span);
                }
                distinct.push(entry);
            }
        }
    }
    distinct
}
