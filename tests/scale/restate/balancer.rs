//! Hands connections to workers in turn, as a load balancer before them does.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A balancer before some workers.
pub(super) struct Balancer {
    port: u16,
    /// Connections of each worker so far.
    served: Arc<Vec<AtomicUsize>>,
}

impl Balancer {
    /// Listens, and hands every connection to the next worker that takes it.
    pub(super) fn start(workers: Vec<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        let served: Arc<Vec<AtomicUsize>> = Arc::new(workers.iter().map(|_| AtomicUsize::new(0)).collect());
        let counts = Arc::clone(&served);
        std::thread::spawn(move || {
            let mut turn = 0;
            for client in listener.incoming().flatten() {
                for _ in &workers {
                    turn = (turn + 1) % workers.len();
                    if let Ok(worker) = TcpStream::connect(("127.0.0.1", workers[turn])) {
                        counts[turn].fetch_add(1, Ordering::Relaxed);
                        join(client, worker);
                        break;
                    }
                }
            }
        });
        Self { port, served }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The connections that each worker had.
    pub(super) fn served(&self) -> Vec<usize> {
        self.served.iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

/// Copies both ways until one side ends.
fn join(client: TcpStream, worker: TcpStream) {
    let Ok((back, forth)) = worker.try_clone().and_then(|worker| Ok((worker, client.try_clone()?))) else {
        return;
    };
    for (mut from, mut to) in [(client, worker), (back, forth)] {
        std::thread::spawn(move || {
            let _copied = io::copy(&mut from, &mut to);
            let _closed = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
        });
    }
}
