"""etcd must not outlive us: whatever kills this process, SIGKILL included, takes etcd with it.

SIGNAL, on Linux: the kernel sends SIGKILL to etcd when its parent dies. A process asks for that itself, so a short
Python program asks and then becomes etcd. (Asking between fork and exec in our own process would run Python in the
child of a program with threads, which may deadlock.) The kernel means the *thread* that started the child: start
etcd from the thread that runs the event loop, never from a pool.

PIPE, everywhere else: a shell holds the reading end of a pipe whose other end only we have. When we are gone it reads
the end of the file and kills its process group. It forks before the other half becomes etcd, so there is no moment
without a guard, and it belongs to the group, so the group's number can't have been given to anybody else.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PR_SET_PDEATHSIG, _SIGKILL = 1, 9

# argv: our pid, then the program and its arguments. If we died before the request, init is the parent by now.
_ASK_AND_BECOME = f"""
import ctypes, os, sys
if ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, {_SIGKILL}, 0, 0, 0) != 0:
    sys.exit("the kernel refuses PR_SET_PDEATHSIG")
if os.getppid() != int(sys.argv[1]):
    sys.exit("the parent is gone")
try:
    os.execv(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.exit(f"can't execute {{sys.argv[2]}}: {{error.strerror}}")
"""

# TERM goes to the whole group when etcd is asked to stop; the guard has to last as long as etcd does.
# $$ is the number of the shell that becomes etcd, and that of its group because it is started in a session of its own.
_GUARD_AND_BECOME = """
exec 3<&0 </dev/null
( trap "" TERM INT HUP; read -r _; kill -s KILL -- -$$ ) <&3 3<&- >/dev/null 2>&1 &
exec 3<&-
exec "$@"
"""


class ParentDeath(StrEnum):
    """How etcd learns that we died."""

    SIGNAL = "signal"
    PIPE = "pipe"

    @classmethod
    def here(cls) -> ParentDeath:
        return cls.SIGNAL if sys.platform == "linux" and sys.executable else cls.PIPE


class Lifeline:
    """The command that ties a program to our life, and whatever of it we have to hold meanwhile.

    Whoever starts it gives it a new session, or PIPE has no group to kill.
    """

    def __init__(self, means: ParentDeath, command: Sequence[str]) -> None:
        self._held: int | None = None
        if means is ParentDeath.SIGNAL:
            self.stdin = os.open(os.devnull, os.O_RDONLY)
            self.argv = [sys.executable, "-I", "-S", "-c", _ASK_AND_BECOME, str(os.getpid()), *command]
        else:
            self.stdin, self._held = os.pipe()
            self.argv = ["/bin/sh", "-c", _GUARD_AND_BECOME, "sh", *command]

    def started(self) -> None:
        """The program has its end now."""
        os.close(self.stdin)

    def cut(self) -> None:
        """Let go: with PIPE this ends the guard, and what is left of the group. Idempotent."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
