"""What kctl says no with. `cli` is the only printer; everyone else raises.

    KctlError          printed after `error: `, then the process ends with `exit_code`
    ├── UsageError     the command line was wrong; a second line says where help is
    ├── SeveralErrors  more than one thing went wrong: a line for each
    └── Ended          nothing more is to be said; only the exit code counts

The sentences are kubectl's, letter for letter, because scripts and fingers know them.
"""

from __future__ import annotations

from collections.abc import Sequence


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


class SeveralErrors(KctlError):
    """A line for each, without `error: ` before it. Use `raise_all`, which raises a single error as what it is."""

    def __init__(self, errors: Sequence[Exception]) -> None:
        super().__init__("; ".join(map(str, errors)))
        self.errors = tuple(errors)


class Ended(KctlError):
    def __init__(self, exit_code: int = 1) -> None:
        super().__init__("", exit_code=exit_code, verbatim=True)


def raise_all(errors: Sequence[Exception], *, listed: bool = False) -> None:
    """Nothing for none; one as it is, unless `listed`; several as SeveralErrors, the same sentence only once."""
    distinct = list({f"{type(error).__name__}: {error}": error for error in errors}.values())
    if len(distinct) == 1 and not listed:
        raise distinct[0]
    if distinct:
        raise SeveralErrors(distinct)


def listed_as_one(errors: Sequence[Exception]) -> list[Exception]:
    """Several in one line, as Go shows errors within errors; one or none as they are."""
    if len(errors) < 2:
        return list(errors)
    return [KctlError(f"[{', '.join(map(str, errors))}]", verbatim=True)]
