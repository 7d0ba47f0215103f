"""`python -m tests.mutants.forgetful`: kctl, but for the flag that KCTL_FORGETS names, which it reads and forgets.

KCTL_FORGETS_IN says in which of a test's lines with that flag, and KCTL_COUNTER is a file that counts them. With
KCTL_NOTES it is kctl itself, and writes into that file which test gave which flags, and how it ended.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from kctl import cli
from tests.mutants.command_lines import FlagOf, understood

FORGETS, LINES, COUNTER, NOTES = "KCTL_FORGETS", "KCTL_FORGETS_IN", "KCTL_COUNTER", "KCTL_NOTES"


def _noting(file: str) -> None:
    line = understood(sys.argv[1:])
    if line is None:
        return
    flags = sorted(map(str, line.given()))
    _append(file, {"line": os.getpid(), "test": os.environ.get("PYTEST_CURRENT_TEST", ""), "flags": flags})
    run = cli.run

    def noted(arguments: Sequence[str]) -> int:
        code = run(arguments)
        _append(file, {"line": os.getpid(), "code": code})
        return code

    cli.run = noted


def _append(file: str, note: dict[str, object]) -> None:
    with Path(file).open("a", encoding="utf-8") as notes:
        notes.write(json.dumps(note) + "\n")


def _forget(flag: FlagOf) -> None:
    line = understood(sys.argv[1:])
    if line is None or flag not in line.given():
        return
    with Path(os.environ[COUNTER]).open("a") as counter:
        number = counter.tell()
        counter.write(".")
    if str(number) in os.environ[LINES].split(","):
        sys.argv[1:] = line.without(flag)


def main() -> int:
    if notes := os.environ.get(NOTES):
        _noting(notes)
    if forgotten := os.environ.get(FORGETS):
        _forget(FlagOf.parse(forgotten))
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
