"""Columns that several kinds show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.labels import InvalidSelector
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.selectors import selector_of


def container_cells(template: JSONObject) -> list[Any]:
    """The names and the images of a template's containers. Kubernetes: printers, layoutContainerCells."""
    containers = (template.get("spec") or {}).get("containers") or []
    return [",".join(each.get(field, "") for each in containers) for field in ("name", "image")]


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Kubernetes: apimachinery/pkg/labels, FormatLabels."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or "<none>"


def selector_text(selector: JSONObject | None) -> str:
    """Kubernetes: meta/v1, FormatLabelSelector."""
    try:
        parsed = selector_of(selector)
    except InvalidSelector:
        return "<error>"
    return (str(parsed) if parsed is not None else "") or "<none>"
