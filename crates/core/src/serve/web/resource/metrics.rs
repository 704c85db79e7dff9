//! Figures for who watches over the server.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::serve::web::api::WebApi;
use crate::serve::web::person::Person;
use crate::serve::web::problem::Problem;
use crate::telemetry::open_metrics;

/// The type of the reply.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Figures as `OpenMetrics`
///
/// Stored runs by status, runs that are driven and queued, steps, calls by kind and outcome with their latencies, open streams and connections, responses.
#[utoipa::path(get, path = "/metrics", tag = "operation",
    responses((status = 200, description = "The figures", body = String, content_type = "application/openmetrics-text")))]
pub(in crate::serve::web) async fn show(
    State(api): State<Arc<WebApi>>,
    _: Person,
) -> Result<Response, Problem> {
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], open_metrics(&api.figures().await?)).into_response())
}
