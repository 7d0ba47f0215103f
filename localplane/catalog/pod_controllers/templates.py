"""Rules for the template, and for the selector that has to find its pods."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.validation.template import pod_template_errors
from localplane.catalog.validation.selectors import selector_errors, selector_of

from .places import SPEC
from .shown import shown_labels, shown_selector

_UNMATCHED = "`selector` does not match template `labels`"


def controlled_template_errors(template: JSONObject, path: Path, *, kind: str) -> Iterator[FieldError]:
    """The template of pods that are always started again, in the words of one kind."""
    yield from pod_template_errors(template, path)
    yield from always_restarted_errors(template, path, kind=kind)


def always_restarted_errors(template: JSONObject, path: Path, *, kind: str) -> Iterator[FieldError]:
    spec = template.get("spec") or {}
    if spec.get("restartPolicy", "") != "Always":
        yield not_supported(path / "spec" / "restartPolicy", spec.get("restartPolicy", ""), ("Always",))
    if spec.get("activeDeadlineSeconds") is not None:
        yield forbidden(path / "spec" / "activeDeadlineSeconds", f"activeDeadlineSeconds in {kind} is not Supported")


def required_selector_errors(selector: JSONObject | None, path: Path, *, empty: str) -> Iterator[FieldError]:
    """A selector that must be there and select something. `empty` is the kind that an empty one is invalid for."""
    if selector is None:
        yield required(path)
        return
    yield from selector_errors(selector, path)
    if not selects_something(selector):
        yield invalid(path, shown_selector(selector), f"empty selector is invalid for {empty}")


def selects_something(selector: JSONObject) -> bool:
    return bool(selector.get("matchLabels") or selector.get("matchExpressions"))


def has_bad_values(selector: JSONObject | None) -> bool:
    """Whether values stand in a selector that are no label values: one that was stored so may stay so."""
    strict, lenient = (list(selector_errors(selector, SPEC, forgive_values=forgive)) for forgive in (False, True))
    return len(strict) > len(lenient)


def mismatch_errors(selector: JSONObject | None, template: JSONObject, path: Path) -> list[FieldError]:
    """The labels of the template must be what the selector looks for. Raises InvalidSelector."""
    parsed = selector_of(selector)
    labels = (template.get("metadata") or {}).get("labels")
    if parsed is not None and (parsed.is_everything or parsed.matches(labels or {})):
        return []
    return [invalid(path / "metadata" / "labels", shown_labels(labels), _UNMATCHED)]
