//! A model of one's own: anything that answers a request with a text.

use std::error::Error;
use std::sync::Arc;

use loopwright::{
    BoxFuture, Call, Driver, Files, Finished, Graph, ModelClient, Outcome, Request, RunView, Start, Str,
    Value,
};

const GRAPH: &str = "graph: ask\nstate: {said: string = ''}\nstart: think\nnodes:
  think: {kind: model, role: writer, prompt: \"'Say hello'\", output: string, into: said, next: [{to: done}]}
  done: {kind: final}\noutput: {said: said}\n";

/// Answers every prompt with itself in capitals.
struct Shouting;

impl ModelClient for Shouting {
    fn ask(&self, call: &Call, _: RunView<'_>) -> BoxFuture<'static, Outcome> {
        let said = match &call.request {
            Request::Model { prompt, .. } => prompt.to_uppercase(),
            _ => Str::new(),
        };
        Box::pin(async move { Outcome::answer(Value::from(said)) })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::load("ask.yaml", &mut Files::new().with("ask.yaml", GRAPH))?;
    let driver = Driver::new(graph.program).model(Arc::new(Shouting));
    let Finished::Done(done) = driver.start(Start::default()).await?.drive().await? else {
        return Err("it should have ended".into());
    };
    println!("{}: {}", done.outcome, done.output.to_json());
    Ok(())
}
