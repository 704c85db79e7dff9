//! The one form of everything that goes wrong (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

use crate::app::ReadError;
use crate::drive::DriveError;
use crate::port::StoreError;

/// The type of the body.
const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// A problem, as every response with a status of 400 and above has it. A kind may have further fields.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Problem {
    /// `urn:loopwright:problem:KIND`. Kinds are never renamed.
    #[serde(rename = "type")]
    kind: String,
    /// The status in words.
    title: &'static str,
    /// The status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// The fault of this request, and what helps.
    detail: String,
    /// Further fields of the kind: who answered a question, the status of a run.
    #[serde(flatten)]
    more: Box<Map<String, Json>>,
}

impl Problem {
    /// A problem of a kind.
    pub(super) fn new(status: StatusCode, kind: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:loopwright:problem:{kind}"),
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.into(),
            more: Box::default(),
        }
    }

    /// The same with a further field.
    pub(super) fn with(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// The same with each further field changed.
    pub(super) fn each_field(mut self, change: impl FnMut(&mut Json)) -> Self {
        self.more.values_mut().for_each(change);
        self
    }

    /// A request that cannot be read.
    pub(super) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// Something that is not there.
    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", detail)
    }

    /// A value that does not fit.
    pub(super) fn unfit(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unfit", detail)
    }

    /// A request that comes too late, or at the wrong time.
    pub(super) fn conflict(kind: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, kind, detail)
    }

    /// A fault of the server or of what it stands on.
    pub(super) fn failed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", detail)
    }

    /// A body that is longer than the server takes.
    pub(super) fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "the body is longer than the server takes")
    }

    /// Too much is asked for at once.
    pub(super) fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail)
    }

    /// The kind, without what stands before it.
    pub(super) fn kind(&self) -> &str {
        self.kind.rsplit(':').next().unwrap_or_default()
    }

    /// The words of it.
    pub(super) fn detail(&self) -> &str {
        &self.detail
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, CONTENT_TYPE)], body).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Unknown(_) => Self::not_found(error.to_string()),
            StoreError::Exists(_) => Self::conflict("exists", error.to_string()),
            StoreError::Unfinished(_) => Self::conflict("unfinished", error.to_string()),
            StoreError::Held { .. } | StoreError::Lost { .. } => Self::conflict("driven", error.to_string()),
            StoreError::NotPosted { .. } => Self::busy(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<DriveError> for Problem {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Store(error) => error.into(),
            DriveError::RunId(_) => Self::unfit(error.to_string()),
            DriveError::NotBegun(_) => Self::conflict("not-begun", error.to_string()),
            DriveError::Changed(_) | DriveError::Taken(_) => Self::conflict("stale", error.to_string()),
            DriveError::Undo { .. }
            | DriveError::Undoing { .. }
            | DriveError::Unfit(_)
            | DriveError::AtWork { .. } => Self::conflict("not-undone", error.to_string()),
            DriveError::Grants(_) => Self::new(StatusCode::FORBIDDEN, "not-granted", error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => error.into(),
            ReadError::Drive(error) => error.into(),
            ReadError::Step { .. } => Self::not_found(error.to_string()),
            ReadError::NoProgram(_) | ReadError::OtherProgram(_) | ReadError::Functions(_) => {
                Self::conflict("elsewhere", error.to_string())
            }
            _ => Self::failed(error.to_string()),
        }
    }
}
