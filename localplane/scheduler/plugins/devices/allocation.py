"""Finding devices for claims on one node by trying: one for each wish, and another if the rest can't be fulfilled so.

Kubernetes: dynamic-resource-allocation/structured/internal/stable/allocator_stable.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.node_selection import NO_EXECUTE, NO_SCHEDULE, untolerated_taint
from localplane.scheduler.diagnosis import SchedulerError

from .inventory import Device, DeviceName, Inventory
from .selectors import attribute_value, matches

_PATIENCE: Final = 10_000
"""So often a device is tried; after that a node counts as one that will not do."""
_MOST_DEVICES: Final = 32


@dataclass(frozen=True, slots=True, eq=False)
class Wish:
    """A request, or one of the alternatives of a request. With `count` None it is for all devices that match."""

    name: str
    claim: str
    body: Mapping[str, Any]
    device_class: Mapping[str, Any]
    count: int | None

    @property
    def is_for_administration(self) -> bool:
        """Then it does not matter who else has the device."""
        return bool(self.body.get("adminAccess"))

    def wants(self, device: Device) -> bool:
        """Raises SchedulerError."""
        tolerations = self.body.get("tolerations") or ()
        taints = device.body.get("taints") or ()
        if taints and untolerated_taint(taints, tolerations, effects=(NO_SCHEDULE, NO_EXECUTE)) is not None:
            return False
        of_class = _are_met(f"class {self.device_class['metadata']['name']}", self.device_class["spec"], device)
        return of_class and _are_met(f"claim {self.claim}", self.body, device)


def _are_met(place: str, wanted: Mapping[str, Any], device: Device) -> bool:
    """Whether the device is one for all selectors. Raises SchedulerError, which says whose selector failed."""
    name = device.name
    for number, selector in enumerate(wanted.get("selectors") or ()):
        if not (cel := selector.get("cel")):
            continue
        try:
            if not matches(cel["expression"], name.driver, device.body):
                return False
        except SchedulerError as error:
            where = f"{place}: selector #{number} on device {name.driver}/{name.pool}/{name.device}"
            raise SchedulerError(f"{where}: {error}") from error
    return True


@dataclass(frozen=True, slots=True, eq=False)
class ClaimWishes:
    """For each request of a claim its alternatives, the best first."""

    claim: JSONObject
    requests: Sequence[Sequence[Wish]]


@dataclass(slots=True)
class _Choice:
    claim: int
    wish: Wish
    device: Device


@dataclass(slots=True)
class Allocator:
    """Of one node. `taken` are the devices that others have."""

    inventory: Inventory
    taken: set[DeviceName]
    claims: Sequence[ClaimWishes]
    _chosen: list[_Choice] = field(default_factory=list)
    _wanted: dict[int, list[Device]] = field(default_factory=dict)
    _patience: int = _PATIENCE

    def allocate(self) -> list[JSONObject] | None:
        """One allocation for each claim. Raises SchedulerError."""
        steps = [(number, request) for number, claim in enumerate(self.claims) for request in claim.requests]
        if not self._from(steps, 0):
            return None
        return [self._result(number, claim.claim) for number, claim in enumerate(self.claims)]

    def _from(self, steps: Sequence[tuple[int, Sequence[Wish]]], position: int) -> bool:
        if position == len(steps):
            return True
        claim, alternatives = steps[position]
        for wish in alternatives:
            devices = self._candidates(wish)
            if wish.count is None and (not self.inventory.complete or not devices):
                continue
            if self._fulfil(wish, claim, devices, wish.count or len(devices), steps, position):
                return True
        return False

    def _fulfil(  # noqa: PLR0917 - a position in the search is all of these
        self,
        wish: Wish,
        claim: int,
        devices: Sequence[Device],
        missing: int,
        steps: Sequence[tuple[int, Sequence[Wish]]],
        position: int,
    ) -> bool:
        if not missing:
            return self._from(steps, position + 1)
        for number, device in enumerate(devices):
            if len(devices) - number < missing or self._patience <= 0:
                return False
            self._patience -= 1
            if not self._may_take(device, wish, claim):
                if wish.count is None:
                    return False
                continue
            self._chosen.append(_Choice(claim, wish, device))
            if self._fulfil(wish, claim, devices[number + 1 :], missing - 1, steps, position):
                return True
            self._chosen.pop()
        return False

    def _candidates(self, wish: Wish) -> list[Device]:
        found = self._wanted.get(id(wish))
        if found is None:
            found = self._wanted[id(wish)] = [device for device in self.inventory.devices if wish.wants(device)]
        return found

    def _may_take(self, device: Device, wish: Wish, claim: int) -> bool:
        ours = [choice for choice in self._chosen if choice.claim == claim]
        if len(ours) >= _MOST_DEVICES:
            return False
        if wish.is_for_administration:
            return all(choice.device is not device or choice.wish is not wish for choice in self._chosen)
        if device.name in self.taken:
            return False
        if any(choice.device is device and not choice.wish.is_for_administration for choice in self._chosen):
            return False
        constraints = (self.claims[claim].claim["spec"].get("devices") or {}).get("constraints") or ()
        return all(_satisfied(constraint, wish, device, ours) for constraint in constraints)

    def _result(self, number: int, claim: JSONObject) -> JSONObject:
        chosen = [choice for choice in self._chosen if choice.claim == number]
        devices: JSONObject = {"results": [_told(choice) for choice in chosen]}
        if configuration := _configuration(claim, chosen):
            devices["config"] = configuration
        allocation: JSONObject = {"devices": devices}
        if selector := _node_selector(chosen):
            allocation["nodeSelector"] = selector
        return allocation


def _satisfied(constraint: Mapping[str, Any], wish: Wish, device: Device, chosen: Sequence[_Choice]) -> bool:
    """All devices of the requests that it is about have the same value, or all have different ones."""
    about = constraint.get("requests") or ()
    if not _is_about(about, wish):
        return True
    same = constraint.get("matchAttribute")
    name = same or constraint.get("distinctAttribute") or ""
    value = _attribute(device, name)
    others = [_attribute(choice.device, name) for choice in chosen if _is_about(about, choice.wish)]
    return value is not None and all((other == value) is bool(same) for other in others)


def _is_about(requests: Sequence[str], wish: Wish) -> bool:
    return not requests or wish.name in requests or wish.name.partition("/")[0] in requests


def _attribute(device: Device, name: str) -> Any:
    """By its whole name, or by the short one if it is in the domain of its driver."""
    attributes = device.body.get("attributes") or {}
    domain, _, own = name.rpartition("/")
    found = attributes.get(name) or (attributes.get(own) if domain == device.name.driver else None)
    return (next(iter(found)), attribute_value(found)) if found else None


def _told(choice: _Choice) -> JSONObject:
    name, wish = choice.device.name, choice.wish
    told: JSONObject = {"request": wish.name, "driver": name.driver, "pool": name.pool, "device": name.device}
    if "adminAccess" in wish.body:
        told["adminAccess"] = wish.body["adminAccess"]
    if wish.body.get("tolerations"):
        told["tolerations"] = wish.body["tolerations"]
    return told


def _configuration(claim: JSONObject, chosen: Sequence[_Choice]) -> list[JSONObject]:
    """What drivers are told: by the classes first, then by the claim. Without requests it is for all of them."""
    names = list(dict.fromkeys(choice.wish.name for choice in chosen))
    classes: dict[str, list[str]] = {}
    bodies: dict[str, Mapping[str, Any]] = {}
    for choice in chosen:
        name = choice.wish.device_class["metadata"]["name"]
        bodies[name] = choice.wish.device_class
        if choice.wish.name not in classes.setdefault(name, []):
            classes[name].append(choice.wish.name)
    told: list[JSONObject] = [
        {"source": "FromClass", "requests": requests, **configuration}
        for name, requests in classes.items()
        for configuration in bodies[name]["spec"].get("config") or ()
    ]
    main = {name.partition("/")[0] for name in names} | set(names)
    for configuration in (claim["spec"].get("devices") or {}).get("config") or ():
        requests = configuration.get("requests") or []
        if not requests or main.intersection(requests):
            told.append({**configuration, "source": "FromClaim", "requests": requests})
    for each in told:
        if all(name in each["requests"] or name.partition("/")[0] in each["requests"] for name in names):
            each["requests"] = []
    return [{key: value for key, value in each.items() if key != "requests" or value} for each in told]


def _node_selector(chosen: Sequence[_Choice]) -> JSONObject | None:
    """Where all of the devices can be used; None if that is everywhere."""
    fields: list[JSONObject] = []
    expressions: list[JSONObject] = []
    for choice in chosen:
        near = choice.device.near
        if name := near.get("nodeName"):
            field_ = {"key": "metadata.name", "operator": "In", "values": [name]}
            return {"nodeSelectorTerms": [{"matchFields": [field_]}]}
        for term in (near.get("nodeSelector") or {}).get("nodeSelectorTerms") or ():
            fields += [each for each in term.get("matchFields") or () if each not in fields]
            expressions += [each for each in term.get("matchExpressions") or () if each not in expressions]
    term = {"matchFields": fields, "matchExpressions": expressions}
    said = {key: value for key, value in term.items() if value}
    return {"nodeSelectorTerms": [said]} if said else None
