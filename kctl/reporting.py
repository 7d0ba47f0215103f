"""Errors in kubectl's words. `cli` prints what this says. Kubernetes: kubectl/pkg/cmd/util/helpers.go, checkErr."""

from __future__ import annotations

import sys

from kctl.errors import Ended, KctlError, SeveralErrors, UsageError
from localplane.apimachinery.light_typing import Any

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
    from localplane.apimachinery.gotext import go_quote

    prefix = f"error when {verb} {go_quote(source)}: "
    if _is(error, "localplane.apimachinery.errors", "APIError"):
        error.message = prefix + error.message
        error.args = (error.message,)
        return error  # type: ignore[no-any-return]  # it is the APIError that was just looked for
    return KctlError(f"{prefix}{error}")


def _is(error: BaseException, module: str, name: str) -> bool:
    known = sys.modules.get(module)
    return known is not None and isinstance(error, getattr(known, name))


def _invalid(status: dict[str, Any]) -> str:
    from localplane.apimachinery.gotext import go_quote

    details, message = status.get("details"), status.get("message", "")
    said = "The request is invalid"
    if details is None:
        return f"{said}: {message}" if message else said
    causes = details.get("causes") or ()
    if details.get("kind") or details.get("name"):
        said = f"The {details.get('kind', '')} {go_quote(details.get('name', ''))} is invalid"
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


def _connection(error: Any) -> str:
    if _is(error, "localplane.client.errors", "ConnectionRefused") and error.address:
        return f"The connection to the server {error.address} was refused - did you specify the right host or port?"
    return f"Unable to connect to the server: {error.reason or error}"


def _configuration(error: Any) -> str:
    """A single problem stands alone, unless it is a context that is not there."""
    problems = list(error.problems)
    if len(problems) == 1 and not problems[0].startswith("context was not found"):
        return f"error: {problems[0]}"
    return _listed("Error in configuration: ", problems)
