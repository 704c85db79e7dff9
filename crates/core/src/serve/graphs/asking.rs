//! The client's user as the person who answers.

use std::time::Duration;

use futures::FutureExt;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use rmcp::service::{Peer, RoleServer};
use serde_json::{Value as Json, json};

use super::form::ClientForm;
use crate::machine::{Question, QuestionReason};
use crate::port::{BoxFuture, Human, HumanReply, Mask, RunView};
use crate::source::display::{asked, lines};
use crate::value::Value;

/// The time in which a user answers. A run waits longer: it is resumed then.
const MAX_ANSWER_TIME: Duration = Duration::from_mins(10);

/// The longest text of a question, in characters.
const MAX_QUESTION_CHARS: usize = 4_000;

/// The client's user, asked by the forms of the client.
pub(super) struct ClientUser {
    /// The client; none where it has no forms.
    pub(super) client: Option<Peer<RoleServer>>,
    /// True if the operator lets the client approve, and steer runs.
    pub(super) may_approve: bool,
    pub(super) mask: Mask,
}

impl ClientUser {
    /// True if this question is the client's to answer. Approvals, pauses, and what became of a call are the operator's.
    fn is_for_client(&self, ask: &Question) -> bool {
        ask.reason == QuestionReason::Node || self.may_approve
    }
}

impl Human for ClientUser {
    fn ask(&self, ask: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        let client = self.client.clone().filter(|_| self.is_for_client(ask));
        let Some(client) = client else { return async { HumanReply::Unattended }.boxed() };
        let (ask, mask) = (ask.clone(), self.mask.clone());
        async move { put(&client, &ask, &mask).await.map_or(HumanReply::Unattended, HumanReply::Answer) }
            .boxed()
    }
}

/// Puts a question; none if the user does not answer it.
async fn put(client: &Peer<RoleServer>, ask: &Question, mask: &Mask) -> Option<Value> {
    let form = if ask.approval().is_some() { approval() } else { ClientForm::of(&ask.schema.to_json()) };
    let requested_schema = serde_json::from_value(form.schema.clone()).ok()?;
    let text = if ask.text.is_empty() { ask.node.as_str() } else { ask.text.as_str() };
    let text = mask.text(text);
    let misfit = if ask.misfit.is_empty() { String::new() } else { format!("Not taken: {}\n", ask.misfit) };
    let is_approval = ask.approval().is_some();
    // Nobody approves what they see a part of: a longer call waits for the operator.
    if is_approval && text.chars().count() > MAX_QUESTION_CHARS {
        return None;
    }
    let message = if is_approval {
        format!("{}{}", lines(&misfit), asked(&text))
    } else {
        let text: String = text.chars().take(MAX_QUESTION_CHARS).collect();
        lines(&format!("{misfit}{text}")).into_owned()
    };
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    let reply: ElicitResult =
        client.create_elicitation_with_timeout(params, Some(MAX_ANSWER_TIME)).await.ok()?;
    if reply.action != ElicitationAction::Accept {
        return None;
    }
    let answer = form.answer(&reply.content?)?;
    match ask.approving() {
        Some(approved) if answer == Value::from("approve") => Some(approved),
        _ => Some(answer),
    }
}

/// The form of an approval: its user saw what is asked about, so the word is for just that.
fn approval() -> ClientForm {
    let words: Json = json!({"type": "string", "enum": ["approve", "deny"]});
    ClientForm::of(&words)
}
