//! `mcpServers` of other programs, read as it stands.

use super::client::Bench;

const SERVERS: &str = r#"{
  "inputs": [],
  "mcpServers": {
    "o": {
      "command": "python3",
      "args": ["server.py", "${NOTHING:-x}"],
      "env": {"MCP_TEST": "${WORD}"},
      "autoApprove": ["echo"]
    }
  }
}
"#;

const GRAPH: &str = "
graph: works
state: {said: any?}
start: work
nodes:
  work: {kind: tool, tool: o.echo, args: {text: '\"a\"'}, into: said, ignore: {unhandled: x}, next: [{to: end}]}
  end: {kind: final}
output: {said: said}
";

#[test]
fn an_imported_file_is_part_of_what_is_allowed() {
    let bench = Bench::new("");
    bench.desk.write(".mcp.json", SERVERS);
    bench.desk.write("g.yaml", GRAPH);
    bench.desk.write("loopwright.toml", "[mcp]\nimport = \".mcp.json\"\n");
    let shown = bench.desk.run("trust .");
    assert_eq!(shown.code, Some(3), "{}", shown.transcript());
    assert!(shown.stdout.contains("with the values of NOTHING, WORD"), "{}", shown.transcript());
    bench.desk.trust(".");
    let run = || bench.desk.run_with("run g.yaml --grant o.echo", &[("WORD", "x")]);
    assert_eq!(run().code, Some(0), "{}", run().transcript());
    let unset = bench.desk.run("run g.yaml --grant o.echo");
    assert!(unset.stderr.contains("the variable WORD is not set"), "{}", unset.transcript());
    bench.desk.write(".mcp.json", &SERVERS.replace("autoApprove", "alwaysAllow"));
    let changed = run();
    assert_eq!(changed.code, Some(3), "{}", changed.transcript());
}

#[test]
fn a_file_that_a_flag_names_needs_grants_of_its_own() {
    let bench = Bench::new("");
    bench.desk.write("other.json", &SERVERS.replace("mcpServers", "servers"));
    bench.desk.write("g.yaml", GRAPH);
    let run = |more: &str| {
        bench.desk.run_with(&format!("run g.yaml --mcp-config other.json {more}"), &[("WORD", "x")])
    };
    let refused = run("--grant o.echo");
    assert_eq!(refused.code, Some(3), "{}", refused.transcript());
    let digest = crate::trust::digest(&refused, "--grant o.echo@").to_owned();
    let ran = run(&format!("--grant o.*@{digest}"));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    std::fs::remove_file(bench.desk.folder.path().join("loopwright.toml")).expect("it is there");
    let refused = run("--grant o.echo");
    assert_eq!(refused.code, Some(3), "{}", refused.transcript());
    let digest = crate::trust::digest(&refused, "--grant o.echo@").to_owned();
    let ran = run(&format!("--grant o.*@{digest}"));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
}

#[test]
fn an_import_stays_below_the_folder_and_shows_no_value() {
    let bench = Bench::new("");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (secret, servers) = (elsewhere.path().join("secret"), elsewhere.path().join("servers.json"));
    std::fs::write(&secret, "[remote]\nurl = https://me:SECRET@example.com\n").expect("it is written");
    std::fs::write(&servers, r#"{"mcpServers": {"SECRET b": {"command": 1}}}"#).expect("it is written");
    std::os::unix::fs::symlink(&servers, bench.desk.folder.path().join("link.json")).expect("it is laid");
    bench.desk.write("inner.json", "{\"mcpServers\": {\"a\": {\"accessToken\": \"SECRET\", \"args\": \"--token SECRET\", \"command\": \"x\"}}}");
    bench.desk.write("odd.json", "https://me:SECRET@example.com");
    let up = format!("../{}/servers.json", elsewhere.path().file_name().expect("a name").to_string_lossy());
    let paths = [secret.display().to_string(), servers.display().to_string(), up, "link.json".to_owned()];
    for path in paths.iter().map(String::as_str).chain(["inner.json", "odd.json"]) {
        bench.desk.write("loopwright.toml", &format!("[mcp]\nimport = \"{path}\"\n"));
        for command in ["tools", "trust ."] {
            let ran = bench.desk.run(command);
            assert_ne!(ran.code, Some(0), "{}", ran.transcript());
            assert!(!ran.transcript().contains("SECRET"), "{}", ran.transcript());
            let is_outside = !matches!(path, "inner.json" | "odd.json");
            let said = ran.stderr.contains("outside of the folder of the configuration");
            assert_eq!(said, is_outside, "{}", ran.transcript());
        }
    }
}

#[test]
fn programs_behind_variables_are_part_of_what_is_allowed() {
    for (command, args) in [
        ("${PROGRAM:-./server.sh}", ""),
        ("python3", "\"${SCRIPT:-server.py}\""),
        ("python3", "\"${FOLDER}/server.py\""),
        ("python3", "\"${SCRIPT}\""),
    ] {
        let bench = Bench::new("");
        let folder = bench.desk.folder.path().display().to_string();
        bench.desk.write("server.sh", "#!/bin/sh\nexec python3 server.py\n");
        bench.desk.write(
            ".mcp.json",
            &format!(r#"{{"mcpServers": {{"o": {{"command": "{command}", "args": [{args}]}}}}}}"#),
        );
        bench.desk.write("loopwright.toml", "[mcp]\nimport = \".mcp.json\"\n");
        let env = [("FOLDER", folder.as_str()), ("SCRIPT", "server.py")];
        let asked = || bench.desk.run_with("trust . --format json", &env);
        let before = asked();
        assert_eq!(asked().stdout, before.stdout, "{command} {args}");
        let file = if args.is_empty() { "server.sh" } else { "server.py" };
        bench.desk.write(file, &(bench.desk.text(file) + "\n# changed\n"));
        assert_ne!(asked().stdout, before.stdout, "{command} {args}: {}", before.transcript());
    }
}

#[test]
fn faults_are_shown_at_their_places_without_values() {
    let bench = Bench::new("");
    let faults = r#"{"mcpServers": {
  "a b": {"command": "x"},
  "two": {"command": "x", "args": "y"},
  "old": {"type": "sse", "url": "https://a.com/sse"},
  "web": {"url": "https://me:SECRET@a.com"},
  "head": {"url": "https://a.com", "headers": {"Host": "x", "A": ["SECRET"]}},
  "none": {"env": {"KEY": "SECRET"}}
}}"#;
    bench.desk.write("other.json", faults);
    let ran = bench.desk.run("tools --mcp-config other.json");
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn faults_of_servers_in_a_configuration_are_said_once() {
    let bench = Bench::new("");
    let mut said = String::new();
    for text in [
        "[mcp.a]\n",
        "[mcp.a]\ncommand = [\"x\"]\nurl = \"https://a.com\"\n",
        "[mcp.a]\ncommand = []\n",
        "[mcp.a]\ncommand = 5\n",
        "[mcp.a]\ncommnd = [\"x\"]\n",
        "[mcp.a]\nurl = \"nowhere\"\n",
        "[mcp.a]\nurl = \"https://a.com\"\nenv = [\"A\"]\n",
        "[mcp.a]\nurl = \"https://a.com\"\nheaders = {Host = \"x\", \"a b\" = \"x\", B = {var = \"x\"}}\n",
        "[mcp.a]\nurl = \"https://a.com\"\noauth = {client_metadata_url = \"http://a.com/x.json\"}\n",
        "[mcp.a]\ncommand = [\"x\"]\nsampling = true\n",
        "[mcp.a]\ncommand = [\"x\"]\ntrust = \"all\"\n",
        "[mcp.a]\ncommand = [\"x\"]\ntool.b = 1\n",
        "[mcp.a]\ncommand = [\"x\"]\n[mcp.a.tool.b]\ncalls = 1\n",
        "[mcp.import]\ncommand = [\"x\"]\n",
        "[mcp.\"a b\"]\ncommand = [\"x\"]\n",
        "mcp = 1\n",
        "[limits.tools.\"b.c\"]\ncalls = 1\n[mcp.a]\ncommand = [\"x\"]\n",
    ] {
        bench.desk.write("loopwright.toml", text);
        said += &bench.desk.run("tools").transcript();
    }
    insta::assert_snapshot!(said);
}
