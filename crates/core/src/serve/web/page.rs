//! The addresses of a page for browsers. It uses the API, and needs no token to be loaded: what it shows comes with one.

use axum::Router;

/// The addresses: `GET /` and the files that it loads. There is no page yet.
pub(super) fn routes() -> Router {
    Router::new()
}
