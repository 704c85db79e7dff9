//! `tools call`: one call of one tool, without a run.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::Arc;

use crate::cli::args::{ConfigFlags, DB, Line};
use crate::cli::run::{Console, ToolWords, mask, refuse_servers};
use crate::cli::{Exit, limits, screen, trust};
use loopwright_core::app;
use loopwright_core::app::mcp::{ConnectedServers, McpMode, McpPlan, WantedTools};
use loopwright_core::app::trust::{Configuration, Grants, Wants};
use loopwright_core::config::server_of;
use loopwright_core::drive::SystemClock;
use loopwright_core::machine::{CallId, Outcome, Question};
use loopwright_core::port::{BoxFuture, Human, HumanReply, Mask, RunView, ToolHost};
use loopwright_core::source::Sources;
use loopwright_core::tool::Tools;
use loopwright_core::tool::mcp::{ContentFolder, McpPorts};
use loopwright_core::value::json::{JsonLimits, parse_strict};
use loopwright_core::value::{Map, Str, Value};

/// `tools call`.
#[derive(Debug, clap::Args)]
pub(super) struct CallArgs {
    /// The tool: a built-in one, a declared command, or `SERVER.tool`.
    tool: String,
    /// The arguments, a JSON object.
    #[arg(default_value = "{}")]
    arguments: String,
    /// The answer to all that the tool asks a person, as JSON; by default whoever sits at the terminal is asked.
    #[arg(long, value_name = "JSON")]
    answer: Option<String>,
    #[command(flatten)]
    pub(super) flags: ConfigFlags,
}

impl CallArgs {
    fn command(&self) -> String {
        let line = Line::of("tools call").word(&self.tool);
        let line = if self.arguments == "{}" { line } else { line.word(&self.arguments) };
        self.flags.onto(line.flag("--answer", &self.answer)).text()
    }
}

pub(super) fn call(args: &CallArgs) -> Result<Exit, Exit> {
    let arguments = arguments(&args.arguments)?;
    let flags = &args.flags;
    let (config, servers) = (flags.config.as_deref(), flags.mcp_config.as_deref());
    let found = trust::find_with_servers(config, servers, &flags.trust, "", &mut Sources::new())?;
    let mask = mask(&found);
    let tools = BTreeSet::from([args.tool.as_str()]);
    let configuration = trust::admit(found, &Wants { models: false, inputs: None, tools, hooks: false })?;
    let grants = Grants::of(trust::given(&flags.grant)?, &configuration, "", trust::notes());
    limits::runtime(true)?.block_on(called(args, arguments, &configuration, &grants, &mask))
}

async fn called(
    args: &CallArgs,
    arguments: Map,
    configuration: &Configuration,
    grants: &Grants,
    mask: &Mask,
) -> Result<Exit, Exit> {
    let name = Str::from(args.tool.as_str());
    let is_of_server = server_of(&name).is_some_and(|(server, _)| grants.server(server).is_some());
    let config = &configuration.config;
    let mut tools =
        app::tools(config, configuration.folder.clone(), &app::unstored(), Arc::new(SystemClock::new()));
    for tool in configuration.file_tools() {
        tools = tools.with(tool);
    }
    if is_of_server || tools.ungranted().contains(&name) {
        if !grants.allow(&name) && !trust::ask_grant(grants, &name) {
            return Err(trust::missing_tool_grant(grants, &args.command(), &name));
        }
        trust::say_granted(grants, &name);
    }
    let mut servers = ConnectedServers::default();
    if is_of_server {
        (tools, servers) = connected(configuration, &name, tools, human(args.answer.as_deref())?).await?;
    }
    let outcome = Tools::grant(tools, name.clone()).invoke(&id(), &name, &arguments).await;
    servers.close().await;
    Ok(match mask.outcome(outcome) {
        Outcome::Answer { value, .. } => screen::print(&screen::json(&value.to_json())),
        Outcome::Failed { kind, message, .. } => {
            screen::say(&format!("error({}): {}\n", screen::line(&kind), screen::set_in(&message)));
            Exit::Findings
        }
        Outcome::Unknown { message } => {
            screen::say(&format!("nobody knows what the call did: {}\n", screen::set_in(&message)));
            Exit::Findings
        }
    })
}

/// The tools with that of a server, which is started for it.
async fn connected(
    configuration: &Configuration,
    name: &Str,
    mut tools: Tools,
    human: Arc<dyn Human>,
) -> Result<(Tools, ConnectedServers), Exit> {
    let plan = McpPlan {
        configuration,
        context: app::command_context(configuration.folder.clone(), &app::unstored()),
        ports: McpPorts {
            human: Some(human),
            listener: Some(Arc::new(ToolWords::default())),
            contents: Some(ContentFolder::beside(DB.as_ref())),
            logins: trust::logins(),
        },
        wanted: WantedTools { named: [name.clone()].into(), any: false },
        mode: McpMode::Begin,
        update_lock: false,
    };
    // All of them are known, so that a slip of the name is told from a tool that is not there.
    let connected = plan.connect(&|_| true).await.map_err(|refused| refuse_servers(&refused))?;
    for note in &connected.notes {
        screen::say(&format!("note: {}\n", screen::line(note)));
    }
    for tool in &connected.tools {
        tools = tools.with(tool.clone());
    }
    Ok((tools, connected.into_servers()))
}

/// The person who answers the questions of a tool.
fn human(answer: Option<&str>) -> Result<Arc<dyn Human>, Exit> {
    let Some(text) = answer else { return Ok(Arc::new(Console::default())) };
    match parse_strict(text, JsonLimits::default()) {
        Ok(answer) => Ok(Arc::new(PreparedAnswer(answer))),
        Err(fault) => {
            let why = format!("--answer is not JSON: {}", screen::line(&fault.to_string()));
            Err(screen::refuse_with(&why, "write it like this: '{\"name\": \"value\"}'"))
        }
    }
}

/// A person whose answer was given beforehand.
struct PreparedAnswer(Value);

impl Human for PreparedAnswer {
    fn ask(&self, _: &Question, _: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        Box::pin(ready(HumanReply::Unattended))
    }

    fn ask_for_tool(&self, _: &Question) -> BoxFuture<'static, HumanReply> {
        Box::pin(ready(HumanReply::Answer(self.0.clone())))
    }
}

/// The id of a call that belongs to no run.
fn id() -> CallId {
    CallId(format!("call-{}", std::process::id()).into())
}

fn arguments(text: &str) -> Result<Map, Exit> {
    let help = "write them like this: '{\"path\": \"notes.txt\"}'";
    match parse_strict(text, JsonLimits::default()) {
        Ok(Value::Map(map)) => Ok(map),
        Ok(other) => {
            let found = other.type_name();
            Err(screen::refuse_with(
                &format!("the arguments are of type {found}, wanted a JSON object"),
                help,
            ))
        }
        Err(fault) => Err(screen::refuse_with(
            &format!("the arguments are not JSON: {}", screen::line(&fault.to_string())),
            help,
        )),
    }
}
