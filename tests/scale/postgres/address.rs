//! Addresses that lead nowhere, and users who may not: one clear error each, and no password in any.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::server::{Server, is_here, program_path, shared};
use crate::desk::Desk;
use crate::until::until;

const GRAPH: &str = "graph: g
start: a
nodes: {a: {kind: human, ask: \"'Well?'\", options: [y], next: [{to: e}]}, e: {kind: final}}
";

fn desk() -> Desk {
    Desk::new(&[("g.yaml", GRAPH)])
}

#[test]
fn nonsense_is_refused_in_one_line() {
    let Some(server) = shared() else { return };
    let desk = desk();
    let port = server.port();
    let latin = {
        server.sql("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
        server.address("latin")
    };
    let cases: &[(&str, &str)] = &[
        (&format!("postgres://postgres:secret@127.0.0.1:{port}/none"), "there is no"),
        ("postgres://a:secret@127.0.0.1:1/runs", "the server cannot be reached"),
        ("postgres://a:secret@nowhere.invalid/runs", "the server cannot be reached"),
        ("postgres://a:secret@h:port/runs", "the address cannot be read"),
        (&format!("postgres://postgres:secret@127.0.0.1:{port}/postgres?sslmode=require"), "TLS"),
        (
            &format!("postgres://postgres:secret@127.0.0.1:{port}/postgres?speed=fast"),
            "the address cannot be read",
        ),
        (&latin, "--encoding=UTF8"),
        ("postgres://a:secret@h/runs?sslmode=maybe", "`sslmode` is one of"),
        ("mysql://a:secret@h/runs", "postgres://HOST/DATABASE"),
        ("postgres:runs", "postgres://HOST/DATABASE"),
    ];
    let mut all = String::new();
    for (address, part) in cases {
        for command in ["run g.yaml", "runs", "doctor"] {
            let printed = desk.run(&format!("{command} --db {address}"));
            assert_eq!(printed.code, Some(2), "{address}: {printed:?}");
            let said = format!("{}{}", printed.stdout, printed.stderr);
            assert!(said.contains(part) || part == &"there is no", "{address}: {said}");
            assert!(!said.contains("secret"), "{said}");
            if command == "run g.yaml" {
                all += &said.replace(&port.to_string(), "PORT");
                all.push('\n');
            }
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn who_reads_needs_no_right_to_write() {
    let Some(server) = shared() else { return };
    let desk = desk();
    let db = server.database();
    let name = db.rsplit('/').next().expect("a name");
    assert_eq!(desk.run(&format!("run g.yaml --run-id one --db {db}")).code, Some(3));
    server.sql(name, "DO $$ BEGIN CREATE ROLE eve LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; GRANT loopwright_reader TO eve");
    let read = db.replace("postgres@", "eve@");
    for words in ["runs", "show one", "log one", "replay one"] {
        let printed = desk.run(&format!("{words} --db {read}"));
        assert_eq!(printed.code, Some(0), "{words}: {printed:?}");
    }
    assert!(desk.run(&format!("doctor --db {read}")).stdout.contains("1 run, 1 whole"));
    for words in ["run g.yaml", "resume one --answer y", "purge --keep 0", "cancel one", "fork one --at 0"] {
        let printed = desk.run(&format!("{words} --db {read}"));
        assert_eq!(printed.code, Some(2), "{words}: {printed:?}");
        assert!(printed.stderr.contains("permission denied"), "{words}: {printed:?}");
        assert!(printed.stderr.contains("who stores runs owns the schema"), "{words}: {printed:?}");
    }
    assert!(desk.run(&format!("doctor --db {db}")).stdout.contains("1 run, 1 whole"));
}

#[test]
fn a_role_that_reads_and_is_made_later_may_read() {
    if !is_here() {
        return;
    }
    let server = Server::start(&[]);
    let desk = desk();
    let db = server.database();
    let name = db.rsplit('/').next().expect("a name");
    server.sql(
        name,
        &format!("CREATE ROLE bob LOGIN; CREATE ROLE eve LOGIN; GRANT CREATE ON DATABASE {name} TO bob"),
    );
    let (own, read) = (db.replace("postgres@", "bob@"), db.replace("postgres@", "eve@"));
    assert_eq!(desk.run(&format!("run g.yaml --run-id one --db {own}")).code, Some(3));
    server.sql(name, "CREATE ROLE loopwright_reader NOLOGIN; GRANT loopwright_reader TO eve");
    let listed = desk.run(&format!("runs --db {read}"));
    assert_eq!(listed.code, Some(2), "{listed:?}");
    assert_eq!(desk.run(&format!("run g.yaml --run-id two --db {own}")).code, Some(3));
    let listed = desk.run(&format!("runs --db {read}"));
    assert!(listed.code == Some(0) && listed.stdout.contains("two"), "{listed:?}");
    let closed = desk.run(&format!("run g.yaml --db {}", server.database().replace("postgres@", "bob@")));
    assert!(
        closed.code == Some(2) && closed.stderr.contains("CREATE SCHEMA \"loopwright\" AUTHORIZATION"),
        "{closed:?}"
    );
}

// A role is there for all databases of a server, and each of these makes it if it is not there.
#[test]
fn a_role_that_another_database_makes_meanwhile_may_read() {
    if !is_here() {
        return;
    }
    let server = Server::start(&["fsync=off"]);
    let desk = desk();
    let db = server.database();
    let name = db.rsplit('/').next().expect("a name");
    let mut other = Command::new(program_path("psql"))
        .args(["-X", "-q", "-A", "-t", "-d", &server.address("postgres")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("psql runs");
    let mut words = other.stdin.take().expect("it has an input");
    let mut lines = BufReader::new(other.stdout.take().expect("it has an output")).lines();
    writeln!(words, "BEGIN; CREATE ROLE loopwright_reader NOLOGIN; SELECT 'made';").expect("it reads");
    assert_eq!(lines.next().expect("a line").expect("a text"), "made");
    std::thread::scope(|scope| {
        let run = scope.spawn(|| desk.run(&format!("run g.yaml --run-id one --db {db}")));
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        until("the run waits for the other", || server.sql("postgres", waits) == "1");
        writeln!(words, "COMMIT;").expect("it reads");
        drop(words);
        let printed = run.join().expect("it ends");
        assert_eq!(printed.code, Some(3), "{printed:?}");
    });
    assert!(other.wait().expect("psql ends").success());
    server.sql(name, "CREATE ROLE eve LOGIN IN ROLE loopwright_reader");
    let listed = desk.run(&format!("runs --db {}", db.replace("postgres@", "eve@")));
    assert!(listed.code == Some(0) && listed.stdout.contains("one"), "{listed:?}");
}

#[test]
fn passwords_come_from_where_users_have_them() {
    if !is_here() {
        return;
    }
    let server = Server::start(&["fsync=off", "password_encryption=scram-sha-256"]);
    server.sql("postgres", "CREATE ROLE ada LOGIN SUPERUSER PASSWORD 's3cret word'");
    let access = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
    std::fs::write(server.file("data/pg_hba.conf"), access).expect("written");
    server.sql("postgres", "SELECT pg_reload_conf()");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let desk = desk();
    let db = server.address("postgres").replace("postgres@", "ada@");
    let wrong = |variables: &[(&str, &str)], part: &str| {
        let printed = desk.run_with(&format!("run g.yaml --db {db}"), variables);
        assert_eq!(printed.code, Some(2), "{printed:?}");
        assert!(printed.stderr.contains(part) && printed.stderr.contains("PGPASSWORD"), "{printed:?}");
        assert!(!printed.stderr.contains("guess"), "{printed:?}");
    };
    wrong(&[], "wants a password");
    wrong(&[("PGPASSWORD", "guess")], "password authentication failed");
    let right = |words: &str, variables: &[(&str, &str)]| {
        let printed = desk.run_with(words, variables);
        assert!([Some(0), Some(3)].contains(&printed.code), "{printed:?}");
        let all = format!("{}{}", printed.stdout, printed.stderr);
        assert!(!all.contains("s3cret"), "{all}");
        all
    };
    let inline = db.replace("ada@", "ada:s3cret%20word@");
    let said = right(&format!("run g.yaml --run-id one --db {inline}"), &[]);
    assert!(said.contains(&format!("--db {db}")), "what continues is said without the password: {said}");
    let doctor = desk.run(&format!("doctor --db {inline}"));
    assert!(doctor.code == Some(1) && doctor.stdout.contains("`fsync = off`"), "{doctor:?}");
    right(&format!("runs --db {db}"), &[("PGPASSWORD", "s3cret word")]);
    let line = format!("127.0.0.1:{}:*:ada:s3cret word\n", server.port());
    desk_file(&desk, ".pgpass", &line, 0o600);
    right(&format!("show one --db {db}"), &[]);
    desk_file(&desk, ".pgpass", &line, 0o644);
    wrong(&[], "wants a password");
}

fn desk_file(desk: &Desk, name: &str, text: &str, mode: u32) {
    let path = desk.path().join(name);
    std::fs::write(&path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its mode");
}

/// Makes a certificate for `localhost`, signed by an authority of its own, in the folder of the server.
fn certificates(folder: &Path) {
    let openssl = |words: &str| {
        let output = Command::new("openssl").args(words.split_whitespace()).current_dir(folder).output();
        let output = output.expect("openssl runs");
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    };
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost\n").expect("written");
    openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=authority",
    );
    openssl(
        "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout server.key -out server.csr -subj /CN=localhost",
    );
    openssl(
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile names",
    );
    openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout other.key -out other.crt -days 2 -subj /CN=other",
    );
}

#[test]
fn tls_is_used_as_the_address_says() {
    if !is_here() {
        return;
    }
    let server = Server::start(&["fsync=off"]);
    certificates(server.folder());
    for name in ["server.key", "server.crt"] {
        let (from, to) = (server.file(name), server.file(&format!("data/{name}")));
        std::fs::copy(from, &to).expect("copied");
        std::fs::set_permissions(&to, std::fs::Permissions::from_mode(0o600)).expect("its mode");
        Server::own(&to);
    }
    server.sql("postgres", "ALTER SYSTEM SET ssl = on");
    server.sql("postgres", "SELECT pg_reload_conf()");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let desk = desk();
    let numbered = server.address("postgres");
    let named = numbered.replace("127.0.0.1", "localhost");
    let run = |db: &str, keys: &str| {
        let keys = keys.replace("FOLDER", &server.folder().display().to_string());
        desk.run(&format!("runs --db {db}?application_name=tls&{keys}"))
    };
    assert_eq!(desk.run(&format!("run g.yaml --run-id one --db {named}?sslmode=require")).code, Some(3));
    for (db, keys) in [
        (&named, "sslmode=disable"),
        (&named, "sslmode=prefer"),
        (&numbered, "sslmode=require"),
        (&numbered, "sslmode=verify-ca&sslrootcert=FOLDER/ca.crt"),
        (&named, "sslmode=verify-full&sslrootcert=FOLDER/ca.crt"),
    ] {
        let printed = run(db, keys);
        assert_eq!(printed.code, Some(0), "{keys}: {printed:?}");
    }
    for (db, keys) in [
        (&numbered, "sslmode=verify-full&sslrootcert=FOLDER/ca.crt"),
        (&named, "sslmode=verify-ca&sslrootcert=FOLDER/other.crt"),
        (&named, "sslmode=require&sslrootcert=FOLDER/other.crt"),
        (&named, "sslmode=verify-full"),
        (&named, "sslmode=verify-full&sslrootcert=FOLDER/none.crt"),
        (&named, "sslmode=verify-full&sslrootcert=FOLDER/names"),
    ] {
        let printed = run(db, keys);
        assert_eq!(printed.code, Some(2), "{keys}: {printed:?}");
        assert!(printed.stderr.contains("sslrootcert"), "{keys}: {printed:?}");
    }
    server.sql("postgres", "ALTER SYSTEM SET log_connections = on");
}

#[test]
fn a_drawing_in_a_document_comes_from_no_database() {
    let Some(server) = shared() else { return };
    let desk = desk();
    let db = server.database();
    let document = format!("<!-- loopwright: g.yaml --run one --db {db} -->\n<!-- /loopwright -->\n");
    std::fs::write(desk.path().join("page.md"), document).expect("written");
    let printed = desk.run("render --into page.md");
    assert_eq!(printed.code, Some(2), "{printed:?}");
    assert!(printed.stderr.contains("cannot come from a database"), "{printed:?}");
}
