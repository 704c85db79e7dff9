"""Runs that two programs drive in turns: one begins, the other goes on, at every pause and after every kill."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/sweep.d"))

from case import Case, Trial, Wrong  # noqa: E402

# What a program says of runs that it does not know, with what to do. That the way out is named where the journal goes
# another way is newer than the programs here.
REFUSALS = (
    r"the run cannot be built again: entry \d+ of the journal took another path: event \d+ does not happen",
    r"this version of loopwright reads the run's graph in another way; resume it with the version that started it",
    r"its tables are of version \d+, made by a later loopwright; this one knows version \d+: update it",
)

# A graph that is not among the shipped ones.
OWN = Path(__file__).resolve().parent / "pays/pays.yaml"

# No run takes more turns.
TURNS = 400

# No command of a run takes longer.
PATIENCE = 300


@dataclass(frozen=True)
class Edition:
    """A program, and the files of its version."""

    name: str
    program: str
    tree: Path

    def edits(self):
        """Whether a person may change arguments with the yes."""
        return (self.tree / "docs/decisions/0094-approvals-that-change-a-call.md").exists()

    def has_workers(self):
        """Whether it knows databases."""
        return b"postgres://" in Path(self.program).read_bytes()


@dataclass(frozen=True)
class Shipped:
    """A shipped graph with what its run is given."""

    graph: str
    words: tuple = ()

    def is_in(self, edition):
        named = [self.graph, *(word.lstrip("@") for word in self.words if word.endswith((".yaml", ".json")))]
        return self.graph == OWN.name or all((edition.tree / name).exists() for name in named)


@dataclass
class Played:
    """A run in the store of a folder, driven by programs in turns."""

    case: Shipped
    folder: Path
    editions: list
    every: int
    edits: bool
    """Whether the person changes arguments with the yes."""
    allowed: list = field(default_factory=list)
    turns: int = 0
    asked: object = None
    """The command that asked last."""

    def play(self):
        """Drives the run to its end. The refusal of a program, if there was one, and what the run did, event for event."""
        if self.case.graph == OWN.name:
            shutil.copytree(OWN.parent, self.folder, dirs_exist_ok=True)
        else:
            shutil.copytree(self.editions[0].tree / "graphs", self.folder / "graphs")
        begin = ["run", self.case.graph, "--run-id", "relay", "--interrupt-every", str(self.every), *self.case.words]
        return self.go_on(self.command(0, begin))

    def go_on(self, done):
        while done.returncode == 3:
            self.turns += 1
            if self.turns > TURNS:
                raise Wrong("it does not come to an end")
            self.asked = done
            done = self.command(self.turns, self.resume_words(done))
            if done.returncode == 2 and (why := refusal(done.stderr)):
                return self.refused(why)
        if done.returncode not in (0, 1):
            raise Wrong(f"exit code {done.returncode}: {done.stderr}")
        return None, self.events()

    def resume_words(self, asked):
        return ["resume", "relay", *self.given(), "--answer", self.answer(asked)]

    def given(self):
        """The words of `run` that `resume` takes, too."""
        words = iter(self.case.words)
        for word in words:
            if word in ("--script", "--grant"):
                yield from (word, next(words))

    def answer(self, done):
        """The answer to a pause or a question: the first that is offered, with other arguments where the program takes them."""
        if found := re.search(r"approve (\w+)/deny\]$", done.stdout, re.MULTILINE):
            return f"approve {found[1]}" + (' {"to": "eve"}' if self.edits else "")
        if found := re.search(r" \[(\w+)/.*\]$", done.stdout, re.MULTILINE):
            return found[1]
        raise Wrong(f"an odd question: {done.stdout} {done.stderr}")

    def refused(self, why):
        """The other program does the run no harm by refusing it: the one before goes on as if nothing had happened."""
        self.editions = [self.editions[(self.turns - 1) % len(self.editions)]]
        _, events = self.go_on(self.command(self.turns, self.resume_words(self.asked)))
        return why, events

    def command(self, turn, words):
        """A command of the program whose turn it is, with what it wants to be allowed."""
        edition = self.editions[turn % len(self.editions)]
        for _ in range(6):
            done = self.run(edition, [*words, *self.allowed])
            wanted = re.findall(r"(--(?:grant|trust)) (\S+)", done.stderr) if done.returncode else []
            more = [pair for pair in wanted if pair[1] not in (*words, *self.allowed)]
            if not more:
                return done
            self.allowed += [word for pair in more for word in pair]
        return done

    def run(self, edition, words):
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run(
            [edition.program, *words, "--db", "runs.db"],
            cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, env=env,
        )  # fmt: skip
        if "panicked" in done.stderr:
            raise Wrong(f"a panic: {done.stderr}")
        return done

    def events(self):
        """All events without their times, read by each program."""
        logs = {edition.name: self.run(edition, ["log", "relay", "--format", "jsonl"]) for edition in self.editions}
        for name, log in logs.items():
            if log.returncode:
                raise Wrong(f"{name} cannot read it: {log.stderr}")
        read = [[timeless(line) for line in log.stdout.splitlines()] for log in logs.values()]
        if any(other != read[0] for other in read):
            raise Wrong("the programs read different events")
        return read[0]


def timeless(line):
    """An event with all times made one, those in texts among them, and without the digest of the program."""
    event = json.loads(re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "T", line))
    return {key: value for key, value in event.items() if key not in ("took", "program")}


def refusal(text):
    return next((found[0] for wanted in REFUSALS if (found := re.search(wanted, text))), None)


class Struck(Trial):
    """A run whose driver is killed during a call, and gone on with by the other program."""

    editions = ()

    def words(self, *words):
        edition = self.editions[len(self.sessions) % len(self.editions)]
        return [edition.program, *words, "--db", str(self.store)]


def struck(delivery, failure, call, folder, editions):
    """Strikes once; what is wrong is raised. Returns the refusal of the other program, if there was one."""
    case = Case(delivery, failure=failure, point=call)
    whole = Struck(case, folder.with_name(folder.name + "-whole"), editions[0].program)
    whole.editions = editions[:1]
    whole.prepare()
    reference = whole.drive(whole.begin_words()).out.splitlines()[-1]
    trial = Struck(case, folder, editions[0].program)
    trial.editions = editions
    trial.prepare()
    try:
        trial.run(reference)
        return None
    except Wrong as wrong:
        why = refusal(str(wrong))
        if why is None:
            raise
    # It does the run no harm: the first goes on as if nothing had happened.
    trial.editions = editions[:1]
    trial.go_on()
    trial.judge(reference, b"")
    return why


__all__ = ["Edition", "Played", "Shipped", "Wrong", "refusal", "struck"]
