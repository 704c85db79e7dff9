//! Licences and duplicates of everything the crate is built from, on any platform and with all features.
//!
//! What is judged is `Cargo.lock` with the licences in `tests/dependencies.txt`: both are always there, while the crates of
//! features and platforms that were never built are not. Whether the table is true is asked where the crates are at hand;
//! where all parts are required, as in CI, they are downloaded for that.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::parts;

/// Licences whose terms fit a work under MIT or Apache-2.0.
const FITTING: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "CC0-1.0",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "BSL-1.0",
    // For collections of data: the certificates that come with a crate.
    "CDLA-Permissive-2.0",
];

/// Crates that come in two versions because their users have not agreed yet; logins at MCP servers, by `oauth2`, bring the older
/// ones of digests and random numbers, and so does what signs requests of a Restate server; its SDK is generated from a schema by older tools; what writes PNG
/// compresses with two. A row that is no longer needed fails.
const TWICE: &[&str] = &[
    "base64",
    "block-buffer",
    "const-oid",
    "cpufeatures",
    "crypto-common",
    "digest",
    "fallible-iterator",
    "foldhash",
    "getrandom",
    "hashbrown",
    "hmac",
    "io-lifetimes",
    "miniz_oxide",
    "r-efi",
    "rand",
    "rand_chacha",
    "rand_core",
    "regress",
    "schemars",
    "schemars_derive",
    "serde_derive_internals",
    "sha2",
    "strum",
    "strum_macros",
    "syn",
    "thiserror",
    "thiserror-impl",
    "wasi",
    "windows-sys",
];

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Every crate of `Cargo.lock`, as `name version`.
fn locked() -> Vec<String> {
    let text = fs::read_to_string(at("Cargo.lock")).expect("the lock file can be read");
    let lock: toml::Table = text.parse().expect("the lock file is TOML");
    let packages = lock["package"].as_array().expect("packages");
    let text = |package: &toml::Value, key: &str| package[key].as_str().unwrap_or_default().to_owned();
    packages.iter().map(|package| format!("{} {}", text(package, "name"), text(package, "version"))).collect()
}

/// The licences by `name version`, as the table has them.
fn table() -> BTreeMap<String, String> {
    let text = fs::read_to_string(at("tests/dependencies.txt")).expect("the table can be read");
    let row = |line: &str| {
        let (crate_, licence) = line.split_once(": ").expect("a row is `name version: licence`");
        (crate_.to_owned(), licence.to_owned())
    };
    text.lines().map(row).collect()
}

/// The same as the crates say it themselves; [`Err`] where not all of them are here.
fn said(offline: bool) -> Result<BTreeMap<String, String>, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked", "--all-features"]);
    command.args(offline.then_some("--offline")).current_dir(at(""));
    let output = command.output().expect("cargo metadata runs");
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(said.lines().next().unwrap_or_default().to_owned());
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let text = |package: &serde_json::Value, key: &str| package[key].as_str().unwrap_or("none").to_owned();
    let row = |package: &serde_json::Value| {
        (format!("{} {}", text(package, "name"), text(package, "version")), text(package, "license"))
    };
    Ok(metadata["packages"].as_array().expect("packages").iter().map(row).collect())
}

/// Whether one of the alternatives of a licence expression fits: `(A OR B) AND C` needs C and one of A, B.
fn fits(expression: &str) -> bool {
    let flat = expression.replace(['(', ')'], " ").replace('/', " OR ");
    flat.split(" AND ").all(|part| part.split(" OR ").any(|one| FITTING.contains(&one.trim())))
}

#[test]
fn licences_fit() {
    let wrong: Vec<String> = table()
        .iter()
        .filter(|(_, licence)| !fits(licence))
        .map(|(crate_, licence)| format!("{crate_}: {licence}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_every_crate() {
    let (table, locked) = (table(), locked());
    let missing: Vec<_> = locked.iter().filter(|crate_| !table.contains_key(*crate_)).collect();
    let gone: Vec<_> = table.keys().filter(|crate_| !locked.contains(crate_)).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "missing: {missing:?}\nno longer there: {gone:?}\nLOOPWRIGHT_UPDATE=1 cargo test --test main dependencies"
    );
}

#[test]
fn the_table_says_what_the_crates_say() {
    let update = std::env::var_os("LOOPWRIGHT_UPDATE").is_some();
    // A machine that only tests needs no network for it, and no crates that it does not build from.
    let offline = !update && std::env::var_os("LOOPWRIGHT_REQUIRE").is_none();
    match said(offline) {
        Ok(said) if update => {
            let rows = said.iter().map(|(crate_, licence)| format!("{crate_}: {licence}"));
            let text = rows.collect::<Vec<_>>().join("\n") + "\n";
            fs::write(at("tests/dependencies.txt"), text).expect("the table can be written");
        }
        Ok(said) => assert_eq!(table(), said, "LOOPWRIGHT_UPDATE=1 cargo test --test main dependencies"),
        Err(why) => parts::skip("the licences in tests/dependencies.txt against the crates", &why),
    }
}

#[test]
fn no_crate_comes_twice_without_a_reason() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for crate_ in locked() {
        let (name, version) = crate_.split_once(' ').expect("a name and a version");
        versions.entry(name.to_owned()).or_default().push(version.to_owned());
    }
    let twice: Vec<&String> = versions.iter().filter(|(_, v)| v.len() > 1).map(|(n, _)| n).collect();
    let found: Vec<String> = twice
        .iter()
        .filter(|n| !TWICE.contains(&n.as_str()))
        .map(|n| format!("{n}: {:?}", versions[*n]))
        .collect();
    let gone: Vec<&&str> = TWICE.iter().filter(|n| !twice.iter().any(|t| t == *n)).collect();
    assert!(found.is_empty() && gone.is_empty(), "twice: {}\nno longer twice: {gone:?}", found.join("\n"));
}
