//! Our stores hold every promise of the trait.

use std::sync::Arc;

use loopwright::port::Store;
use loopwright::store::conformance::check;
use loopwright::store::{Memory, Sqlite};

use super::server::{shared, store};

#[tokio::test]
async fn every_store_holds_every_promise() {
    let Some(server) = shared() else { return };
    let memory = || {
        let store = Arc::new(Memory::new());
        move || Arc::clone(&store) as Arc<dyn Store>
    };
    assert_eq!(check(memory).await, Ok(()), "in memory");
    let file = || {
        let folder = tempfile::tempdir().expect("a folder");
        move || Arc::new(Sqlite::open(folder.path().join("runs.db")).expect("a store")) as Arc<dyn Store>
    };
    assert_eq!(check(file).await, Ok(()), "in a file");
    let database = || {
        let address = server.database();
        move || store(&address) as Arc<dyn Store>
    };
    assert_eq!(check(database).await, Ok(()), "in a database");
}
