//! Runs that programs elsewhere begin.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;

use super::runs::{RunBody, placed};
use crate::drive::SystemClock;
use crate::port::Clock as _;
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::body;
use crate::serve::web::problem::Problem;
use crate::serve::web::webhook::SignatureFault;

/// Begins a run for a delivery
///
/// `[webhooks.NAME]` of the configuration has the graph, the secret of the signature and the places of the inputs in the body. A delivery that comes
/// again begins nothing, and is told the run that it began.
#[utoipa::path(post, path = "/hooks/{name}", tag = "operation", security(()), request_body = Value,
    params(("name" = String, Path, description = "The name of the webhook")),
    responses(
        (status = 200, description = "The delivery was taken before", body = RunBody),
        (status = 202, description = "A run is stored", body = RunBody),
        (status = 401, description = "The signature is missing, or is another one", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn deliver(
    State(api): State<Arc<WebApi>>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let unsigned = || {
        let detail = "the signature is missing, or is not that of a webhook of this name";
        Problem::new(StatusCode::UNAUTHORIZED, "signature", detail)
    };
    let headers = request.headers().clone();
    let bytes = body(request, &()).await?;
    // Nobody finds out without a secret which names there are.
    let hook = api.webhooks.iter().find(|hook| hook.name == name).ok_or_else(unsigned)?;
    match hook.verify(&headers, &bytes, SystemClock::new().now()) {
        Ok(()) => {}
        Err(SignatureFault::Wrong) => return Err(unsigned()),
        Err(SignatureFault::Stale) => {
            let detail = "the delivery was signed more than five minutes from now; it is an old one, or a clock is wrong";
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "signature", detail));
        }
    }
    let Some(run) = hook.run(&headers) else {
        let detail = format!("the id of the delivery is missing: the header `{}`", hook.delivery());
        return Err(Problem::malformed(detail));
    };
    let read: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Problem::malformed(format!("the body is no JSON: {error}")))?;
    let input = hook.input(read).map_err(Problem::unfit)?;
    let by = ecow::eco_format!("webhook {}", hook.name);
    match api.begin(&hook.graph, &input, (run.clone(), 0), &by).await {
        Ok(run) => Ok(placed(StatusCode::ACCEPTED, &run)),
        Err(problem) if problem.kind() == "exists" => Ok(placed(StatusCode::OK, &run)),
        Err(problem) => Err(problem),
    }
}
