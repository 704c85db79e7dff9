//! A line to a server that is slow, or is cut just when an answer is under way.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A line to a server, over a port of its own.
pub(crate) struct Line {
    port: u16,
    /// True while answers are swallowed and their connections cut.
    cuts: Arc<AtomicBool>,
    /// Counts the answers that were swallowed.
    swallowed: Arc<AtomicU64>,
    /// The time that an answer takes, in milliseconds.
    delay: Arc<AtomicU64>,
}

impl Line {
    /// A line to the server at a port.
    pub(crate) fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (cuts, swallowed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (own_cuts, own_swallowed) = (Arc::clone(&cuts), Arc::clone(&swallowed));
        let delay = Arc::new(AtomicU64::new(0));
        let own_delay = Arc::clone(&delay);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let (cuts, swallowed) = (Arc::clone(&own_cuts), Arc::clone(&own_swallowed));
                let delay = Arc::clone(&own_delay);
                let back = (server.try_clone().expect("a socket"), client.try_clone().expect("a socket"));
                std::thread::spawn(move || passed(client, server, || false));
                std::thread::spawn(move || {
                    passed(back.0, back.1, || {
                        let cut = cuts.load(Ordering::Relaxed);
                        swallowed.fetch_add(u64::from(cut), Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(delay.load(Ordering::Relaxed)));
                        cut
                    });
                });
            }
        });
        Self { port, cuts, swallowed, delay }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Swallows answers for a moment.
    pub(crate) fn cut(&self) {
        self.cuts.store(true, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(15));
        self.cuts.store(false, Ordering::Relaxed);
    }

    /// Lets each answer take so long from now on.
    pub(crate) fn slow(&self, delay: Duration) {
        self.delay.store(u64::try_from(delay.as_millis()).expect("it is short"), Ordering::Relaxed);
    }

    pub(crate) fn swallowed(&self) -> u64 {
        self.swallowed.load(Ordering::Relaxed)
    }
}

/// Passes bytes on until one side ends, or they are to be swallowed.
fn passed(mut from: TcpStream, mut to: TcpStream, is_cut: impl Fn() -> bool) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(many) = from.read(&mut bytes) {
        if many == 0 || is_cut() || to.write_all(&bytes[..many]).is_err() {
            break;
        }
    }
    // Whoever is gone already needs no end.
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
