//! Models, tools and people that answer what a script says.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::ready;
use serde_json::Value as Json;

use crate::diag::{Diagnostic, Severity};
use crate::machine::{Call, Event, EventKind, Outcome, Question, Request};
use crate::model::Model;
use crate::port::{
    BoxFuture, Clock, Human, HumanReply, Leftovers, Listener, ModelClient, Observer, ProbeResult, RunView,
    ToolHost, ToolInfo,
};
use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::scenario::{GivenAnswer, Script, ScriptedAnswers, bind, check_answers, read_answers};
use crate::source::{FileId, Sources, Span};
use crate::value::{Map, Str, Value};

/// A scripted world in a real run.
///
/// It is the run's model, tools, human and observer at once: give the same one to each of these ports. Where the
/// script has no `tools`, the real tools answer; where it has no `human`, the real person does.
pub struct Scripted {
    script: Mutex<Script>,
    /// The tools the script answers for; none means the real ones do.
    tools: Option<Vec<ToolInfo>>,
    people: bool,
    listener: Option<Arc<dyn Listener>>,
    clock: Arc<dyn Clock>,
    real_tools: Arc<dyn ToolHost>,
    real_human: Arc<dyn Human>,
}

/// Reads a script that was added to `sources`, for the graph of `model`: `model`, `tools` and `human` blocks as in a
/// scenario. Texts in answers may hold `{{ expr }}` over the graph's state and `result`.
///
/// # Errors
/// Every fault of the script, each at its place.
pub fn read_script(
    sources: &Sources,
    file: FileId,
    model: &Model,
) -> Result<(ScriptedAnswers, Script), Vec<Diagnostic>> {
    let (answers, mut findings) = read_answers(sources, file);
    findings.extend(check_answers(&answers, model));
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(findings);
    }
    let bound = bind(model, [&answers])?;
    let script = Script::new(answers.clone(), Arc::new(bound));
    Ok((answers, script))
}

impl Scripted {
    /// A scripted world that passes what it has no answer for to the real one.
    #[must_use]
    pub fn new(
        (answers, script): (ScriptedAnswers, Script),
        clock: Arc<dyn Clock>,
        real_tools: Arc<dyn ToolHost>,
        real_human: Arc<dyn Human>,
    ) -> Self {
        let tools = (!answers.tools.is_empty()).then(|| catalogue(&answers, &*real_tools));
        let people = !answers.people.is_empty();
        Self { script: Mutex::new(script), tools, people, listener: None, clock, real_tools, real_human }
    }

    /// Sets who hears the text of answers, where the graph allows it. Each comes in one piece.
    #[must_use]
    pub fn listener(mut self, listener: Arc<dyn Listener>) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Shows the script an event of an earlier life of the run, before the run is resumed: its answers count as given.
    pub fn catch_up(&self, event: &Event) {
        self.lock().observe(event);
    }

    /// The faults of the script that the run has met, in order: answers that it lacks, and where the run `failed` those that did
    /// not fit. A fault without a place is one of a script without answers.
    #[must_use]
    pub fn faults(&self, failed: bool) -> Vec<(Option<Span>, String)> {
        let script = self.lock();
        let missing = script.missing().iter().map(|missing| (missing.span(), missing.to_string()));
        let failed = failed || !script.missing().is_empty();
        let unfit = script.unfit().iter().filter(|_| failed);
        unfit.map(|answer| (Some(answer.span), answer.why.clone())).chain(missing).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Script> {
        // A script that panicked half-way has used up an answer at most.
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let given = self.lock().call(view.snapshot, call);
        match given {
            Ok(given) => self.later(given),
            // Trying again would not help: fatal, so that no retry hides it.
            Err(missing_answer) => {
                ready(Outcome::never_began(ErrorKind::Denied, missing_answer.to_string())).boxed()
            }
        }
    }

    /// The answer, after the time the script says it takes.
    fn later<T: Send + 'static>(&self, given: GivenAnswer<T>) -> BoxFuture<'static, T> {
        if given.after <= 0 {
            return ready(given.answer).boxed();
        }
        let sleep = self.clock.sleep_until(self.clock.now().saturating_add(given.after));
        sleep.map(|()| given.answer).boxed()
    }
}

/// The catalogue: the tools the script answers for, as the real ones of these names are described.
fn catalogue(answers: &ScriptedAnswers, real: &dyn ToolHost) -> Vec<ToolInfo> {
    let known = real.catalogue();
    let mut tools: Vec<ToolInfo> = Vec::new();
    for name in answers.tools.iter().filter_map(|answer| answer.from.as_ref()).map(|name| &name.value) {
        if tools.iter().all(|tool| tool.name != *name) {
            let real = known.iter().find(|tool| tool.name == *name).cloned();
            // A scripted answer has no effect, so it may be given again.
            tools.push(
                real.unwrap_or_else(|| ToolInfo::new(name.clone(), anything())).delivery(Delivery::Pure),
            );
        }
    }
    tools
}

fn anything() -> Value {
    Value::Map([("type", Value::from("object"))].into_iter().collect::<Map>())
}

impl ModelClient for Scripted {
    fn ask(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let answer = self.answer(call, view);
        let listener = match &call.request {
            Request::Model { stream: Some(_), .. } => self.listener.clone(),
            _ => None,
        };
        let Some(listener) = listener else { return answer };
        let call = call.clone();
        let given = move |outcome| {
            if let Outcome::Answer { value: Value::Str(text), .. } = &outcome {
                listener.heard(&call, text);
            }
            outcome
        };
        answer.map(given).boxed()
    }

    fn model(&self, role: &str) -> Str {
        ecow::eco_format!("script:{role}")
    }

    fn provider(&self, _: &str) -> Option<Str> {
        Some("script".into())
    }
}

impl ToolHost for Scripted {
    fn catalogue(&self) -> Vec<ToolInfo> {
        self.tools.clone().unwrap_or_else(|| self.real_tools.catalogue())
    }

    fn ungranted(&self) -> Vec<Str> {
        if self.tools.is_some() { Vec::new() } else { self.real_tools.ungranted() }
    }

    fn misfit(&self, call: &Call) -> Option<Str> {
        if self.tools.is_some() { None } else { self.real_tools.misfit(call) }
    }

    fn call(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        if self.tools.is_some() { self.answer(call, view) } else { self.real_tools.call(call, view) }
    }

    // What a script answers for has no effect: there is nothing to ask after and nothing to undo.

    fn companions(&self, tool: &str) -> Vec<Str> {
        if self.tools.is_some() { Vec::new() } else { self.real_tools.companions(tool) }
    }

    fn probe(&self, call: &Call, view: RunView<'_>) -> Option<BoxFuture<'static, ProbeResult>> {
        if self.tools.is_some() { None } else { self.real_tools.probe(call, view) }
    }

    fn remains(&self, call: &Call) -> Option<BoxFuture<'static, Leftovers>> {
        if self.tools.is_some() { None } else { self.real_tools.remains(call) }
    }

    fn compensation(&self, tool: &str) -> Option<ToolInfo> {
        if self.tools.is_some() { None } else { self.real_tools.compensation(tool) }
    }

    fn compensate(&self, call: &Call, result: &Value) -> Option<BoxFuture<'static, Outcome>> {
        if self.tools.is_some() { None } else { self.real_tools.compensate(call, result) }
    }
}

impl Human for Scripted {
    fn ask(&self, ask: &Question, view: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        if !self.people {
            return self.real_human.ask(ask, view);
        }
        let given = self.lock().ask(view.snapshot, ask);
        match given {
            Ok(Some(given)) => self.later(given).map(HumanReply::Answer).boxed(),
            Ok(None) => ready(HumanReply::Unattended).boxed(),
            Err(missing_answer) => {
                tracing::error!("{missing_answer}");
                ready(HumanReply::Unattended).boxed()
            }
        }
    }

    fn ask_for_tool(&self, ask: &Question) -> BoxFuture<'static, HumanReply> {
        if self.people { ready(HumanReply::Unattended).boxed() } else { self.real_human.ask_for_tool(ask) }
    }
}

impl Observer for Scripted {
    fn recorded(&self, event: &Event, _: u32, _: RunView<'_>) {
        // An answer is set aside when the model is asked: a call that a cache answers uses none up.
        if matches!(&event.kind, EventKind::Called(call) if matches!(call.request, Request::Model { .. })) {
            self.lock().note_call(event);
        } else {
            self.catch_up(event);
        }
    }

    fn caught_up(&self, event: &Event) {
        self.catch_up(event);
    }

    fn looks_back(&self) -> bool {
        true
    }

    fn memory(&self) -> Json {
        self.lock().memory()
    }

    fn recall(&self, memory: &Json) -> bool {
        self.lock().recall(memory)
    }
}
