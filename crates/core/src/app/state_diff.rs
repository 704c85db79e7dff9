//! The difference between two states of a run, path by path.

use serde_json::{Map, Value as Json, json};

/// The most differences that are listed.
const MAX_CHANGES: usize = 1_000;

/// The differences between two JSON documents, in the order of the first: each with its path as a JSON pointer, and the value
/// before and after. A value that is not there has no `before` or no `after`. At most 1,000 are listed; then the last says that
/// there are more.
#[must_use]
pub fn json_changes(before: &Json, after: &Json) -> Vec<Json> {
    let mut changes = Changes::default();
    changes.compare(&mut String::new(), Some(before), Some(after));
    changes.0
}

#[derive(Default)]
struct Changes(Vec<Json>);

impl Changes {
    fn compare(&mut self, path: &mut String, before: Option<&Json>, after: Option<&Json>) {
        if before == after || self.0.len() > MAX_CHANGES {
            return;
        }
        match (before, after) {
            (Some(Json::Object(before)), Some(Json::Object(after))) => {
                let added = after.keys().filter(|key| !before.contains_key(*key));
                for key in before.keys().chain(added) {
                    self.below(
                        path,
                        &key.replace('~', "~0").replace('/', "~1"),
                        before.get(key),
                        after.get(key),
                    );
                }
            }
            (Some(Json::Array(before)), Some(Json::Array(after))) => {
                for place in 0..before.len().max(after.len()) {
                    self.below(path, &place.to_string(), before.get(place), after.get(place));
                }
            }
            _ => self.add(path, before, after),
        }
    }

    fn below(&mut self, path: &mut String, name: &str, before: Option<&Json>, after: Option<&Json>) {
        let length = path.len();
        path.push('/');
        path.push_str(name);
        self.compare(path, before, after);
        path.truncate(length);
    }

    fn add(&mut self, path: &str, before: Option<&Json>, after: Option<&Json>) {
        if self.0.len() == MAX_CHANGES {
            self.0.push(json!({"more": true}));
            return;
        }
        let mut change = Map::new();
        change.insert("path".to_owned(), path.into());
        for (name, value) in [("before", before), ("after", after)] {
            if let Some(value) = value {
                change.insert(name.to_owned(), value.clone());
            }
        }
        self.0.push(change.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::{MAX_CHANGES, json_changes};

    #[test]
    fn changes_are_listed_path_by_path() {
        let before = json!({"a": 1, "b": {"x/y": [1, 2]}, "gone": null, "same": [1]});
        let after = json!({"a": 2, "b": {"x/y": [1, 3, 4]}, "same": [1], "new": {}});
        let wanted = json!([
            {"path": "/a", "before": 1, "after": 2},
            {"path": "/b/x~1y/1", "before": 2, "after": 3},
            {"path": "/b/x~1y/2", "after": 4},
            {"path": "/gone", "before": null},
            {"path": "/new", "after": {}},
        ]);
        assert_eq!(Json::from(json_changes(&before, &after)), wanted);
        assert!(json_changes(&before, &before).is_empty());
        let many: Json = (0..5_000).collect();
        let found = json_changes(&json!([]), &many);
        assert_eq!((found.len(), &found[MAX_CHANGES]), (MAX_CHANGES + 1, &json!({"more": true})));
    }
}
