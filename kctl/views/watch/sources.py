"""Which collections are meant: `deploy,po -A -l app=x`, `deploy web`, `deploy/web po/web-0`.

Keeping up with several collections at once, until somebody has seen enough.
"""

from __future__ import annotations

from typing import NamedTuple

from kctl import program
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.objects.arguments import read
from kctl.objects.lookup import with_everything
from kctl.session.session import Session
from localplane.client.errors import NoMatch
from localplane.client.rest.mapper import RESTMapping


class Source(NamedTuple):
    """One collection, or one object of it if it has a `name`. `namespace` is empty for all of them, or none."""

    mapping: RESTMapping
    namespace: str
    name: str
    label_selector: str
    field_selector: str

    @property
    def kind(self) -> str:
        """`deployment.apps`."""
        kind = self.mapping.kind
        return kind.kind.lower() + (f".{kind.group}" if kind.group else "")

    @property
    def resource(self) -> str:
        return str(self.mapping.resource.group_resource)


class Scope(NamedTuple):
    """Where to look, and for what. No `namespace` is all of them."""

    namespace: str
    label_selector: str = ""
    field_selector: str = ""

    @classmethod
    def of(cls, session: Session, flags: FlagSet) -> Scope:
        namespace = "" if flags.is_on("all-namespaces") else session.namespace
        return cls(namespace, flags.text("selector").strip(), flags.text("field-selector").strip())


async def sources(session: Session, scope: Scope, words: list[str]) -> list[Source]:
    """In the order in which they were named. Raises KctlError, in kubectl's words where it has them."""
    if not words:
        raise KctlError(
            f'Required resource not specified, see "{program.name()} api-resources" for those that there are'
        )
    arguments = await with_everything(session, words, cluster_wide=not scope.namespace, verb="watch")
    expanded = {one: await session.discovery.expand(one) for one in arguments[0].split(",") if "/" not in arguments[0]}
    named = read(arguments, lambda one: expanded.get(one, one))
    pairs = list(named.pairs) or [(one, name) for one in named.types for name in named.names or ("",)]
    found = [await _source(session, scope, one, name) for one, name in pairs]
    return list(dict.fromkeys(found))


async def _source(session: Session, scope: Scope, argument: str, name: str) -> Source:
    labels, fields = scope.label_selector, scope.field_selector
    try:
        mapping = await session.discovery.mapping_for(argument)
    except NoMatch as error:
        raise KctlError(str(error)) from error
    if name and (labels or fields):
        raise KctlError("name cannot be provided when a selector is specified")
    if name and not scope.namespace and mapping.namespaced:
        raise KctlError("a resource cannot be retrieved by name across all namespaces")
    namespace = scope.namespace if mapping.namespaced else ""
    return Source(mapping, namespace, name, labels, f"metadata.name={name}" if name else fields)
