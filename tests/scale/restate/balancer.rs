//! Hands connections to workers in turn, as a load balancer before them does.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A balancer before some workers.
pub(super) struct Balancer {
    port: u16,
    /// Connections of each worker so far.
    served: Arc<Vec<AtomicUsize>>,
    /// The client's end of each connection, with the place of its worker.
    clients: Arc<Mutex<Vec<(usize, TcpStream)>>>,
    /// The workers that are cut off: they do not learn that a connection has ended.
    parted: Arc<Vec<AtomicBool>>,
}

impl Balancer {
    /// Listens, and hands every connection to the next worker that takes it.
    pub(super) fn start(workers: Vec<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        let served: Arc<Vec<AtomicUsize>> = Arc::new(workers.iter().map(|_| AtomicUsize::new(0)).collect());
        let clients: Arc<Mutex<Vec<(usize, TcpStream)>>> = Arc::default();
        let parted: Arc<Vec<AtomicBool>> = Arc::new(workers.iter().map(|_| AtomicBool::new(false)).collect());
        let (counts, ends, cut) = (Arc::clone(&served), Arc::clone(&clients), Arc::clone(&parted));
        std::thread::spawn(move || {
            let mut turn = 0;
            for client in listener.incoming().flatten() {
                for _ in &workers {
                    turn = (turn + 1) % workers.len();
                    if cut[turn].load(Ordering::Relaxed) {
                        continue;
                    }
                    if let Ok(worker) = TcpStream::connect(("127.0.0.1", workers[turn])) {
                        counts[turn].fetch_add(1, Ordering::Relaxed);
                        if let Ok(end) = client.try_clone() {
                            ends.lock().expect("nobody panicked").push((turn, end));
                        }
                        join(client, worker, (Arc::clone(&cut), turn));
                        break;
                    }
                }
            }
        });
        Self { port, served, clients, parted }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Cuts a worker off: for the server its connections end, and it does not learn of that.
    pub(super) fn part(&self, worker: usize) {
        self.parted[worker].store(true, Ordering::Relaxed);
        for (_, client) in
            self.clients.lock().expect("nobody panicked").iter().filter(|(own, _)| *own == worker)
        {
            // One that has ended already is as good.
            let _closed = client.shutdown(Shutdown::Both);
        }
    }

    /// The connections that each worker had.
    pub(super) fn served(&self) -> Vec<usize> {
        self.served.iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }
}

/// Copies both ways until one side ends.
fn join(client: TcpStream, worker: TcpStream, (parted, own): (Arc<Vec<AtomicBool>>, usize)) {
    let Ok((back, forth)) = worker.try_clone().and_then(|worker| Ok((worker, client.try_clone()?))) else {
        return;
    };
    for (mut from, mut to) in [(client, worker), (back, forth)] {
        let parted = Arc::clone(&parted);
        std::thread::spawn(move || {
            let _copied = io::copy(&mut from, &mut to);
            if parted[own].load(Ordering::Relaxed) {
                // Its end stays open.
                std::mem::forget((from, to));
                return;
            }
            let _closed = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
        });
    }
}
