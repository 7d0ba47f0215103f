"""What kctl says no with. `cli` is the only printer; everyone else raises.

    KctlError          printed after `error: `, then the process ends with `exit_code`
    ├── UsageError     the command line was wrong; a second line says where help is
    ├── SeveralErrors  more than one thing went wrong: a line for each
    ├── ListErrors     the items of a list in a file did: one line for them all
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
    """`hint` is printed below the message. `mistyped` is what somebody wrote, and what there is."""

    def __init__(self, message: str, *, hint: str = "", mistyped: tuple[str, Sequence[str]] | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.mistyped = mistyped


class SeveralErrors(KctlError):
    """A line for each, without `error: ` before it. Use `raise_all`, which raises a single error as what it is."""

    def __init__(self, errors: Sequence[Exception]) -> None:
        super().__init__("; ".join(map(str, errors)))
        self.errors = tuple(errors)


class ListErrors(KctlError):
    """What went wrong with the items of one list that was read from a file: a single error of them all, in Go's words
    for errors within errors, wherever it is not the only one."""

    def __init__(self, errors: Sequence[Exception]) -> None:
        super().__init__(aggregate_text(errors), verbatim=True)
        self.errors = tuple(errors)


class Ended(KctlError):
    def __init__(self, exit_code: int = 1) -> None:
        super().__init__("", exit_code=exit_code, verbatim=True)


class Unsortable(KctlError):
    """Of a --sort-by that can't be followed: kubectl logs it, and ends at once."""

    def __init__(self, line: str) -> None:
        super().__init__(line, verbatim=True)


def raise_all(errors: Sequence[Exception], *, listed: bool = False) -> None:
    """Nothing for none; one as it is, unless `listed`; several as SeveralErrors."""
    if len(errors) == 1 and not listed:
        raise SeveralErrors(errors[0].errors) if isinstance(errors[0], ListErrors) else errors[0]
    if errors:
        raise SeveralErrors(errors)


def aggregate_text(errors: Sequence[Exception]) -> str:
    """Several in one line, the same sentence only once. Kubernetes: apimachinery/pkg/util/errors, aggregate.Error."""
    distinct = list(dict.fromkeys(map(str, errors)))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"


def listed_as_one(errors: Sequence[Exception]) -> list[Exception]:
    """Several in one line, as Go shows errors within errors; one or none as they are."""
    if len(errors) < 2:
        return list(errors)
    return [KctlError(aggregate_text(errors), verbatim=True)]
