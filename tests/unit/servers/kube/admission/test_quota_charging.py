"""What a write costs which quota."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apis.amounts import written
from localplane.servers.kube.admission.resource_quota.charges import charges, is_measured
from tests.unit.servers.kube.admission.asking import asked, named, pod


def quota(hard: JSONObject, used: JSONObject, **spec: Any) -> JSONObject:
    return named("q", namespace="ns", spec={"hard": hard, **spec}, status={"hard": hard, "used": used})


def asking(**requests: str) -> JSONObject:
    return pod(containers=[{"name": "c", "resources": {"requests": requests}}])


def test_a_pod_is_charged_under_the_names_that_the_quota_limits() -> None:
    limited = quota({"pods": "2", "requests.cpu": "1"}, {"pods": "1", "requests.cpu": "0"})
    (charge,) = charges([limited], asked("pods", asking(cpu="600m", memory="1Gi")))
    assert written(charge.used) == {"pods": "2", "requests.cpu": "600m"}


@pytest.mark.parametrize(
    ("limited", "new", "message"),
    [
        (
            quota({"requests.cpu": "1"}, {"requests.cpu": "700m"}),
            asking(cpu="600m"),
            "exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=700m, limited: requests.cpu=1",
        ),
        (
            quota({"pods": "1", "count/pods": "9"}, {"pods": "1", "count/pods": "1"}),
            asking(),
            "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
        ),
        (
            quota({"cpu": "1", "limits.memory": "1Gi"}, {"cpu": "0", "limits.memory": "0"}),
            asking(memory="1Mi"),
            "failed quota: q: must specify cpu for: c; limits.memory for: c",
        ),
        (quota({"pods": "1", "cpu": "1"}, {}), asking(cpu="1"), "status unknown for quota: q, resources: cpu,pods"),
    ],
)
def test_what_there_is_no_room_for_is_refused(limited: JSONObject, new: JSONObject, message: str) -> None:
    with pytest.raises(Forbidden) as refusal:
        charges([limited], asked("pods", new))
    assert refusal.value.message == f'pods "p" is forbidden: {message}'


def test_a_quota_without_status_limits_nothing() -> None:
    assert charges([named("q", spec={"hard": {"pods": "0"}})], asked("pods", asking())) == []


def test_scopes_decide_which_pods_count() -> None:
    scoped = quota({"pods": "0"}, {"pods": "0"}, scopes=["BestEffort"])
    assert charges([scoped], asked("pods", asking(cpu="1"))) == []
    with pytest.raises(Forbidden):
        charges([scoped], asked("pods", pod()))


def test_an_update_costs_only_what_is_more() -> None:
    limited = quota({"services.nodeports": "3"}, {"services.nodeports": "2"})
    old = named("s", spec={"type": "NodePort", "ports": [{}, {}]})
    new = named("s", spec={"type": "NodePort", "ports": [{}, {}, {}]})
    (charge,) = charges([limited], asked("services", new, old))
    assert written(charge.used) == {"services.nodeports": "3"}
    assert charges([limited], asked("services", old, new)) == []


def test_other_kinds_are_counted() -> None:
    limited = quota({"count/configmaps": "1"}, {"count/configmaps": "1"})
    with pytest.raises(Forbidden, match="requested: count/configmaps=1, used: count/configmaps=1"):
        charges([limited], asked("configmaps", named("c")))


def test_most_updates_of_pods_cost_nothing() -> None:
    assert not is_measured(asked("pods", pod(), pod()))
    assert is_measured(asked("pods", pod(activeDeadlineSeconds=5), pod()))
    assert is_measured(asked("pods", pod(), pod(), subresource="resize"))
    assert not is_measured(asked("pods", pod(), pod(), subresource="status"))
