//! The packages that are given out: the crates hold what their build reads and no more, and what names a release agrees.
//!
//! `.ci/release --dry-run` builds all packages and tries them; this is what can be held without a build.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// A crate that is given out.
struct PackedCrate {
    name: &'static str,
    /// Its folder, below the root.
    folder: &'static str,
    /// The most bytes that its files may have together, before they are packed.
    limit: u64,
    /// All that it may hold, beside what `cargo package` adds.
    holds: &'static [&'static str],
    /// What must be in it.
    needs: &'static [&'static str],
}

const CRATES: [PackedCrate; 2] = [
    PackedCrate {
        name: "loopwright",
        folder: "",
        limit: 1_500_000,
        holds: &[
            "src/",
            "templates/",
            "graphs/chat/",
            "README.md",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "NOTICE",
        ],
        needs: &["src/main.rs", "README.md", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE"],
    },
    PackedCrate {
        name: "loopwright-core",
        folder: "crates/core",
        limit: 8_000_000,
        holds: &[
            "src/",
            "grammar/",
            "docs/rules/",
            "docs/reference/language/",
            "docs/reference/skill.md",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "NOTICE",
        ],
        needs: &["src/lib.rs", "src/render/picture/font/LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE"],
    },
];

/// What `cargo package` writes itself.
const ADDED: &[&str] = &[".cargo_vcs_info.json", "Cargo.toml", "Cargo.toml.orig"];

impl PackedCrate {
    /// The files of the package.
    fn files(&self) -> Vec<String> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        // Without the lock file nothing is asked of a registry.
        let words = ["package", "--list", "--allow-dirty", "--offline", "--exclude-lockfile", "--package"];
        let output = Command::new(cargo).args(words).arg(self.name).current_dir(root()).output();
        let output = output.expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let listed = String::from_utf8_lossy(&output.stdout).into_owned();
        listed.lines().filter(|file| !ADDED.contains(file)).map(str::to_owned).collect()
    }

    fn place(&self, file: &str) -> PathBuf {
        root().join(self.folder).join(file)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("the file can be read")
}

#[test]
fn crates_are_small_and_whole() {
    for packed in CRATES {
        let files = packed.files();
        let odd: Vec<_> = files
            .iter()
            .filter(|file| {
                let is_test = file.split('/').any(|part| part == "tests" || part == "tests.rs");
                is_test || !packed.holds.iter().any(|held| file.starts_with(held))
            })
            .collect();
        assert!(odd.is_empty(), "{}: these are no part of the package: {odd:?}", packed.name);
        let missing: Vec<_> =
            packed.needs.iter().filter(|need| !files.iter().any(|file| file == *need)).collect();
        assert!(missing.is_empty(), "{}: these are missing: {missing:?}", packed.name);
        let size: u64 =
            files.iter().map(|file| packed.place(file).metadata().expect("the file is there").len()).sum();
        assert!(size <= packed.limit, "{}: {size} bytes are more than {}", packed.name, packed.limit);
        assert!(size > packed.limit / 4, "{}: the limit says nothing of {size} bytes", packed.name);
    }
}

/// The path without `..`.
fn flat(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut flat, part| {
        if part == Component::ParentDir {
            flat.pop();
        } else {
            flat.push(part);
        }
        flat
    })
}

/// What a source file of a package embeds: the beginning and the end of the names of files, which for one file are its name and nothing.
fn embedded(file: &str, text: &str) -> Vec<(String, String)> {
    let folder = Path::new(file).parent().expect("it lies in a folder");
    let mut found = Vec::new();
    for call in ["include_str!(", "include_bytes!("].iter().flat_map(|call| text.split(call).skip(1)) {
        let (argument, is_joined) = match call.strip_prefix("concat!(") {
            Some(parts) => (parts.split(')').next().unwrap_or_default(), true),
            None => (call.split(')').next().unwrap_or_default(), false),
        };
        let words: Vec<&str> = argument.split('"').skip(1).step_by(2).collect();
        let begin =
            words.first().unwrap_or_else(|| panic!("{file}: an embedded file without a name: {argument}"));
        let end = words.get(1).copied().unwrap_or_default();
        let place = flat(&folder.join(begin)).to_string_lossy().into_owned();
        found.push((if is_joined { place + "/" } else { place }, end.to_owned()));
    }
    found
}

#[test]
fn what_is_embedded_is_in_the_package() {
    let mut count = 0;
    for packed in CRATES {
        let files = packed.files();
        for file in files.iter().filter(|file| Path::new(file).extension().is_some_and(|e| e == "rs")) {
            let source = fs::read_to_string(packed.place(file)).expect("a source can be read");
            for (begin, end) in embedded(file, &source) {
                count += 1;
                let is_there = |path: &String| path.starts_with(&begin) && path.ends_with(&end);
                let packed_ones = files.iter().filter(|path| is_there(path)).count();
                let all = if begin.ends_with('/') {
                    let listed =
                        fs::read_dir(packed.place(&begin)).expect("the folder can be listed").flatten();
                    // The name of a file ends so, or that of one in a folder below.
                    let below = end.strip_prefix('/');
                    let is_meant = |entry: &fs::DirEntry| match below {
                        Some(name) => entry.path().join(name).exists(),
                        None => entry.file_name().to_string_lossy().ends_with(&end),
                    };
                    listed.filter(is_meant).count()
                } else {
                    1
                };
                assert_eq!(packed_ones, all, "{}: {file} embeds {begin}*{end}", packed.name);
                assert!(all > 0, "{}: {file} embeds nothing by {begin}*{end}", packed.name);
            }
        }
    }
    assert!(count > 15, "only {count} embedded files are found");
}

#[test]
fn names_of_a_release_agree() {
    let manifest: toml::Table = text("Cargo.toml").parse().expect("the manifest is TOML");
    let python: toml::Table = text("pyproject.toml").parse().expect("it is TOML");
    let package = &manifest["package"];
    let shared = &manifest["workspace"]["package"];
    assert_eq!(python["project"]["description"], package["description"]);
    assert_eq!(python["project"]["keywords"], package["keywords"]);
    assert_eq!(python["project"]["license"], shared["license"]);
    // The script names the archive and the folder in it as `cargo binstall` looks for them.
    let release = text(".ci/release");
    let name = release.lines().find_map(|line| line.strip_prefix("name=")).expect("the archive has a name");
    let name = name.replace("$triple", "{ target }").replace("$version", "{ version }");
    let binstall = &package["metadata"]["binstall"];
    let address = binstall["pkg-url"].as_str().expect("an address");
    assert!(address.ends_with(&format!("/{name}.tar.gz")), "{address} is not {name}");
    assert_eq!(binstall["bin-dir"].as_str(), Some(format!("{name}/{{ bin }}{{ binary-ext }}").as_str()));
    // Every completion that the script writes has its place in the Debian package, those of shells that Debian has no folder for aside.
    let assets = package["metadata"]["deb"]["assets"].as_array().expect("assets");
    let packed: Vec<&str> = assets.iter().filter_map(|asset| asset[0].as_str()).collect();
    for file in ["loopwright.bash", "_loopwright", "loopwright.fish"] {
        assert!(release.contains(&format!(":{file}")), "the script does not write {file}");
        assert!(packed.iter().any(|asset| asset.ends_with(&format!("/{file}"))), "{file} is in no package");
    }
}
