//! The end of a run's driving as the result of a tool.

use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value as Json, json};

use crate::app::GraphHost;
use crate::drive::Finished;
use crate::machine::{Done, Question, QuestionReason};
use crate::source::display::{line, lines};

/// The result of a call that began no run.
pub(super) fn refused(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("error: {}\n", line(why)))])
}

/// The result of a call that began a run.
pub(super) fn of(host: &dyn GraphHost, run: &str, finished: &Finished) -> CallToolResult {
    let (text, structured, is_error) = match finished {
        Finished::Done(done) => ended(run, done),
        Finished::Waiting { asks, .. } => waiting(host, run, asks),
        Finished::Stopped | Finished::Interrupted { .. } => stopped(host, run),
    };
    let content = vec![ContentBlock::text(host.graph().mask.text(&text).into_owned())];
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(structured);
    result
}

/// The result where driving failed; the run stays as it was stored.
pub(super) fn failed(host: &dyn GraphHost, run: &str, why: &str) -> CallToolResult {
    let resume = host.resume(run, &[]);
    let text = format!(
        "error: {}\nwhat was stored is safe; to resume the run, a person runs:\n  {resume}\n",
        line(why)
    );
    let mut result =
        CallToolResult::error(vec![ContentBlock::text(host.graph().mask.text(&text).into_owned())]);
    result.structured_content = Some(json!({"run": run, "status": "stopped", "resume": resume}));
    result
}

fn ended(run: &str, done: &Done) -> (String, Json, bool) {
    let mut text = format!("outcome: {}\n", line(&done.outcome));
    let error = done.error.to_json();
    if let Some(message) = error.get("message").and_then(Json::as_str) {
        let _ = writeln!(text, "error: {}", lines(message));
    }
    let output = done.output.to_json();
    for (name, value) in output.as_object().into_iter().flatten() {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(text, "{}: {}", line(name), lines(&shown));
    }
    let mut structured = json!({
        "run": run,
        "status": "done",
        "outcome": done.outcome.as_str(),
        "ok": done.ok,
    });
    // A run that failed has the output of none of its finals.
    if output.is_object() {
        structured["output"] = output;
    }
    if !error.is_null() {
        structured["error"] = error;
    }
    (text, structured, !done.ok)
}

fn waiting(host: &dyn GraphHost, run: &str, asks: &[Question]) -> (String, Json, bool) {
    let mut text =
        format!("the run {run} waits for a person; it is stored, and nothing more happens until then\n");
    let mut questions = Vec::new();
    for ask in asks {
        // The client's agent may have a shell: no line that it could run says yes to anything of the operator's. Resumed at a
        // terminal, the run asks.
        let is_operators = ask.reason != QuestionReason::Node;
        let command = match asks {
            _ if is_operators => host.resume(run, &[]),
            [_] => host.resume(run, &["--answer", "ANSWER"]),
            _ => host.resume(run, &["--ask", &ask.id.0, "--answer", "ANSWER"]),
        };
        let id = ask.approval().and_then(|hash| ask.id.0.strip_suffix(hash)).unwrap_or(&ask.id.0);
        let schema = if is_operators { Json::Null } else { ask.schema.to_json() };
        let _ = writeln!(
            text,
            "at {}: {}\nto answer, a person runs:\n  {command}",
            line(&ask.node),
            lines(&ask.text)
        );
        questions.push(json!({
            "id": id,
            "node": ask.node.as_str(),
            "reason": ask.reason.name(),
            "text": ask.text.as_str(),
            "schema": schema,
            "command": command,
        }));
    }
    let structured = json!({
        "run": run,
        "status": "waiting",
        "questions": questions,
        "resume": host.resume(run, &[]),
    });
    (text, structured, false)
}

fn stopped(host: &dyn GraphHost, run: &str) -> (String, Json, bool) {
    let resume = host.resume(run, &[]);
    let text =
        format!("the run {run} was stopped, and is stored; to resume it, a person runs:\n  {resume}\n");
    (text, json!({"run": run, "status": "stopped", "resume": resume}), true)
}
