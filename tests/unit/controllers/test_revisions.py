"""Revisions: what they keep, how they are named, and which is newer."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.workloads.revisions import (
    highest_number,
    in_order,
    is_equal,
    new_revision,
    revision_data,
    revision_hash,
    revision_name,
    with_revision,
)

CONTAINER: JSONObject = {
    "name": "c",
    "image": "nginx",
    "args": ["a<b"],
    "ports": [{"containerPort": 80, "protocol": "TCP"}],
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": "Always",
}
POD_SPEC: JSONObject = {
    "containers": [CONTAINER],
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}


def owner(**pod_spec: Any) -> JSONObject:
    metadata = {"name": "web", "namespace": "default", "uid": "u", "annotations": {"team": "a"}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": POD_SPEC | pod_spec}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": {"template": template}}


def revision(number: int, name: str, created: str = "") -> JSONObject:
    return {"metadata": {"name": name, "creationTimestamp": created}, "revision": number}


def test_the_name_is_the_one_that_kube_controller_manager_gives() -> None:
    """Recorded from v1.37.0-rc.1 with this very template."""
    made = new_revision(owner(), 1, 0)
    assert made["metadata"]["name"] == "web-64d8fc5b9b"
    assert made["metadata"]["labels"] == {"app": "web", "controller.kubernetes.io/hash": "64d8fc5b9b"}
    assert made["metadata"]["annotations"] == {"team": "a"}
    assert made["metadata"]["ownerReferences"][0]["uid"] == "u"
    assert made["revision"] == 1


def test_data_is_a_patch_in_the_order_of_its_keys() -> None:
    template = revision_data(owner())["spec"]["template"]
    assert list(template) == ["$patch", "metadata", "spec"]
    assert template["$patch"] == "replace"
    assert list(template["spec"]["containers"][0]) == sorted(CONTAINER)


def test_a_revision_gives_back_the_template_and_nothing_else() -> None:
    old, now = owner(), owner(hostNetwork=True)
    now["spec"]["replicas"] = 3
    restored = with_revision(now, new_revision(old, 1, 0))
    assert restored["spec"]["template"] == old["spec"]["template"]
    assert restored["spec"]["replicas"] == 3
    assert now["spec"]["template"]["spec"]["hostNetwork"] is True


def test_equal_are_those_that_keep_the_same_whatever_their_number() -> None:
    assert is_equal(new_revision(owner(), 1, 0), new_revision(owner(), 7, 2))
    assert not is_equal(new_revision(owner(), 1, 0), new_revision(owner(hostNetwork=True), 1, 0))


def test_a_collision_changes_the_hash() -> None:
    data = revision_data(owner())
    assert len({revision_hash(data, probe) for probe in (None, 0, 1, 2)}) == 4


def test_a_long_name_is_cut_so_that_the_hash_fits() -> None:
    assert revision_name("x" * 300, "hash") == "x" * 223 + "-hash"


def test_order_is_by_number_then_age_then_name() -> None:
    first, second = revision(1, "b", "2020-01-01T00:00:00Z"), revision(1, "a", "2021-01-01T00:00:00Z")
    third, fourth = revision(2, "a"), revision(2, "b")
    assert in_order([fourth, second, third, first]) == [first, second, third, fourth]


@pytest.mark.parametrize(("numbers", "highest"), [((), 0), ((1, 5, 3), 5)])
def test_the_highest_number_of_none_is_zero(numbers: tuple[int, ...], highest: int) -> None:
    assert highest_number([revision(number, "r") for number in numbers]) == highest
