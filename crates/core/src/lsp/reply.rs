//! Answers to requests.

use lsp_server::{ErrorCode, Message, Request, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A request that was not served, with the code of the protocol and the reason.
pub(super) struct RequestFault {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

impl RequestFault {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A request that cannot be served for a reason that the client shows.
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::RequestFailed, message)
    }
}

/// The answer to a request, as JSON.
pub(super) type RequestAnswer = Result<serde_json::Value, RequestFault>;

/// Serves a request by a function of its parameters.
pub(super) fn answer<P: DeserializeOwned, R: Serialize>(
    params: serde_json::Value,
    serve: impl FnOnce(P) -> Result<R, RequestFault>,
) -> RequestAnswer {
    let invalid = |error: serde_json::Error| RequestFault::new(ErrorCode::InvalidParams, error.to_string());
    let reply = serve(serde_json::from_value(params).map_err(invalid)?)?;
    serde_json::to_value(reply)
        .map_err(|error| RequestFault::new(ErrorCode::InternalError, error.to_string()))
}

/// The message with the answer to a request.
pub(super) fn response(request: Request, answer: RequestAnswer) -> Message {
    match answer {
        Ok(value) => Response::new_ok(request.id, value),
        Err(fault) => Response::new_err(request.id, fault.code as i32, fault.message),
    }
    .into()
}
