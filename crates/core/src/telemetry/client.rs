//! The way to a collector.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use reqwest::blocking::Client;
use reqwest::redirect::Policy;

use super::tally::Tally;

/// HTTP over TLS that remembers what went wrong: the exporter tells only that something did. Redirects are not followed.
#[derive(Debug)]
pub(super) struct Post {
    client: Client,
    tally: Arc<Tally>,
}

impl Post {
    /// A client. It blocks, and lives on the thread that exports.
    pub(super) fn new(timeout: Duration, tally: Arc<Tally>) -> Result<Self, String> {
        // Another part of the program may have chosen already, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let agent = concat!("loopwright/", env!("CARGO_PKG_VERSION"));
        let client = Client::builder().redirect(Policy::none()).timeout(timeout).user_agent(agent).build();
        Ok(Self { client: client.map_err(|error| cause(&error))?, tally })
    }
}

impl HttpClient for Post {
    // What `async` in a trait comes to where the trait was written for an older Rust.
    fn send_bytes<'own, 'work>(
        &'own self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'work>>
    where
        'own: 'work,
        Self: 'work,
    {
        Box::pin(async move {
            let reply = self.client.send_bytes(request).await;
            match &reply {
                Err(error) => self.tally.note_error(cause(&**error)),
                Ok(reply) if !reply.status().is_success() => {
                    self.tally.note_error(format!("the collector said {}", reply.status()));
                }
                Ok(_) => {}
            }
            reply
        })
    }
}

/// Finds the innermost error: it says what happened; the outer ones only where.
fn cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
