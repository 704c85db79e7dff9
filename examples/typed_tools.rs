//! Rust functions as tools: the schema follows from the type, and arguments that do not fit are refused.
use std::error::Error;

use loopwright::{CallId, Map, Outcome, ToolHost, Tools, Value};

/// Finds pages by the words on them.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Search {
    query: String,
    limit: Option<u8>,
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Hit {
    title: String,
}

async fn search(search: Search) -> Result<Vec<Hit>, std::io::Error> {
    let limit = search.limit.unwrap_or(2);
    Ok((1..=limit).map(|n| Hit { title: format!("{} {n}", search.query) }).collect())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let tools = Tools::new().add("search", search)?;
    println!("{}", tools.catalogue()[0].description);
    for query in [Value::from("cats"), Value::from(7)] {
        let args: Map = [("query", query)].into_iter().collect();
        let outcome = tools.invoke(&CallId("call-1".into()), &"search".into(), &args).await;
        match outcome {
            Outcome::Answer { value, .. } => println!("{:?}", value.deserialize::<Vec<Hit>>()?),
            Outcome::Failed { kind, message, .. } => println!("{kind}: {message}"),
            Outcome::Unknown { message } => println!("{message}"),
        }
    }
    Ok(())
}
