"""What plugins add to pods, and which pods they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.servers.kube.admission.pods.always_pull_images import AlwaysPullImages
from localplane.servers.kube.admission.pods.default_toleration_seconds import DefaultTolerationSeconds
from localplane.servers.kube.admission.pods.extended_resource_toleration import ExtendedResourceToleration
from localplane.servers.kube.admission.pods.limit_ranger import LimitRanger
from localplane.servers.kube.admission.pods.pod_resize import PodResizeValidator
from localplane.servers.kube.admission.pods.priority import Priority
from localplane.servers.kube.admission.pods.runtime_class import RuntimeClass
from localplane.servers.kube.admission.pods.service_account import ServiceAccount
from tests.unit.servers.kube.admission.asking import admitted, asked, named, pod

ACCOUNT = named("robot", namespace="ns")
MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def asking(**resources: Any) -> JSONObject:
    return {"name": "c", "image": "i", "resources": resources}


async def test_a_pod_gets_its_accounts_token_and_pull_secrets() -> None:
    account = ACCOUNT | {"imagePullSecrets": [{"name": "pull"}]}
    found = await admitted(ServiceAccount(), asked("pods", pod(serviceAccountName="robot")), serviceaccounts=[account])
    volume = found["spec"]["volumes"][0]
    assert volume["name"].startswith("kube-api-access-")
    assert [next(iter(source)) for source in volume["projected"]["sources"]] == [
        "serviceAccountToken",
        "configMap",
        "downwardAPI",
    ]
    mounts = found["spec"]["containers"][0]["volumeMounts"]
    assert mounts == [{"name": volume["name"], "readOnly": True, "mountPath": MOUNT}]
    assert found["spec"]["imagePullSecrets"] == [{"name": "pull"}]


NO_TOKEN = {"automountServiceAccountToken": False}
TOKEN = {"automountServiceAccountToken": True}


@pytest.mark.parametrize(
    ("pod_says", "account_says", "volumes"),
    [({}, {}, 1), ({}, NO_TOKEN, 0), (TOKEN, NO_TOKEN, 1), (NO_TOKEN, TOKEN, 0)],
)
async def test_the_pod_decides_whether_it_gets_a_token_or_else_the_account(
    pod_says: JSONObject, account_says: JSONObject, volumes: int
) -> None:
    new = pod(serviceAccountName="robot", **pod_says)
    found = await admitted(ServiceAccount(), asked("pods", new), serviceaccounts=[ACCOUNT | account_says])
    assert len(found["spec"].get("volumes", ())) == volumes


async def test_a_pod_of_an_account_that_is_not_there_is_refused() -> None:
    with pytest.raises(Forbidden) as refusal:
        await admitted(ServiceAccount(), asked("pods", pod(serviceAccountName="nobody")))
    assert refusal.value.message == (
        'pods "p" is forbidden: error looking up service account ns/nobody: serviceaccount "nobody" not found'
    )


async def test_an_account_may_keep_its_pods_from_other_secrets() -> None:
    strict = {"annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}
    account = named("robot", namespace="ns", metadata=strict)
    new = pod(serviceAccountName="robot", volumes=[{"name": "v", "secret": {"secretName": "s"}}])
    with pytest.raises(Forbidden, match=r'volume with secret\.secretName="s" is not allowed because service account'):
        await admitted(ServiceAccount(), asked("pods", new), serviceaccounts=[account])


async def test_limits_fill_in_what_containers_do_not_say() -> None:
    limit = {"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "100m", "memory": "64Mi"}}
    limits = named("l", namespace="ns", spec={"limits": [limit]})
    new = pod(containers=[asking(requests={"cpu": "200m"})])
    found = await admitted(LimitRanger(), asked("pods", new), limitranges=[limits])
    assert found["spec"]["containers"][0]["resources"] == {
        "requests": {"cpu": "200m", "memory": "64Mi"},
        "limits": {"cpu": "500m"},
    }
    told = "LimitRanger plugin set: memory request for container c; cpu limit for container c"
    assert found["metadata"]["annotations"] == {"kubernetes.io/limit-ranger": told}


@pytest.mark.parametrize(
    ("limit", "resources", "message"),
    [
        ({"min": {"cpu": "1"}}, {}, "minimum cpu usage per Container is 1.  No request is specified"),
        ({"min": {"cpu": "1"}}, {"requests": {"cpu": "5m"}}, "minimum cpu usage per Container is 1, but request is 5m"),
        (
            {"max": {"cpu": "1"}},
            {"requests": {"cpu": "1"}},
            "maximum cpu usage per Container is 1.  No limit is specified",
        ),
        (
            {"max": {"cpu": "1"}},
            {"limits": {"cpu": "1100m"}},
            "maximum cpu usage per Container is 1, but limit is 1100m",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"limits": {"cpu": "3"}, "requests": {"cpu": "1"}},
            "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"limits": {"cpu": "3"}},
            "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
        ),
        ({"max": {"cpu": "2"}, "min": {"cpu": "1"}}, {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}, ""),
    ],
)
async def test_what_is_out_of_bounds_is_refused(limit: JSONObject, resources: JSONObject, message: str) -> None:
    limits = named("l", namespace="ns", spec={"limits": [{"type": "Container", **limit}]})
    question = asked("pods", pod(containers=[asking(**resources)]))
    if not message:
        await admitted(LimitRanger(), question, limitranges=[limits])
        return
    with pytest.raises(Forbidden) as refusal:
        await admitted(LimitRanger(), question, limitranges=[limits])
    assert refusal.value.message == f'pods "p" is forbidden: {message}'


async def test_a_pods_bounds_are_about_all_of_its_containers_together() -> None:
    limits = named("l", namespace="ns", spec={"limits": [{"type": "Pod", "max": {"cpu": "3"}}]})
    two = [asking(limits={"cpu": "2"}), asking(limits={"cpu": "2"}) | {"name": "d"}]
    with pytest.raises(Forbidden, match="maximum cpu usage per Pod is 3, but limit is 4"):
        await admitted(LimitRanger(), asked("pods", pod(containers=two)), limitranges=[limits])


CLASSES = [
    named("high", value=1000, preemptionPolicy="Never"),
    named("usual", value=10, globalDefault=True, preemptionPolicy="PreemptLowerPriority"),
]


@pytest.mark.parametrize(
    ("given", "classes", "found"),
    [
        ({}, [], (None, 0, "PreemptLowerPriority")),
        ({}, CLASSES, ("usual", 10, "PreemptLowerPriority")),
        ({"priorityClassName": "high"}, CLASSES, ("high", 1000, "Never")),
        ({"priorityClassName": "high", "priority": 1000}, CLASSES, ("high", 1000, "Never")),
    ],
)
async def test_a_class_becomes_a_number(given: JSONObject, classes: list[JSONObject], found: tuple[Any, ...]) -> None:
    spec = (await admitted(Priority(), asked("pods", pod(**given)), scheduling_k8s_io__priorityclasses=classes))["spec"]
    assert (spec.get("priorityClassName"), spec["priority"], spec["preemptionPolicy"]) == found


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"priorityClassName": "none"}, "no PriorityClass with name none was found"),
        ({"priority": 7}, r"the integer value of priority \(7\) must not be provided in pod spec; .* computed 10 from"),
        ({"preemptionPolicy": "Never"}, r"the string value of PreemptionPolicy \(Never\) must not be provided"),
    ],
)
async def test_a_pod_does_not_choose_its_own_priority(given: JSONObject, message: str) -> None:
    with pytest.raises(Forbidden, match=message):
        await admitted(Priority(), asked("pods", pod(**given)), scheduling_k8s_io__priorityclasses=CLASSES)


async def test_there_is_one_default_class() -> None:
    another = asked("priorityclasses.scheduling.k8s.io", named("x", globalDefault=True), namespace="")
    with pytest.raises(Forbidden, match="PriorityClass usual is already marked as default"):
        await admitted(Priority(), another, scheduling_k8s_io__priorityclasses=CLASSES)


async def test_a_pod_leaves_a_lost_node_after_five_minutes_unless_it_says_otherwise() -> None:
    own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists"}
    found = await admitted(DefaultTolerationSeconds(), asked("pods", pod(tolerations=[own])))
    added = {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}
    assert found["spec"]["tolerations"] == [own, added | {"tolerationSeconds": 300}]


async def test_who_asks_for_a_device_tolerates_its_nodes() -> None:
    new = pod(containers=[asking(requests={"example.com/gpu": "1", "cpu": "1"})])
    found = await admitted(ExtendedResourceToleration(), asked("pods", new))
    tolerations = [{"key": "example.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    assert found["spec"]["tolerations"] == tolerations
    again = await admitted(ExtendedResourceToleration(), asked("pods", found))
    assert again["spec"]["tolerations"] == tolerations


async def test_a_runtime_has_its_overhead_and_its_nodes() -> None:
    scheduling = {"nodeSelector": {"runtime": "gvisor"}, "tolerations": [{"key": "gvisor", "operator": "Exists"}]}
    runtime = named("gvisor", overhead={"podFixed": {"cpu": "250m"}}, scheduling=scheduling)
    new = pod(runtimeClassName="gvisor", nodeSelector={"disk": "ssd"})
    spec = (await admitted(RuntimeClass(), asked("pods", new), node_k8s_io__runtimeclasses=[runtime]))["spec"]
    assert spec["overhead"] == {"cpu": "250m"}
    assert spec["nodeSelector"] == {"disk": "ssd", "runtime": "gvisor"}
    assert spec["tolerations"] == scheduling["tolerations"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"runtimeClassName": "none"}, 'pod rejected: RuntimeClass "none" not found'),
        (
            {"overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        ({"runtimeClassName": "r", "overhead": {"cpu": "1"}}, "Pod's Overhead doesn't match RuntimeClass's defined"),
        (
            {"runtimeClassName": "r", "nodeSelector": {"a": "c"}},
            r"conflict: runtimeClass.scheduling.nodeSelector\[a\] = b",
        ),
    ],
)
async def test_what_contradicts_the_runtime_is_refused(given: JSONObject, message: str) -> None:
    runtime = named("r", overhead={"podFixed": {"cpu": "2"}}, scheduling={"nodeSelector": {"a": "b"}})
    with pytest.raises(Forbidden, match=message):
        await admitted(RuntimeClass(), asked("pods", pod(**given)), node_k8s_io__runtimeclasses=[runtime])


async def test_images_are_always_pulled_unless_none_is_new() -> None:
    found = await admitted(AlwaysPullImages(), asked("pods", pod()))
    assert found["spec"]["containers"][0]["imagePullPolicy"] == "Always"
    kept = await admitted(AlwaysPullImages(), asked("pods", pod(), pod()))
    assert "imagePullPolicy" not in kept["spec"]["containers"][0]


async def test_a_pod_does_not_grow_beyond_its_node() -> None:
    node = named("n", status={"allocatable": {"cpu": "2", "memory": "1Gi"}})
    old = pod(nodeName="n", metadata={"generation": 1})
    new = pod(nodeName="n", metadata={"generation": 2}, containers=[asking(requests={"cpu": "3"})])
    with pytest.raises(Forbidden) as refusal:
        await admitted(PodResizeValidator(), asked("pods", new, old, subresource="resize"), nodes=[node])
    assert "node didn't have enough allocatable resources: cpu, requested: 3000, allocatable: 2000" in str(
        refusal.value
    )
    assert refusal.value.causes[0].reason == "NodeCapacity"
