//! The page for browsers: one document, a style sheet and modules. What it shows comes by the API; the files need no token.
//!
//! # Why
//! - Plain modules without a build step, and texts that only ever become texts
//!   ([decision 0104](../../../../../../docs/decisions/0104-the-page.md)).

mod asset;
mod shell;

use axum::Router;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use self::asset::asset;
use self::shell::shell;
use super::problem::Problem;

/// The addresses of the page. Each of the first has the same document, which shows what its address says.
const ADDRESSES: [&str; 5] = ["/", "/runs", "/runs/{run}", "/graphs", "/graphs/{name}"];

/// The addresses of a page for browsers.
pub(super) fn routes() -> Router {
    let router = Router::new().route("/page/{name}", get(file));
    ADDRESSES.iter().fold(router, |router, address| router.route(address, get(document)))
}

async fn document() -> Response {
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], shell().into_string()).into_response()
}

/// A file of the page. A browser asks each time whether the one it has is the one of this program.
async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = asset(&name) else {
        return Problem::not_found("there is no such file of the page").into_response();
    };
    let tag = format!("\"{}\"", &blake3::hash(asset.text.as_bytes()).to_hex()[..32]);
    let fixed = [(CACHE_CONTROL, "no-cache"), (CONTENT_TYPE, asset.content_type)];
    if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, fixed, [(ETAG, tag)]).into_response();
    }
    (fixed, [(ETAG, tag)], asset.text).into_response()
}
