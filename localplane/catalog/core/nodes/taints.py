"""Taints: what a node holds against pods. Kubernetes: pkg/apis/core/validation, validateNodeTaints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid
from localplane.apimachinery.names import label_value, qualified_name
from localplane.catalog.core.pods.validation.scheduling import taint_effect_errors
from localplane.catalog.internal_form import internal_form


def taint_errors(taints: Sequence[Mapping[str, Any]], path: Path) -> Iterator[FieldError]:
    seen = set()
    for index, taint in enumerate(taints):
        place, key, value = path[index], taint.get("key", ""), taint.get("value", "")
        effect = taint.get("effect", "")
        yield from (invalid(place / "key", key, problem) for problem in qualified_name(key))
        if problems := label_value(value):
            yield invalid(place / "value", value, ";".join(problems))
        yield from taint_effect_errors(effect, place / "effect")
        if (key, effect) in seen:
            repeated = duplicate(place, internal_form(taint, "core.Taint"))
            yield replace(repeated, detail="taints must be unique by key and effect pair")
        seen.add((key, effect))
