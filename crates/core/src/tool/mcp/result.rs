//! The result of a call as a value.
//!
//! A tool with an output schema gives its structured result. Of any other the texts are the result, as one text with line breaks
//! between them; where there are parts of other kinds as well, a list of records, each with its `type`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use super::contents::MAX_CONTENT;
use super::pinned::PinnedTool;
use super::text::{MAX_MESSAGE, cut};
use crate::config::faults_of;
use crate::machine::Outcome;
use crate::program::error::ErrorKind;
use crate::value::{List, MAX_DEPTH, Map, Value};

/// The most parts of a result.
const MAX_PARTS: usize = 1000;

/// The reason for which a result is none.
struct ResultFault(ErrorKind, String);

/// The outcome of a call that came back.
pub(super) fn outcome(tool: &PinnedTool, result: CallToolResult) -> Outcome {
    let name = &tool.name;
    if result.is_error == Some(true) {
        let texts: Vec<&str> = result.content.iter().filter_map(text_of).collect();
        let words = texts.join("\n");
        let words = if words.trim().is_empty() { "it says nothing about it" } else { words.trim() };
        let message = ecow::eco_format!("`{name}` failed: {}", cut(words, MAX_MESSAGE));
        return Outcome::failed(ErrorKind::ToolFailed, message);
    }
    match value(tool, result) {
        Ok(value) => Outcome::answer(value),
        Err(ResultFault(kind, why)) => {
            Outcome::failed(kind, ecow::eco_format!("the result of `{name}`: {why}"))
        }
    }
}

fn value(tool: &PinnedTool, result: CallToolResult) -> Result<Value, ResultFault> {
    let limit = tool.settings.output_limit();
    if let Some(judge) = tool.output() {
        return structured(judge.as_ref().map_err(String::as_str), result.structured_content, limit);
    }
    if let (true, Some(value)) = (result.content.is_empty(), result.structured_content.as_ref()) {
        return plain(value, limit);
    }
    if result.content.len() > MAX_PARTS {
        return Err(ResultFault(ErrorKind::TooLarge, format!("it has more than {MAX_PARTS} parts")));
    }
    if result.content.iter().all(|part| matches!(part, ContentBlock::Text(_))) {
        let texts: Vec<&str> = result.content.iter().filter_map(text_of).collect();
        return Ok(Value::from(noted(&texts.join("\n"), limit)));
    }
    let mut left = limit;
    result
        .content
        .into_iter()
        .map(|part| part_value(tool, part, &mut left))
        .collect::<Result<List, _>>()
        .map(Value::from)
}

/// The structured result, held against the schema of the tool.
fn structured(
    judge: Result<&jsonschema::Validator, &str>,
    result: Option<serde_json::Value>,
    limit: usize,
) -> Result<Value, ResultFault> {
    let failed = |why: String| ResultFault(ErrorKind::ToolFailed, why);
    let judge = judge.map_err(|fault| failed(format!("its output schema is not a JSON Schema: {fault}")))?;
    let Some(result) = result else {
        return Err(failed("there is no structured result, and the tool has an output schema".to_owned()));
    };
    let value = plain(&result, limit)?;
    let faults: Vec<String> = faults_of(judge, &result).iter().map(|fault| cut(fault, 500)).collect();
    if !faults.is_empty() {
        return Err(failed(format!("it does not fit the output schema: {}", faults.join("; "))));
    }
    Ok(value)
}

/// A structured result as it is, if it is not too large.
fn plain(result: &serde_json::Value, limit: usize) -> Result<Value, ResultFault> {
    let too_large = |why: String| ResultFault(ErrorKind::TooLarge, why);
    let length = result.to_string().len();
    if length > limit {
        return Err(too_large(format!("it has {length} bytes, and `output_bytes` is {limit}")));
    }
    let value = Value::from_json(result);
    if value.depth() > MAX_DEPTH {
        return Err(too_large(format!("it nests deeper than {MAX_DEPTH}")));
    }
    Ok(value)
}

/// One part of a result as a record.
fn part_value(tool: &PinnedTool, part: ContentBlock, left: &mut usize) -> Result<Value, ResultFault> {
    let mut record = Map::new();
    match part {
        ContentBlock::Text(text) => {
            record.set("type", "text");
            record.set("text", taken(&text.text, left));
        }
        ContentBlock::Image(image) => {
            record.set("type", "image");
            content(tool, &image.data, Some(&image.mime_type), &mut record)?;
        }
        ContentBlock::Audio(audio) => {
            record.set("type", "audio");
            content(tool, &audio.data, Some(&audio.mime_type), &mut record)?;
        }
        ContentBlock::Resource(embedded) => {
            record.set("type", "resource");
            match embedded.resource {
                ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                    record.set("uri", taken(&uri, left));
                    record.set("mime", mime_type.map_or(Value::Null, |mime| cut(&mime, 200).into()));
                    record.set("text", taken(&text, left));
                }
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    record.set("uri", taken(&uri, left));
                    content(tool, &blob, mime_type.as_deref(), &mut record)?;
                }
                _ => {}
            }
        }
        ContentBlock::ResourceLink(link) => {
            record.set("type", "link");
            record.set("uri", taken(&link.uri, left));
            record.set("name", taken(&link.name, left));
            record.set("mime", link.mime_type.map_or(Value::Null, |mime| cut(&mime, 200).into()));
            let about = link.description.or(link.title);
            record.set("description", about.map_or(Value::Null, |text| taken(&text, left).into()));
        }
        _ => {
            record.set("type", "unknown");
        }
    }
    Ok(Value::Map(record))
}

/// Puts bytes into the folder of contents, and says under which id.
fn content(tool: &PinnedTool, data: &str, mime: Option<&str>, record: &mut Map) -> Result<(), ResultFault> {
    if data.len() / 4 * 3 > MAX_CONTENT {
        return Err(ResultFault(
            ErrorKind::TooLarge,
            format!("a content of it is longer than {MAX_CONTENT} bytes"),
        ));
    }
    let failed = |why: String| ResultFault(ErrorKind::ToolFailed, why);
    let bytes = STANDARD.decode(data.as_bytes());
    let bytes = bytes.map_err(|_| failed("a content of it is not base64".to_owned()))?;
    let Some(folder) = &tool.server.ports().contents else {
        return Err(failed("it has bytes, and there is no place for them here".to_owned()));
    };
    let id = folder.put(&bytes).map_err(|error| failed(format!("a content cannot be stored: {error}")))?;
    record.set("content", id);
    record.set("mime", mime.map_or(Value::Null, |mime| cut(mime, 200).into()));
    record.set("bytes", i64::try_from(bytes.len()).unwrap_or(i64::MAX));
    Ok(())
}

/// A text as far as there is room for it.
fn taken(text: &str, left: &mut usize) -> String {
    let noted = noted(text, *left);
    *left = left.saturating_sub(text.len());
    noted
}

/// A text of at most so many bytes, with a note where it was cut off.
fn noted(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(limit);
    format!("{}\n[cut off: {} bytes more]", &text[..end], text.len() - end)
}

fn text_of(part: &ContentBlock) -> Option<&str> {
    part.as_text().map(|text| text.text.as_str())
}
