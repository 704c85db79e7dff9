//! Reads an answer typed at a terminal by the schema of its question.

use loopwright_core::value::json::{JsonLimits, parse_strict};
use loopwright_core::value::{List, Map, Str, Value};

/// The deepest form that is spelled out.
const MAX_FORM_DEPTH: usize = 4;

/// The answer a line means. The words of the question are taken as they are, small or large; JSON is read as JSON where no
/// text is wanted; everything else is a text: `approve` needs no quotes.
pub(super) fn answer(line: &str, schema: &Value) -> Value {
    let typed = line.trim();
    let options = chosen(schema);
    let exact = options.iter().find(|(word, _)| *word == typed);
    let mut alike = options.iter().filter(|(word, _)| word.to_lowercase() == typed.to_lowercase());
    if let Some((_, answer)) = exact.or_else(|| alike.next().filter(|_| alike.next().is_none())) {
        return answer.clone();
    }
    if let Some(answer) = alternatives(schema).into_iter().find_map(|alternative| spelt(typed, alternative)) {
        return answer;
    }
    let text = get(schema, "type").and_then(Value::as_str) == Some("string");
    let value = parse_strict(typed, JsonLimits::default()).ok();
    value.filter(|value| !text || value.as_str().is_some()).unwrap_or_else(|| Value::from(line))
}

/// Lists answers that can be typed without JSON, and maps of one field.
pub(super) fn words(schema: &Value) -> Vec<String> {
    let spelt =
        alternatives(schema).into_iter().filter_map(constant).map(|(field, word)| format!("{field} {word}"));
    let plain = chosen(schema).into_iter().map(|(word, _)| word.to_string());
    // A map of several fields is no word: it is described by the question.
    let maps = alternatives(schema)
        .into_iter()
        .filter(|alternative| member_field(alternative).is_none() && constant(alternative).is_none())
        .filter_map(|alternative| {
            let field = only_required(alternative)?;
            Some(format!("{{\"{field}\": …}}"))
        });
    spelt.chain(plain).chain(maps).collect()
}

/// All ways to write an answer: `"onward" | "back"`, `{"rollback": whole number}`.
pub(super) fn form(schema: &Value) -> String {
    describe(schema, schema, 0)
}

/// One answer as JSON.
pub(super) fn example(schema: &Value) -> String {
    sample(schema, schema, 0).to_json().to_string()
}

/// The words that stand for an answer: members of an enum, also of the only field that must be given.
fn chosen(schema: &Value) -> Vec<(Str, Value)> {
    let mut options = Vec::new();
    for alternative in alternatives(schema) {
        options.extend(members(alternative).map(|word| (word.clone(), Value::Str(word.clone()))));
        if let Some((field, inner)) = member_field(alternative) {
            let whole = |word: &Str| Value::Map(Map::from_iter([(field, Value::Str(word.clone()))]));
            options.extend(members(inner).map(|word| (word.clone(), whole(word))));
        }
    }
    options
}

/// A field and its word, as in `approve 5f2c`: the map whose only field that is. The word is held against the constant
/// later.
fn spelt(typed: &str, schema: &Value) -> Option<Value> {
    let (field, _) = constant(schema)?;
    let (name, word) = typed.split_once(char::is_whitespace)?;
    let same = name.to_lowercase() == field.to_lowercase();
    same.then(|| Value::Map(Map::from_iter([(field, Value::from(word.trim()))])))
}

/// The field of a map that alone must be given and is one certain text.
fn constant(schema: &Value) -> Option<(&str, &str)> {
    let field = only_required(schema)?;
    let inner = get(get(schema, "properties")?, field)?;
    Some((field, get(inner, "const")?.as_str()?))
}

/// The field of a map that alone must be given and is an enum.
fn member_field(schema: &Value) -> Option<(&str, &Value)> {
    let field = only_required(schema)?;
    let inner = get(get(schema, "properties")?, field)?;
    members(inner).next().map(|_| (field, inner))
}

fn only_required(schema: &Value) -> Option<&str> {
    let mut required = list(schema, "required");
    required.next().filter(|_| required.next().is_none()).and_then(Value::as_str)
}

/// The alternatives of a schema, or the schema itself.
fn alternatives(schema: &Value) -> Vec<&Value> {
    let either: Vec<&Value> = list(schema, "anyOf").collect();
    if either.is_empty() { vec![schema] } else { either }
}

fn describe(schema: &Value, root: &Value, depth: usize) -> String {
    let schema = followed(schema, root);
    if depth > MAX_FORM_DEPTH {
        return "…".to_owned();
    }
    let join = |forms: Vec<String>| forms.join(" | ");
    if get(schema, "anyOf").is_some() {
        return join(
            list(schema, "anyOf").map(|alternative| describe(alternative, root, depth + 1)).collect(),
        );
    }
    if get(schema, "enum").is_some() {
        return join(list(schema, "enum").map(|member| member.to_json().to_string()).collect());
    }
    if let Some(one) = get(schema, "const") {
        return one.to_json().to_string();
    }
    let kinds = kinds(schema);
    if kinds.is_empty() {
        return "any JSON".to_owned();
    }
    join(kinds.into_iter().map(|kind| described(kind, schema, root, depth)).collect())
}

fn described(kind: &str, schema: &Value, root: &Value, depth: usize) -> String {
    match kind {
        "object" => {
            let fields = fields(schema).map(|(name, inner)| {
                format!("{}: {}", Value::Str(name.clone()).to_json(), describe(inner, root, depth + 1))
            });
            let fields = fields.collect::<Vec<_>>().join(", ");
            if fields.is_empty() { "{…}".to_owned() } else { format!("{{{fields}}}") }
        }
        "array" => {
            let item = get(schema, "items").map_or_else(String::new, |item| describe(item, root, depth + 1));
            format!("[{item}, …]")
        }
        "integer" => match (get(schema, "minimum"), get(schema, "maximum")) {
            (Some(least), Some(most)) => {
                format!("a whole number from {} to {}", least.to_json(), most.to_json())
            }
            (Some(least), None) => format!("a whole number from {}", least.to_json()),
            _ => "a whole number".to_owned(),
        },
        "number" => "a number".to_owned(),
        "boolean" => "true | false".to_owned(),
        "string" => match get(schema, "description").and_then(Value::as_str) {
            Some(what) => what.to_owned(),
            None => "a text".to_owned(),
        },
        other => other.to_owned(),
    }
}

fn sample(schema: &Value, root: &Value, depth: usize) -> Value {
    let schema = followed(schema, root);
    if depth > MAX_FORM_DEPTH {
        return Value::Null;
    }
    if let Some(first) = list(schema, "anyOf").next() {
        return sample(first, root, depth + 1);
    }
    if let Some(first) = list(schema, "enum").next() {
        return first.clone();
    }
    if let Some(one) = get(schema, "const") {
        return one.clone();
    }
    let kinds = kinds(schema);
    // Whatever may be null needs not be given.
    if depth > 0 && kinds.contains(&"null") {
        return Value::Null;
    }
    match kinds.first().copied() {
        Some("object") => fields(schema)
            .filter(|(name, _)| list(schema, "required").any(|must| must.as_str() == Some(name)))
            .map(|(name, inner)| (name.clone(), sample(inner, root, depth + 1)))
            .collect::<Map>()
            .into(),
        Some("array") => {
            let item = get(schema, "items").map(|item| sample(item, root, depth + 1));
            item.into_iter().collect::<List>().into()
        }
        Some("integer" | "number") => get(schema, "minimum").cloned().unwrap_or(Value::Int(1)),
        Some("boolean") => Value::Bool(true),
        Some("string") => match get(schema, "description").and_then(Value::as_str) {
            // The schemas of amounts and durations end in an example of one.
            Some(what) => what.rsplit(' ').next().unwrap_or_default().into(),
            None => "a text".into(),
        },
        _ => Value::Null,
    }
}

/// The schema a reference leads to.
fn followed<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let name = get(schema, "$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
    name.and_then(|name| get(get(root, "$defs")?, name)).unwrap_or(schema)
}

fn kinds(schema: &Value) -> Vec<&str> {
    match get(schema, "type") {
        Some(Value::Str(kind)) => vec![kind],
        Some(Value::List(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn fields(schema: &Value) -> impl Iterator<Item = (&Str, &Value)> {
    get(schema, "properties").and_then(Value::as_map).into_iter().flat_map(Map::iter)
}

fn members(schema: &Value) -> impl Iterator<Item = &Str> {
    list(schema, "enum").filter_map(|member| match member {
        Value::Str(word) => Some(word),
        _ => None,
    })
}

fn list<'s>(schema: &'s Value, key: &str) -> impl Iterator<Item = &'s Value> + use<'s> {
    get(schema, key).and_then(Value::as_list).into_iter().flat_map(List::iter)
}

fn get<'s>(schema: &'s Value, key: &str) -> Option<&'s Value> {
    schema.as_map().and_then(|map| map.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> Value {
        parse_strict(text, JsonLimits::default()).expect("a schema of a test is JSON")
    }

    fn means(line: &str, schema: &Value) -> String {
        answer(line, schema).to_json().to_string()
    }

    #[test]
    fn words_are_taken_where_they_mean_one_thing() {
        let options = schema(r#"{"type": "string", "enum": ["yes", "true", "No", "NO", "12"]}"#);
        assert_eq!(means("true", &options), r#""true""#);
        assert_eq!(means(" Yes ", &options), r#""yes""#);
        assert_eq!(means("No", &options), r#""No""#);
        assert_eq!(means("no", &options), r#""no""#, "two options are like it");
        assert_eq!(means("12", &options), r#""12""#);
        let maybe = schema(r#"{"type": ["string", "null"], "enum": ["true", null]}"#);
        assert_eq!(means("true", &maybe), r#""true""#);
        assert_eq!(means("null", &maybe), "null");
        assert_eq!(means("true", &schema(r#"{"type": "boolean"}"#)), "true");
        assert_eq!(means("yes", &schema(r#"{"type": "boolean"}"#)), r#""yes""#);
    }

    #[test]
    fn a_word_stands_for_a_record_that_needs_nothing_else() {
        let verdict = r#"{"type": "string", "enum": ["approve", "revise"]}"#;
        let one = schema(&format!(
            r#"{{"type": "object", "properties": {{"verdict": {verdict}, "note": {{"type": ["string", "null"]}}}}, "required": ["verdict"]}}"#
        ));
        assert_eq!(means("approve", &one), r#"{"verdict":"approve"}"#);
        assert_eq!(words(&one), ["approve", "revise"]);
        assert_eq!(form(&one), r#"{"verdict": "approve" | "revise", "note": a text | null}"#);
        assert_eq!(example(&one), r#"{"verdict":"approve"}"#);
        let two = schema(&format!(
            r#"{{"type": "object", "properties": {{"verdict": {verdict}, "note": {{"type": "string"}}}}, "required": ["verdict", "note"]}}"#
        ));
        assert_eq!(means("approve", &two), r#""approve""#);
        assert_eq!(example(&two), r#"{"verdict":"approve","note":"a text"}"#);
    }

    #[test]
    fn a_field_with_one_certain_text_is_two_words() {
        let approval = schema(
            r#"{"anyOf": [{"type": "object", "properties": {"approve": {"const": "5f2c"}}, "required": ["approve"]}, {"enum": ["deny"]}]}"#,
        );
        assert_eq!(means("approve 5f2c", &approval), r#"{"approve":"5f2c"}"#);
        assert_eq!(
            means(" Approve  6000 ", &approval),
            r#"{"approve":"6000"}"#,
            "the run says that it is another"
        );
        assert_eq!(means("approve", &approval), r#""approve""#);
        assert_eq!(means("5f2c", &approval), r#""5f2c""#);
        assert_eq!(means("Deny", &approval), r#""deny""#);
        assert_eq!(words(&approval), ["approve 5f2c", "deny"]);
        assert_eq!(form(&approval), r#"{"approve": "5f2c"} | "deny""#);
        assert_eq!(example(&approval), r#"{"approve":"5f2c"}"#);
    }

    #[test]
    fn forms_are_written_whole() {
        let pause = r#"{"anyOf": [{"enum": ["resume", "abort"]}, {"type": "object", "properties": {"rollback": {"type": "integer", "minimum": 0}}, "required": ["rollback"]}]}"#;
        let pause = schema(pause);
        assert_eq!(form(&pause), r#""resume" | "abort" | {"rollback": a whole number from 0}"#);
        assert_eq!(example(&pause), r#""resume""#);
        assert_eq!(words(&pause), ["resume", "abort", r#"{"rollback": …}"#]);
        let deep = schema(
            r##"{"$defs": {"Step": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Step"}}, "required": ["next"]}}, "type": "array", "items": {"$ref": "#/$defs/Step"}}"##,
        );
        assert_eq!(form(&deep), r#"[{"next": {"next": {"next": {"next": …}}}}, …]"#);
        assert_eq!(form(&schema("{}")), "any JSON");
        let cost = r#"{"type": "string", "description": "an amount of US dollars, for example 0.25"}"#;
        assert_eq!(example(&schema(cost)), r#""0.25""#);
    }
}
