//! A Rust function in the expressions of a graph: checked like a built-in one, and part of the graph's digest by name and version.

use std::{error::Error, sync::Arc};

use loopwright::{
    Files, Finished, FunctionError, Functions, Graph, Memory, OwnFunction, Runs, Start, TypePattern, Value,
};

const GRAPH: &str = r#"{graph: page, input: {title: string}, start: end, nodes: {end: {kind: final}},
    output: {path: "'/' + slug(title)"}}"#;

fn with_slug(version: u32) -> Result<Functions, FunctionError> {
    let slug = OwnFunction::new("slug", version, |args| {
        let title = args[0].as_str().ok_or("a title is wanted")?;
        Ok::<_, &str>(title.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-"))
    });
    Functions::new().register(slug.takes(TypePattern::String).gives(TypePattern::String))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let runs = Runs::of(Arc::new(Memory::new())).with_functions(with_slug(1)?);
    let files = Files::new().with("page.yaml", GRAPH);
    let graph = Graph::load("page.yaml", &mut files.with_functions(with_slug(1)?))?;
    let input = [("title", Value::from("Two  small Cats"))].into_iter().collect();
    let start = Start { run: "one".into(), input, ..Start::default() };
    let mut run = runs.begin(&runs.driver(&graph.program), &graph.text, start).await?;
    let Finished::Done(done) = run.drive().await? else { return Err("it should have ended".into()) };
    println!("{}", done.output.to_json());
    // Another version may give something else: what it would do to a stored run nobody knows.
    if let Err(error) = runs.with_functions(with_slug(2)?).find("one").await {
        println!("{error}");
    }
    Ok(())
}
