//! The addresses of everything, and the document that describes them.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing};
use utoipa::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, Ref, ResponseBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::api::WebApi;
use super::connections::ConnectionPlace;
use super::door::guard;
use super::places::TakenPlace;
use super::problem::Problem;
use super::resource::{
    acts, events, graph_texts, graph_versions, graphs, hooks, metrics, questions, runs, session, states,
    texts, versions,
};

/// The path of the API.
const API: &str = "/api/v1";

/// The longest body, in bytes: texts of a folder of graphs, as JSON.
const MAX_BODY_BYTES: usize = 8 << 20;

/// The longest body with a token that is to be swapped for a cookie, in bytes.
const MAX_TOKEN_BODY_BYTES: usize = 4 << 10;

/// The address where tokens are swapped.
const SESSION: &str = "/api/v1/session";

/// The document but for the addresses.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Loopwright",
        description = "Runs of agent loops: begin them, watch them, answer what they ask, look at what they did. Everything that goes wrong is a \
                       problem as RFC 9457 has it, with a `type` of `urn:loopwright:problem:KIND`.",
        version = "1.0.0",
        license(name = "MIT OR Apache-2.0"),
    ),
    security(("token" = []), ("cookie" = [])),
    tags(
        (name = "runs", description = "Runs, their list and their events"),
        (name = "questions", description = "What waits for people"),
        (name = "acts", description = "What people do with runs"),
        (name = "looks", description = "States, differences, prompts"),
        (name = "graphs", description = "The graphs of the folder"),
        (name = "texts", description = "Texts in, result out; nothing runs"),
        (name = "session", description = "Tokens and cookies"),
        (name = "operation", description = "Figures and webhooks"),
    )
)]
struct Document;

fn routes() -> OpenApiRouter<Arc<WebApi>> {
    let api = OpenApiRouter::new()
        .routes(routes!(runs::list, runs::begin))
        .routes(routes!(runs::show))
        .routes(routes!(events::stream))
        .routes(routes!(questions::list))
        .routes(routes!(acts::answer))
        .routes(routes!(acts::abort))
        .routes(routes!(acts::cancel))
        .routes(routes!(acts::resume))
        .routes(routes!(acts::look_back, acts::roll_back))
        .routes(routes!(acts::fork))
        .routes(routes!(states::show))
        .routes(routes!(states::diff))
        .routes(routes!(states::prompt))
        .routes(routes!(versions::drawing))
        .routes(routes!(versions::scenario))
        .routes(routes!(graphs::list))
        .routes(routes!(graphs::show))
        .routes(routes!(graphs::drawing))
        .routes(routes!(graph_versions::versions))
        .routes(routes!(graph_versions::compare))
        .routes(routes!(graph_texts::text, graph_texts::save))
        .routes(routes!(texts::check))
        .routes(routes!(texts::render))
        .routes(routes!(texts::diff))
        .routes(routes!(texts::test))
        .routes(routes!(session::begin, session::show, session::end));
    OpenApiRouter::with_openapi(Document::openapi())
        .nest(API, api)
        .routes(routes!(metrics::show))
        .routes(routes!(hooks::deliver))
}

/// The document that describes the API, as JSON. It is made from the handlers.
#[must_use]
pub fn openapi_json() -> String {
    document().to_pretty_json().unwrap_or_default() + "\n"
}

fn document() -> utoipa::openapi::OpenApi {
    let mut document = routes().split_for_parts().1;
    let components = document.components.get_or_insert_default();
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    let cookie = ApiKeyValue::with_description("loopwright_PORT", "Set by `POST /api/v1/session`.");
    components.add_security_scheme("token", token);
    components.add_security_scheme("cookie", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.delete, &mut item.put];
        operations.into_iter().flatten().for_each(complete);
    }
    document
}

/// Gives an operation a name of its own, since handlers of two things may have one name, and says what comes where it fails.
fn complete(operation: &mut Operation) {
    let tag = operation.tags.iter().flatten().next().cloned().unwrap_or_default();
    operation.operation_id = operation.operation_id.take().map(|name| format!("{tag}_{name}"));
    let problem = Content::new(Some(Ref::from_schema_name("Problem")));
    let failed = ResponseBuilder::new()
        .description("Everything else that goes wrong")
        .content("application/problem+json", problem)
        .build();
    operation.responses.responses.insert("default".to_owned(), failed.into());
}

/// Everything that is served. `page` has the addresses of a page, which needs no token itself: what it shows comes by the API.
pub(super) fn app(api: &Arc<WebApi>, page: Router) -> Router {
    let (router, _) = routes().split_for_parts();
    let json = openapi_json();
    let described = routing::get(move || {
        let json = json.clone();
        async move { ([(CONTENT_TYPE, "application/json")], json) }
    });
    let router = router.route("/api/v1/openapi.json", described).with_state(Arc::clone(api));
    router
        .merge(page)
        .fallback(async || Problem::not_found("there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            let status = axum::http::StatusCode::METHOD_NOT_ALLOWED;
            Problem::new(status, "method", "this address does not take that method")
        })
        .layer(from_fn_with_state(Arc::clone(api), pass))
}

/// Lets a request in, or says why not, and guards every response.
async fn pass(State(api): State<Arc<WebApi>>, mut request: Request, next: Next) -> Response {
    let mut response = match enter(&api, &mut request) {
        // What is read of somebody who may be a stranger has a place of its own until the request is answered.
        Ok(_body) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    guard(&mut response);
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        // Whoever is sent away does not stay.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    api.figures.responded(response.status().as_u16());
    response
}

/// Looks at a request. What has a token of its own, or is no secret, needs none.
fn enter(api: &WebApi, request: &mut Request) -> Result<Option<TakenPlace>, Problem> {
    api.door.check(request)?;
    let path = request.uri().path();
    let is_swap = path == SESSION && request.method() == axum::http::Method::POST;
    let is_delivery = path.starts_with("/hooks/");
    let is_guarded = (path == "/metrics" || path.starts_with("/api/")) && !is_swap;
    let most = if is_swap { MAX_TOKEN_BODY_BYTES } else { MAX_BODY_BYTES };
    let length =
        request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    // Whoever says that more comes than is taken is not waited for.
    if length.is_some_and(|length| usize::try_from(length).is_ok_and(|length| length > most)) {
        return Err(Problem::too_large());
    }
    DefaultBodyLimit::max(most).apply(request);
    let connection = request.extensions().get::<ConnectionPlace>().cloned();
    if is_guarded {
        let person = api.door.person(request)?;
        connection.map_or(Ok(()), |connection| connection.known(&person.name))?;
        request.extensions_mut().insert(person);
        return Ok(None);
    }
    Ok(connection.filter(|_| is_swap || is_delivery).and_then(|connection| connection.body()))
}
