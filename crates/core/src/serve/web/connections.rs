//! The connections of a server: strangers apart from people.
//!
//! # Why
//! - Whoever has no token may open as many connections as they like, and keeps nobody out with them: a connection over which nobody has shown a token
//!   loses its place to a newer one. People are asked for their token with the first request, so that they are among the strangers for a moment.
//! - Of people whoever has the most connections loses one to another person.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::places::{Places, TakenPlace, WhenFull};
use super::problem::Problem;
use crate::value::Str;

/// The name of everybody without a token.
const STRANGERS: Str = Str::new();

/// The bodies of strangers that are read at once: deliveries of webhooks before their signature is known.
const MAX_BODIES: usize = 32;

/// Files that are open beside connections: the store, pipes of tools.
const OTHER_FILES: usize = 512;

/// The bounds of a server.
#[derive(Debug, Clone)]
pub struct ServerBounds {
    /// The most connections over which nobody has shown a token. A further one replaces the oldest.
    pub strangers: usize,
    /// The most connections of people.
    pub people: usize,
    /// The most streams of events.
    pub streams: usize,
    /// The time after which a connection is closed over which nothing goes: a reader that does not read, a client that says nothing.
    pub pause: Duration,
}

impl Default for ServerBounds {
    fn default() -> Self {
        Self { strangers: 1_000, people: 1_200, streams: 1_000, pause: Duration::from_secs(30) }
    }
}

impl ServerBounds {
    /// The number of files that a server with these bounds has open at most.
    #[must_use]
    pub const fn files(&self) -> usize {
        self.strangers + self.people + OTHER_FILES
    }

    /// The bounds of a process that may have so many files open.
    #[must_use]
    pub fn within(self, files: usize) -> Self {
        if files >= self.files() {
            return self;
        }
        let connections = files - OTHER_FILES.min(files / 2);
        let all = self.strangers + self.people;
        let share = |many: usize| (many * connections / all).max(1);
        // Whoever has all streams can still ask for something.
        Self {
            strangers: share(self.strangers),
            people: share(self.people),
            streams: share(self.streams),
            ..self
        }
    }
}

/// The places of connections.
#[derive(Debug)]
pub(super) struct Connections {
    pub(super) strangers: Arc<Places>,
    pub(super) people: Arc<Places>,
    bodies: Arc<Places>,
}

impl Connections {
    pub(super) fn new(bounds: &ServerBounds) -> Arc<Self> {
        Arc::new(Self {
            strangers: Places::new(bounds.strangers, WhenFull::Replace),
            people: Places::new(bounds.people, WhenFull::Refuse),
            bodies: Places::new(MAX_BODIES, WhenFull::Replace),
        })
    }

    /// The most connections that may be open for a moment, while those that lost their places are being closed.
    pub(super) fn most(&self) -> usize {
        self.strangers.most() + self.people.most() + OTHER_FILES / 2
    }

    /// The place of a new connection, among the strangers.
    pub(super) fn enter(self: &Arc<Self>) -> ConnectionPlace {
        let lost = Arc::<Notify>::default();
        let place = self.strangers.take(&STRANGERS, &lost);
        ConnectionPlace(Arc::new(OpenConnection {
            connections: Arc::clone(self),
            lost,
            place: Mutex::new(place),
        }))
    }
}

/// The place of a connection.
#[derive(Debug, Clone)]
pub(super) struct ConnectionPlace(Arc<OpenConnection>);

#[derive(Debug)]
struct OpenConnection {
    connections: Arc<Connections>,
    lost: Arc<Notify>,
    place: Mutex<Option<TakenPlace>>,
}

impl ConnectionPlace {
    /// Ends when the place is lost.
    pub(super) async fn lost(&self) {
        self.0.lost.notified().await;
    }

    /// A request over the connection is that of somebody who may make it.
    pub(super) fn known(&self, name: &Str) -> Result<(), Problem> {
        let OpenConnection { connections, lost, place } = &*self.0;
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.as_ref().is_some_and(|own| own.holder() == name) {
            return Ok(());
        }
        let Some(taken) = connections.people.take(name, lost) else {
            let most = connections.people.most();
            let detail = format!(
                "{most} connections are open, which is all that there may be, and nobody has more of them than {name}"
            );
            return Err(Problem::busy(detail));
        };
        *place = Some(taken);
        Ok(())
    }

    /// The place of a body that is read of somebody who may be a stranger. Whoever has sent a token before needs none.
    pub(super) fn body(&self) -> Option<TakenPlace> {
        let OpenConnection { connections, lost, place } = &*self.0;
        let place = place.lock().unwrap_or_else(PoisonError::into_inner);
        let is_stranger = place.as_ref().is_some_and(|own| own.holder() == &STRANGERS);
        is_stranger.then(|| connections.bodies.take(&STRANGERS, lost)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::{Connections, ServerBounds};

    #[test]
    fn strangers_do_not_take_the_places_of_people() {
        let bounds = ServerBounds { strangers: 3, people: 2, ..ServerBounds::default() };
        let connections = Connections::new(&bounds);
        let ana = connections.enter();
        ana.known(&"ana".into()).expect("there is a place");
        let strangers: Vec<_> = (0..10).map(|_| connections.enter()).collect();
        assert_eq!((connections.strangers.count(), connections.people.count()), (3, 1));
        let second = connections.enter();
        second.known(&"ana".into()).expect("there is a place");
        // The same person again takes no further place.
        second.known(&"ana".into()).expect("it has one");
        let problem = connections.enter().known(&"ana".into()).expect_err("there is none");
        assert_eq!(problem.kind(), "busy");
        let ben = connections.enter();
        ben.known(&"ben".into()).expect("ana has two");
        connections.enter().known(&"cyd".into()).expect_err("they would go to and fro");
        drop((ana, ben, second, strangers));
        assert_eq!((connections.strangers.count(), connections.people.count()), (0, 0));
    }

    #[test]
    fn bounds_follow_the_files_that_a_process_may_open() {
        let bounds = ServerBounds::default();
        assert_eq!(bounds.clone().within(bounds.files()).people, 1_200);
        for files in [64, 256, 1_024, 2_000] {
            let less = bounds.clone().within(files);
            assert!(less.strangers + less.people < files && less.people > files / 5, "{less:?}");
            assert!(less.streams < less.people, "{less:?}");
        }
    }
}
