"""What objects count against a quota. Kubernetes: the tables of pkg/quota/v1/evaluator/core's tests."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apis.amounts import written
from localplane.catalog.quota import EVALUATORS, evaluators_of
from localplane.catalog.quota.evaluators import claim_usage, device_claim_usage, pod_usage, service_usage


def container(name: str = "c", limits: JSONObject | None = None, **requests: str) -> JSONObject:
    asked = {key.replace("_", "-"): value for key, value in requests.items()}
    return {"name": name, "resources": {"requests": asked, "limits": limits or {}}}


def pod(*containers: JSONObject, init: tuple[JSONObject, ...] = (), **more: Any) -> JSONObject:
    return {"spec": {"containers": list(containers), "initContainers": list(init)} | more.pop("spec", {})} | more


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pod(container()), {"pods": "1"}),
        (
            pod(container("a", cpu="1", limits={"cpu": "2"}), container("b", cpu="500m")),
            {"pods": "1", "cpu": "1500m", "requests.cpu": "1500m", "limits.cpu": "2"},
        ),
        (
            pod(container(memory="1Gi"), init=(container("i", memory="2Gi"), container("j", memory="3Gi"))),
            {"pods": "1", "memory": "3Gi", "requests.memory": "3Gi"},
        ),
        (
            pod(
                container(cpu="1"),
                init=(container("side", cpu="2") | {"restartPolicy": "Always"}, container("i", cpu="3")),
            ),
            {"pods": "1", "cpu": "5", "requests.cpu": "5"},
        ),
        (
            pod(container(cpu="1"), spec={"overhead": {"cpu": "250m", "memory": "1Mi"}}),
            {"pods": "1", "cpu": "1250m", "requests.cpu": "1250m", "memory": "1Mi", "requests.memory": "1Mi"},
        ),
        (
            pod(container(cpu="1"), spec={"resources": {"requests": {"cpu": "4"}}}),
            {"pods": "1", "cpu": "4", "requests.cpu": "4"},
        ),
        (
            pod(container(hugepages_2Mi="100Mi")),
            {"pods": "1", "hugepages-2Mi": "100Mi", "requests.hugepages-2Mi": "100Mi"},
        ),
        (
            pod({"name": "c", "resources": {"requests": {"example.com/gpu": "3"}}}),
            {"pods": "1", "requests.example.com/gpu": "3"},
        ),
        (
            pod(
                container(cpu="1"),
                status={"containerStatuses": [{"name": "c", "allocatedResources": {"cpu": "3"}}]},
            ),
            {"pods": "1", "cpu": "3", "requests.cpu": "3"},
        ),
        (pod(container(cpu="1"), status={"phase": "Succeeded"}), {}),
        (
            pod(
                container(cpu="1"),
                metadata={"deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30},
            ),
            {},
        ),
    ],
)
def test_what_a_pod_uses(given: JSONObject, expected: JSONObject) -> None:
    assert written(pod_usage(given)) == expected | {"count/pods": "1"}


@pytest.mark.parametrize(
    ("spec", "node_ports", "balancers"),
    [
        ({"type": "ClusterIP", "ports": [{}]}, "0", "0"),
        ({"type": "NodePort", "ports": [{}, {}]}, "2", "0"),
        ({"type": "LoadBalancer", "ports": [{}, {}]}, "2", "1"),
        (
            {"type": "LoadBalancer", "ports": [{"nodePort": 1}, {}], "allocateLoadBalancerNodePorts": False},
            "1",
            "1",
        ),
    ],
)
def test_what_a_service_uses(spec: JSONObject, node_ports: str, balancers: str) -> None:
    expected = {"services.nodeports": node_ports, "services.loadbalancers": balancers}
    assert written(service_usage({"spec": spec})) == {"count/services": "1", "services": "1"} | expected


def test_what_a_claim_uses_counts_for_its_class_too() -> None:
    claim = {
        "spec": {"storageClassName": "gold", "resources": {"requests": {"storage": "1500m"}}},
        "status": {"allocatedResources": {"storage": "10Gi"}},
    }
    assert written(claim_usage(claim)) == {
        "count/persistentvolumeclaims": "1",
        "persistentvolumeclaims": "1",
        "requests.storage": "10Gi",
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
        "gold.storageclass.storage.k8s.io/requests.storage": "10Gi",
    }


AFFINE = {
    "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"namespaces": ["other"], "topologyKey": "k"}]}
}


@pytest.mark.parametrize(
    ("scope", "given", "counted"),
    [
        ({"scopes": ["Terminating"]}, pod(spec={"activeDeadlineSeconds": 5}), True),
        ({"scopes": ["Terminating"]}, pod(), False),
        ({"scopes": ["NotTerminating"]}, pod(), True),
        ({"scopes": ["BestEffort"]}, pod(container()), True),
        ({"scopes": ["BestEffort"]}, pod(container(cpu="1")), False),
        ({"scopes": ["NotBestEffort", "Terminating"]}, pod(container(cpu="1")), False),
        ({"scopes": ["CrossNamespacePodAffinity"]}, pod(spec={"affinity": AFFINE}), True),
        ({"scopes": ["PriorityClass"]}, pod(spec={"priorityClassName": "high"}), True),
        (("In", ["high"]), pod(spec={"priorityClassName": "high"}), True),
        (("In", ["low"]), pod(spec={"priorityClassName": "high"}), False),
        (("NotIn", ["low"]), pod(), True),
        (("DoesNotExist", []), pod(), True),
        ({}, pod(), True),
    ],
)
def test_a_scoped_quota_counts_only_what_it_speaks_of(scope: Any, given: JSONObject, *, counted: bool) -> None:
    if isinstance(scope, tuple):
        operator, values = scope
        selector = {"scopeName": "PriorityClass", "operator": operator, "values": values}
        scope = {"scopeSelector": {"matchExpressions": [selector]}}
    pods = EVALUATORS[0]
    used = pods.total({"spec": {"hard": {"pods": "9", "services": "1"}} | scope}, [given])
    assert written(used) == {"pods": "1" if counted else "0"}


def test_a_claim_counts_the_devices_that_it_may_get_of_each_class() -> None:
    def wish(name: str, mode: str = "ExactCount", count: int = 0) -> JSONObject:
        return {"deviceClassName": name, "allocationMode": mode, "count": count}

    requests = [
        {"name": "a", "exactly": wish("gold", count=2)},
        {"name": "b", "firstAvailable": [wish("gold", count=1), wish("gold", count=3), wish("silver", "All")]},
    ]
    assert written(device_claim_usage({"spec": {"devices": {"requests": requests}}})) == {
        "count/resourceclaims.resource.k8s.io": "1",
        "gold.deviceclass.resource.k8s.io/devices": "5",
        "silver.deviceclass.resource.k8s.io/devices": "32",
    }


def test_each_name_of_a_quota_finds_who_measures_it() -> None:
    names = {
        "pods": "pods",
        "limits.memory": "pods",
        "requests.example.com/gpu": "pods",
        "count/pods": "pods",
        "services.nodeports": "services",
        "gold.storageclass.storage.k8s.io/requests.storage": "persistentvolumeclaims",
        "count/resourceclaims.resource.k8s.io": "resourceclaims.resource.k8s.io",
        "gold.deviceclass.resource.k8s.io/devices": "resourceclaims.resource.k8s.io",
        "secrets": "secrets",
        "count/secrets": "secrets",
        "count/widgets.example.com": "widgets.example.com",
        "count/deployments.apps": "deployments.apps",
    }
    found = {name: [str(evaluator.resource) for evaluator in evaluators_of([name])] for name in names}
    assert found == {name: [resource] for name, resource in names.items()}
    assert evaluators_of(["nonsense"]) == []
