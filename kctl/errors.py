"""What kctl says no with. `cli` is the only printer; everyone else raises.

    KctlError          printed after `error: `, then the process ends with `exit_code`
    ├── UsageError     the command line was wrong; a second line says where help is
    ├── SeveralErrors  more than one thing went wrong: a line for each
    ├── ListErrors     the items of a list in a file did: one line for them all
    └── Ended          nothing more is to be said; only the exit code counts

The sentences are kubectl's, letter for letter, because scripts and fingers know them.

Exit codes that tell errors apart, for those who ask for it with --error-format=json.

kubectl ends with 1 whatever went wrong, and scripts count on that, so these are only given to those who ask.

Errors in kubectl's words. `cli` prints what this says. Kubernetes: kubectl/pkg/cmd/util/helpers.go, checkErr.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kctl import program
from localplane.apimachinery.golang import text as gotext
from localplane.apimachinery.light_typing import Any, Final


class KctlError(Exception):
    """`verbatim` leaves out `error: `, for kubectl's sentences that have none: `Error from server (NotFound): ...`.
    `mistyped` is what somebody wrote, and what there is: on a terminal, what was probably meant is told."""

    def __init__(
        self,
        message: str,
        *,
        exit_code: int = 1,
        verbatim: bool = False,
        mistyped: tuple[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.verbatim = verbatim
        self.mistyped = mistyped


class UsageError(KctlError):
    """`hint` is printed below the message. It is our own, so it may say kctl wherever kubectl would say kubectl."""

    def __init__(self, message: str, *, hint: str = "", mistyped: tuple[str, Sequence[str]] | None = None) -> None:
        super().__init__(message, mistyped=mistyped)
        self.hint = program.renamed(hint)


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


FAILED: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 8

EXIT_CODES: Final = (
    (1, "Anything else."),
    (USAGE, "The command line is wrong: a flag, a command or an argument that there is not."),
    (3, "NotFound: no such object, or no such type."),
    (4, "Conflict or AlreadyExists: somebody was faster."),
    (5, "Unauthorized or Forbidden."),
    (6, "Invalid or BadRequest: the server understood, and refused."),
    (7, "Timeout: of the request, of the server, or of what was waited for."),
    (UNREACHABLE, "The server can't be reached: refused, no such host, no trust in its certificate."),
    (9, "The server has a problem: TooManyRequests, ServiceUnavailable, InternalError."),
)

BY_REASON: Final = {
    "NotFound": 3,
    "Gone": 3,
    "Conflict": 4,
    "AlreadyExists": 4,
    "Unauthorized": 5,
    "Forbidden": 5,
    "Invalid": 6,
    "BadRequest": 6,
    "Timeout": 7,
    "ServerTimeout": 7,
    "TooManyRequests": 9,
    "ServiceUnavailable": 9,
    "InternalError": 9,
}


# Errors of ours that a user may see, by module and class. They are looked up among what has been imported and never
# imported for it: an error of a module that nobody imported can't have been raised.
_EXPECTED = (
    ("localplane.cli.errors", "PlaneError"),
    ("localplane.apiserver.storage.errors", "StorageError"),
    ("localplane.apiserver.server.listener", "CannotListen"),
    ("localplane.apiserver.server.options", "InvalidOptions"),
    ("localplane.apiserver.server.tls", "UnusableCertificate"),
    ("localplane.client.errors", "ClientError"),
    ("localplane.controllers.selection", "UnknownController"),
)


def report(error: BaseException) -> str | None:
    """All there is to print, without the last end of line. None for an error that nobody expected."""
    match error:
        case Ended():
            return ""
        case SeveralErrors(errors=errors):
            return "\n".join(_in_list(one) for one in errors)
        case UsageError() if error.hint:
            return f"error: {error}\n{error.hint}"
        case KctlError():
            text = str(error)
            return text if error.verbatim or text.startswith("error: ") else f"error: {text}"
    if _is(error, "localplane.apimachinery.errors", "APIError"):
        return api_error(error)
    if _is(error, "localplane.client.errors", "ConnectionFailed"):
        return _connection(error)
    if _is(error, "localplane.client.errors", "InvalidConfig"):
        return _configuration(error)
    if _is(error, "localplane.client.errors", "CredentialsError") and str(error).startswith("getting credentials:"):
        return f"Unable to connect to the server: {error}"
    if any(_is(error, module, name) for module, name in _EXPECTED):
        return f"error: {error}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"error: {error.filename}: {error.strerror}"
    return None


def _in_list(error: Exception) -> str:
    """Kubernetes: messageForError. Errors of ours come without the word before them."""
    if _is(error, "localplane.apimachinery.errors", "APIError"):
        return api_error(error, listed=True)
    if isinstance(error, SeveralErrors) or not isinstance(error, KctlError):
        said = report(error)
        return str(error) if said is None else said.removeprefix("error: ")
    return str(error)


def api_error(error: Any, *, listed: bool = False) -> str:
    """Of an APIError. One of several is told by its message alone, even if it has causes."""
    status = error.status()
    reason = status.get("reason", "")
    if reason == "Invalid" and not listed:
        return _invalid(status)
    if reason == "Unauthorized":
        return f"error: You must be logged in to the server ({error.message})"
    return f"Error from server ({reason}): {error.message}" if reason else f"Error from server: {error.message}"


def with_source(error: Any, verb: str, source: str) -> Exception:
    """`error when creating "a.yaml": ...`, still of its own class. Kubernetes: AddSourceToErr."""
    if not source:
        return error if isinstance(error, Exception) else KctlError(str(error))
    prefix = f"error when {verb} {gotext.go_quote(source)}: "
    if _is(error, "localplane.apimachinery.errors", "APIError"):
        error.message = prefix + error.message
        error.args = (error.message,)
        return error  # type: ignore[no-any-return]  # it is the APIError that was just looked for
    return KctlError(f"{prefix}{error}")


def _is(error: BaseException, module: str, name: str) -> bool:
    known = sys.modules.get(module)
    return known is not None and isinstance(error, getattr(known, name))


def _invalid(status: dict[str, Any]) -> str:
    details, message = status.get("details"), status.get("message", "")
    said = "The request is invalid"
    if details is None:
        return f"{said}: {message}" if message else said
    causes = details.get("causes") or ()
    if details.get("kind") or details.get("name"):
        said = f"The {details.get('kind', '')} {gotext.go_quote(details.get('name', ''))} is invalid"
    elif message and not causes:
        return f"{said}: {message}"
    if not causes:
        return said
    lines = list(dict.fromkeys(f"{cause.get('field', '')}: {cause.get('message', '')}" for cause in causes))
    return _listed(f"{said}: ", lines)


def _listed(prefix: str, lines: list[str]) -> str:
    """One behind the prefix, several below it. One that ends its line itself gets another end of line."""
    text = prefix + lines[0] if len(lines) == 1 else "\n".join((prefix, *(f"* {line}" for line in lines)))
    return f"{text}\n" if text.endswith("\n") else text


_OVER_AT_ONCE = "context deadline exceeded"
"""Said of a request that was not even sent, so that there was nothing to connect to."""


def _connection(error: Any) -> str:
    if _is(error, "localplane.client.errors", "ConnectionRefused") and error.address:
        return f"The connection to the server {error.address} was refused - did you specify the right host or port?"
    if error.reason == _OVER_AT_ONCE:
        return f"error: {error.reason}"
    return f"Unable to connect to the server: {error.reason or error}"


def _configuration(error: Any) -> str:
    """A single problem stands alone, unless it is a context that is not there."""
    problems = list(error.problems)
    if len(problems) == 1 and not problems[0].startswith("context was not found"):
        return f"error: {problems[0]}"
    return _listed("Error in configuration: ", problems)
