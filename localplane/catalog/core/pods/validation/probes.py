"""Probes and lifecycle handlers: one action each, and numbers that make sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.catalog.validation.ports import port_or_name_errors
from localplane.catalog.validation.values import not_negative, one_of

from .names import http_header, invalid_each

_SECONDS_AND_COUNTS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def probe_errors(container: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    """The three probes of a container. `grace` is how long the pod has to end."""
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        place = path / name
        yield from _probe_errors(probe, place, grace)
        if name == "readinessProbe":
            if (seconds := probe.get("terminationGracePeriodSeconds")) is not None:
                field = place / "terminationGracePeriodSeconds"
                yield invalid(field, seconds, "must not be set for readinessProbes")
        elif probe.get("successThreshold", 0) != 1:
            yield invalid(place / "successThreshold", probe.get("successThreshold", 0), "must be 1")


def _probe_errors(probe: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    yield from _handler_errors(probe, path, grace)
    for field in _SECONDS_AND_COUNTS:
        yield from not_negative(probe.get(field), path / field)
    seconds = probe.get("terminationGracePeriodSeconds")
    if seconds is not None and seconds <= 0:
        yield invalid(path / "terminationGracePeriodSeconds", seconds, "must be greater than 0")


def lifecycle_errors(lifecycle: Mapping[str, Any] | None, path: Path, grace: int | None) -> Iterator[FieldError]:
    for name in ("postStart", "preStop"):
        if lifecycle and (handler := lifecycle.get(name)) is not None:
            yield from _handler_errors(handler, path / name, grace)


def _handler_errors(handler: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    found = False
    for name, rule in _ACTIONS.items():
        action = handler.get(name)
        if action is None:
            continue
        if found:
            yield forbidden(path / name, "may not specify more than 1 handler type")
        else:
            found = True
            yield from rule(action, path / name, grace)
    if not found:
        yield required(path, "must specify a handler type")


def _exec_errors(action: Mapping[str, Any], path: Path, _: int | None) -> Iterator[FieldError]:
    if not action.get("command"):
        yield required(path / "command")


def _http_errors(action: Mapping[str, Any], path: Path, _: int | None) -> Iterator[FieldError]:
    if not action.get("path"):
        yield required(path / "path")
    yield from port_or_name_errors(action.get("port", 0), path / "port")
    yield from one_of(action.get("scheme", ""), ("HTTP", "HTTPS"), path / "scheme")
    for header in action.get("httpHeaders") or ():
        name = header.get("name", "")
        yield from invalid_each(path / "httpHeaders", name, http_header(name))


def _port_errors(action: Mapping[str, Any], path: Path, _: int | None) -> Iterator[FieldError]:
    yield from port_or_name_errors(action.get("port", 0), path / "port")


def _sleep_errors(action: Mapping[str, Any], path: Path, grace: int | None) -> Iterator[FieldError]:
    seconds = action.get("seconds", 0)
    if grace is not None and not 0 <= seconds <= grace:
        bound = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        yield invalid(path, seconds, bound)


_ACTIONS: dict[str, Callable[[Mapping[str, Any], Path, int | None], Iterator[FieldError]]] = {
    "exec": _exec_errors,
    "httpGet": _http_errors,
    "tcpSocket": _port_errors,
    "grpc": _port_errors,
    "sleep": _sleep_errors,
}
