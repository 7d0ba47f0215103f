"""VolumeAttachments: that a volume shall be attached to a node, and whether it is.

Kubernetes: pkg/registry/storage/volumeattachment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    forbidden,
    invalid,
    required,
    too_long,
    too_long_characters,
)
from localplane.apimachinery.names import max_length_error, regex_error, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.catalog.core.persistent_volumes.defaults import default_source
from localplane.catalog.core.persistent_volumes.validation import inline_volume_errors
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import ROOT, Asked, BuiltinStrategy
from localplane.catalog.validation.declared import unshown
from localplane.catalog.validation.rules import (
    DNS_SUBDOMAIN,
    All,
    Always,
    Between,
    Fields,
    Immutable,
    Longest,
    Required,
    Struct,
)

_ATTACHER_MAX, _NAME_MAX = 63, 253
_METADATA_MAX = 256 * 1024
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


def _source_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    source, place = spec.get("source") or {}, path / "source"
    inline, volume = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and volume is None:
        yield required(place, _ONE_SOURCE)
    elif inline is not None and volume is not None:
        yield forbidden(place, _ONE_SOURCE)
    elif inline is not None:
        yield from inline_volume_errors(inline, place / "inlineVolumeSpec")
    elif not volume:
        yield required(place / "persistentVolumeName", "must specify non empty persistentVolumeName")


def _attacher_errors(name: str, path: Path) -> Iterator[FieldError]:
    """A name in whatever case."""
    if size(name) > _NAME_MAX:
        yield invalid(path, name, max_length_error(_NAME_MAX, "bytes"))
    if not _is_caseless_name(name):
        yield invalid(path, name, _NO_NAME)
    if len(name) > _ATTACHER_MAX:
        yield too_long_characters(path, _ATTACHER_MAX)


def _metadata_errors(metadata: Mapping[str, str], path: Path) -> Iterator[FieldError]:
    if sum(size(key) + size(value) for key, value in metadata.items()) > _METADATA_MAX:
        yield too_long(path, _METADATA_MAX)


_SPEC = All(_source_errors, Fields(nodeName=Always(DNS_SUBDOMAIN), source=Fields(persistentVolumeName=DNS_SUBDOMAIN)))
_ERROR = Fields(message=Longest(1024), errorCode=Between(0, 2**31 - 1))
_STATUS = Fields(attachmentMetadata=_metadata_errors, attachError=_ERROR, detachError=_ERROR)
_ON_CREATE = Fields(spec=Struct(_SPEC, Fields(attacher=Required(_attacher_errors))), status=_STATUS)


class VolumeAttachmentStrategy(BuiltinStrategy):
    tracks_generation = False
    rules = Fields(spec=Struct(_SPEC), status=_STATUS)
    changes = Immutable("spec", shown=unshown)
    on_update = (Asked.OBJECT, Asked.CHANGES)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        """The attacher's rules are declared: such are not told again of what may not change."""
        return (_ON_CREATE if old is None else self.rules)(obj, ROOT)


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
