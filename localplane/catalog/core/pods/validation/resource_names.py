"""Names of resources: which are Kubernetes' own, which may be overcommitted, which are counted in whole numbers.

Quotas and limit ranges ask the same questions. Kubernetes: pkg/apis/core/helper.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported
from localplane.apimachinery.names import qualified_name
from localplane.apimachinery.quantity import InvalidQuantity, Quantity, parse
from localplane.catalog.core.pods.defaults.resources import is_pod_level

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
