"""Is the role that I ship neither too small nor too wide for what my operator does?"""

from __future__ import annotations

from pathlib import Path

import pytest

from localplane.apimachinery.errors import Forbidden
from localplane.testing import Cluster, User

ROLES = Path(__file__).with_name("role.yaml")
OPERATOR = "system:serviceaccount:shop:operator"


def reconcile(operator: User) -> list[str]:
    """Stands for the operator: what it asks of the API."""
    crontabs = operator.list("crontabs")
    return [operator.get(crontab)["metadata"]["name"] for crontab in crontabs]


def test_the_role_is_just_what_is_needed(cluster: Cluster) -> None:
    cluster.apply(ROLES)
    crontab = {"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "mine"}}
    cluster.create(crontab | {"spec": {"schedule": "* * * * *"}})
    assert reconcile(cluster.as_user(OPERATOR)) == ["mine"]
    check = cluster.check_rbac(OPERATOR, ROLES)
    assert (check["missing"], check["unused"], check["wide"]) == ([], [], [])


def test_without_the_role_nothing_works_and_the_cluster_tells_what_is_missing(cluster: Cluster) -> None:
    with pytest.raises(Forbidden):
        reconcile(cluster.as_user(OPERATOR))
    role, _ = cluster.minimal_rbac(OPERATOR)
    assert role["rules"] == [{"apiGroups": ["stable.example.com"], "resources": ["crontabs"], "verbs": ["list"]}]
