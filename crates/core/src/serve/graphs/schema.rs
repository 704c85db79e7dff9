//! The schemas of a graph as a tool.

use serde_json::{Map as JsonMap, Value as Json, json};

use crate::compile::output_schema;
use crate::model::Model;
use crate::program::Program;
use crate::value::Map;

/// The schema of the arguments: the inputs of the graph, but for those that the operator has set.
pub(in crate::serve) fn input(program: &Program, set: &Map) -> Json {
    let graph = &program.graphs[0];
    let mut properties = JsonMap::new();
    let mut required = Vec::new();
    let mut shared = JsonMap::new();
    let slots = graph.slots[..graph.inputs as usize].iter().enumerate();
    for (number, slot) in slots.filter(|(_, slot)| !set.contains_key(&slot.name)) {
        let schema = program.shapes.schema(slot.shape).to_json();
        properties.insert(slot.name.to_string(), hoisted(schema, &format!("{number}_"), &mut shared));
        if slot.is_required(&program.shapes) {
            required.push(slot.name.as_str());
        }
    }
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if !shared.is_empty() {
        schema["$defs"] = shared.into();
    }
    schema
}

/// The schema of the result: how the run ended, its output, or what it waits for.
pub(super) fn output(model: &Model) -> Json {
    let mut shared = JsonMap::new();
    let output = hoisted(output_schema(model).to_json(), "", &mut shared);
    let text = |description: &str| json!({"type": "string", "description": description});
    let mut schema = json!({
        "type": "object",
        "properties": {
            "run": text("The id of the run."),
            "status": {"enum": ["done", "waiting", "stopped"]},
            "outcome": text("How the run ended."),
            "ok": {"type": "boolean", "description": "True if that is a success."},
            "output": output,
            "error": {"description": "The error that ended the run."},
            "questions": {
                "type": "array",
                "description": "What the run waits for. A person answers, with the command.",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        "node": {"type": "string"},
                        "reason": {"type": "string"},
                        "text": {"type": "string"},
                        "schema": {"description": "The JSON Schema of the answer."},
                        "command": {"type": "string"},
                    },
                    "required": ["id", "node", "reason", "text", "command"],
                },
            },
            "resume": text("The command that resumes the run."),
        },
        "required": ["run", "status"],
    });
    if !shared.is_empty() {
        schema["$defs"] = shared.into();
    }
    schema
}

/// Takes the shared definitions out of a schema that becomes part of another, and names them anew.
fn hoisted(mut schema: Json, prefix: &str, shared: &mut JsonMap<String, Json>) -> Json {
    let definitions = schema.as_object_mut().and_then(|schema| schema.remove("$defs"));
    if let Some(Json::Object(definitions)) = definitions {
        for (name, mut definition) in definitions {
            rename(&mut definition, prefix);
            shared.insert(format!("{prefix}{name}"), definition);
        }
        rename(&mut schema, prefix);
    }
    schema
}

/// Puts a prefix before the names that references lead to.
fn rename(schema: &mut Json, prefix: &str) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(|item| rename(item, prefix)),
        Json::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match field.as_str().and_then(|text| text.strip_prefix("#/$defs/")) {
                    Some(target) if name == "$ref" => *field = format!("#/$defs/{prefix}{target}").into(),
                    _ => rename(field, prefix),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map as JsonMap, json};

    use super::hoisted;

    #[test]
    fn references_lead_to_the_definitions_where_they_are_now() {
        let tree = json!({
            "type": "array",
            "items": {"$ref": "#/$defs/Tree"},
            "$defs": {"Tree": {"properties": {"$ref": {"type": "string"}, "more": {"$ref": "#/$defs/Tree"}}}},
        });
        let mut shared = JsonMap::new();
        let schema = hoisted(tree, "a_", &mut shared);
        assert_eq!(schema, json!({"type": "array", "items": {"$ref": "#/$defs/a_Tree"}}));
        let wanted = json!({"properties": {"$ref": {"type": "string"}, "more": {"$ref": "#/$defs/a_Tree"}}});
        assert_eq!(shared["a_Tree"], wanted);
        assert_eq!(hoisted(json!({"type": "string"}), "b_", &mut shared), json!({"type": "string"}));
        assert_eq!(shared.len(), 1);
    }
}
