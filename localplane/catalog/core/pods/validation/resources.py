"""Requests, limits and claims: of a container, and of a pod as a whole; and what resources are called.

Which names are Kubernetes' own, which may be overcommitted and which are counted in whole numbers quotas and limit
ranges ask too. Kubernetes: pkg/apis/core/helper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from localplane.apimachinery.names import qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import InvalidQuantity, Quantity, parse
from localplane.catalog.core.pods.defaults.resources import aggregate_resources, is_pod_level

from .names import label_errors

_COUNTED = frozenset(
    {
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    }
)
_COMPUTE = frozenset({"cpu", "memory", "ephemeral-storage"})
_STANDARD = (
    _COUNTED
    | _COMPUTE
    | {f"{part}.{name}" for part in ("requests", "limits") for name in _COMPUTE}
    | {"storage", "requests.storage"}
)
_HUGE_PAGES = "hugepages-"


def is_huge_page(name: str) -> bool:
    return name.startswith(_HUGE_PAGES)


def is_native(name: str) -> bool:
    """Kubernetes' own: without a domain, or under kubernetes.io."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    if is_native(name) or name.startswith("requests."):
        return False
    return not qualified_name(f"requests.{name}")


def is_counted(name: str) -> bool:
    """Only whole numbers make sense."""
    return name in _COUNTED or is_extended(name)


def allows_overcommit(name: str) -> bool:
    return is_native(name) and not is_huge_page(name)


def resource_name_errors(name: str, path: Path) -> list[FieldError]:
    """Kubernetes: validateResourceName."""
    if problems := qualified_name(name):
        return [invalid(path, name, problem) for problem in problems]
    if "/" in name or name in _STANDARD or name.startswith((_HUGE_PAGES, "requests.hugepages-")):
        return []
    return [invalid(path, name, "must be a standard resource type or fully qualified")]


def container_resource_name_errors(name: str, path: Path) -> Iterator[FieldError]:
    yield from resource_name_errors(name, path)
    if "/" not in name:
        if name not in _COMPUTE and not is_huge_page(name):
            yield invalid(path, name, "must be a standard resource for containers")
    elif not is_native(name) and not is_extended(name):
        yield invalid(path, name, "doesn't follow extended resource name standard")


def pod_resource_name_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Of a pod as a whole."""
    if errors := resource_name_errors(name, path):
        yield from errors
    elif not is_pod_level(name):
        yield not_supported(path, name, ("cpu", _HUGE_PAGES, "memory"))


def resource_value_errors(name: str, value: Quantity, path: Path) -> Iterator[FieldError]:
    """Kubernetes: ValidateResourceQuantityValue."""
    if value.sign < 0:
        yield invalid(path, str(value), "must be greater than or equal to 0")
    if is_counted(name) and value.milli_value() % 1000:
        yield invalid(path, str(value), "must be an integer")


def is_whole_pages(name: str, value: Quantity) -> bool:
    """Whether an amount of huge pages is a multiple of their size, which is part of the name."""
    try:
        page = parse(name.removeprefix(_HUGE_PAGES))
    except InvalidQuantity:
        return False
    if page.sign <= 0 or page.milli_value() % 1000:
        return False
    return value.value() % page.value() == 0


NameRule = Callable[[str, Path], Iterable[FieldError]]

_NO_LIMIT = "Limit must be set for non overcommitable resources"


def container_resource_errors(resources: JSONObject, claims: Collection[str], path: Path) -> Iterator[FieldError]:
    """`claims` are the names of the pod's resource claims."""
    yield from _requirement_errors(resources, container_resource_name_errors, claims, path)


def _requirement_errors(
    resources: JSONObject, name_rule: NameRule, claims: Collection[str], path: Path
) -> Iterator[FieldError]:
    limits, requests = _parsed(resources.get("limits")), _parsed(resources.get("requests"))
    for name, amount in limits.items():
        yield from _amount_errors(name, amount, name_rule, path / "limits")
    for name, amount in requests.items():
        place = (path / "requests")[name]
        yield from name_rule(name, place)
        yield from resource_value_errors(name, amount, place)
        yield from _request_errors(name, amount, limits.get(name), path)
        yield from _page_errors(name, amount, place)
    named = {*limits, *requests}
    if any(map(is_huge_page, named)) and not named & {"cpu", "memory"}:
        yield forbidden(path, "HugePages require cpu or memory")
    yield from _claim_errors(resources.get("claims") or (), claims, path / "claims")


def _parsed(amounts: Mapping[str, str] | None) -> dict[str, Quantity]:
    return {name: parse(text) for name, text in sorted((amounts or {}).items())}


def _amount_errors(name: str, amount: Quantity, name_rule: NameRule, path: Path) -> Iterator[FieldError]:
    yield from name_rule(name, path[name])
    yield from resource_value_errors(name, amount, path[name])
    yield from _page_errors(name, amount, path[name])


def _page_errors(name: str, amount: Quantity, path: Path) -> Iterator[FieldError]:
    if is_huge_page(name) and not is_whole_pages(name, amount):
        yield invalid(path, str(amount), f"{amount} is not positive integer multiple of {name}")


def _request_errors(name: str, amount: Quantity, limit: Quantity | None, path: Path) -> Iterator[FieldError]:
    """No more than the limit, and exactly the limit where nothing may be overcommitted."""
    strict = not allows_overcommit(name)
    if limit is None:
        if strict:
            yield required(path / "limits", _NO_LIMIT)
    elif strict and amount != limit:
        yield invalid(path / "requests", str(amount), f"must be equal to {name} limit of {limit}")
    elif amount > limit:
        yield invalid(path / "requests", str(amount), f"must be less than or equal to {name} limit of {limit}")


def _claim_errors(claims: Sequence[JSONObject], known: Collection[str], path: Path) -> Iterator[FieldError]:
    seen: dict[str, set[str]] = {}
    listed = f": {', '.join(sorted(known))}" if known else " which is empty"
    for index, claim in enumerate(claims):
        name, request = claim.get("name", ""), claim.get("request", "")
        if not name:
            yield required(path[index])
            continue
        yield from _repeated_claim_errors(seen.setdefault(name, set()), name, request, path[index])
        if name not in known:
            detail = f"must be one of the names in pod.spec.resourceClaims{listed}"
            yield replace(not_found(path[index], name), detail=detail)


def _repeated_claim_errors(requests: set[str], name: str, request: str, path: Path) -> Iterator[FieldError]:
    """A claim is taken as a whole (the empty request) or by its parts, and each of them once."""
    if "" in requests:
        yield duplicate(path, name)
        return
    if request:
        yield from label_errors(request, path / "request")
    if request in requests:
        yield duplicate(path, f"{name}/{request}")
    elif not request:
        yield from (duplicate(path, name) for _ in requests)
    requests.add(request)


def overhead_errors(overhead: Mapping[str, str], path: Path) -> Iterator[FieldError]:
    yield from container_resource_errors({"limits": overhead}, (), path)


def pod_resource_errors(spec: JSONObject, claims: Collection[str], path: Path) -> Iterator[FieldError]:
    """What the pod asks for as a whole, and whether its containers fit in."""
    resources = spec.get("resources")
    if resources is None:
        return
    if (spec.get("os") or {}).get("name") == "windows":
        yield forbidden(path, "may not be set for a windows pod")
        return
    if resources.get("claims"):
        yield forbidden(path / "claims", "claims may not be set for Resources at pod-level")
    yield from _requirement_errors(resources, pod_resource_name_errors, claims, path)
    yield from _fit_errors(spec, resources, path)


def _fit_errors(spec: JSONObject, resources: JSONObject, path: Path) -> Iterator[FieldError]:
    requests, limits = _parsed(resources.get("requests")), _parsed(resources.get("limits"))
    for name, amount in sorted(aggregate_resources(spec, "requests").items()):
        if name in requests and amount > requests[name]:
            bound = f"must be greater than or equal to aggregate container requests of {amount}"
            yield invalid((path / "requests")[name], str(requests[name]), bound)
    for name, amount in sorted(aggregate_resources(spec, "limits").items()):
        if is_huge_page(name) and name in limits and amount > limits[name]:
            bound = f"must be greater than or equal to aggregate container limits of {amount}"
            yield invalid((path / "limits")[name], str(limits[name]), bound)
    for index, container in enumerate(spec.get("containers") or ()):
        for name, amount in _parsed((container.get("resources") or {}).get("limits")).items():
            if name in limits and amount > limits[name]:
                place = (path / "containers")[index][name] / "limits"
                yield invalid(place, str(amount), f"must be less than or equal to pod limits of {limits[name]}")
