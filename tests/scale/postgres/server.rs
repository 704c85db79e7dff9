//! A server for a test: its own folder, its own port, gone with the test.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak, mpsc};
use std::time::{Duration, Instant};

use loopwright::store::StoreAddress;
use loopwright::store::postgres::Postgres;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, User, geteuid};
use tempfile::TempDir;

/// The folder of the programs of the server.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";

/// The time in which a server must answer.
const PATIENCE: Duration = Duration::from_mins(3);

/// A running server.
pub(crate) struct Server {
    folder: TempDir,
    port: u16,
    process: Mutex<Child>,
    /// Settings besides the usual ones.
    settings: Vec<String>,
    databases: AtomicU32,
}

/// The program of that name, run as the user who owns the server: root may not run it.
fn program(name: &str) -> Command {
    let path = Path::new(PROGRAMS).join(name);
    if !geteuid().is_root() {
        return Command::new(path);
    }
    let mut command = Command::new("setpriv");
    // The server ends with the test, however that ends.
    command
        .args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL", "--"])
        .arg(path);
    command
}

/// The path of a program of the server.
pub(crate) fn program_path(name: &str) -> PathBuf {
    Path::new(PROGRAMS).join(name)
}

/// True if a server can be started here. Where it cannot, that is said, and with `LOOPWRIGHT_REQUIRE` it is an error.
pub(crate) fn is_here() -> bool {
    let there = Path::new(PROGRAMS).join("postgres").exists()
        && (!geteuid().is_root() || matches!(User::from_name("postgres"), Ok(Some(_))));
    if !there {
        let why = format!("not tested: PostgreSQL 15 is not in {PROGRAMS}");
        assert!(std::env::var_os("LOOPWRIGHT_REQUIRE").is_none(), "{why}");
        println!("{why}");
    }
    there
}

/// The server that most tests share, each with a database of its own.
pub(crate) fn shared() -> Option<Arc<Server>> {
    static SHARED: OnceLock<Mutex<Weak<Server>>> = OnceLock::new();
    if !is_here() {
        return None;
    }
    let mut shared = SHARED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = shared.upgrade() {
        return Some(server);
    }
    let server = Arc::new(Server::start(&["max_connections=300"]));
    *shared = Arc::downgrade(&server);
    Some(server)
}

impl Server {
    /// Starts a server with settings besides the usual ones.
    pub(crate) fn start(settings: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("loopwright-postgres-").tempdir().expect("a folder");
        if geteuid().is_root() {
            let user = User::from_name("postgres").ok().flatten().expect("the user is there");
            // For the socket and for what is put there later.
            chown(folder.path(), Some(user.uid.as_raw()), Some(user.gid.as_raw()))
                .expect("it is the server's");
        }
        let data = folder.path().join("data");
        let made = program("initdb")
            .arg("-D")
            .arg(&data)
            .args(["--no-sync", "-A", "trust", "-U", "postgres", "--locale=C", "--encoding=UTF8"])
            .current_dir(folder.path())
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        // Another process may take the port before the server does.
        for _ in 0..5 {
            let port = free_port();
            if let Some(process) = run(folder.path(), port, &settings) {
                return Self {
                    folder,
                    port,
                    process: Mutex::new(process),
                    settings,
                    databases: AtomicU32::new(0),
                };
            }
        }
        panic!("the server does not start: {}", log(folder.path()));
    }

    /// The folder of the server, whose data are in `data`.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Gives a file to the user of the server.
    pub(crate) fn own(path: &Path) {
        if let Some(user) = User::from_name("postgres").ok().flatten().filter(|_| geteuid().is_root()) {
            chown(path, Some(user.uid.as_raw()), Some(user.gid.as_raw())).expect("it is the server's");
        }
    }

    /// A file that the server may read, too.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A new database, as an address.
    pub(crate) fn database(&self) -> String {
        let name = format!("runs_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        self.address(&name)
    }

    pub(crate) fn address(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Runs SQL and gives what is printed.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        let output = Command::new(Path::new(PROGRAMS).join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", &self.address(database), "-c", sql])
            .output()
            .expect("psql runs");
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("it prints text").trim().to_owned()
    }

    /// Runs a file of SQL in a database.
    pub(crate) fn load(address: &str, file: &Path) {
        let output = Command::new(program_path("psql"))
            .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", address, "-f"])
            .arg(file)
            .output()
            .expect("psql runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Kills every process of the server, as a crash of its machine does, but for what the disk has by then.
    pub(crate) fn crash(&self) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        end(&mut process, Signal::SIGKILL);
        // Its children notice a moment later.
        let pid = self.folder.path().join("data/postmaster.pid");
        let _ = fs::remove_file(pid);
    }

    /// Starts it again after a crash: once the last of its processes has noticed that.
    pub(crate) fn restart(&self) {
        let until = Instant::now() + PATIENCE;
        let started = loop {
            match run(self.folder.path(), self.port, &self.settings) {
                Some(started) => break started,
                None => assert!(Instant::now() < until, "it starts again: {}", log(self.folder.path())),
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = started;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        // This ends it at once, and its children with it.
        end(&mut process, Signal::SIGQUIT);
    }
}

/// The store at an address.
pub(crate) fn store(address: &str) -> Arc<Postgres> {
    let StoreAddress::Postgres(address) = address.parse().expect("an address") else { panic!("{address}") };
    Arc::new(Postgres::open(&address).expect("a store"))
}

/// A port that is free now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}

/// Starts the server and waits until it answers.
fn run(folder: &Path, port: u16, settings: &Vec<String>) -> Option<Child> {
    let log = fs::OpenOptions::new().create(true).append(true).open(folder.join("log")).expect("a log");
    let mut command = program("postgres");
    command.arg("-D").arg(folder.join("data")).args(["-p", &port.to_string(), "-k"]).arg(folder);
    command.args(["-c", "listen_addresses=127.0.0.1"]);
    for setting in settings {
        command.args(["-c", setting]);
    }
    command.current_dir(folder).stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
    let mut process = spawn(command);
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        let answers = Command::new(Path::new(PROGRAMS).join("pg_isready"))
            .args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()])
            .status()
            .is_ok_and(|status| status.success());
        if answers {
            return Some(process);
        }
        if process.try_wait().is_ok_and(|ended| ended.is_some()) {
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    end(&mut process, Signal::SIGKILL);
    None
}

/// Starts a program that is to end with this process. The system ends it with the thread that started it, and a test has a thread
/// of its own: this one stays.
fn spawn(mut command: Command) -> Child {
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || {
        tell.send(command.spawn().expect("the server starts")).expect("it is waited for");
        loop {
            std::thread::park();
        }
    });
    hear.recv().expect("the server starts")
}

fn end(process: &mut Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(process.id()).expect("a number of a process"));
    // It may have ended already.
    let _ = kill(pid, signal);
    let _ = process.wait();
}
