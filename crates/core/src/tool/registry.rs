//! The tools of a run, by name.

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::ready;
use jsonschema::Validator;

use super::closure::Closure;
use super::{Calculator, ClockTool, CommandContext, CommandTool, FileTool, Tool};
use crate::config::{CommandConfig, Config, faults_of};
use crate::diag::{did_you_mean, nearest};
use crate::machine::{Call, CallId, CallProgress, Outcome, Request, Usage};
use crate::port::{BoxFuture, Clock, Leftovers, ProbeResult, RunView, ToolHost, ToolInfo, undo_id};
use crate::program::error::ErrorKind;
use crate::program::graph::Delivery;
use crate::value::{List, Map, Str, Value};

/// The tools of a run. The order in which they were added is the order of the catalogue.
#[derive(Default)]
pub struct Tools {
    entries: Vec<RegisteredTool>,
    granted: BTreeSet<Str>,
    all_granted: bool,
}

struct RegisteredTool {
    tool: Arc<dyn Tool>,
    /// Made for the first call: the judge of schemas takes longer to make than a small run takes to begin.
    schema: OnceLock<Result<Validator, String>>,
}

impl Tools {
    /// No tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tools of a configuration: the built-in ones that are on, and the declared commands, which need grants.
    /// The clock is that of the runs.
    #[must_use]
    pub fn of_config(config: &Config, surroundings: &CommandContext, clock: Arc<dyn Clock>) -> Self {
        let mut tools = Self::new();
        if config.builtin.calculator {
            tools = tools.with(Calculator::new());
        }
        if config.builtin.clock {
            tools = tools.with(ClockTool::new(clock));
        }
        for file_tool in &config.builtin.file_tools {
            tools = tools.with(FileTool::new(file_tool, &surroundings.folder));
        }
        let command = |tools: Self, command: &CommandConfig| {
            tools.with(CommandTool::new(command.clone(), surroundings.clone()))
        };
        config.tools.iter().fold(tools, command)
    }

    /// Adds a tool; one of the same name is replaced.
    #[must_use]
    pub fn with(self, tool: impl Tool + 'static) -> Self {
        self.with_shared(Arc::new(tool))
    }

    /// Takes a tool away again.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.entries.retain(|entry| entry.name() != name);
        self
    }

    /// Adds a closure as a tool that needs no grant; it answers with a value or a message of failure. Its delivery
    /// is `at_most_once`, its name and schema are all that is known of it; [`Tools::closure_with`] says more.
    ///
    /// ```
    /// use loopwright::Tools;
    /// use loopwright::Value;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    /// let tools = Tools::new().closure("double", &schema, |args| async move {
    ///     let n = args.get("n").and_then(Value::as_int).unwrap_or_default();
    ///     n.checked_mul(2).map(Value::Int).ok_or("too large".to_owned())
    /// });
    /// ```
    #[must_use]
    pub fn closure<F, R>(self, name: &str, schema: &serde_json::Value, work: F) -> Self
    where
        F: Fn(Map) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, String>> + Send + 'static,
    {
        self.closure_with(ToolInfo::new(name, Value::from_json(schema)), work)
    }

    /// Adds a closure as a tool with a description of your own.
    #[must_use]
    pub fn closure_with<F, R>(self, info: ToolInfo, work: F) -> Self
    where
        F: Fn(Map) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, String>> + Send + 'static,
    {
        self.function(info, move |args| {
            work(args).map(|found| match found {
                Ok(value) => Outcome::answer(value),
                Err(message) => Outcome::failed(ErrorKind::ToolFailed, message),
            })
        })
    }

    /// Adds a closure that says how its calls end.
    pub(super) fn function<F, R>(self, info: ToolInfo, work: F) -> Self
    where
        F: Fn(Map) -> R + Send + Sync + 'static,
        R: Future<Output = Outcome> + Send + 'static,
    {
        self.with(Closure { info, work: Arc::new(work) })
    }

    /// Grants a tool. A name that no tool has changes nothing.
    #[must_use]
    pub fn grant(mut self, name: impl Into<Str>) -> Self {
        self.granted.insert(name.into());
        self
    }

    /// Grants every tool.
    #[must_use]
    pub const fn grant_all(mut self) -> Self {
        self.all_granted = true;
        self
    }

    fn with_shared(mut self, tool: Arc<dyn Tool>) -> Self {
        let entry = RegisteredTool { tool, schema: OnceLock::new() };
        match self.entries.iter_mut().find(|old| old.name() == entry.name()) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
        self
    }

    fn is_granted(&self, entry: &RegisteredTool) -> bool {
        self.all_granted || !entry.tool.needs_grant() || self.granted.contains(entry.name())
    }

    /// Makes one call: the tool is found, the arguments are checked. `id` is the idempotency key.
    #[must_use]
    pub fn invoke(&self, id: &CallId, tool: &Str, args: &Map) -> BoxFuture<'static, Outcome> {
        match self.admit(tool, args) {
            Ok(entry) => entry.tool.call(id, args.clone()),
            Err(refused) => ready(*refused).boxed(),
        }
    }

    fn entry(&self, name: &str) -> Option<&RegisteredTool> {
        self.entries.iter().find(|entry| entry.name() == name)
    }

    /// The arguments of a call that another tool gets, and some more: those that its schema names, or all if it names
    /// none. What the call says itself comes first.
    fn handed_on(&self, tool: &str, args: &Map, more: &[(&str, &Value)]) -> Map {
        let schema = self.entry(tool).and_then(|entry| entry.tool.info().schema.as_map());
        let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_map);
        let own = args.iter().map(|(name, value)| (name.as_str(), value));
        let mut handed = Map::new();
        for (name, value) in own.chain(more.iter().copied()) {
            if properties.is_none_or(|all| all.contains_key(name)) && !handed.contains_key(name) {
                handed.set(name, value.clone());
            }
        }
        handed
    }

    /// Makes a call once its future is polled.
    fn later(&self, id: CallId, tool: &Str, args: Map) -> BoxFuture<'static, Outcome> {
        match self.admit(tool, &args) {
            Ok(entry) => {
                let tool = Arc::clone(&entry.tool);
                async move { tool.call(&id, args).await }.boxed()
            }
            Err(refused) => ready(*refused).boxed(),
        }
    }

    /// Finds the tool and checks the arguments.
    fn admit(&self, name: &Str, args: &Map) -> Result<&RegisteredTool, Box<Outcome>> {
        let Some(entry) = self.entry(name) else {
            return Err(unknown(name, self.entries.iter().map(|entry| entry.name().as_str())).into());
        };
        if !self.is_granted(entry) {
            return Err(Outcome::never_began(
                ErrorKind::Denied,
                ecow::eco_format!("the tool `{name}` was not granted"),
            )
            .into());
        }
        let schema = entry.schema().map_err(|fault| {
            Outcome::never_began(
                ErrorKind::Internal,
                ecow::eco_format!("the schema of `{name}` is not a JSON Schema: {fault}"),
            )
        })?;
        faults(schema, name, args).map_or(Ok(entry), |fault| Err(fault.into()))
    }
}

impl RegisteredTool {
    fn name(&self) -> &Str {
        &self.tool.info().name
    }

    fn schema(&self) -> Result<&Validator, &String> {
        self.schema.get_or_init(|| crate::config::validator(&self.tool.info().schema)).as_ref()
    }
}

impl ToolHost for Tools {
    fn catalogue(&self) -> Vec<ToolInfo> {
        self.entries
            .iter()
            .filter(|entry| self.is_granted(entry))
            .map(|entry| entry.tool.info().clone())
            .collect()
    }

    fn ungranted(&self) -> Vec<Str> {
        self.entries
            .iter()
            .filter(|entry| !self.is_granted(entry))
            .map(|entry| entry.name().clone())
            .collect()
    }

    fn misfit(&self, call: &Call) -> Option<Str> {
        let (tool, args) = of_tool(call)?;
        match self.admit(tool, args) {
            Err(refused) => match *refused {
                Outcome::Failed { message, .. } => Some(message),
                _ => None,
            },
            Ok(_) => None,
        }
    }

    fn call(&self, call: &Call, view: RunView<'_>) -> BoxFuture<'static, Outcome> {
        match &call.request {
            Request::Tool { tool, args, delivery } => {
                let once = *delivery == Delivery::AtMostOnce;
                let made = match self.admit(tool, args) {
                    Ok(entry) => entry.tool.call_within(&call.id, args.clone(), view.claim),
                    Err(refused) => ready(*refused).boxed(),
                };
                made.map(move |outcome| if once { outcome.of_once() } else { outcome }).boxed()
            }
            Request::Model { .. } => {
                ready(Outcome::never_began(ErrorKind::Internal, "this call is for a model")).boxed()
            }
        }
    }

    fn companions(&self, tool: &str) -> Vec<Str> {
        let info = self.entry(tool).map(|entry| entry.tool.info());
        info.into_iter().flat_map(|info| [&info.probe, &info.compensate]).flatten().cloned().collect()
    }

    fn probe(&self, call: &Call, _: RunView<'_>) -> Option<BoxFuture<'static, ProbeResult>> {
        let (tool, args) = of_tool(call)?;
        let probe = self.entry(tool)?.tool.info().probe.clone()?;
        if let Some(why) = self.entry(&probe).and_then(|entry| no_probe(entry.tool.info())) {
            return Some(ready(ProbeResult::Unknown(why)).boxed());
        }
        let args = self.handed_on(&probe, args, &[("key", &Value::Str(call.id.0.clone()))]);
        Some(self.later(call.id.clone(), &probe, args).map(ProbeResult::of).boxed())
    }

    fn remains(&self, call: &Call) -> Option<BoxFuture<'static, Leftovers>> {
        let (tool, _) = of_tool(call)?;
        self.entry(tool)?.tool.remains(&call.id)
    }

    fn compensation(&self, tool: &str) -> Option<ToolInfo> {
        let other = self.entry(tool)?.tool.info().compensate.as_ref()?;
        Some(self.entry(other)?.tool.info().clone())
    }

    fn compensate(&self, call: &Call, result: &Value) -> Option<BoxFuture<'static, Outcome>> {
        let (tool, args) = of_tool(call)?;
        let other = self.entry(tool)?.tool.info().compensate.clone()?;
        let once = self.entry(&other).is_some_and(|e| e.tool.info().delivery == Delivery::AtMostOnce);
        let key = Value::Str(call.id.0.clone());
        let args = self.handed_on(&other, args, &[("key", &key), ("result", result)]);
        let work = self.later(undo_id(&call.id), &other, args);
        Some(work.map(move |outcome| if once { outcome.of_once() } else { outcome }).boxed())
    }
}

/// The obstacle to using a tool as a probe, if any.
fn no_probe(info: &ToolInfo) -> Option<Str> {
    let name = &info.name;
    if info.approval.is_needed() {
        return Some(ecow::eco_format!("the probe `{name}` wants an approval for each call"));
    }
    let once = info.delivery == Delivery::AtMostOnce;
    once.then(|| ecow::eco_format!("the probe `{name}` may be called at most once"))
}

/// The tool of a call and its arguments.
const fn of_tool(call: &Call) -> Option<(&Str, &Map)> {
    match &call.request {
        Request::Tool { tool, args, .. } => Some((tool, args)),
        Request::Model { .. } => None,
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(RegisteredTool::name)).finish()
    }
}

fn unknown<'a>(name: &Str, known: impl Iterator<Item = &'a str>) -> Outcome {
    let hint = match nearest(name, known) {
        Some(near) => format!("; {}", did_you_mean(&format!("`{near}`"))),
        None => String::new(),
    };
    Outcome::never_began(ErrorKind::UnknownTool, ecow::eco_format!("there is no tool `{name}`{hint}"))
}

/// The faults of a call's arguments, as a failure whose details list every fault.
fn faults(schema: &Validator, name: &Str, args: &Map) -> Option<Outcome> {
    let list = faults_of(schema, &Value::Map(args.clone()).to_json());
    (!list.is_empty()).then(|| misfits(name, &list))
}

/// The failure of a call whose arguments have these faults.
pub(super) fn misfits(name: &Str, list: &[String]) -> Outcome {
    let mut details = Map::new();
    details.set("faults", list.iter().map(|fault| Value::from(fault.as_str())).collect::<List>());
    Outcome::Failed {
        kind: ErrorKind::InvalidArgs.into(),
        message: ecow::eco_format!("the arguments do not fit `{name}`: {}", list.join("; ")),
        details: Value::Map(details),
        usage: Usage::default(),
        retry_after: None,
        progress: CallProgress::NeverBegan,
        attempts: Vec::new(),
    }
}
