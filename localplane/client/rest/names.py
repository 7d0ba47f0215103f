"""How a resource is named, and where on a server it is."""

from __future__ import annotations

from localplane.apimachinery.groups import GroupResource, GroupVersion
from localplane.apimachinery.records import record
from localplane.client.errors import InvalidName
from localplane.client.urls import escaped


@record
class GroupVersionResource:
    """Which objects are meant: `GroupVersionResource("apps", "v1", "deployments")`; the core group is empty."""

    group: str
    version: str
    resource: str

    @property
    def group_version(self) -> GroupVersion:
        return GroupVersion(self.group, self.version)

    @property
    def group_resource(self) -> GroupResource:
        return GroupResource(self.group, self.resource)

    def __str__(self) -> str:
        """Go's form, which some messages quote."""
        return f"{self.group}/{self.version}, Resource={self.resource}"

    def path(self, *, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The URL's path, percent-encoded; an empty namespace means all of them, or none. Raises InvalidName."""
        segments = ["apis", self.group] if self.group else ["api"]
        if self.version:
            segments.append(self.version)
        if namespace:
            segments += ["namespaces", _checked("namespace", namespace)]
        segments.append(self.resource)
        if name:
            segments.append(_checked("resource name", name))
        segments += subresource.split("/") if subresource else []
        return "/" + "/".join(escaped(segment) for segment in segments)


def _checked(what: str, name: str) -> str:
    if name in (".", ".."):
        raise InvalidName(f"invalid {what} \"{name}\": [may not be '{name}']")
    if bad := [f"may not contain '{character}'" for character in "/%" if character in name]:
        raise InvalidName(f'invalid {what} "{name}": [{" ".join(bad)}]')
    return name
