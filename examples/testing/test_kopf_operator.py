"""A kopf operator in this process, against a cluster of the test's own. KUBECONFIG names it already."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kopf.testing import KopfRunner

from localplane.testing import Cluster

CRONTAB = {
    "apiVersion": "stable.example.com/v1",
    "kind": "CronTab",
    "metadata": {"name": "mine"},
    "spec": {"schedule": "* * * * *", "replicas": 2},
}


@pytest.fixture
def operator(cluster: Cluster) -> Iterator[None]:  # noqa: ARG001 - which KUBECONFIG leads to
    program = Path(__file__).with_name("crontab_operator.py")
    with KopfRunner(["run", "--standalone", "--namespace", "default", str(program)], timeout=60):
        yield


def scheduled(text: str) -> Any:
    return lambda crontab: crontab.get("status", {}).get("scheduled") == text


@pytest.mark.usefixtures("operator")
def test_it_schedules_and_follows_changes(cluster: Cluster) -> None:
    cluster.create(CRONTAB)
    cluster.wait_for("crontab/mine", scheduled("2 x * * * * *"))
    cluster.patch("crontab/mine", {"spec": {"replicas": 3}})
    cluster.wait_for("crontab/mine", scheduled("3 x * * * * *"))
    assert cluster.requests(verb="patch", resource="crontabs"), "it writes by patches"
