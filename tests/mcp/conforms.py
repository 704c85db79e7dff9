"""Drives the client of `loopwright` through one scenario of the conformance suite.

    conforms.py PROGRAM URL

The suite names the scenario in MCP_CONFORMANCE_SCENARIO, and what a client knows in MCP_CONFORMANCE_CONTEXT.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

program, url = sys.argv[1], sys.argv[2]
scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
known = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
folder = tempfile.mkdtemp()
browser = os.path.join(folder, "browser")
with open(browser, "w") as file:
    # A browser that agrees to everything: it follows where it is sent.
    file.write(f"#!{sys.executable}\nimport sys, urllib.request\nurllib.request.urlopen(sys.argv[1], timeout=20).read()\n")
os.chmod(browser, 0o755)

oauth = {}
if "client_id" in known:
    oauth["client_id"] = json.dumps(known["client_id"])
if "client_secret" in known:
    oauth["client_secret"] = '{env = "CLIENT_SECRET"}'
if scenario == "auth/basic-cimd":
    oauth["client_metadata_url"] = '"https://conformance-test.local/client-metadata.json"'
lines = "".join(f"{key} = {value}, " for key, value in oauth.items()).removesuffix(", ")
with open(os.path.join(folder, "loopwright.toml"), "w") as file:
    file.write(f'[mcp.c]\nurl = "{url}"\n')
    if oauth:
        file.write(f"oauth = {{{lines}}}\n")

environment = {
    **os.environ,
    "XDG_STATE_HOME": os.path.join(folder, "state"),
    "BROWSER": browser,
    "CLIENT_SECRET": known.get("client_secret", ""),
}


def run(*words):
    ran = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    print("$", *words, "\n", ran.stdout, ran.stderr, flush=True)
    return ran


shown = run("trust", ".").stdout
run("trust", ".", "--digest", re.search(r"--digest ([0-9a-f]+)", shown).group(1))
calls = {
    "tools_call": ["c.add_numbers", '{"a": 5, "b": 3}'],
    "sse-retry": ["c.test_reconnection"],
    "elicitation-sep1034-client-defaults": ["c.test_client_elicitation_defaults", "--answer", "{}"],
}
if scenario == "initialize":
    ran = run("tools", "--grant", "c.*")
else:
    words = ["tools", "call", *calls.get(scenario, ["c.test-tool"]), "--grant", "c.*"]
    # A person who reads the message does what it says, a few times.
    for _ in range(3):
        ran = run(*words)
        wanted = re.search(r"loopwright mcp login c`?(?: --scope '([^']*)')?", ran.stderr)
        if ran.returncode == 0 or not wanted:
            break
        scopes = ["--scope", wanted.group(1)] if wanted.group(1) else []
        if run("mcp", "login", "c", *scopes).returncode != 0:
            break
sys.exit(ran.returncode)
