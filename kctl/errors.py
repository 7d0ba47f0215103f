"""What kctl says no with. `cli` is the only printer; everyone else raises.

    KctlError          printed after `error: `, then the process ends with `exit_code`
    └── UsageError     the command line was wrong; a second line says where help is

The sentences are kubectl's, letter for letter, because scripts and fingers know them.
"""

from __future__ import annotations


class KctlError(Exception):
    """`verbatim` leaves out `error: `, for kubectl's sentences that have none: `Error from server (NotFound): ...`."""

    def __init__(self, message: str, *, exit_code: int = 1, verbatim: bool = False) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.verbatim = verbatim


class UsageError(KctlError):
    """`hint` is printed below the message."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
