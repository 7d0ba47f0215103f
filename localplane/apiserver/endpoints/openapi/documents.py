"""Whole documents: one of OpenAPI v3 for each group version, one of Swagger 2.0 for all.

They are built on the event loop, one resource at a time with a turn for others in between: a schema fills itself in
when it is first looked at, and would show half of itself to a request that another thread handles meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_json
from localplane.apiserver.endpoints.discovery.model import InstalledGroup, InstalledResource, InstalledVersion

from . import paths
from .definitions import Definitions
from .descriptions import Descriptions
from .roots import RootPath
from .swagger import path_v2

_SECURITY = {
    "BearerToken": {"description": "A bearer token.", "type": "apiKey", "name": "authorization", "in": "header"},
}


@dataclass(frozen=True, slots=True)
class DocumentedVersion:
    """One group version, as documents see it."""

    group: InstalledGroup
    version: InstalledVersion

    @property
    def group_version(self) -> GroupVersion:
        return self.group.group_version(self.version.version)

    @property
    def path(self) -> str:
        """Its name in the index, and the end of its document's URL."""
        return f"apis/{self.group_version}" if self.group.name else f"api/{self.version.version}"


Documented = DocumentedVersion | RootPath
"""What has a document of its own."""


async def document_v3(
    served: Documented,
    info: JSONObject,
    described: Descriptions | None = None,
    *,
    registered: Sequence[GroupVersion] = (),
) -> bytes:
    """`registered` are the versions that options and events belong to."""
    definitions = Definitions(v2=False, described=described)
    found = await _paths(served, definitions)
    return to_json(
        {
            "openapi": "3.0.0",
            "info": info,
            "paths": dict(sorted(found.items())),
            "components": {
                "schemas": await definitions.finished(registered),
                "securitySchemes": _SECURITY,
            },
        }
    )


async def document_v2(
    all_served: Sequence[Documented], info: JSONObject, described: Descriptions | None = None
) -> JSONObject:
    """Not yet written: it has two forms."""
    definitions = Definitions(v2=True, described=described)
    found: JSONObject = {}
    for served in all_served:
        for path, item in (await _paths(served, definitions)).items():
            found[path] = path_v2(item)
    versions = [served.group_version for served in all_served if isinstance(served, DocumentedVersion)]
    return {
        "swagger": "2.0",
        "info": info,
        "paths": dict(sorted(found.items())),
        "definitions": await definitions.finished(versions),
        "securityDefinitions": _SECURITY,
        "security": [{"BearerToken": []}],
    }


async def _paths(served: Documented, definitions: Definitions) -> JSONObject:
    if isinstance(served, RootPath):
        definitions.mention(served.paths)
        return served.paths
    found = {} if served.version.custom else paths.of_version(served.group_version)
    definitions.mention(found)
    for resource in served.version.resources:
        named = _define(served.group_version, resource, definitions)
        await asyncio.sleep(0)
        of_resource = paths.of_resource(named, watch_paths=not served.version.custom)
        definitions.mention(of_resource)
        found |= of_resource
        await asyncio.sleep(0)
    return found


def _define(group_version: GroupVersion, resource: InstalledResource, definitions: Definitions) -> paths.NamedResource:
    """Adds the kinds that a resource speaks in."""
    kind = resource.answers or group_version.kind(resource.kind)
    name = definitions.add(kind, resource.schema(), selectable_fields=resource.selectable_fields)
    kinds = {kind: name}
    if "list" in resource.verbs:
        list_kind = group_version.kind(resource.kind_of_list)
        kinds[list_kind] = definitions.add_list(list_kind, name, resource.kind)
    for each in resource.subresources:
        spoken = each.answers or group_version.kind(each.kind)
        if each.schema is not None and spoken not in kinds:
            kinds[spoken] = definitions.add(spoken, each.schema())
    return paths.NamedResource(group_version, resource, kinds)
