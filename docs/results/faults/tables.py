"""What was broken on purpose, and what survived it: sums of the raw tables of `make test-faults`."""

from __future__ import annotations

from raw import Table, rows

FAULTS = {
    "kill": "a command killed at a random moment (SIGKILL, SIGTERM, Ctrl-C), then started again",
    "together": "two commands at once on the same folder",
    "disk": "disks full or read-only, odd names, links, other file systems",
    "bad-files": "files cut short, empty, huge, binary or without sense",
    "inert": "HTML, LaTeX and formulas in outputs and names",
    "services": "a service that is slow, wrong, huge or hostile",
    "passed-on": "a hostile benchmark, exported into every form and run by two harnesses",
    "same-everywhere": "other versions of Python and numpy, locales, time zones, threads",
}
SURVIVED = {
    "kill": "the files of an unbroken run, byte by byte",
    "together": "the result of one; the other names the process at work",
    "disk": "nothing lost; with room, the same command gives the same bytes",
    "bad-files": "`file:line`, what is wrong, a hint",
    "inert": "nothing runs, nothing is loaded from elsewhere",
    "services": "every sentence answered or counted as failed; the key leaks nowhere",
    "passed-on": "it stays data: nothing of it runs, no file leaves its folder",
    "same-everywhere": "the same bytes",
}
WORK = {
    "score": "score so many hypotheses",
    "report": "report on so many systems (76,000 sentences)",
    "split": "split so many sentences by divergence",
}


def survived() -> Table:
    """Each kind of fault: how many were tried and survived."""

    def total(name: str, column: str) -> int:
        return sum(int(row[column]) for row in rows(f"faults/{name}"))

    found = [
        [what, f"{total(name, 'survived'):,} of {total(name, 'tried'):,}", SURVIVED[name]]
        for name, what in FAULTS.items()
    ]
    return Table(("what was done", "survived", "what survival means"), found)


def load() -> Table:
    """The largest work of each kind."""
    largest = {row["work"]: row for row in rows("faults/load")}
    found = [
        [
            what,
            f"{int(largest[work]['size']):,}",
            f"{float(largest[work]['processor']):.0f} s",
            f"{float(largest[work]['megabytes']) / 1000:.1f} GB",
        ]
        for work, what in WORK.items()
    ]
    return Table(("work", "size", "processor time", "memory"), found)


def bite() -> Table:
    """Faults planted in the code, and damaged files given to readers."""
    planted = rows("faults/mutants")
    first, now = (sum(row[when] != "passed" for row in planted) for when in ("first", "now"))
    *inputs, since = rows("faults/fuzz")
    return Table(
        ("", "tried", "result"),
        [
            ["faults planted in the code (`benchmarks/mutants.py`)", f"{len(planted):,}", f"{first} ({first / len(planted):.0%}) were caught at first sight, {now} ({now / len(planted):.0%}) are now"],
            ["damaged files given to 18 readers (`benchmarks/fuzz.py`)", f"{sum(int(row['inputs']) for row in inputs):,}", "three faults found and mended"],
            ["damaged files since then", f"{int(since['inputs']):,}", f"{since['faults']} faults found"],
        ],
    )  # fmt: skip
