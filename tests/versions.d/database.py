"""A database server for a test, and runs in it that workers of two programs drive in turns."""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from relay import PATIENCE, ROOT, Wrong, refusal

PROGRAMS = Path("/usr/lib/postgresql/15/bin")

# How many runs one worker is given.
RUNS = 12


def missing():
    """Why no server can be started here, if that is so."""
    if not (PROGRAMS / "postgres").exists():
        return f"PostgreSQL 15 is not in {PROGRAMS}"
    return None


class Server:
    """PostgreSQL in a folder of its own; root runs it as the user `postgres`."""

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="versions-postgres-"))
        self.user = []
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL", "--"]
        data = str(self.folder / "data")
        make = ["initdb", "-D", data, "--no-sync", "-A", "trust", "-U", "postgres", "--locale=C", "--encoding=UTF8"]
        self.program(*make, check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        words = [str(PROGRAMS / "postgres"), "-D", data, "-p", str(self.port), "-k", str(self.folder)]
        self.process = subprocess.Popen([*self.user, *words], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while self.program("pg_isready", "-h", "127.0.0.1", "-p", str(self.port)).returncode:
            if time.monotonic() > deadline:
                raise Wrong("the server does not start")
            time.sleep(0.1)
        return self

    def program(self, name, *words, check=False):
        words = [*self.user, str(PROGRAMS / name), *words]
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=check)

    def database(self, name):
        where = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"]
        self.program("createdb", *where, name, check=True)
        return f"postgres://postgres@127.0.0.1:{self.port}/{name}"

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder)


class Handed:
    """Runs of every kind of step, begun by one program's worker, which is killed, and finished by the other's."""

    def __init__(self, folder, address):
        shutil.copytree(ROOT / "tests/scale/folder", folder)
        # Calls take so many seconds: the worker is killed during some.
        (folder / "slow").write_text("0.3")
        self.folder, self.address = folder, address

    def play(self, first, second):
        """Returns the refusal of the second program, if there was one."""
        names = [f"run-{number}" for number in range(RUNS)]
        for name in names:
            self.want(first, "run", "steps.yaml", "--run-id", name, "--detach")
        worker = self.worker(first)
        self.until(first, lambda statuses: statuses.count("waiting") >= 4)
        worker.kill()
        worker.wait()
        # A worker brings the tables up to date.
        done = self.command(second, *self.work_words(second), "--until-idle")
        if done.returncode == 2 and (why := refusal(done.stderr)):
            self.finish(first, names)
            return why
        self.finish(second, names)
        return None

    def finish(self, program, names):
        """Answers what is asked, and lets a worker go on until all have ended."""
        worker = self.worker(program)
        try:
            self.until(program, lambda statuses: all(status == "waiting" for status in statuses))
            for name in names:
                self.want(program, "resume", name, "--answer", "well", "--detach")
            self.until(program, lambda statuses: all(status == "ended" for status in statuses))
        finally:
            worker.kill()
            worker.wait()
        for name in names:
            self.judge(name, self.want(program, "show", name, "--format", "json"))

    def judge(self, run, shown):
        """No call is lost, none that may be made at most once is made twice, and what is unknown is said."""
        lines = [line.split("\t") for line in (self.folder / "calls").read_text().splitlines()]
        calls = Counter((what, tool) for what, tool, call, _ in lines if call.startswith(f"{run}:"))
        if calls["begin", "once"] > 1 or min(calls["end", "pure"], calls["end", "again"]) < 4:
            raise Wrong(f"{run}: {calls}")
        unknown = '"unknown":true' in shown.replace(" ", "")
        if not unknown and calls["end", "once"] != 1:
            raise Wrong(f"{run}: a call is not known, and nobody said so: {calls}")

    def worker(self, program):
        words = [program.program, *self.work_words(program), "--db", self.address]
        with open(self.folder / "worker.log", "ab") as log:
            return subprocess.Popen(words, stderr=log, stdout=log, **self.options())

    def work_words(self, program):
        granted = [word for tool in ("pure", "again", "once") for word in ("--grant", tool)]
        words = ["work", "steps.yaml", "--script", "steps.script.yaml", "--at-once", "3"]
        return [*words, *granted, *self.trusted(program)]

    def trusted(self, program):
        words = [program.program, "trust", "--format", "json"]
        done = subprocess.run(words, capture_output=True, text=True, **self.options())
        return ["--trust", json.loads(done.stdout)["digest"]]

    def options(self):
        return {"cwd": self.folder, "env": {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}}

    def command(self, program, *words):
        words = [program.program, *words, "--db", self.address]
        return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **self.options())

    def want(self, program, *words):
        done = self.command(program, *words)
        if done.returncode:
            raise Wrong(f"{words}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def until(self, program, is_so):
        deadline = time.monotonic() + PATIENCE
        while True:
            statuses = [run["status"] for run in json.loads(self.want(program, "runs", "--format", "json"))]
            if is_so(statuses):
                return
            if time.monotonic() > deadline:
                raise Wrong(f"it takes too long: {statuses} {(self.folder / 'worker.log').read_text()}")
            time.sleep(0.3)
