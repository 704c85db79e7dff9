//! A service of Restate's own, beside which the cost of an effect is measured: so many steps, each with a result of so many bytes.

#![expect(missing_docs, reason = "the macro writes a client that has none")]

use restate_sdk::prelude::*;

struct Bare;

#[service]
impl Bare {
    /// Makes the steps, and gives the microseconds that each took.
    #[handler]
    async fn steps(&self, ctx: Context<'_>, wanted: Json<(u32, usize)>) -> Result<u64, HandlerError> {
        let Json((steps, bytes)) = wanted;
        let begun = std::time::Instant::now();
        for step in 0..steps {
            ctx.run(move || async move { Ok("x".repeat(bytes)) }).name(format!("step {step}")).await?;
        }
        Ok(u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX) / u64::from(steps.max(1)))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let address = std::env::args().nth(1).and_then(|address| address.parse().ok());
    let Some(address) = address else { return eprintln!("bare_restate ADDRESS:PORT") };
    HttpServer::new(Endpoint::builder().bind(Bare).build()).listen_and_serve(address).await;
}
