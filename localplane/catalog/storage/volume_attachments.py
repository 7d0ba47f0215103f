"""VolumeAttachments: that a volume shall be attached to a node, and whether it is.

Kubernetes: pkg/registry/storage/volumeattachment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    collected,
    forbidden,
    invalid,
    required,
    too_long,
    too_long_characters,
)
from localplane.apimachinery.names import dns1123_subdomain, max_length_error, regex_error, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.persistent_volumes.defaults import default_source
from localplane.catalog.core.persistent_volumes.validation import inline_volume_errors
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.declared import declared_immutable_errors
from localplane.catalog.validation.metadata import metadata_errors
from localplane.catalog.validation.values import in_range

_SPEC, _STATUS = Path("spec"), Path("status")
_SOURCE = _SPEC / "source"
_ATTACHER_MAX, _NAME_MAX = 63, 253
_METADATA_MAX, _MESSAGE_MAX = 256 * 1024, 1024
_CODE_MAX = 2**31 - 1
_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME = rf"{_LABEL}(\.{_LABEL})*"
_is_caseless_name = re.compile(_NAME, re.ASCII | re.IGNORECASE).fullmatch
_NO_NAME = regex_error(
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character",
    _NAME,
    "Example.com",
)


class VolumeAttachmentStrategy(Strategy):
    validates_schema = False
    tracks_generation = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain),
            _spec_errors(obj.get("spec") or {}),
            _attacher_errors((obj.get("spec") or {}).get("attacher", ""), _SPEC / "attacher"),
            _status_errors(obj.get("status") or {}),
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        """Rules that are declared are not told again of what has not changed, nor of what may not."""
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain),
            _spec_errors(obj.get("spec") or {}),
            _status_errors(obj.get("status") or {}),
            declared_immutable_errors(obj.get("spec"), old.get("spec"), _SPEC),
        )


def _attacher_errors(name: str, path: Path) -> Iterator[FieldError]:
    """A name in whatever case."""
    if not name:
        yield required(path)
        return
    if size(name) > _NAME_MAX:
        yield invalid(path, name, max_length_error(_NAME_MAX, "bytes"))
    if not _is_caseless_name(name):
        yield invalid(path, name, _NO_NAME)
    if len(name) > _ATTACHER_MAX:
        yield too_long_characters(path, _ATTACHER_MAX)


def _spec_errors(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    source = spec.get("source") or {}
    inline, volume = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and volume is None:
        yield required(_SOURCE, _ONE_SOURCE)
    elif inline is not None and volume is not None:
        yield forbidden(_SOURCE, _ONE_SOURCE)
    elif inline is not None:
        yield from inline_volume_errors(inline, _SOURCE / "inlineVolumeSpec")
    elif not volume:
        yield required(_SOURCE / "persistentVolumeName", "must specify non empty persistentVolumeName")
    node = spec.get("nodeName", "")
    yield from (invalid(_SPEC / "nodeName", node, problem) for problem in dns1123_subdomain(node))
    if volume is not None:
        place = _SOURCE / "persistentVolumeName"
        yield from (invalid(place, volume, problem) for problem in dns1123_subdomain(volume))


def _status_errors(status: Mapping[str, Any]) -> Iterator[FieldError]:
    told = status.get("attachmentMetadata") or {}
    if sum(size(key) + size(value) for key, value in told.items()) > _METADATA_MAX:
        yield too_long(_STATUS / "attachmentMetadata", _METADATA_MAX)
    for part in ("attachError", "detachError"):
        error = status.get(part) or {}
        if size(error.get("message", "")) > _MESSAGE_MAX:
            yield too_long(_STATUS / part / "message", _MESSAGE_MAX)
        if (code := error.get("errorCode")) is not None:
            yield from in_range(code, 0, _CODE_MAX, _STATUS / part / "errorCode")


def default_volume_attachment(obj: JSONObject) -> None:
    inline = ((obj.get("spec") or {}).get("source") or {}).get("inlineVolumeSpec")
    if inline is not None:
        default_source(inline)


def volume_attachment_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    return [
        metadata.get("name", ""),
        spec.get("attacher", ""),
        (spec.get("source") or {}).get("persistentVolumeName") or "",
        spec.get("nodeName", ""),
        bool((obj.get("status") or {}).get("attached")),
        age(metadata.get("creationTimestamp")),
    ]


VOLUME_ATTACHMENTS = builtin(
    "storage.k8s.io/volumeattachments",
    strategy=VolumeAttachmentStrategy(),
    status_strategy=StatusStrategy,
    default=default_volume_attachment,
    cells=volume_attachment_cells,
)
