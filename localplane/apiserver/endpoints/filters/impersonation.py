"""Act as somebody else, if that is allowed. Kubernetes: endpoints/filters/impersonation."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.apiserver.audit import current_event
from localplane.apiserver.authorization import Attributes, Authorizer, Demands
from localplane.apiserver.request import Answer, Filter, Handler, Request, User

from .hidden_headers import hide_headers
from .impersonation_modes import allowed_impersonation, note_impersonation

_ANY = "impersonate-"
_USER = "impersonate-user"
_UID = "impersonate-uid"
_GROUP = "impersonate-group"
_EXTRA = "impersonate-extra-"


def impersonation(authorizer: Authorizer, demands: Demands | None = None) -> Filter:
    """Replaces `request.user` by whom the headers name, and takes the headers away: nobody further in shall care.
    `demands` hears what it takes."""

    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            names = [name for name in request.headers if name.startswith(_ANY)]
            wanted = _wanted_user(request, names) if names else None
            if wanted is None:
                return await handler(request)
            assert request.user is not None, "authentication comes before impersonation"
            hide_headers(request, names)
            attributes = Attributes.of(request.user, request.info)
            if demands is not None:
                await note_impersonation(demands, wanted, attributes)
            impersonated = await allowed_impersonation(authorizer, wanted, attributes)
            request.impersonator, request.user = request.user, impersonated.user
            event = current_event(request)
            if event is not None:
                event.impersonate(impersonated.user, impersonated.constraint)
            return await handler(request)

        return handle

    return filtered


def _wanted_user(request: Request, names: Sequence[str]) -> User | None:
    """The user as the headers say, with nothing added. None if they are there but say nothing."""
    extra: dict[str, tuple[str, ...]] = {}
    for name in names:
        if name.startswith(_EXTRA):
            key = unquote(name.removeprefix(_EXTRA))
            extra[key] = extra.get(key, ()) + _values(request, name)
    groups = _values(request, _GROUP) if _GROUP in names else ()
    wanted = User(request.headers.get(_USER, ""), request.headers.get(_UID, ""), groups, extra)
    if wanted.name:
        return wanted
    if wanted.uid or wanted.groups or wanted.extra:
        raise BadRequest(f"requested {_go_syntax(wanted)} without impersonating a user name")
    return None


def _values(request: Request, name: str) -> tuple[str, ...]:
    return tuple(request.header_values(name)) or (request.headers[name],)


def _go_syntax(user: User) -> str:
    """As Go's %#v prints it, for that is what the message holds."""
    extra = ", ".join(f"{go_quote(key)}:{_go_strings(values)}" for key, values in sorted(user.extra.items()))
    extra = f"map[string][]string{{{extra}}}" if user.extra else "map[string][]string(nil)"
    name, uid, groups = go_quote(user.name), go_quote(user.uid), _go_strings(user.groups)
    return f"&user.DefaultInfo{{Name:{name}, UID:{uid}, Groups:{groups}, Extra:{extra}}}"


def _go_strings(values: Sequence[str]) -> str:
    return f"[]string{{{', '.join(map(go_quote, values))}}}" if values else "[]string(nil)"
