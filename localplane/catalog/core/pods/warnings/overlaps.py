"""Files of a volume that are in each other's way: the same path twice, or one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

_MOST_WARNINGS = 128  # of one volume: far more than an answer has room for


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    source: str = ""

    def __str__(self) -> str:
        return f"{go_quote(self.path)} ({self.source})" if self.source else go_quote(self.path)


@dataclass(slots=True)
class _Directory:
    """Which files, by number, are here, and which are somewhere below."""

    here: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    inside: dict[str, _Directory] = field(default_factory=dict)

    def place(self, path: str, number: int) -> list[int]:
        """Those that are in its way, in the order in which they came."""
        place, found = self, list[int]()
        for part in path.split("/"):
            place.below.append(number)
            place = place.inside.setdefault(part, _Directory())
            found += place.here
        found += place.below
        place.here.append(number)
        return sorted(found)


def overlap_warnings(volumes: Sequence[JSONObject]) -> Iterator[str]:
    for volume in volumes:
        name = go_quote(volume.get("name", ""))
        for kind, called in (("configMap", "name"), ("secret", "secretName"), ("downwardAPI", "")):
            if (source := volume.get(kind)) is not None:
                title = f"{_TITLES[kind]} {go_quote(source.get(called, ''))}" if called else _TITLES[kind]
                yield from _warnings(name, title, _items(source))
        if (projected := volume.get("projected")) is not None:
            files: list[_File] = []
            for part in projected.get("sources") or ():
                if not part:
                    yield f"volume {name} (Projected) has no sources provided"
                files += _projected(part)
            yield from _warnings(name, "Projected", files)


def _warnings(volume: str, title: str, files: Sequence[_File]) -> Iterator[str]:
    root, told = _Directory(), 0
    for number, file in enumerate(files):
        if not file.path:
            continue
        for other in root.place(file.path, number):
            yield f"volume {volume} ({title}): overlapping paths: {file} with {files[other]}"
            told += 1
            if told == _MOST_WARNINGS:
                return


_TITLES = {"configMap": "ConfigMap", "secret": "Secret", "downwardAPI": "DownwardAPI"}
_CERTIFICATE_FILES = {
    "certificateChainPath": "PodCertificate chain",
    "keyPath": "PodCertificate key",
    "credentialBundlePath": "PodCertificate credential bundle",
}


def _items(source: JSONObject, title: str = "") -> list[_File]:
    return [_File(item.get("path", "").rstrip("/"), title) for item in source.get("items") or ()]


def _projected(part: JSONObject) -> list[_File]:
    """The files of one source; only the first kind that has any counts."""
    for kind in ("configMap", "secret", "downwardAPI"):
        if (part.get(kind) or {}).get("items"):
            named = f" {go_quote(part[kind].get('name', ''))}" if kind != "downwardAPI" else ""
            return _items(part[kind], f"{_TITLES[kind]}{named}")
    if (token := part.get("serviceAccountToken")) is not None:
        return [_File(token.get("path", "").rstrip("/"), "ServiceAccountToken")]
    if (bundle := part.get("clusterTrustBundle")) is not None:
        title = f"ClusterTrustBundle {go_quote(bundle.get('name') or bundle.get('signerName') or '')}"
        return [_File(bundle.get("path", "").rstrip("/"), title)]
    certificate = part.get("podCertificate") or {}
    return [
        _File(certificate[field].rstrip("/"), title)
        for field, title in _CERTIFICATE_FILES.items()
        if certificate.get(field)
    ]
