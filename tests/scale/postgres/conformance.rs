//! The store in a database holds every promise of the trait. `tests/store` holds the others to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use loopwright::port::Store;
use loopwright::store::conformance::check;

use super::server::{shared, store};

#[tokio::test]
async fn the_store_in_a_database_holds_every_promise() {
    let Some(server) = shared() else { return };
    let (address, schemas) = (server.database(), AtomicU32::new(0));
    // A schema is an empty place, and made faster than a database.
    let database = || {
        let place = format!("{address}?schema=place_{}", schemas.fetch_add(1, Ordering::Relaxed));
        move || store(&place) as Arc<dyn Store>
    };
    assert_eq!(check(database).await, Ok(()));
}
