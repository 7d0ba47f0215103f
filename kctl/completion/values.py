"""What a flag takes. Flags that are not here leave it to the shell, which offers files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import live
from .offers import DEFAULT, DIRECTORIES, EXTENSIONS, NO_FILES, NO_SPACE, Offer, fitting

if TYPE_CHECKING:
    from kctl.flags import Flag, Given

    from .tree import Found

_FORMATS = frozenset(
    [
        "json",
        "yaml",
        "kyaml",
        "name",
        "wide",
        "go-template",
        "go-template-file",
        "template",
        "templatefile",
        "jsonpath",
        "jsonpath-as-json",
        "jsonpath-file",
        "custom-columns",
        "custom-columns-file",
        "plaintext",
        "plaintext-openapiv2",
        "skeleton",
    ]
)
_CHOICES = {
    "dry-run": ("none", "client", "server"),
    "validate": ("strict", "warn", "ignore"),
    "cascade": ("background", "foreground", "orphan"),
    "restart": ("Always", "OnFailure", "Never"),
    "image-pull-policy": ("Always", "IfNotPresent", "Never"),
    "color": ("auto", "always", "never"),
    "error-format": ("text", "json"),
    "profile": ("none", "cpu", "heap"),
}
_OF_COMMAND = {
    ("api-resources", "sort-by"): ("name", "kind"),
    ("patch", "type"): ("json", "merge", "strategic"),
    ("events", "types"): ("Normal", "Warning"),
    ("expose", "type"): ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
    ("expose", "protocol"): ("TCP", "UDP", "SCTP"),
    ("top pod", "sort-by"): ("cpu", "memory"),
    ("top node", "sort-by"): ("cpu", "memory"),
    ("debug", "profile"): ("general", "baseline", "restricted", "netadmin", "sysadmin", "legacy"),
    ("kuberc set", "section"): ("defaults", "aliases"),
    ("kustomize", "load-restrictor"): ("LoadRestrictionsNone", "LoadRestrictionsRootOnly"),
    ("kustomize", "reorder"): ("legacy", "none"),
}
_DIRECTORIES = ("kustomize", "output-directory", "cache-dir")
_ENTRIES = {"context": "contexts", "cluster": "clusters", "user": "users"}
_SUBRESOURCES = ["status", "scale", "resize"]


async def of_flag(found: Found, given: Given, flag: Flag, current: str) -> Offer:
    name = flag.name
    if name == "filename" and flag.short == "f":
        return Offer(["json", "yaml", "yml"], EXTENSIONS)
    if name in _DIRECTORIES:
        return Offer([], DIRECTORIES)
    if name == "subresource":
        return Offer(list(_SUBRESOURCES))
    if name == "for":
        return Offer(fitting(current, ("condition=", "create", "delete", "jsonpath=")), NO_FILES | NO_SPACE)
    if choices := _OF_COMMAND.get((found.name, name)) or _CHOICES.get(name) or _formats(flag):
        return Offer(fitting(current, choices))
    return await _live(found, given, flag, current)


def _formats(flag: Flag) -> list[str]:
    """The flag's own text lists what -o takes, in its order."""
    words = re.findall(r"[\w-]+", flag.usage) if flag.name == "output" else ()
    return list(dict.fromkeys(word for word in words if word in _FORMATS))


async def _live(found: Found, given: Given, flag: Flag, current: str) -> Offer:
    from kctl.session import Session

    session = Session(given, command="kctl __complete")
    name = flag.name
    if name == "namespace":
        return Offer(fitting(current, await live.names(session, "namespace")))
    if name in _ENTRIES and not found.name.startswith("create "):
        return Offer(fitting(current, live.entries(session, _ENTRIES[name])))
    if name == "container" and flag.short == "c":
        containers = await live.containers(session, given.arguments[0]) if given.arguments else []
        return Offer(fitting(current, containers))
    if name in ("clusterrole", "role") and found.name.startswith("create "):
        return Offer(fitting(current, await live.names(session, name)))
    if name in ("api-group", "api-version"):
        return Offer(fitting(current, await live.versions(session, groups=name == "api-group")))
    return Offer([], DEFAULT)
