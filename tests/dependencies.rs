//! Licences and duplicates of everything the crate is built from.

use std::collections::BTreeMap;
use std::process::Command;

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
];

/// Crates that come in two versions because their users have not agreed yet. A row that is no longer needed fails.
const TWICE: &[&str] =
    &["base64", "cpufeatures", "foldhash", "getrandom", "hashbrown", "rand", "rand_core", "syn"];

fn packages() -> Vec<serde_json::Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--all-features",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let built: Vec<&str> = metadata["resolve"]["nodes"]
        .as_array()
        .expect("a resolved graph")
        .iter()
        .filter_map(|node| node["id"].as_str())
        .collect();
    let all = metadata["packages"].as_array().expect("packages").clone();
    all.into_iter().filter(|p| p["id"].as_str().is_some_and(|id| built.contains(&id))).collect()
}

/// Whether one of the alternatives of a licence expression fits: `(A OR B) AND C` needs C and one of A, B.
fn fits(expression: &str) -> bool {
    let flat = expression.replace(['(', ')'], " ").replace('/', " OR ");
    flat.split(" AND ").all(|part| part.split(" OR ").any(|one| FITTING.contains(&one.trim())))
}

#[test]
fn licences_fit() {
    let wrong: Vec<String> = packages()
        .iter()
        .filter(|p| !p["license"].as_str().is_some_and(fits))
        .map(|p| format!("{} {}: {}", p["name"], p["version"], p["license"]))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_crate_comes_twice_without_a_reason() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages() {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        versions.entry(text("name")).or_default().push(text("version"));
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
