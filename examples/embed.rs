//! Runs a graph with a Rust function as a tool until a person is needed, and goes on with the answer.

use std::error::Error;
use std::sync::Arc;

use loopwright::{Driver, Finished, Graph, Start, Tools, Value};

/// Greets somebody by name.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    name: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::open("examples/greeting.yaml")?;
    let tools = Tools::new()
        .add("greet", |greet: Greet| async move { Ok::<_, String>(format!("Hello, {}!", greet.name)) })?;
    let driver = Driver::new(graph.program).tools(Arc::new(tools));
    let input = [("name", Value::from("Ada"))].into_iter().collect();
    let mut run = driver.start(Start { input, ..Start::default() }).await?;
    if let Finished::Waiting { asks, .. } = run.drive().await? {
        println!("{}", asks[0].text);
        run.answer(&asks[0].id, Value::from("send"))?;
    }
    match run.drive().await? {
        Finished::Done(done) => println!("{}: {}", done.outcome, done.output.to_json()),
        other => println!("{other:?}"),
    }
    Ok(())
}
