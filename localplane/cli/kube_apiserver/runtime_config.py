"""Which versions of the API somebody wants: --runtime-config. Kubernetes: apiserver/pkg/server/resourceconfig.

This server serves what kube-apiserver serves by default, and nothing else: whoever asks for more or for less is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Final

import orjson

_NOT_SERVED: Final = frozenset(
    {
        "admissionregistration.k8s.io/v1alpha1",
        "admissionregistration.k8s.io/v1beta1",
        "certificates.k8s.io/v1alpha1",
        "certificates.k8s.io/v1beta1",
        "coordination.k8s.io/v1alpha2",
        "coordination.k8s.io/v1beta1",
        "internal.apiserver.k8s.io/v1alpha1",
        "networking.k8s.io/v1beta1",
        "resource.k8s.io/v1alpha3",
        "resource.k8s.io/v1beta1",
        "resource.k8s.io/v1beta2",
        "scheduling.k8s.io/v1alpha1",
        "scheduling.k8s.io/v1alpha2",
        "storage.k8s.io/v1alpha1",
        "storage.k8s.io/v1beta1",
        "storagemigration.k8s.io/v1beta1",
    }
)
"""Those that kube-apiserver has, and serves only if it is told to."""
_ADDED_BY_ALL: Final = (
    "admissionregistration.k8s.io/v1alpha1 and v1beta1, certificates.k8s.io/v1beta1, coordination.k8s.io/v1alpha2 and "
    "v1beta1, internal.apiserver.k8s.io/v1alpha1, resource.k8s.io/v1alpha3, v1beta1 and v1beta2, "
    "storagemigration.k8s.io/v1beta1"
)


class InvalidVersion(ValueError):
    """In Kubernetes' words, as far as it has some."""


def notes_on(words: Iterable[str]) -> Iterator[str]:
    """A sentence for what is not served although somebody wants it. Raises InvalidVersion for what kube-apiserver does
    not know either, and for what can't be switched off here."""
    served = _served()
    groups = {version.rpartition("/")[0] for version in (*served, *_NOT_SERVED)}
    for pair in filter(None, (part.strip() for word in words for part in word.split(","))):
        name, _, value = pair.partition("=")
        if value not in ("", "true", "false"):
            raise InvalidVersion(f"invalid value {pair}")
        wanted = value != "false"
        if name in ("api/all", "api/ga"):
            if not wanted:
                raise InvalidVersion(f"invalid key with only {name}=false: there would be nothing to serve")
            if name == "api/all":
                yield f"{name} has no effect: what it adds in kube-apiserver is not served here: {_ADDED_BY_ALL}"
        elif name in ("api/beta", "api/alpha"):
            if wanted:
                yield f"{name} has no effect: no such versions are served here"
        else:
            yield from _on_version(name, served, groups, wanted=wanted)


def _on_version(name: str, served: frozenset[str], groups: set[str], *, wanted: bool) -> Iterator[str]:
    parts = name.split("/")
    version = name if name == "v1" else "/".join(parts[:2])
    if version in served:
        if not wanted:
            raise InvalidVersion(f"{name} can't be switched off here: leave it out of --runtime-config")
    elif version in _NOT_SERVED:
        if wanted:
            yield f"{name} has no effect: it is not served here"
    elif parts[0] not in groups:
        raise InvalidVersion(f"unknown api groups {parts[0]}")
    else:
        raise InvalidVersion(f"group version {version} that has not been registered")


def _served() -> frozenset[str]:
    table = orjson.loads((files("localplane.catalog") / "data" / "resources.json").read_bytes())
    return frozenset(
        f"{group['name']}/{version['name']}" if group["name"] else version["name"]
        for group in table["groups"]
        for version in group["versions"]
    )
