"""The options of list and watch.

Kubernetes: apimachinery/pkg/apis/meta/internalversion (defaults, validation).
"""

from __future__ import annotations

from dataclasses import replace

from localplane.apimachinery.errors import BadRequest, Invalid
from localplane.apimachinery.fieldpath import FieldError, forbidden, not_supported
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.selectors import fields, labels
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.registry.rest import ListOptions
from localplane.apiserver.request import Query, Request

from .parameters import OPTIONS_GROUP, flag, number, optional_flag

_LONGEST_TIMEOUT = 10**9  # thirty years: clocks can't count on for as long as a client may ask
_MATCH = "resourceVersionMatch"


def list_options(served: Served, request: Request, *, watch: bool) -> ListOptions:
    """Raises BadRequest and Invalid."""
    options = _read(request.query)
    errors = _watch_errors(options) if watch else _list_errors(options)
    if errors:
        raise Invalid.of(GroupKind(OPTIONS_GROUP, "ListOptions"), "", errors)
    for term in options.field_selector.requirements if options.field_selector is not None else ():
        problem = served.unknown_field(term.field)
        if problem is not None:
            raise BadRequest(problem)
    if watch and options.send_initial_events is None and options.resource_version in ("", "0"):
        # The oldest form of a watch, which begins with what is there, is told its end as the newest one is.
        options = replace(options, send_initial_events=True)
    return _named(options, request.info.name) if request.info.name else options


def _read(query: Query) -> ListOptions:
    timeout, limit = number(query, "timeoutSeconds"), number(query, "limit")
    return ListOptions(
        label_selector=_label_selector(query.get("labelSelector")),
        field_selector=_field_selector(query.get("fieldSelector")),
        resource_version=query.get("resourceVersion"),
        match=query.get(_MATCH),
        limit=max(limit or 0, 0),
        continue_token=query.get("continue"),
        allow_bookmarks=flag(query, "allowWatchBookmarks"),
        send_initial_events=optional_flag(query, "sendInitialEvents"),
        timeout_seconds=max(-1, min(timeout, _LONGEST_TIMEOUT)) if timeout else None,
    )


def _label_selector(text: str) -> labels.Selector | None:
    if not text:
        return None
    try:
        selector = labels.parse(text)
    except labels.InvalidSelector as error:
        raise BadRequest(str(error)) from error
    return None if selector.is_everything else selector


def _field_selector(text: str) -> fields.Selector | None:
    if not text:
        return None
    try:
        selector = fields.parse(text)
    except fields.InvalidSelector as error:
        raise BadRequest(str(error)) from error
    return None if selector.is_everything else selector


def _named(options: ListOptions, name: str) -> ListOptions:
    """A path may name the one object to watch; so does the selector that this becomes."""
    if options.field_selector is None:
        return replace(options, field_selector=fields.equals("metadata.name", name))
    if options.field_selector.requires_exact_match("metadata.name") != name:
        raise BadRequest("fieldSelector metadata.name doesn't match requested name")
    return options


def _list_errors(options: ListOptions) -> list[FieldError]:
    errors: list[FieldError] = []
    match, version = options.match, options.resource_version
    if match:
        if not version:
            errors.append(forbidden(_MATCH, f"{_MATCH} is forbidden unless resourceVersion is provided"))
        if options.continue_token:
            errors.append(forbidden(_MATCH, f"{_MATCH} is forbidden when continue is provided"))
        if match not in ("Exact", "NotOlderThan"):
            errors.append(not_supported(_MATCH, match, ("Exact", "NotOlderThan", "")))
        if match == "Exact" and version == "0":
            errors.append(forbidden(_MATCH, f'{_MATCH} "exact" is forbidden for resourceVersion "0"'))
    if options.send_initial_events is not None:
        errors.append(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors


def _watch_errors(options: ListOptions) -> list[FieldError]:
    errors: list[FieldError] = []
    match = options.match
    if options.send_initial_events is not None:
        if match != "NotOlderThan":
            errors.append(forbidden(_MATCH, f"sendInitialEvents requires setting {_MATCH} to NotOlderThan"))
    elif match:
        errors.append(forbidden(_MATCH, f"{_MATCH} is forbidden for watch unless sendInitialEvents is provided"))
    if match and match != "NotOlderThan":
        errors.append(not_supported(_MATCH, match, ("NotOlderThan",)))
    if match and options.continue_token:
        errors.append(forbidden(_MATCH, f"{_MATCH} is forbidden when continue is provided"))
    return errors
