"""The sentence a refusal is told with. Kubernetes: endpoints/handlers/responsewriters, ForbiddenStatusError."""

from __future__ import annotations

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource

from .interface import Attributes

# A browser that takes the answer for a page must find no markup in it.
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def forbidden(attributes: Attributes, reason: str = "") -> Forbidden:
    sentence = without_markup(_sentence(attributes))
    why = f"{sentence}: {reason}" if reason else sentence
    return Forbidden.of(GroupResource(attributes.group, attributes.resource), attributes.name, why)


def without_markup(text: str) -> str:
    return text.translate(_MARKUP)


def _sentence(attributes: Attributes) -> str:
    user, verb = go_quote(attributes.user.name), attributes.verb
    if not attributes.is_resource:
        return f"User {user} cannot {verb} path {go_quote(attributes.path)}"
    resource = attributes.resource
    if attributes.subresource:
        resource = f"{resource}/{attributes.subresource}"
    where = f"in the namespace {go_quote(attributes.namespace)}" if attributes.namespace else "at the cluster scope"
    group = go_quote(attributes.group)
    return f"User {user} cannot {verb} resource {go_quote(resource)} in API group {group} {where}"
