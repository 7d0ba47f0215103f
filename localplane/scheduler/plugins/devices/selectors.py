"""Whether a device is what a claim or a class asks for, in CEL. Kubernetes: dynamic-resource-allocation/cel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from localplane.apimachinery.cel import (
    CompilationFailed,
    CostExceeded,
    EvaluationError,
    InstantiationFailed,
    Program,
    checked,
)
from localplane.apimachinery.cel.library.quantities import QuantityValue
from localplane.apimachinery.cel.library.semver import parse as parse_version
from localplane.apimachinery.cel.values import MISSING, Mapper
from localplane.apimachinery.quantity import parse
from localplane.catalog.resource.device_expressions import device_environment
from localplane.scheduler.diagnosis import SchedulerError

_COST_LIMIT: Final = 1_000_000
_COMPILED: Final = 256


class _Fields(Mapper):
    """A map of which every key that it does not have is an empty one, if it is `open`."""

    __slots__ = ("_open", "_values")

    def __init__(self, values: Mapping[str, Any], *, is_open: bool = False) -> None:
        self._values = values
        self._open = is_open

    def find(self, key: Any) -> Any:
        found = self._values.get(key, MISSING)
        return _Fields({}) if found is MISSING and self._open else found

    def each_key(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def matches(expression: str, driver: str, device: Mapping[str, Any]) -> bool:
    """Raises SchedulerError for an expression that fails."""
    variables = {"device": _value(driver, device)}
    try:
        result, _ = _program(expression).evaluate(variables, limit=_COST_LIMIT)
    except CostExceeded as error:
        raise SchedulerError(f"CEL runtime error: {error}") from error
    if isinstance(result, EvaluationError):
        raise SchedulerError(f"CEL runtime error: {result}")
    return result is True


@lru_cache(maxsize=_COMPILED)
def _program(expression: str) -> Program:
    environment = device_environment()
    try:
        return checked(expression, environment, binds=True).program(environment)
    except (CompilationFailed, InstantiationFailed) as error:
        raise SchedulerError(f"CEL compile error: {error}") from error


def _value(driver: str, device: Mapping[str, Any]) -> _Fields:
    attributes = {name: attribute_value(each) for name, each in (device.get("attributes") or {}).items()}
    capacity = {
        name: QuantityValue(parse(str(each.get("value", "0")))) for name, each in (device.get("capacity") or {}).items()
    }
    return _Fields(
        {
            "driver": driver,
            "attributes": _by_domain(attributes, driver),
            "capacity": _by_domain(capacity, driver),
            "allowMultipleAllocations": bool(device.get("allowMultipleAllocations")),
        }
    )


def attribute_value(attribute: Mapping[str, Any]) -> Any:
    """The one value that an attribute has."""
    for kind in ("int", "bool", "string"):
        if kind in attribute:
            return attribute[kind]
    return parse_version(attribute["version"]) if "version" in attribute else None


def _by_domain(values: Mapping[str, Any], driver: str) -> _Fields:
    """A name without a domain is in that of its driver."""
    domains: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        domain, _, own = name.rpartition("/")
        domains.setdefault(domain or driver, {})[own] = value
    return _Fields({domain: _Fields(names) for domain, names in domains.items()}, is_open=True)
