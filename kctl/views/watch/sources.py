"""Which collections are meant: `deploy,po -A -l app=x`, `deploy web`, `deploy/web po/web-0`.

Keeping up with several collections at once, until somebody has seen enough.
"""

from __future__ import annotations

from typing import NamedTuple

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


async def sources(session: Session, flags: FlagSet) -> list[Source]:
    """In the order in which they were named. Raises KctlError, in kubectl's words where it has them."""
    if not flags.arguments:
        raise KctlError('Required resource not specified, see "kctl api-resources" for those that there are')
    everywhere = flags.is_on("all-namespaces")
    arguments = await with_everything(session, flags.arguments, cluster_wide=everywhere, verb="watch")
    expanded = {one: await session.discovery.expand(one) for one in arguments[0].split(",") if "/" not in arguments[0]}
    words = read(arguments, lambda one: expanded.get(one, one))
    pairs = list(words.pairs) or [(one, name) for one in words.types for name in words.names or ("",)]
    found = [await _source(session, flags, one, name) for one, name in pairs]
    return list(dict.fromkeys(found))


async def _source(session: Session, flags: FlagSet, argument: str, name: str) -> Source:
    labels, fields = flags.text("selector").strip(), flags.text("field-selector").strip()
    everywhere = flags.is_on("all-namespaces")
    try:
        mapping = await session.discovery.mapping_for(argument)
    except NoMatch as error:
        raise KctlError(str(error)) from error
    if name and (labels or fields):
        raise KctlError("name cannot be provided when a selector is specified")
    if name and everywhere and mapping.namespaced:
        raise KctlError("a resource cannot be retrieved by name across all namespaces")
    namespace = session.namespace if mapping.namespaced and not everywhere else ""
    return Source(mapping, namespace, name, labels, f"metadata.name={name}" if name else fields)
