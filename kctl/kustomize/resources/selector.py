"""Which objects a patch or a replacement is for. Kubernetes: api/types, Selector; api/resmap, resWrangler.Select."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.patterns import Matches, anchored
from localplane.apimachinery.selectors import labels

from . import resource
from .ids import Gvk, ResId


class Selector:
    """All parts are regular expressions for the whole of what they name; an empty one means any."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.id = ResId(
            Gvk(*(str(fields.get(name) or "") for name in ("group", "version", "kind"))),
            str(fields.get("name") or ""),
            str(fields.get("namespace") or ""),
        )
        self.label_selector = str(fields.get("labelSelector") or "")
        self.annotation_selector = str(fields.get("annotationSelector") or "")
        self._patterns: tuple[Matches | None, ...] | None = None

    def __str__(self) -> str:
        return f"{self.id}:a={self.annotation_selector}:l={self.label_selector}"

    def compile(self) -> None:
        """Raises KustomizeError for what is no regular expression."""
        if self._patterns is None:
            self._patterns = tuple(
                anchored(one) if one else None for one in (*self.id.gvk, self.id.name, self.id.namespace)
            )

    def matches_gvk(self, gvk: Gvk) -> bool:
        self.compile()
        assert self._patterns is not None
        return all(_fits(pattern, part) for pattern, part in zip(self._patterns[:3], gvk, strict=True))

    def matches_name(self, name: str) -> bool:
        self.compile()
        assert self._patterns is not None
        return _fits(self._patterns[3], name)

    def matches_namespace(self, namespace: str) -> bool:
        self.compile()
        assert self._patterns is not None
        return _fits(self._patterns[4], namespace)

    def matches_id(self, one: ResId) -> bool:
        return self.matches_gvk(one.gvk) and self.matches_name(one.name) and self.matches_namespace(one.namespace)

    def matches_any(self, ids: Iterable[ResId]) -> bool:
        return any(map(self.matches_id, ids))

    def selects(self, resource: resource.Resource) -> bool:
        """By the name and namespace it has, or by those it had at first."""
        self.compile()
        current, original = resource.current_id, resource.original_id
        return (
            (
                self.matches_namespace(original.effective_namespace)
                or self.matches_namespace(current.effective_namespace)
            )
            and (self.matches_name(original.name) or self.matches_name(current.name))
            and self.matches_gvk(current.gvk)
            and self.matches_labels(resource)
        )

    def matches_labels(self, resource: resource.Resource) -> bool:
        return _selects(self.label_selector, resource.labels()) and _selects(
            self.annotation_selector, resource.annotations()
        )


def _fits(matches: Matches | None, value: str) -> bool:
    return matches is None or bool(matches(value))


def _selects(selector: str, values: Mapping[str, str]) -> bool:
    if not selector:
        return True
    try:
        return labels.parse(selector).matches(values)
    except labels.InvalidSelector as error:
        raise KustomizeError(str(error)) from error
