"""What kinds that make pods from a template have in common: how they are written, what they are asked, their columns.

The kinds in apps, batch and core call these. Nothing here knows which kind it works for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_label
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_of
from localplane.apiserver.request import Request

from .core.pods.disabled_fields import drop_disabled_fields
from .core.pods.validation.pods import pod_template_errors
from .core.pods.warnings import pod_template_warnings
from .internal_form import internal_form
from .strategy import STATUS, BuiltinStrategy
from .validation.rules import Immutable
from .validation.selectors import selector_errors

SPEC: Final = Path("spec")
TEMPLATE: Final = SPEC / "template"

_METADATA = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers"),
    "managedFields",
)
_UNMATCHED = "`selector` does not match template `labels`"
_NAME = (
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
    "a DNS label is recommended: "
)


def template_of(obj: JSONObject) -> JSONObject:
    return (obj.get("spec") or {}).get("template") or {}


class PodControllerStrategy(BuiltinStrategy):
    """Of a kind whose spec has a template: changes bump the generation, and only then its warnings are told again."""

    allow_unconditional_update = True

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        drop_disabled_template_fields(template_of(obj))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_disabled_template_fields(template_of(obj))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return [*name_warnings(obj), *template_warnings(obj)]

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        if obj["metadata"].get("generation") == old["metadata"].get("generation"):
            return ()
        return template_warnings(obj, old)


def drop_disabled_template_fields(template: JSONObject) -> None:
    drop_disabled_fields(template.get("spec") or {}, template.get("metadata"))


def name_warnings(obj: JSONObject) -> list[str]:
    problems = dns1123_label((obj.get("metadata") or {}).get("name") or "")
    return [f"{_NAME}[{' '.join(problems)}]"] if problems else []


def template_warnings(obj: JSONObject, old: JSONObject | None = None) -> list[str]:
    before = template_of(old) if old is not None else None
    return list(pod_template_warnings(template_of(obj), TEMPLATE, before))


# --- rules for the template, and for the selector that has to find its pods ---


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


# --- rules for the numbers that a controller writes into a status ---


def no_more_than_replicas(*names: str, ready: str) -> Callable[[JSONObject, Path], Iterator[FieldError]]:
    """A rule: there are never more of any of these than of replicas, and never more available than ready; `ready` is
    what the kind calls those."""

    def errors(status: JSONObject, path: Path) -> Iterator[FieldError]:
        total = status.get("replicas") or 0
        for name in names:
            if (count := status.get(name) or 0) > total:
                yield invalid(path / name, count, "cannot be greater than status.replicas")
        available = status.get("availableReplicas") or 0
        if available > (status.get("readyReplicas") or 0):
            yield invalid(path / "availableReplicas", available, f"cannot be greater than {ready}")

    return errors


def collision_errors(status: JSONObject, before: JSONObject) -> list[FieldError]:
    """The count of collisions only grows. Kubernetes: pkg/apis/core/validation, IsDecremented."""
    count, last = status.get("collisionCount"), before.get("collisionCount")
    if last is None or (count is not None and count >= last):
        return []
    return [invalid(STATUS / "collisionCount", count or 0, "cannot be decremented")]


# --- values as messages show them: as Go prints the types that Kubernetes validates ---


def shown_labels(labels: Mapping[str, str] | None) -> JSONObject | None:
    """A map as a message shows it: by its keys."""
    return dict(sorted(labels.items())) if labels else None


def shown_selector(selector: JSONObject | None) -> JSONObject | None:
    """A selector as a message shows it: in the order of its Go type, and its labels by their keys."""
    if selector is None:
        return None
    shown: JSONObject = {}
    if selector.get("matchLabels"):
        shown["matchLabels"] = shown_labels(selector["matchLabels"])
    if selector.get("matchExpressions"):
        shown["matchExpressions"] = [_shown_expression(expression) for expression in selector["matchExpressions"]]
    return shown


def _shown_expression(expression: JSONObject) -> JSONObject:
    shown: JSONObject = {"key": expression.get("key", ""), "operator": expression.get("operator", "")}
    return shown | ({"values": expression["values"]} if expression.get("values") else {})


def shown_template(template: JSONObject) -> JSONObject:
    """Its metadata has names of its own, and stands beside the spec."""
    return shown_metadata(template) | {"Spec": internal_form(template.get("spec"), "core.PodSpec")}


def shown_metadata(obj: JSONObject) -> JSONObject:
    metadata = obj.get("metadata") or {}
    shown: dict[str, Any] = {name: metadata[name] for name in _METADATA if metadata.get(name)}
    return shown | {name: shown_labels(shown[name]) for name in ("labels", "annotations") if name in shown}


SAME_SELECTOR: Final = Immutable("spec.selector", shown=shown_selector)


# --- columns ---


def container_cells(template: JSONObject) -> list[Any]:
    """The names and the images of a template's containers. Kubernetes: printers, layoutContainerCells."""
    containers = (template.get("spec") or {}).get("containers") or []
    return [",".join(container.get(field, "") for container in containers) for field in ("name", "image")]


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Kubernetes: apimachinery/pkg/labels, FormatLabels."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or "<none>"
