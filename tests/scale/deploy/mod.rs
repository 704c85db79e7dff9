//! The files of `docs/deploy`: held against the schemas of what reads them, and their command lines run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::desk::Desk;
use crate::parts::skip;
use crate::postgres::server::shared;

/// The file of that name in `docs/deploy`.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/deploy").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).expect("the file is there")
}

/// The packages that `.ci/deploy` installs, if they are here.
fn packages() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deploy/python");
    let installed = folder.with_file_name("installed").exists();
    if !installed {
        skip(
            "the schemas of the deployment files",
            "`.ci/deploy` installs what holds them against their schemas",
        );
    }
    installed.then_some(folder)
}

fn python(packages: &Path, program: &str, argument: &Path) -> (bool, String) {
    let output = Command::new("python3")
        .args(["-c", program])
        .arg(argument)
        .env("PYTHONPATH", packages)
        .output()
        .expect("Python runs");
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    (output.status.success(), said)
}

const COMPOSE: &str = "import sys; from compose_spec import PyCompose; PyCompose.from_yaml(open(sys.argv[1]).read()).validate()";
const KUBERNETES: &str = "import sys, yaml, kubernetes_validate as check
for part in yaml.safe_load_all(open(sys.argv[1])): check.validate(part, '1.37', strict=True)";

#[test]
fn compose_and_kubernetes_accept_their_files() {
    let Some(packages) = packages() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (program, name, good, bad) in [
        (COMPOSE, "compose.yaml", "image: postgres:15", "imagge: postgres:15"),
        (KUBERNETES, "kubernetes.yaml", "replicas: 3", "replicas: three"),
    ] {
        let (fits, said) = python(&packages, program, &file(name));
        assert!(fits, "{name}: {said}");
        // The check itself: a fault is found.
        let spoiled = folder.path().join(name);
        assert!(text(name).contains(good));
        std::fs::write(&spoiled, text(name).replace(good, bad)).expect("a file");
        assert!(!python(&packages, program, &spoiled).0, "{name}: `{bad}` is accepted");
    }
}

#[test]
fn systemd_accepts_its_unit() {
    if !Command::new("systemd-analyze").arg("--version").output().is_ok_and(|output| output.status.success())
    {
        return skip("the unit of systemd", "there is no systemd-analyze here");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let name = "loopwright-work@.service";
    let unit = text(name).replace("/usr/local/bin/loopwright", env!("CARGO_BIN_EXE_loopwright"));
    for (unit, fits) in
        [(unit.clone(), true), (unit.replace("KillSignal=SIGTERM", "KillSignal=SIGMAYBE"), false)]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, unit).expect("a file");
        let output = Command::new("systemd-analyze").arg("verify").arg(&path).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said.trim().is_empty(), fits, "{said}");
    }
}

/// The words after the program in a list of YAML that spans several lines, or stands in one.
fn words(list: &str) -> Vec<String> {
    let list = list.trim_start_matches(['[', ' ']).trim_end_matches(']');
    list.split([',', '\n'])
        .map(|word| word.trim().trim_start_matches("- ").trim_matches('"').to_owned())
        .collect()
}

/// The arguments of the worker in each file.
fn commands() -> [(&'static str, Vec<String>); 3] {
    let unit = text("loopwright-work@.service");
    let unit = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("a command");
    let unit = unit.split_whitespace().map(str::to_owned).collect();
    let compose = text("compose.yaml");
    let compose = compose.lines().find_map(|line| line.trim().strip_prefix("command: ")).expect("a command");
    let kubernetes = text("kubernetes.yaml");
    let (_, rest) = kubernetes.split_once("args:\n").expect("arguments");
    let (args, _) = rest.split_once("          env:").expect("variables");
    let args: Vec<String> = std::iter::once("loopwright".to_owned()).chain(words(args.trim())).collect();
    [("the unit", unit), ("compose.yaml", words(compose)), ("kubernetes.yaml", args)]
}

#[test]
fn the_workers_of_the_files_work() {
    let Some(server) = shared() else { return };
    let kubernetes = text("kubernetes.yaml");
    let (_, rest) = kubernetes.split_once("  notice.yaml: |\n").expect("a graph");
    let (graph, _) = rest.split_once("---\n").expect("an end");
    let lines: Vec<&str> = graph.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let graph = lines.join("\n") + "\n";
    for (name, words) in commands() {
        let desk = Desk::new(&[("loopwright.toml", "")]);
        std::fs::create_dir(desk.path().join("graphs")).expect("a folder");
        std::fs::write(desk.path().join("graphs/notice.yaml"), &graph).expect("a file");
        let address = server.database();
        let here = |word: &String| match word {
            word if word.starts_with("postgres://") => address.clone(),
            word => word.replace("/graphs/loopwright.toml", "loopwright.toml").replace("/graphs/", "graphs/"),
        };
        let words: Vec<String> = words[1..].iter().map(here).collect();
        let left = desk
            .run(&format!("run graphs/notice.yaml --db {address} --input text=Plums. --run-id a --detach"));
        assert_eq!(left.code, Some(0), "{left:?}");
        let worked = desk.run(&format!("{} --until-idle", words.join(" ")));
        assert_eq!(
            worked.stdout, "a: taken\na: waits for a person at decide\n",
            "{name}: {words:?}: {worked:?}"
        );
    }
}
