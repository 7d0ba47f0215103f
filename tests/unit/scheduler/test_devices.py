"""Devices for pods that claim some."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.scheduler.attempt import NoPlace
from localplane.scheduler.diagnosis import SchedulerError
from localplane.scheduler.plugins.devices import DeviceReservation
from localplane.scheduler.sources import DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES
from localplane.scheduler.state.pod_info import PodInfo
from tests.unit.scheduler.subjects import Setting, node, pod

DRIVER = "gpu.example.com"


def device(name: str, memory: str = "8Gi", **attributes: Any) -> JSONObject:
    kinds = {str: "string", int: "int", bool: "bool"}
    return {
        "name": name,
        "attributes": {key: {kinds[type(value)]: value} for key, value in attributes.items()},
        "capacity": {"memory": {"value": memory}},
    }


def with_slice(setting: Setting, node_name: str, *devices: JSONObject) -> None:
    pool = {"name": node_name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "nodeName": node_name, "pool": pool, "devices": list(devices)}
    setting.sources.put(RESOURCE_SLICES, {"metadata": {"name": f"slice-{node_name}"}, "spec": spec})


def with_class(setting: Setting, name: str = "gpu", expression: str = f'device.driver == "{DRIVER}"') -> None:
    spec = {"selectors": [{"cel": {"expression": expression}}]}
    setting.sources.put(DEVICE_CLASSES, {"metadata": {"name": name}, "spec": spec})


def claim(name: str, *requests: JSONObject, constraints: list[JSONObject] | None = None) -> JSONObject:
    spec = {"devices": {"requests": list(requests), "constraints": constraints or []}}
    return {"metadata": {"name": name, "namespace": "default", "uid": f"claim-{name}"}, "spec": spec}


def request(name: str = "gpu", **more: Any) -> JSONObject:
    return {"name": name, "exactly": {"deviceClassName": "gpu"} | more}


def user_of(*claims: str) -> PodInfo:
    return pod(resourceClaims=[{"name": name, "resourceClaimName": name} for name in claims])


async def excuse(setting: Setting, info: PodInfo) -> str:
    with pytest.raises(NoPlace) as failure:
        await setting.place(info)
    return failure.value.diagnosis.message


async def chosen(setting: Setting, info: PodInfo) -> list[JSONObject]:
    """The devices of the claims that get some."""
    placement = await setting.place(info)
    assert placement.cycle.devices is not None
    allocations = placement.cycle.devices.found[placement.node_name]
    return [result for allocation in allocations for result in allocation["devices"]["results"]]


async def test_a_pod_goes_where_there_is_a_device_for_it() -> None:
    setting = Setting(node("a"), node("b"))
    with_class(setting)
    with_slice(setting, "b", device("gpu-0"))
    setting.sources.put(RESOURCE_CLAIMS, claim("mine", request()))
    placement = await setting.place(user_of("mine"))
    assert placement.node_name == "b"
    assert placement.cycle.devices is not None
    (allocation,) = placement.cycle.devices.found["b"]
    assert allocation["devices"]["results"] == [{"request": "gpu", "driver": DRIVER, "pool": "b", "device": "gpu-0"}]
    field = {"key": "metadata.name", "operator": "In", "values": ["b"]}
    assert allocation["nodeSelector"] == {"nodeSelectorTerms": [{"matchFields": [field]}]}


async def test_a_selector_that_fails_says_whose_it_is_and_on_which_device() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    with_slice(setting, "a", device("gpu-0"))
    bad = f'device.attributes["{DRIVER}"].there'
    setting.sources.put(RESOURCE_CLAIMS, claim("bad", request(selectors=[{"cel": {"expression": bad}}])))
    place = f"claim default/bad: selector #0 on device {DRIVER}/a/gpu-0"
    with pytest.raises(SchedulerError, match=f"{place}: CEL runtime error: no such key: there"):
        await setting.place(user_of("bad"))


async def test_selectors_look_at_attributes_and_capacity() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    with_slice(setting, "a", device("small", "8Gi", model="x"), device("large", "80Gi", model="y"))
    large = f'device.capacity["{DRIVER}"].memory.isGreaterThan(quantity("16Gi"))'
    setting.sources.put(RESOURCE_CLAIMS, claim("large", request(selectors=[{"cel": {"expression": large}}])))
    assert [each["device"] for each in await chosen(setting, user_of("large"))] == ["large"]
    model = f'device.attributes["{DRIVER}"].model == "x"'
    setting.sources.put(RESOURCE_CLAIMS, claim("model", request(selectors=[{"cel": {"expression": model}}])))
    assert [each["device"] for each in await chosen(setting, user_of("model"))] == ["small"]


async def test_a_device_that_somebody_has_or_will_have_is_not_given_again() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    with_slice(setting, "a", device("gpu-0"), device("gpu-1"))
    taken = {"request": "gpu", "driver": DRIVER, "pool": "a", "device": "gpu-0"}
    status = {"allocation": {"devices": {"results": [taken]}}}
    setting.sources.put(RESOURCE_CLAIMS, claim("theirs", request()) | {"status": status})
    setting.sources.put(RESOURCE_CLAIMS, claim("mine", request()))
    setting.sources.put(RESOURCE_CLAIMS, claim("other", request()))
    placement = await setting.place(user_of("mine"))
    assert placement.cycle.devices is not None
    reservation = DeviceReservation(setting.devices, "a", placement.cycle.devices)
    assert await excuse(setting, user_of("other")) == "0/1 nodes are available: 1 cannot allocate all claims."
    assert "resource claim default/mine is in the process of being allocated" in await excuse(setting, user_of("mine"))
    reservation.revert()
    assert [each["device"] for each in await chosen(setting, user_of("other"))] == ["gpu-1"]


async def test_devices_of_one_claim_have_the_same_value_if_it_says_so() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    with_slice(setting, "a", device("a0", board=0), device("b0", board=1), device("b1", board=1))
    constraints = [{"matchAttribute": f"{DRIVER}/board"}]
    setting.sources.put(RESOURCE_CLAIMS, claim("pair", request(count=2), constraints=constraints))
    assert [each["device"] for each in await chosen(setting, user_of("pair"))] == ["b0", "b1"]


async def test_the_first_alternative_that_can_be_is_taken() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    with_class(setting, "better", "false")
    with_slice(setting, "a", device("gpu-0"))
    choices = [{"name": "best", "deviceClassName": "better"}, {"name": "any", "deviceClassName": "gpu"}]
    setting.sources.put(RESOURCE_CLAIMS, claim("mine", {"name": "gpu", "firstAvailable": choices}))
    assert [each["request"] for each in await chosen(setting, user_of("mine"))] == ["gpu/any"]


async def test_all_devices_means_all() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    with_slice(setting, "a", device("gpu-0"), device("gpu-1"))
    setting.sources.put(RESOURCE_CLAIMS, claim("mine", request(allocationMode="All")))
    assert len(await chosen(setting, user_of("mine"))) == 2


async def test_what_is_missing_is_told() -> None:
    setting = Setting(node("a"))
    assert 'resourceclaim.resource.k8s.io "mine" not found' in await excuse(setting, user_of("mine"))
    setting.sources.put(RESOURCE_CLAIMS, claim("mine", request()))
    assert "request gpu: device class gpu does not exist" in await excuse(setting, user_of("mine"))
    templated = pod("web", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpu"}])
    assert 'pod "default/web": ResourceClaim not created yet' in await excuse(setting, templated)


async def test_an_allocated_claim_says_where_it_can_be_used() -> None:
    setting = Setting(node("a"), node("b"))
    field = {"key": "metadata.name", "operator": "In", "values": ["b"]}
    allocation = {"devices": {"results": []}, "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [field]}]}}
    setting.sources.put(RESOURCE_CLAIMS, claim("mine", request()) | {"status": {"allocation": allocation}})
    assert await setting.where(user_of("mine")) == "b"
    setting.cluster.remove_node("b")
    assert await excuse(setting, user_of("mine")) == (
        "0/1 nodes are available: 1 resourceclaim not available on the node."
    )


async def test_a_tainted_device_is_for_those_who_tolerate_it() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    with_slice(setting, "a", device("gpu-0") | {"taints": [{"key": "broken", "effect": "NoSchedule"}]})
    setting.sources.put(RESOURCE_CLAIMS, claim("mine", request()))
    assert "cannot allocate all claims" in await excuse(setting, user_of("mine"))
    tolerant = request(tolerations=[{"key": "broken", "operator": "Exists"}])
    setting.sources.put(RESOURCE_CLAIMS, claim("brave", tolerant))
    assert [each["device"] for each in await chosen(setting, user_of("brave"))] == ["gpu-0"]
