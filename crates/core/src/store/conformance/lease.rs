//! One driver for each run.

use std::time::Duration;

use futures::future::join_all;

use super::journal::stored;
use super::script::{RunScript, info};
use super::{Held, OpenStore, done, refused, same};
use crate::port::{Lease, Store, StoreError};

const RUN: &str = "one";
const LONG: Duration = Duration::from_mins(1);

fn is_held(error: &StoreError) -> bool {
    matches!(error, StoreError::Held { .. })
}

fn is_lost(error: &StoreError) -> bool {
    matches!(error, StoreError::Lost { .. })
}

/// A store that has no leases may know of no driver, but none may name the wrong one.
async fn driven(store: &dyn Store, by: Option<&str>) -> Held {
    match done(store.driver(RUN).await, "driver")? {
        Some(found) if by != Some(found.as_str()) => Err(format!("the driver is {found}, not {by:?}")),
        _ => Ok(()),
    }
}

fn higher(found: &Lease, before: &Lease) -> Held {
    if found.fence > before.fence {
        return Ok(());
    }
    Err(format!("the fencing number of a new owner is {} after {}", found.fence, before.fence))
}

pub(super) async fn one_owner_at_a_time(open: OpenStore<'_>) -> Held {
    let store = open();
    done(store.create(&info(RUN)).await, "create")?;
    let first = done(store.acquire(RUN, "a", LONG).await, "acquire")?;
    same(
        "the lease that its owner acquires again",
        &done(store.acquire(RUN, "a", LONG).await, "acquire")?,
        &first,
    )?;
    refused("the lease of another", open().acquire(RUN, "b", LONG).await, "Held", is_held)?;
    driven(&*open(), Some("a")).await?;
    done(store.release(RUN, &first).await, "release")?;
    driven(&*open(), None).await?;
    let second = done(open().acquire(RUN, "b", Duration::ZERO).await, "acquire")?;
    higher(&second, &first)?;
    let third = done(store.acquire(RUN, "a", LONG).await, "acquire")?;
    higher(&third, &second)?;
    for old in [&first, &second] {
        done(store.release(RUN, old).await, "release")?;
        refused(
            "a lease after an old one that is given back",
            open().acquire(RUN, "b", LONG).await,
            "Held",
            is_held,
        )?;
    }
    done(store.release(RUN, &third).await, "release")?;
    higher(&done(store.acquire(RUN, "a", LONG).await, "acquire")?, &third)
}

pub(super) async fn one_of_many_owners(open: OpenStore<'_>) -> Held {
    let store = open();
    done(store.create(&info(RUN)).await, "create")?;
    let stores = [open(), open(), open(), open()];
    let owners = ["a", "b", "c", "d"];
    let leases =
        join_all(stores.iter().zip(owners).map(|(store, owner)| store.acquire(RUN, owner, LONG))).await;
    same("the number of owners", &leases.iter().flatten().count(), &1)?;
    for lease in leases {
        if lease.is_err() {
            refused("the lease of another", lease, "Held", is_held)?;
        }
    }
    Ok(())
}

pub(super) async fn lost_lease_stores_nothing(open: OpenStore<'_>) -> Held {
    let store = open();
    done(store.create(&info(RUN)).await, "create")?;
    let mut script = RunScript::new(RUN);
    let nobodys = Lease { owner: "nobody".into(), fence: 1 };
    refused("a lease that was never given", script.grow(&*store, 1, Some(&nobodys)).await, "Lost", is_lost)?;
    let first = done(store.acquire(RUN, "a", Duration::ZERO).await, "acquire")?;
    // It has run out, but nobody has taken the run over.
    done(script.grow(&*store, 1, Some(&first)).await, "commit")?;
    let second = done(open().acquire(RUN, "b", LONG).await, "acquire")?;
    refused("a commit of the owner before", script.grow(&*store, 1, Some(&first)).await, "Lost", is_lost)?;
    refused("a commit without a lease", script.grow(&*store, 1, None).await, "Lost", is_lost)?;
    stored(open, RUN, &script).await?;
    done(script.grow(&*open(), 1, Some(&second)).await, "commit")?;
    done(store.release(RUN, &second).await, "release")?;
    refused("a commit of an owner before", script.grow(&*store, 1, Some(&first)).await, "Lost", is_lost)?;
    done(script.grow(&*store, 1, None).await, "commit")?;
    stored(open, RUN, &script).await
}
