"""`kctl` and `pytest` for guides: forks of one that is warm, or processes of their own where that matters.

It is run with `python -IS`, so it starts in the time that a shell takes for a function. The warm one's socket is an
open file that the script inherits. `kctl up` is given any free port, because the usual one may be somebody's.
"""

from __future__ import annotations

import json
import os
import socket
import sys

_FRESH = frozenset(("--", "watch", "ui", "envtest", "--watch", "-w", "--follow", "proxy", "port-forward"))
"""What lasts until it is ended, and ends with the script."""


def _is_fresh(arguments: list[str]) -> bool:
    in_the_foreground = arguments[:1] == ["up"] and not {"-d", "--detach"}.intersection(arguments)
    return in_the_foreground or not _FRESH.isdisjoint(arguments)


def main() -> int:
    arguments = sys.argv[1:]
    warm = int(os.environ.get("KCTL_WARM", "-1"))
    is_pytest = os.path.basename(sys.argv[0]) == "pytest"  # noqa: PTH119 - pathlib takes longer to import than all else
    if arguments[:1] == ["up"] and not is_pytest and not {"--port", "--"}.intersection(arguments):
        arguments[1:1] = ["--port", "0"]
    if not is_pytest and (warm < 0 or _is_fresh(arguments)):
        python = os.environ["KCTL_PYTHON"]
        os.execv(python, [python, "-m", "kctl", *arguments])
    answers, theirs = socket.socketpair()
    more = {"KCTL_MODULE": "tests.e2e.guides.pytest_in_a_fork"} if is_pytest else {}
    environment = {**os.environ, **more}
    message = {"arguments": arguments, "directory": os.getcwd(), "environment": environment}  # noqa: PTH109
    with socket.socket(fileno=warm) as commands:
        socket.send_fds(commands, [json.dumps(message).encode()], [0, 1, 2, theirs.fileno()])
    theirs.close()
    told = b""
    while told.count(b"\n") < 2:
        received = answers.recv(64)
        if not received:
            sys.exit("the kctl that waits is gone")
        told += received
    return os.waitstatus_to_exitcode(int(told.splitlines()[1]))


if __name__ == "__main__":
    sys.exit(main())
