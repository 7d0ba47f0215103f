"""Who a pod of a stateful set is, and with whom its claims go."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.ownership import controller_reference
from localplane.controllers.workloads.stateful_sets.identity import (
    Membership,
    claims_of,
    give_storage,
    has_identity,
    has_storage,
    membership,
    new_pod,
    ordinals,
)
from localplane.controllers.workloads.stateful_sets.retention import (
    has_other_controller,
    is_of_earlier,
    is_owned_as_it_should_be,
    owner_references,
)


def stateful_set(replicas: int = 2, *, scaled: str = "Retain", deleted: str = "Retain", **spec: Any) -> JSONObject:
    policy = {"whenScaled": scaled, "whenDeleted": deleted}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"volumes": [{"name": "data", "emptyDir": {}}]}}
    common: JSONObject = {
        "replicas": replicas,
        "serviceName": "web",
        "selector": {"matchLabels": {"app": "web"}},
        "template": template,
        "volumeClaimTemplates": [{"metadata": {"name": "data", "labels": {"tier": "back"}}, "spec": {}}],
        "persistentVolumeClaimRetentionPolicy": policy,
    }
    metadata = {"name": "web", "namespace": "ns", "uid": "set-uid"}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": common | spec}


def pod(ordinal: int) -> JSONObject:
    metadata = {"name": f"web-{ordinal}", "namespace": "ns", "uid": f"pod-uid-{ordinal}"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {}}


def claim(*references: JSONObject) -> JSONObject:
    return {"metadata": {"name": "data-web-0", "ownerReferences": list(references)}}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("web-0", Membership("web", 0)),
        ("my-web-12", Membership("my-web", 12)),
        ("web-007", Membership("web", 7)),
        ("web", Membership()),
        ("web-", Membership()),
        ("web-a1", Membership()),
        ("web-2147483647", Membership("web", 2147483647)),
        ("web-2147483648", Membership("web", -1)),
        ("web-99999999999999999999999", Membership("web", -1)),
    ],
)
def test_the_name_says_whose_and_which_one(name: str, expected: Membership) -> None:
    assert membership({"metadata": {"name": name}}) == expected


def test_numbers_begin_where_the_set_says() -> None:
    assert list(ordinals(stateful_set(2))) == [0, 1]
    assert list(ordinals(stateful_set(2, ordinals={"start": 3}))) == [3, 4]
    assert not ordinals(stateful_set(0))


def test_a_new_pod_is_who_it_should_be() -> None:
    made = new_pod(stateful_set(), 1, "web-hash")
    assert has_identity(stateful_set(), made)
    assert has_storage(stateful_set(), made)
    assert made["metadata"]["labels"] == {
        "app": "web",
        "statefulset.kubernetes.io/pod-name": "web-1",
        "apps.kubernetes.io/pod-index": "1",
        "controller-revision-hash": "web-hash",
    }
    assert made["spec"]["hostname"] == "web-1"
    assert made["spec"]["subdomain"] == "web"


def test_a_claim_takes_the_place_of_a_volume_with_its_name() -> None:
    changed: JSONObject = pod(1)
    changed["spec"]["volumes"] = [{"name": "data", "emptyDir": {}}, {"name": "other", "emptyDir": {}}]
    assert not has_storage(stateful_set(), changed)
    give_storage(stateful_set(), changed)
    assert changed["spec"]["volumes"] == [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-1"}},
        {"name": "other", "emptyDir": {}},
    ]


def test_claims_have_the_labels_of_template_and_selector() -> None:
    (made,) = claims_of(stateful_set(), pod(1))
    assert made["kind"] == "PersistentVolumeClaim"
    assert made["metadata"] == {"name": "data-web-1", "namespace": "ns", "labels": {"tier": "back", "app": "web"}}


@pytest.mark.parametrize(
    ("scaled", "deleted", "ordinal", "owner"),
    [
        ("Retain", "Retain", 0, ""),
        ("Retain", "Retain", 5, ""),
        ("Retain", "Delete", 0, "set-uid"),
        ("Retain", "Delete", 5, "set-uid"),
        ("Delete", "Retain", 0, ""),
        ("Delete", "Retain", 5, "pod-uid-5"),
        ("Delete", "Delete", 0, "set-uid"),
        ("Delete", "Delete", 5, "pod-uid-5"),
    ],
)
def test_the_policy_says_with_whom_a_claim_goes(scaled: str, deleted: str, ordinal: int, owner: str) -> None:
    owning, numbered = stateful_set(scaled=scaled, deleted=deleted), pod(ordinal)
    wanted = owner_references(claim(), owning, numbered)
    assert [reference["uid"] for reference in wanted] == ([owner] if owner else [])
    for present in ([], [controller_reference(owning)], [controller_reference(numbered)]):
        is_right = [reference["uid"] for reference in present] == ([owner] if owner else [])
        assert is_owned_as_it_should_be(claim(*present), owning, numbered) is is_right
        assert owner_references(claim(*present), owning, numbered) == wanted


def test_an_owner_that_does_not_control_is_put_right() -> None:
    owning = stateful_set(deleted="Delete")
    weak = controller_reference(owning) | {"controller": False}
    assert not is_owned_as_it_should_be(claim(weak), owning, pod(0))
    assert owner_references(claim(weak), owning, pod(0)) == [controller_reference(owning)]


def test_what_another_controls_is_left_to_it() -> None:
    owning = stateful_set(deleted="Delete")
    other = {"apiVersion": "v1", "kind": "Other", "name": "o", "uid": "o", "controller": True}
    assert has_other_controller(claim(other), owning, pod(0))
    assert is_owned_as_it_should_be(claim(other), owning, pod(0))
    both = claim(other, controller_reference(owning))
    assert not is_owned_as_it_should_be(both, owning, pod(0))
    assert owner_references(both, owning, pod(0)) == [other]
    assert not has_other_controller(claim(other), stateful_set(), pod(0))


def test_an_owner_of_the_same_name_that_was_there_before_is_another() -> None:
    owning = stateful_set(deleted="Delete")
    earlier = controller_reference(owning) | {"uid": "earlier"}
    assert is_of_earlier(claim(earlier), owning)
    assert is_owned_as_it_should_be(claim(earlier), owning, pod(0))
    unborn = pod(0)
    del unborn["metadata"]["uid"]
    assert is_of_earlier(claim(controller_reference(pod(0))), unborn)
