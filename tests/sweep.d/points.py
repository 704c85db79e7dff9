"""The calls a run makes on the files of its store, found by counting them, and how `strace` strikes at one of them."""

import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass

# Whatever can change a file, or make a change lasting.
CALLS = (
    "write pwrite64 writev pwritev pwritev2 fsync fdatasync sync_file_range ftruncate truncate fallocate "
    "rename renameat renameat2 unlink unlinkat mkdir mkdirat"
).split()

SUFFIXES = ("", "-wal", "-shm", "-journal", "-head", "/")


@dataclass(frozen=True)
class Point:
    """The `number`th call of a kind on one file, counted in each thread."""

    suffix: str
    call: str
    number: int

    def __str__(self):
        return f"{self.call} {self.number} on {name(self.suffix)}"


def name(suffix):
    """How a file of the store is called in reports."""
    return "the folder" if suffix == "/" else f"runs.db{suffix}"


def path(store, suffix):
    """A file of the store `store`, or its folder."""
    return str(store.parent) if suffix == "/" else f"{store}{suffix}"


def count(command, store, trace, **options):
    """Runs a command and counts its calls: for each file and call the numbers of the threads that make them."""
    words = ["strace", "-f", "--seccomp-bpf", "-qq", "-yy", "-o", trace, "-e", "trace=" + ",".join(CALLS)]
    done = subprocess.run(words + command, **options)
    threads = defaultdict(Counter)
    files = {path(store, suffix): suffix for suffix in SUFFIXES}
    for line in open(trace, errors="replace"):
        found = re.match(r'(\d+) +(\w+)\((?:\d+<([^>]*)>|(?:AT_FDCWD[^,]*, )?"([^"]*)")', line)
        if found:
            thread, call, by_number, by_name = found.groups()
            suffix = files.get(by_number or by_name)
            if suffix is not None:
                threads[suffix, call][thread] += 1
    return done, {key: sorted(per.values()) for key, per in threads.items()}


def points(counts):
    """Every point that can be struck at. Threads count for themselves, so the first calls of one hide those of another."""
    return [Point(*key, number) for key, per in sorted(counts.items()) for number in range(1, per[-1] + 1)]


def hidden(counts):
    """The points at which one thread was struck and another hidden behind it."""
    return [
        Point(*key, number)
        for key, per in sorted(counts.items())
        if len(per) > 1
        for number in range(1, per[-2] + 1)
    ]


def strike(point, failure, store, trace):
    """The words before a command that is to fail at a point: `KILL`, or the name of an error."""
    way = "signal=KILL" if failure == "KILL" else f"error={failure}"
    # A signal is not delivered to a call that the filter of `--seccomp-bpf` stopped.
    quick = [] if failure == "KILL" else ["--seccomp-bpf"]
    inject = f"inject={point.call}:{way}:when={point.number}"
    return (
        ["strace", "-f", "-qq", *quick, "-o", str(trace), "-P", path(store, point.suffix)]
        + ["-e", f"trace={point.call},pwrite64", "-e", inject]
    )


def struck(trace):
    """Whether an error was injected."""
    return trace.exists() and "(INJECTED)" in trace.read_text(errors="replace")


def written_after(trace):
    """Whether the file was written to after an error was injected."""
    _, _, after = trace.read_text(errors="replace").partition("(INJECTED)")
    return "pwrite64(" in after
