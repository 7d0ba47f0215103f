"""Which versions of the API somebody wants: --runtime-config. Kubernetes: apiserver/pkg/server/resourceconfig.

What kube-apiserver serves by default can be switched off, by version or by resource. There is nothing else to switch
on: whoever asks for more is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import orjson

from localplane.apimachinery.golang.text import go_quote
from localplane.apiserver.endpoints.enablement import Enablement

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
    "what it adds in kube-apiserver is not served here: admissionregistration.k8s.io/v1alpha1 and v1beta1, "
    "certificates.k8s.io/v1beta1, coordination.k8s.io/v1alpha2 and v1beta1, internal.apiserver.k8s.io/v1alpha1, "
    "resource.k8s.io/v1alpha3, v1beta1 and v1beta2, storagemigration.k8s.io/v1beta1"
)
_NO_SUCH: Final = "no such versions are served here"
_ADDITIONS: Final = {"api/all": _ADDED_BY_ALL, "api/beta": _NO_SUCH, "api/alpha": _NO_SUCH}
_MATCHERS: Final = {
    "api/all": re.compile(r"/"),
    "api/ga": re.compile(r"/v\d+$"),
    "api/beta": re.compile(r"/v\d+beta\d+$"),
    "api/alpha": re.compile(r"/v\d+alpha\d+$"),
}
"""In the order in which they count: a later one has the last word."""
_TRUE: Final = frozenset({"", "1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})


class InvalidVersion(ValueError):
    """In Kubernetes' words, as far as it has some."""


@dataclass(frozen=True, slots=True)
class RuntimeConfig:
    """What others see, and a sentence for each version that somebody wants and nobody serves here."""

    enablement: Enablement
    notes: Sequence[str]


def runtime_config(words: Iterable[str]) -> RuntimeConfig:
    """Raises InvalidVersion for what kube-apiserver refuses too."""
    said = dict(_pairs(words))
    if said == {"api/all": "false"}:
        raise InvalidVersion("invalid runtime-config with only api/all=false")
    served = _served()
    disabled, notes = set[str](), list[str]()
    for name, pattern in _MATCHERS.items():
        match said.pop(name, None):
            case "true":
                disabled -= {version for version in served if pattern.search(version)}
                if name in _ADDITIONS:
                    notes.append(f"{name} has no effect: {_ADDITIONS[name]}")
            case "false":
                disabled |= {version for version in served if pattern.search(version)}
            case None:
                pass
            case value:
                raise InvalidVersion(f"invalid value {name}={value}")
    _check_groups(said, served)
    enabled = set[str]()
    for name in sorted(said, key=lambda name: name.count("/")):  # what is said of a resource counts most
        version, wanted = _version(name), _wanted(name, said[name])
        resource = name.split("/")[2] if name.count("/") == 2 else ""
        if version not in served:
            if wanted:
                notes.append(f"{name} has no effect: it is not served here")
        elif resource:
            (enabled if wanted else disabled).add(f"{version}/{resource}")
        else:
            (disabled.discard if wanted else disabled.add)(version)
    return RuntimeConfig(Enablement(frozenset(disabled), frozenset(enabled)), notes)


def _pairs(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The core group has three names."""
    for pair in filter(None, (part.strip() for word in words for part in word.split(","))):
        name, _, value = pair.partition("=")
        core = name.strip().removeprefix("api/")
        yield (f"/{core}" if core.partition("/")[0] == "v1" else name.strip()), value.strip()


def _version(name: str) -> str:
    return "/".join(name.split("/")[:2])


def _check_groups(names: Iterable[str], served: frozenset[str]) -> None:
    versions = served | _NOT_SERVED
    groups = {version.rpartition("/")[0] for version in versions}
    for name in names:
        if name.count("/") not in (1, 2):
            raise InvalidVersion(f"runtime-config invalid key {name}")
    if unknown := sorted({_version(name) for name in names if name.partition("/")[0] not in groups}):
        raise InvalidVersion(f"unknown api groups {','.join(unknown)}")
    for name in names:
        if (version := _version(name)) not in versions:
            raise InvalidVersion(f"group version {version} that has not been registered")
        resource = name.removeprefix(version).removeprefix("/")
        if resource != resource.lower():
            sentence = "group/version/resource and resource is always lowercase plural, not"
            raise InvalidVersion(f"invalid key {name}: {sentence} {go_quote(resource)}")


def _wanted(name: str, value: str) -> bool:
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    error = f"strconv.ParseBool: parsing {go_quote(value)}: invalid syntax"
    raise InvalidVersion(f"invalid value of {name}: {value}, err: {error}")


def _served() -> frozenset[str]:
    table = orjson.loads((files("localplane.catalog") / "data" / "resources.json").read_bytes())
    return frozenset(f"{group['name']}/{version['name']}" for group in table["groups"] for version in group["versions"])
