"""Does my definition accept what it should, fill in what is left out, and refuse the rest, in words that help?"""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import Invalid
from localplane.testing import Cluster


def crontab(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "mine"}, "spec": spec}


def test_what_is_left_out_is_filled_in(cluster: Cluster) -> None:
    assert cluster.create(crontab(schedule="* * * * *"))["spec"] == {"schedule": "* * * * *", "replicas": 1}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "spec.schedule: Required value"),
        ({"schedule": "daily"}, "spec.schedule in body should match"),
        ({"schedule": "* * * * *", "replicas": 11}, "spec.replicas in body should be less than or equal to 10"),
        ({"schedule": "* * * * *", "replicas": 2, "minReplicas": 3}, "minReplicas is too large"),
    ],
)
def test_what_is_wrong_is_refused(cluster: Cluster, spec: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        cluster.create(crontab(**spec))
    assert message in str(refusal.value)
    assert cluster.list("crontabs") == []


def test_a_change_is_judged_as_a_whole(cluster: Cluster) -> None:
    cluster.create(crontab(schedule="* * * * *", replicas=5, minReplicas=4))
    with pytest.raises(Invalid):
        cluster.patch("crontab/mine", {"spec": {"replicas": 3}})
    assert cluster.get("crontab/mine")["spec"]["replicas"] == 5
