//! A graph as a tool.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::Value as Json;
use tokio::sync::{RwLock, Semaphore};
use tokio::time::timeout;

use super::asking::ClientUser;
use super::progress::{EnteredNodes, watch};
use super::{result, schema};
use crate::app::{DriverOfRun, GraphHost, Runs};
use crate::drive::{Finished, Run};
use crate::machine::Start;
use crate::port::BoxFuture;
use crate::serve::harmless::object;
use crate::serve::protocol::{ClientCall, ServedTool};
use crate::source::display::lines;

/// The most runs at once, of all graphs together.
pub const MAX_RUNS_AT_ONCE: usize = 16;

/// The longest description of a graph that clients are given, in characters.
const MAX_DESCRIPTION_CHARS: usize = 2_000;

/// The time in which runs are left to whoever resumes them when the server stops.
const GRACE: Duration = Duration::from_secs(3);

/// The runs of a server that are being driven.
#[derive(Debug, Clone)]
pub struct RunningGraphs {
    places: Arc<Semaphore>,
    /// Held for reading by each run.
    driven: Arc<RwLock<()>>,
}

impl Default for RunningGraphs {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(MAX_RUNS_AT_ONCE)), driven: Arc::default() }
    }
}

impl RunningGraphs {
    /// Waits until no run is driven any more, for a little while. Its clients are to be gone.
    pub async fn settle(&self) {
        let _late = timeout(GRACE, self.driven.write()).await;
    }
}

/// A graph as a tool.
pub struct GraphTool {
    host: Arc<dyn GraphHost>,
    may_approve: bool,
    running: RunningGraphs,
    tool: Tool,
}

impl GraphTool {
    /// The tool. With `may_approve`, the client's user answers approvals, too.
    #[must_use]
    pub fn new(host: Arc<dyn GraphHost>, may_approve: bool, running: RunningGraphs) -> Self {
        let tool = tool(&*host);
        Self { host, may_approve, running, tool }
    }

    async fn run(&self, arguments: JsonObject, client: &ClientCall) -> CallToolResult {
        let input = match self.host.graph().input(&Json::Object(arguments)) {
            Ok(input) => input,
            Err(why) => return result::refused(&why),
        };
        let Ok(_place) = self.running.places.try_acquire() else {
            return result::refused(&format!("{MAX_RUNS_AT_ONCE} runs are driven already; try later"));
        };
        let _driven = self.running.driven.read().await;
        let DriverOfRun { driver, end } = match self.host.driver().await {
            Ok(driver) => driver,
            Err(why) => return result::refused(&why),
        };
        let user = ClientUser {
            client: client.can_ask().then(|| client.peer().clone()),
            may_approve: self.may_approve,
            mask: self.host.graph().mask.clone(),
        };
        let (progress, nodes) = watch();
        let driver = driver.human(Arc::new(user)).observer(Arc::new(progress));
        let runs = Runs::of(Arc::clone(&self.host.graph().store));
        let begun = runs.begin(&driver, &self.host.graph().text, Start { input, ..Start::default() }).await;
        drop(driver);
        let result = match begun {
            Err(error) => result::refused(&error.to_string()),
            Ok(mut run) => {
                let finished = drive(&mut run, nodes, client).await;
                match finished {
                    Ok(finished) => result::of(&*self.host, run.id(), &finished),
                    Err(error) => result::failed(&*self.host, run.id(), &error.to_string()),
                }
            }
        };
        end.await;
        result
    }
}

impl ServedTool for GraphTool {
    fn tool(&self) -> Tool {
        self.tool.clone()
    }

    fn call<'a>(
        &'a self,
        arguments: JsonObject,
        client: &'a ClientCall,
    ) -> BoxFuture<'a, Result<CallToolResult, ErrorData>> {
        async move { Ok(self.run(arguments, client).await) }.boxed()
    }
}

/// Drives a run and tells the client of its nodes. A client that gives the call up leaves the run to be resumed.
async fn drive(
    run: &mut Run,
    mut nodes: EnteredNodes<String>,
    client: &ClientCall,
) -> Result<Finished, crate::drive::DriveError> {
    let (handle, hearing) = (run.handle(), run.hear());
    tokio::pin!(hearing);
    let mut entered = 0_u32;
    let driving = run.drive();
    tokio::pin!(driving);
    let mut is_given_up = false;
    loop {
        tokio::select! {
            biased;
            Some(node) = nodes.recv() => {
                entered += 1;
                client.progress(f64::from(entered), None, &lines(&node)).await;
            }
            finished = &mut driving => return finished,
            never = &mut hearing => match never {},
            () = client.cancelled(), if !is_given_up => {
                is_given_up = true;
                handle.stop();
            }
        }
    }
}

/// The description of a graph for clients.
fn tool(host: &dyn GraphHost) -> Tool {
    let graph = host.graph().model.root();
    let title = graph.title.as_ref().map_or_else(|| graph.id.value.to_string(), ToString::to_string);
    let about = graph.doc.as_ref().map_or_else(|| title.clone(), ToString::to_string);
    let about: String = about.chars().take(MAX_DESCRIPTION_CHARS).collect();
    let description = format!(
        "{}\n\nRuns the graph `{}` and returns its outcome and output. A run that asks what this client does not answer is stored, \
         and the result says how a person resumes it.",
        lines(about.trim()),
        graph.id.value
    );
    Tool::new(
        graph.id.value.to_string(),
        description,
        object(schema::input(&host.graph().program, &host.graph().inputs)),
    )
    .with_title(lines(&title).into_owned())
    .with_raw_output_schema(object(schema::output(&host.graph().model)).into())
    .with_annotations(ToolAnnotations::from_raw(None, Some(false), Some(true), Some(false), Some(true)))
}
