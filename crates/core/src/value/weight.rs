//! Facts of a container about its data: approximate size and depth, kept up to date at each write.

use super::Value;

/// Bytes one value takes besides the text or the elements in it.
const SLOT_BYTES: u64 = 24;

/// The running sum over a container's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weight {
    /// Approximate bytes, sticky at the maximum: lists that contain themselves twice over and over reach it.
    size: u64,
    /// The greatest depth among the elements.
    inner: u32,
}

impl Weight {
    /// The weight of an empty container.
    pub(super) const EMPTY: Self = Self { size: 0, inner: 0 };

    pub(super) const fn size(self) -> u64 {
        self.size.saturating_add(SLOT_BYTES)
    }

    pub(super) const fn depth(self) -> u32 {
        self.inner.saturating_add(1)
    }

    /// Counts an element that was added.
    #[inline]
    pub(super) fn add(&mut self, value: &Value) {
        self.size = self.size.saturating_add(size_of(value));
        self.inner = self.inner.max(depth_of(value));
    }

    /// Counts the bytes of a key that was added.
    #[inline]
    pub(super) fn add_key(&mut self, key: &str) {
        self.size = self.size.saturating_add(key_size(key));
    }

    /// Takes off the bytes of a key that was removed.
    pub(super) fn drop_key(&mut self, key: &str) {
        self.take(key_size(key));
    }

    /// Counts an element whose size and depth were `before` and which is now `after` (`None`: it is gone). True if the
    /// greatest depth may have sunk, so that the caller has to look at all elements again.
    #[inline]
    #[must_use]
    pub(super) fn replace(&mut self, before: (u64, u32), after: Option<&Value>) -> bool {
        self.take(before.0);
        let depth = after.map_or(0, depth_of);
        if let Some(value) = after {
            self.size = self.size.saturating_add(size_of(value));
        }
        if depth >= self.inner {
            self.inner = depth;
            return false;
        }
        before.1 == self.inner
    }

    /// Sets the greatest depth anew after [`Weight::replace`] asked for it.
    pub(super) fn settle<'a>(&mut self, elements: impl Iterator<Item = &'a Value>) {
        self.inner = elements.map(depth_of).max().unwrap_or(0);
    }

    fn take(&mut self, bytes: u64) {
        if self.size != u64::MAX {
            self.size = self.size.saturating_sub(bytes);
        }
    }
}

/// A value's size and depth, to be handed to [`Weight::replace`] later.
#[inline]
pub(super) fn measure(value: &Value) -> (u64, u32) {
    (size_of(value), depth_of(value))
}

#[inline]
pub(super) fn size_of(value: &Value) -> u64 {
    match value {
        Value::Str(text) => SLOT_BYTES.saturating_add(text.len() as u64),
        Value::List(list) => list.weight().size(),
        Value::Map(map) => map.weight().size(),
        _ => SLOT_BYTES,
    }
}

#[inline]
pub(super) fn depth_of(value: &Value) -> u32 {
    match value {
        Value::List(list) => list.weight().depth(),
        Value::Map(map) => map.weight().depth(),
        _ => 0,
    }
}

fn key_size(key: &str) -> u64 {
    (key.len() as u64).saturating_add(16)
}
