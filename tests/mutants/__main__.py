"""`make mutants`, or for some verbs only: `make mutants ARGS="drain taint"`. `kctl` stands for the flags of every verb.

Flags whose tests do not notice that they are forgotten are listed, and make it fail, but for those of `exceptions`.
Those that only failing lines would notice are listed too, for a reader to judge: some flags exist to make a command
fail, and of others only wrong values are tried.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.command_lines import EVERY_VERB, VERBS, FlagOf, flags_of
from tests.mutants.exceptions import EXCEPTIONS
from tests.mutants.tests_again import BY_ERRORS, IGNORED, NEVER_GIVEN, NOTICED, Verdict

ROOT = Path(__file__).parents[2]
E2E = ROOT / "tests" / "e2e"
ELSEWHERE = {
    EVERY_VERB: "kctl/test_global_flags.py",
    **dict.fromkeys(("up", "down", "status", "doctor", "reset", "env", "certs", "join"), "up"),
    "watch": "watch",
    "etcd": "etcd",
    "clock": ("kctl/test_clock.py up/test_flags.py::test_time_can_be_made_to_pass_where_a_plane_has_its_own_clock"),
    "branch": "kctl/test_snapshot.py",
    "undo": "kctl/test_history.py",
}
"""Where the tests of a verb are, one place or several, unless they are in `kctl/test_VERB.py` or `kctl/VERB/`."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("verbs", nargs="*", help="or one flag: 'drain --force'. Default: all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--directory", type=Path, default=ROOT / "build" / "mutants", help="for what is noted meanwhile"
    )
    options = parser.parse_args(arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    chosen = options.verbs or sorted([*VERBS, EVERY_VERB], key=lambda verb: -len([*flags_of(verb)]))
    with ThreadPoolExecutor(options.jobs) as pool:
        verdicts = [
            verdict
            for verdicts in pool.map(lambda subjects: tried(subjects, options.directory), by_tests(chosen))
            for verdict in verdicts
        ]
    print(table(verdicts))
    return any(verdict.verdict in (IGNORED, NEVER_GIVEN) for verdict in verdicts if verdict.flag not in EXCEPTIONS)


def files_of(verb: str) -> list[str]:
    """The files or folders of its end-to-end tests, or single ones."""
    name = verb.replace("-", "_")
    places = ELSEWHERE.get(verb, f"kctl/test_{name}.py kctl/{name}").split()
    return [f"tests/e2e/{place}" for place in places if (E2E / place.partition("::")[0]).exists()]


def by_tests(subjects: Sequence[str]) -> list[list[str]]:
    """Those together that have the same tests, so that what these need is started once for all of them."""
    together: dict[tuple[str, ...], list[str]] = {}
    for subject in subjects:
        together.setdefault(tuple(files_of(subject.split(maxsplit=1)[0])), []).append(subject)
    return [*together.values()]


def tried(subjects: Sequence[str], directory: Path, tests: Sequence[str] = ()) -> list[Verdict]:
    """What becomes of each flag of some verbs, or of the one that is named with it, by these tests or all of theirs."""
    file = directory / f"{subjects[0].replace(' ', '_')}.verdicts"
    file.unlink(missing_ok=True)
    tests = tests or files_of(subjects[0].split(maxsplit=1)[0])
    chosen = [word for subject in subjects for word in ("--mutants", subject)]
    plugin = ("-p", "tests.mutants.tests_again", *chosen, "--verdicts", str(file))
    with file.with_suffix(".log").open("w") as log:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--rootdir", str(ROOT), "-c", "pyproject.toml", *plugin, *tests],
            cwd=ROOT,
            env={**os.environ, "KCTL_MODULE": "tests.mutants.forgetful"},
            stdout=log,
            stderr=log,
            check=False,
        )
    return [Verdict(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def table(verdicts: Sequence[Verdict]) -> str:
    columns = (NOTICED, BY_ERRORS, IGNORED, NEVER_GIVEN)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in verdicts:
        for row in (FlagOf.parse(verdict.flag).command.split()[0], "all"):
            counts[row][verdict.verdict] += 1
    rows = [*sorted(set(counts) - {"all"}), "all"]
    lines = [f"{'':16}{''.join(f'{column:>13}' for column in columns)}"]
    lines += [f"{row:16}{''.join(f'{counts[row][column]:13}' for column in columns)}" for row in rows]
    missed = sorted((verdict.flag, verdict.verdict) for verdict in verdicts if verdict.verdict != NOTICED)
    reasons = {flag: f" ({EXCEPTIONS[flag]})" for flag, _ in missed if flag in EXCEPTIONS}
    return "\n".join([*lines, "", *(f"{flag}: {verdict}{reasons.get(flag, '')}" for flag, verdict in missed)])


if __name__ == "__main__":
    sys.exit(main())
