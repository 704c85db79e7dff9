//! The parts of a request that handlers take, with problems in the one form.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

use super::problem::Problem;

/// A body of JSON. Its type must say so: no form of a page is one.
#[derive(Debug)]
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
        if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
            let detail = "the body is JSON, with `Content-Type: application/json`";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media-type", detail));
        }
        let bytes = body(request, state).await?;
        let read = serde_json::from_slice(&bytes);
        read.map(Self).map_err(|error| Problem::malformed(format!("the body does not fit: {error}")))
    }
}

/// The bytes of a body, within the bounds of the server.
pub(super) async fn body<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Problem> {
    Bytes::from_request(request, state).await.map_err(|error| match error {
        BytesRejection::FailedToBufferBody(_) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::too_large()
        }
        error => Problem::malformed(error.to_string()),
    })
}

/// The parameters of an address.
#[derive(Debug)]
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let read = Query::try_from_uri(&parts.uri);
        read.map(|Query(read)| Self(read)).map_err(|error| Problem::malformed(error.body_text()))
    }
}
