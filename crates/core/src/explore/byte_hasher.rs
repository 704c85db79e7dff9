//! Digests of canonical forms.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use crate::value::{Exact, Map, Value};

/// Maps with fewer entries are written as they are: looking them up takes longer.
const LEAST_ENTRIES: usize = 4;

/// Maps whose digests are kept at most before all are forgotten.
const MAX_KNOWN: usize = 20_000;

/// The mark before the digest of a map. No value begins with it.
const DIGESTED: u8 = 10;

/// A digest of a canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateDigest(u128);

impl StateDigest {
    /// The digest that has that value.
    #[cfg(test)]
    pub(super) const fn of(value: u128) -> Self {
        Self(value)
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Self(u128::from_le_bytes(first))
    }
}

/// Room to work digests out in. It may be used for one state after another.
#[derive(Debug, Default)]
pub struct DigestRoom {
    bytes: Vec<u8>,
    known: KnownMaps,
}

/// The digests of maps in lists, by their place in memory. States that follow each other share most of what their lists hold.
type KnownMaps = FxHashMap<usize, (Map, StateDigest)>;

impl DigestRoom {
    /// The digest of what `write` writes.
    pub(super) fn digest(&mut self, write: impl FnOnce(&mut ByteHasher<'_>)) -> StateDigest {
        self.bytes.clear();
        if self.known.len() > MAX_KNOWN {
            self.known.clear();
        }
        write(&mut ByteHasher { bytes: &mut self.bytes, known: &mut self.known });
        StateDigest::of_bytes(&self.bytes)
    }
}

/// Takes down what is hashed.
pub(super) struct ByteHasher<'b> {
    bytes: &'b mut Vec<u8>,
    known: &'b mut KnownMaps,
}

impl ByteHasher<'_> {
    /// The same with bytes of its own.
    pub(super) const fn apart<'b>(&'b mut self, bytes: &'b mut Vec<u8>) -> ByteHasher<'b> {
        ByteHasher { bytes, known: &mut *self.known }
    }

    /// Writes a value with all that shows of it.
    pub(super) fn value(&mut self, value: &Value) {
        let Value::List(list) = value else { return Exact(value).hash(self) };
        self.write_u8(8);
        self.write_usize(list.len());
        for item in list {
            match item {
                Value::Map(map) if map.len() >= LEAST_ENTRIES => self.map(map),
                item => Exact(item).hash(self),
            }
        }
    }

    /// Writes the digest of a map that other states are likely to share.
    pub(super) fn map(&mut self, map: &Map) {
        let address = map.address().unwrap_or_default();
        let digest = if let Some((_, digest)) = self.known.get(&address) {
            *digest
        } else {
            let start = self.bytes.len();
            Exact(&Value::Map(map.clone())).hash(self);
            let digest = StateDigest::of_bytes(&self.bytes[start..]);
            self.bytes.truncate(start);
            self.known.insert(address, (map.clone(), digest));
            digest
        };
        self.write_u8(DIGESTED);
        digest.hash(self);
    }
}

impl Hasher for ByteHasher<'_> {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn write_u8(&mut self, byte: u8) {
        self.bytes.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::DigestRoom;
    use crate::value::Value;

    #[test]
    fn a_digest_does_not_depend_on_what_is_known() {
        let read = |text: &str| Value::from_json(&serde_json::from_str(text).expect("JSON"));
        let texts = [
            r#"[{"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 1}]"#,
            r#"[{"a": 1, "b": 2, "d": 4, "c": 3}, {"a": 1}]"#,
            r#"[{"a": 1, "b": 2, "c": 3, "d": 4.0}, {"a": 1}]"#,
            r#"[{"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 2}]"#,
            r#"[[{"a": 1, "b": 2, "c": 3, "d": 4}], {"a": 1}]"#,
            r#"{"a": 1, "b": 2, "c": 3, "d": 4}"#,
        ];
        let mut room = DigestRoom::default();
        let mut digests: Vec<_> = texts.iter().map(|text| room.digest(|to| to.value(&read(text)))).collect();
        for (text, digest) in texts.iter().zip(&digests) {
            let value = read(text);
            for room in [&mut room, &mut DigestRoom::default()] {
                // Twice: the second time its map is known.
                assert_eq!(room.digest(|to| to.value(&value)), *digest, "{text}");
                assert_eq!(room.digest(|to| to.value(&value)), *digest, "{text}");
            }
        }
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), texts.len());
    }
}
