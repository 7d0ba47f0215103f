"""Which of several classes is the default: of those that say so, the newest, and of equally new ones the first by name.

Kubernetes: pkg/volume/util, GetDefaultClass; plugin/pkg/admission/network/defaultingressclass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import parse_time

from .plugin import annotations_of


def default_class(classes: Iterable[JSONObject], marks: Sequence[str]) -> str | None:
    """Its name; `marks` are the annotations that say it."""
    marked = [each["metadata"] for each in classes if any(annotations_of(each).get(mark) == "true" for mark in marks)]
    if not marked:
        return None
    marked.sort(key=lambda metadata: str(metadata["name"]))
    newest: JSONObject = max(marked, key=_created)
    return str(newest["name"])


def _created(metadata: JSONObject) -> datetime:
    return parse_time(metadata["creationTimestamp"])
