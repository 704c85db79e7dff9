//! A question as a form that clients can show: one level of texts, numbers, booleans and choices.

use serde_json::{Map as JsonMap, Value as Json, json};

use crate::value::Value;
use crate::value::json::{JsonLimits, parse_strict};

/// The name of the only field, where an answer is no record.
const ANSWER: &str = "answer";

/// A question as a form, and the way back from what was filled in.
#[derive(Debug, PartialEq)]
pub(super) struct ClientForm {
    /// The schema of the form.
    pub(super) schema: Json,
    reading: FilledPart,
}

/// The reading of a form that was filled in.
#[derive(Debug, PartialEq)]
enum FilledPart {
    /// The form is the answer.
    Whole,
    /// The answer is in its only field.
    Field,
    /// The answer is in its only field, as JSON.
    Json,
}

impl ClientForm {
    /// The form for answers of this schema.
    pub(super) fn of(schema: &Json) -> Self {
        if let Some(fields) = flat(schema) {
            return Self { schema: fields, reading: FilledPart::Whole };
        }
        if let Some(field) = primitive(schema) {
            return Self { schema: only(&field), reading: FilledPart::Field };
        }
        let description = format!("JSON of this schema: {schema}");
        let schema = only(&json!({"type": "string", "description": description}));
        Self { schema, reading: FilledPart::Json }
    }

    /// The answer that was filled in; none where the client sent no form.
    pub(super) fn answer(&self, filled: &Json) -> Option<Value> {
        let filled = filled.as_object()?;
        match self.reading {
            FilledPart::Whole => Some(Value::from_json(&Json::Object(filled.clone()))),
            FilledPart::Field => filled.get(ANSWER).map(Value::from_json),
            FilledPart::Json => {
                let text = filled.get(ANSWER)?.as_str()?;
                // What is no JSON does not fit, and the run says so.
                Some(parse_strict(text, JsonLimits::default()).unwrap_or_else(|_| Value::from(text)))
            }
        }
    }
}

fn only(field: &Json) -> Json {
    json!({"type": "object", "properties": {ANSWER: field}, "required": [ANSWER]})
}

/// The schema of a record with plain fields alone, without what forms do not have.
fn flat(schema: &Json) -> Option<Json> {
    if schema.get("type")? != "object" {
        return None;
    }
    let fields = schema.get("properties")?.as_object().filter(|fields| !fields.is_empty())?;
    let fields: Option<JsonMap<String, Json>> =
        fields.iter().map(|(name, field)| Some((name.clone(), primitive(field)?))).collect();
    let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
    Some(json!({"type": "object", "properties": fields?, "required": required}))
}

/// A text, a number, a boolean or a choice, with the keys that forms have.
fn primitive(schema: &Json) -> Option<Json> {
    let kind = schema.get("type")?.as_str()?;
    let keys: &[&str] = match kind {
        "string" if schema.get("enum").is_some() => &["type", "enum", "title", "description"],
        "string" => &["type", "title", "description", "minLength", "maxLength"],
        "integer" | "number" => &["type", "title", "description", "minimum", "maximum"],
        "boolean" => &["type", "title", "description"],
        _ => return None,
    };
    let only_texts =
        schema.get("enum").and_then(Json::as_array).is_none_or(|all| all.iter().all(Json::is_string));
    let taken = keys.iter().filter_map(|key| Some(((*key).to_owned(), schema.get(*key)?.clone())));
    only_texts.then(|| Json::Object(taken.collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ClientForm;
    use crate::value::Value;

    #[test]
    fn answers_come_back_as_the_question_wants_them() {
        let choice = json!({"type": "string", "enum": ["yes", "no"]});
        let record = json!({
            "type": "object",
            "properties": {"ok": {"type": "boolean"}, "note": {"type": "string", "pattern": "a"}},
            "required": ["ok"],
            "additionalProperties": false,
        });
        let list = json!({"type": "array", "items": {"type": "integer"}});
        for (schema, filled, answer) in [
            (&choice, json!({"answer": "yes"}), json!("yes")),
            (&record, json!({"ok": true}), json!({"ok": true})),
            (&list, json!({"answer": "[1, 2]"}), json!([1, 2])),
            (&list, json!({"answer": "one"}), json!("one")),
        ] {
            let form = ClientForm::of(schema);
            assert_eq!(form.schema["type"], "object");
            assert_eq!(form.answer(&filled), Some(Value::from_json(&answer)));
        }
        assert_eq!(ClientForm::of(&record).schema["properties"]["note"], json!({"type": "string"}));
        assert_eq!(ClientForm::of(&choice).answer(&json!("yes")), None);
        assert_eq!(ClientForm::of(&choice).answer(&json!({})), None);
    }
}
