//! Goes on with a stored run by its id, as a process would that knows nothing else of it.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use loopwright::{Driver, Finished, Graph, Map, Runs, SchemaError, Start, Tools, Value, open_question};

fn with_tools(driver: Driver) -> Result<Driver, SchemaError> {
    let greet = |who: std::collections::BTreeMap<String, String>| async move {
        Ok::<_, String>(format!("Hello, {}!", who["name"]))
    };
    Ok(driver.tools(Arc::new(Tools::new().add("greet", greet)?)))
}

async fn begin(db: &Path, input: Map) -> Result<(), Box<dyn Error>> {
    let (runs, graph) = (Runs::open_or_make(db)?, Graph::open("examples/greeting.yaml")?);
    let driver = with_tools(runs.driver(&graph.program))?;
    let start = Start { run: "greeting-1".into(), input, ..Start::default() };
    runs.begin(&driver, &graph.text, start).await?.drive().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let db = folder.path().join("runs.db");
    begin(&db, [("name", Value::from("Ada"))].into_iter().collect()).await?;
    let stored = Runs::open(&db)?.find("greeting-1").await?;
    let mut run = stored.resume(&with_tools(stored.driver())?, None).await?;
    let ask = open_question(run.snapshot(), None)?.id.clone();
    run.answer(&ask, Value::from("send"))?;
    let Finished::Done(done) = run.drive().await? else { return Err("it should have ended".into()) };
    println!("{}: {}", done.outcome, done.output.to_json());
    Ok(())
}
