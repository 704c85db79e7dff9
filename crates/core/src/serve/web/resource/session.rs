//! The person behind a token, and the cookie of their browser.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::serve::web::api::WebApi;
use crate::serve::web::extract::body;
use crate::serve::web::person::{self, Person};
use crate::serve::web::problem::Problem;

/// A token, to be swapped for a cookie.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TokenBody {
    /// The token, as the fragment of the printed link has it.
    token: String,
}

/// The person behind a token.
#[derive(Serialize, ToSchema)]
pub(in crate::serve::web) struct PersonBody {
    /// The name, as the journal has it.
    name: String,
    /// `watch`, `answer` or `run`: each may do what those before it may.
    role: String,
}

impl From<&Person> for PersonBody {
    fn from(person: &Person) -> Self {
        Self { name: person.name.to_string(), role: person.role.name().to_owned() }
    }
}

/// Swaps a token for a cookie
///
/// For pages: the cookie is `HttpOnly` and `SameSite=Strict`, and works after the server was started again. Programs send the token
/// with each request: `Authorization: Bearer TOKEN`.
#[utoipa::path(
    post, path = "/session", tag = "session", security(()), request_body = TokenBody,
    responses(
        (status = 200, description = "Who it is; the cookie is set", body = PersonBody),
        (status = 401, description = "No such token", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(in crate::serve::web) async fn begin(
    State(api): State<Arc<WebApi>>,
    request: Request,
) -> Result<Response, Problem> {
    api.door.check_origin(&request, false)?;
    let bytes = body(request, &()).await?;
    let TokenBody { token } = serde_json::from_slice(&bytes)
        .map_err(|error| Problem::malformed(format!("the body does not fit: {error}")))?;
    let found = api.door.of_token(&token).ok_or_else(person::missing)?;
    let cookie = api.door.set_cookie(Some(&person::session(&token)));
    Ok((StatusCode::OK, [(SET_COOKIE, cookie)], Json(PersonBody::from(found))).into_response())
}

/// Says who the request comes from
#[utoipa::path(get, path = "/session", tag = "session", responses((status = 200, description = "Who it is", body = PersonBody)))]
pub(in crate::serve::web) async fn show(person: Person) -> Json<PersonBody> {
    Json(PersonBody::from(&person))
}

/// Removes the cookie
#[utoipa::path(delete, path = "/session", tag = "session", responses((status = 204, description = "It is removed")))]
pub(in crate::serve::web) async fn end(State(api): State<Arc<WebApi>>, _: Person) -> Response {
    (StatusCode::NO_CONTENT, [(SET_COOKIE, api.door.set_cookie(None))]).into_response()
}
