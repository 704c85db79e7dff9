//! A program that runs a graph of its own: it registers a Rust closure as a tool, runs until a person is needed, keeps
//! the run as JSON, and goes on from there with the person's answer.
//!
//! ```text
//! cargo run --example embed
//! ```

use std::error::Error;
use std::sync::Arc;

use loopwright::diag::text;
use loopwright::drive::{Driver, Finished, open};
use loopwright::machine::{Snapshot, Start};
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::source::Sources;
use loopwright::tool::Tools;
use loopwright::value::Value;

/// The graph. A file works the same way: hand `loopwright::drive::Disk` to `open` instead of `Files`.
const GRAPH: &str = r"
graph: greeting
input: {name: string}
state:
  greeting: string = ''
  choice: string?
start: greet
nodes:
  greet:
    kind: tool
    tool: greet
    args: {name: name}
    into: greeting
    next: [{to: confirm}]
  confirm:
    kind: human
    ask: greeting + ' Shall I send this?'
    options: [send, discard]
    into: choice
    next:
      - {to: sent, when: choice == 'send'}
      - {to: discarded}
  sent: {kind: final}
  discarded: {kind: final}
output: {greeting: greeting}
";

fn load() -> Result<Arc<Program>, Box<dyn Error>> {
    let mut sources = Sources::new();
    let mut files = Files::new().with("greeting.yaml", GRAPH);
    // Findings know their places; this prints them as the command line does.
    open(&mut sources, &mut files, "greeting.yaml")
        .map_err(|findings| text::render(&findings, &sources, false).into())
}

fn tools() -> Tools {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    });
    Tools::new().closure("greet", &schema, |args| async move {
        let name = args.get("name").and_then(Value::as_str).unwrap_or("you");
        Ok(Value::from(format!("Hello, {name}!")))
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let driver = Driver::new(load()?).tools(Arc::new(tools()));

    let input = [("name", Value::from("Ada"))].into_iter().collect();
    let mut run = driver.start(Start { run: "greeting-1".into(), input, ..Start::default() }).await?;
    let Finished::Waiting { asks, .. } = run.drive().await? else {
        return Err("the run should wait for a person".into());
    };
    println!("{}", asks[0].text);

    // All a run is, as text. It may go on in another process, tomorrow.
    let kept = serde_json::to_string(run.snapshot())?;
    drop(run);

    let snapshot: Snapshot = serde_json::from_str(&kept)?;
    let mut run = driver.resume(snapshot).await?;
    run.handle().answer(asks[0].id.clone(), Value::from("send"));
    match run.drive().await? {
        Finished::Done(done) => println!("{}: {}", done.outcome, done.output.to_json()),
        other => return Err(format!("the run should have ended: {other:?}").into()),
    }
    Ok(())
}
