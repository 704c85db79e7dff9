"""One case of the sweep: a run that is struck, gone on with until its end, and judged."""

import json
import os
import random
import re
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from points import count, strike, struck, written_after

HERE = Path(__file__).resolve().parent
RUN = "swept"
ROUNDS = 20

# The length of an answer in the graph `large`: 20 of them fill the log twice.
PADDING = 700_000

# No command of a case takes this long by itself; the machine may be busy.
PATIENCE = 600

# What a run says when its store failed, and what opening a store says then.
REASONS = (
    "the disk is full: ",
    "the disk failed (",
    "the store cannot be read or written: ",
    "it cannot be made: ",
    "it cannot be opened: ",
    "it cannot be brought up to date: ",
)

# What `resume` says of a run that was never begun.
GONE = ("there is no run", "never started, and nothing of it was done", "there is no such file")

# How a run is driven.
DRIVEN = ["--grant", "note", "--grant", "look", "--format", "jsonl"]


@dataclass(frozen=True)
class Case:
    """What is done to a run."""

    delivery: str
    graph: str = "work"
    failure: str = "KILL"
    ready: bool = False
    """Whether the store has a run already."""
    point: object = None
    """Where it fails; or for `never` and `late` the number of the call during which the driver is killed."""
    again: tuple = ()
    """Where it is killed while it goes on, each time anew."""
    judged: str = ""
    """For the test of the sweep itself: as what it is judged."""
    cheat: bool = False
    """For the test of the sweep itself: take away what was kept last."""

    def __str__(self):
        graph = "" if self.graph == "work" else f", graph {self.graph}"
        ready = ", a store in use" if self.ready else ""
        again = "".join(f", then at {point}" for point in self.again)
        place = f"call {self.point}" if self.failure in ("never", "late") else str(self.point)
        return f"{self.delivery}{graph}{ready}: {self.failure} at {place}{again}"


@dataclass
class Session:
    """A command that drove the run."""

    code: int
    out: bytes
    err: str
    hit: bool

    def says(self, text):
        return text in self.err


class Wrong(Exception):
    """What must not be."""


@dataclass
class Trial:
    """A case under way in a folder of its own."""

    case: Case
    folder: Path
    binary: str
    turn: object = field(default_factory=nullcontext)
    """Held while something runs, not while a lease is waited for."""
    figures: Counter = field(default_factory=Counter)
    sessions: list = field(default_factory=list)

    def __post_init__(self):
        self.store = self.folder / "store" / "runs.db"
        self.trace = self.folder / "trace"
        self.trusted = ""

    def prepare(self, template=None):
        self.folder.mkdir(parents=True)
        for name in (f"{self.case.graph}.yaml", "note.sh", "look.sh"):
            shutil.copy(HERE / name, self.folder)
        if self.case.graph == "large":
            (self.folder / "padding").write_text(random.Random(1).randbytes(PADDING // 2).hex())
        config = (HERE / "loopwright.toml").read_text().replace("DELIVERY", self.case.delivery)
        (self.folder / "loopwright.toml").write_text(config)
        # Its commands are scripts of the folder, and those are not granted by a name alone.
        with self.turn:
            asks = subprocess.run([self.binary, "trust", "--format", "json"], capture_output=True, **self.options())
        self.trusted = json.loads(asks.stdout)["digest"]
        if self.case.ready:
            shutil.copytree(template, self.store.parent)
            # It was made elsewhere: what is asked for is allowed. A fork of no run changes nothing.
            asked = self.ask("fork", "none", "--at", "0").stderr.decode()
            self.trusted += "," + re.search("--trust ([0-9a-f]{64})", asked)[1]

    def words(self, *words):
        return [self.binary, *words, "--db", str(self.store)]

    def begin_words(self, run=RUN, rounds=ROUNDS):
        return self.words("run", f"{self.case.graph}.yaml", "--run-id", run, "--input", f"rounds={rounds}", *DRIVEN)

    def options(self):
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state"), "LOOPWRIGHT_TRUST": self.trusted}
        return {"cwd": self.folder, "stdin": subprocess.DEVNULL, "timeout": PATIENCE, "env": env}

    def ask(self, *words):
        """A command that only looks."""
        with self.turn:
            return subprocess.run(self.words(*words), capture_output=True, **self.options())

    def count(self):
        """The calls of an undisturbed run, and the line it ends with."""
        with open(self.folder / "out", "wb") as out:
            _, counts = count(self.begin_words(), self.store, self.trace, stdout=out, **self.options())
        return counts, (self.folder / "out").read_bytes().splitlines()[-1]

    def drive(self, words, point=None, failure="KILL"):
        """Drives the run, and strikes at a point."""
        self.trace.unlink(missing_ok=True)
        before = strike(point, failure, self.store, self.trace) if point else []
        out = self.folder / f"out-{len(self.sessions)}"
        with self.turn, open(out, "wb") as file:
            done = subprocess.run(
                before + words, stdout=file, stderr=subprocess.PIPE, **self.options()
            )
        err = done.stderr.decode(errors="replace")
        killed = done.returncode in (-9, 137)
        session = Session(done.returncode, out.read_bytes(), err, killed or struck(self.trace))
        self.sessions.append(session)
        self.figures["kills"] += killed
        self.figures["errors"] += struck(self.trace) and not killed
        if "panicked" in err or session.code == 101:
            raise Wrong(f"a panic: {err}")
        return session

    # How a case goes

    def run(self, reference):
        """The whole case; what is wrong is raised."""
        case = self.case
        if case.failure in ("never", "late"):
            (self.folder / "strike").write_text(f"{case.failure} line {case.point}\n")
            session = self.drive(self.begin_words())
        else:
            session = self.drive(self.begin_words(), case.point, case.failure)
        self.figures["missed"] += not session.hit
        self.ended_as_documented(session)
        silent = case.failure == "EIO" and case.point.suffix == "-wal" and session.code
        if silent and written_after(self.trace):
            raise Wrong("the log was written to after a write or a sync of it had failed")
        kept = b"" if case.cheat else self.look()
        if case.cheat:
            for suffix in ("-wal", "-shm", "-head"):
                Path(f"{self.store}{suffix}").unlink(missing_ok=True)
        self.go_on()
        self.judge(reference, kept)

    def ended_as_documented(self, session):
        """An error ends the run with a reason and the command that goes on, or does no harm."""
        if self.case.failure not in ("EIO", "ENOSPC") or session.code == 0:
            return
        if session.code != 2 or not any(reason in session.err for reason in REASONS):
            raise Wrong(f"exit code {session.code}: {session.err}")
        if session.out and f"to continue, run:\n  loopwright resume {RUN} " not in session.err:
            raise Wrong(f"no word of how to go on: {session.err}")

    def look(self):
        """What the journal says behind the strike, in every second case: looking changes what the next one finds."""
        if (self.case.point if isinstance(self.case.point, int) else self.case.point.number) % 2:
            return b""
        self.healthy()
        return self.ask("log", RUN, "--format", "jsonl").stdout

    def go_on(self):
        """Goes on until the run has ended, as people would."""
        again = list(self.case.again)
        words = self.resume_words()
        if self.sessions[0].code == 0:
            return
        for _ in range(40):
            session = self.drive(words, again[0] if again else None)
            if not session.hit and (held := re.search(r"is driven by .* for (\d+) s", session.err)):
                time.sleep(int(held[1]))
                continue
            again = again[1:]
            words = self.resume_words()
            if session.hit:
                self.figures["resumes"] += 1
            elif any(session.says(text) for text in GONE):
                self.nothing_happened()
                words = self.begin_words()
            elif session.code == 3:
                self.figures["resumes"] += 1
                words = self.resume_words("--answer", self.answer())
            elif session.code == 0 or session.says(f"the run `{RUN}` ended: end"):
                self.figures["resumes"] += session.code == 0
                return
            else:
                raise Wrong(f"{words}: exit code {session.code}: {session.err}")
        raise Wrong("it does not come to an end")

    def resume_words(self, *more):
        return self.words("resume", RUN, *DRIVEN, *more)

    def nothing_happened(self):
        """A run may be gone only if nobody heard of it."""
        self.figures["begun anew"] += 1
        if any(session.out for session in self.sessions) or self.calls():
            self.figures["lost"] += 1
            raise Wrong("the run is not there, but it was heard of")

    def answer(self):
        """Answers the question what became of a call as somebody would who looks."""
        document = json.loads(self.ask("show", RUN, "--format", "json").stdout)
        [question] = document["asks"]
        if question["reason"] != "unknown":
            raise Wrong(f"an odd question: {question}")
        self.figures["unknowns"] += 1
        key = question["ask"].removesuffix(".lost")
        happened = dict(self.calls()).get(key)
        return json.dumps({"result": f"noted {happened}"}) if happened else "retry"

    def calls(self):
        """The calls that reached the tool: key and argument."""
        path = self.folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [tuple(line.split("\t")) for line in lines]

    # What must hold

    def healthy(self):
        done = self.ask("doctor")
        heard = any(session.out for session in self.sessions)
        if done.returncode != 0 and (heard or done.returncode != 2):
            raise Wrong(f"doctor: {done.returncode} {done.stdout.decode()} {done.stderr.decode()}")

    def judge(self, reference, kept):
        self.healthy()
        log = self.ask("log", RUN, "--format", "jsonl").stdout
        if not log.startswith(kept):
            raise Wrong("the journal is not what it was before the run went on")
        self.acknowledged(log)
        if ending(log.splitlines()[-1]) != ending(reference):
            raise Wrong(f"another end: {log.splitlines()[-1].decode()}")
        self.repeats()
        if self.case.graph == "look":
            self.figures["unknowns"] += log.count(b'"to":"look"')
        self.nobody_left()

    def acknowledged(self, log):
        """What every session printed stands in the journal, in order, byte for byte."""
        at = 0
        for number, session in enumerate(self.sessions):
            if session.out:
                found = log.find(session.out, at)
                begins = found == 0 or (number > 0 and log[found - 1 : found] == b"\n")
                if found < 0 or not begins:
                    self.figures["lost"] += 1
                    raise Wrong("what was printed is not in the journal")
                at = found + len(session.out)

    def repeats(self):
        """How often each call reached its tool, and under which keys."""
        calls = self.calls()
        keys = defaultdict(set)
        for key, text in calls:
            keys[text].add(key)
        if set(keys) != {f"line {n}" for n in range(ROUNDS)}:
            raise Wrong(f"other calls than wanted: {sorted(keys)}")
        more = len(calls) - ROUNDS
        strikes = sum(session.hit for session in self.sessions)
        if (self.case.judged or self.case.delivery) == "at_most_once":
            self.figures["duplicates"] += more
            if more:
                raise Wrong(f"{more} calls were made twice")
            return
        self.figures["repeats"] += more
        if more > strikes:
            raise Wrong(f"{more} repeats after {strikes} strikes")
        if any(len(own) > 1 for own in keys.values()):
            raise Wrong("a call was repeated under another key")

    def nobody_left(self):
        """No process of the case outlives it."""
        deadline = time.monotonic() + 60
        while left := [pid for pid in os.listdir("/proc") if pid.isdigit() and self.is_here(pid)]:
            if time.monotonic() > deadline:
                raise Wrong(f"processes are left: {left}")
            time.sleep(0.1)

    def is_here(self, pid):
        try:
            return os.readlink(f"/proc/{pid}/cwd") == str(self.folder)
        except OSError:
            return False


def ending(line):
    """How a run ended, but for when and after how many events."""
    event = json.loads(line)
    return [event.get(key) for key in ("type", "outcome", "ok", "output")]
