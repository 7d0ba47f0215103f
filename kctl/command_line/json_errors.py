"""--error-format=json: an error as one document, and an exit code that says which sort it was."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kctl.command_line.flags import last_said
from kctl.errors import BY_REASON, FAILED, UNREACHABLE, USAGE, Ended, KctlError, SeveralErrors, UsageError
from localplane.apimachinery.light_typing import Any

_CLIENT = "localplane.client.errors"
_FORMATS = ("text", "json")


def is_asked_for(words: Sequence[str]) -> bool:
    """By what the command line says: needed even if it is wrong. Raises KctlError for another format."""
    chosen = last_said(words, "error-format", "text")
    if chosen not in _FORMATS:
        raise KctlError("--error-format must be 'text' or 'json'")
    return chosen == "json"


def document(error: Exception, said: str) -> dict[str, Any]:
    """`said` is what would have been printed instead."""
    error = _origin(error)
    found: dict[str, Any] = {"kind": "Error", "type": _type(error), "message": said.rstrip("\n")}
    if isinstance(error, SeveralErrors):
        found["errors"] = [document(one, str(one)) for one in error.errors]
    status = _status(error)
    if reason := status.get("reason") or _reason(error):
        found["reason"] = reason
    for name in ("code", "details"):
        if status.get(name):
            found[name] = status[name]
    return {**found, "exitCode": exit_code(error)}


def _origin(error: Exception) -> Exception:
    """What it was before somebody told more about it: `failed to create configmap: ...`."""
    if isinstance(error, SeveralErrors) and len(error.errors) == 1:
        return _origin(error.errors[0])
    cause = error.__cause__
    is_ours = isinstance(error, KctlError) and not isinstance(error, SeveralErrors | UsageError | Ended)
    if is_ours and error.exit_code == FAILED and isinstance(cause, Exception):  # type: ignore[attr-defined]  # it is ours
        known = _status(cause) or any(_is(cause, _CLIENT, name) for name in ("ConnectionFailed", "NoMatch"))
        return cause if known else error
    return error


def exit_code(error: Exception) -> int:
    error = _origin(error)
    if isinstance(error, SeveralErrors):
        codes = {exit_code(one) for one in error.errors}
        return codes.pop() if len(codes) == 1 else FAILED
    if isinstance(error, KctlError) and error.exit_code != FAILED:
        return error.exit_code
    if isinstance(error, UsageError):
        return USAGE
    reason = _status(error).get("reason") or _reason(error)
    if reason in BY_REASON:
        return BY_REASON[reason]
    return UNREACHABLE if _is(error, _CLIENT, "ConnectionFailed") else FAILED


def _type(error: Exception) -> str:
    if isinstance(error, UsageError):
        return "UsageError"
    if _is(error, "localplane.apimachinery.errors", "APIError"):
        return "APIError"
    for name in ("ConnectionFailed", "ConfigError", "CredentialsError", "NoMatch"):
        if _is(error, _CLIENT, name):
            return name
    return "SeveralErrors" if isinstance(error, SeveralErrors) else "Error"


def _reason(error: Exception) -> str:
    """What a server would have called it."""
    if _is(error, _CLIENT, "NoMatch") or str(error).startswith("the server doesn't have a resource type"):
        return "NotFound"
    if _is(error, _CLIENT, "RequestTimedOut") or str(error).startswith("timed out waiting"):
        return "Timeout"
    return "Unauthorized" if _is(error, _CLIENT, "CredentialsError") else ""


def _status(error: Exception) -> dict[str, Any]:
    if not _is(error, "localplane.apimachinery.errors", "APIError"):
        return {}
    status: dict[str, Any] = error.status()  # type: ignore[attr-defined]  # it is the APIError that was looked for
    return status


def _is(error: Exception, module: str, name: str) -> bool:
    known = sys.modules.get(module)
    return known is not None and isinstance(error, getattr(known, name))


def is_silent(error: Exception) -> bool:
    """Only its exit code counts."""
    return isinstance(error, Ended)
