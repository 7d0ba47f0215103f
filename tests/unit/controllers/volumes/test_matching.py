"""Which volume fits a claim."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.volumes.volume_choice import (
    best_match,
    candidate_keys,
    default_class,
    has_storage_class,
    is_bound_to,
    misfit,
    storage_class_of,
)

OLD_CLASS = "volume.beta.kubernetes.io/storage-class"


def claim(size: str = "1Gi", **spec: Any) -> JSONObject:
    said = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return {"metadata": {"name": "c", "namespace": "n", "uid": "u"}, "spec": said | spec}


def volume(name: str, size: str = "1Gi", phase: str = "Available", **spec: Any) -> JSONObject:
    said = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}}
    return {"metadata": {"name": name}, "spec": said | spec, "status": {"phase": phase}}


def chosen(wanted: JSONObject, *volumes: JSONObject, only_reserved: bool = False) -> str | None:
    found = best_match(wanted, volumes, only_reserved=only_reserved)
    return found["metadata"]["name"] if found is not None else None


def test_the_smallest_that_is_large_enough_is_chosen() -> None:
    assert chosen(claim("2Gi"), volume("large", "10Gi"), volume("fitting", "2048Mi"), volume("small")) == "fitting"


def test_a_volume_that_is_not_available_yet_is_passed_over() -> None:
    assert chosen(claim(), volume("new", phase="Pending"), volume("gone", phase="Released")) is None


def test_fewer_access_modes_are_closer_to_the_wish_than_a_smaller_size() -> None:
    both = volume("both", "1Gi", accessModes=["ReadWriteOnce", "ReadWriteMany"])
    assert chosen(claim(), both, volume("one", "9Gi")) == "one"
    assert chosen(claim(accessModes=["ReadWriteMany"]), both, volume("one")) == "both"


def test_what_is_kept_for_the_claim_comes_first_whatever_its_class() -> None:
    kept = volume("kept", "9Gi", phase="Pending", storageClassName="x", claimRef={"name": "c", "namespace": "n"})
    assert chosen(claim(), volume("free"), kept) == "kept"


def test_what_is_kept_for_another_is_nobody_elses() -> None:
    other = volume("other", claimRef={"name": "c", "namespace": "n", "uid": "before"})
    assert chosen(claim(), other) is None
    assert not is_bound_to(other, claim())


def test_the_scheduler_chooses_what_is_kept_for_nobody() -> None:
    kept = volume("kept", claimRef={"name": "c", "namespace": "n"})
    assert chosen(claim(), volume("free"), only_reserved=True) is None
    assert chosen(claim(), volume("free"), kept, only_reserved=True) == "kept"


@pytest.mark.parametrize(
    ("wanted", "found", "reason"),
    [
        (claim(), volume("v"), None),
        (claim("2Gi"), volume("v"), "requested PV is too small"),
        (claim(storageClassName="a"), volume("v"), "storageClassName does not match"),
        (claim(volumeAttributesClassName="a"), volume("v"), "volumeAttributesClassName does not match"),
        (claim(volumeMode="Block"), volume("v"), "incompatible volumeMode"),
        (claim(accessModes=["ReadOnlyMany"]), volume("v"), "incompatible accessMode"),
    ],
)
def test_a_claim_is_told_why_it_can_not_have_the_volume_that_it_names(
    wanted: JSONObject, found: JSONObject, reason: str | None
) -> None:
    assert misfit(found, wanted) == reason


def test_a_volume_that_goes_is_nobodys() -> None:
    going = volume("v")
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert misfit(going, claim()) == 'the volume is marked for deletion "v"'
    assert chosen(claim(), going) is None


def test_the_old_annotation_for_the_class_counts_first() -> None:
    old = claim(storageClassName="new")
    old["metadata"]["annotations"] = {OLD_CLASS: ""}
    assert storage_class_of(old) == ""
    assert has_storage_class(old)
    assert not has_storage_class(claim())
    assert has_storage_class(claim(storageClassName=""))


def test_of_several_default_classes_the_newest_counts_and_then_the_first_by_name() -> None:
    def made(name: str, at: str, *, mark: str = "true") -> JSONObject:
        annotations = {"storageclass.kubernetes.io/is-default-class": mark}
        return {"metadata": {"name": name, "creationTimestamp": at, "annotations": annotations}}

    classes = [
        made("z", "2026-01-02T00:00:00Z"),
        made("b", "2026-01-02T00:00:00Z"),
        made("a", "2026-01-01T00:00:00Z"),
        made("new", "2026-01-03T00:00:00Z", mark="false"),
    ]
    found = default_class(classes)
    assert found is not None
    assert found["metadata"]["name"] == "b"
    assert default_class([]) is None


def test_a_volume_is_found_by_its_claim_or_by_its_class() -> None:
    assert candidate_keys(volume("v", storageClassName="a")) == ["class/a"]
    assert candidate_keys(volume("v", claimRef={"name": "c", "namespace": "n"})) == ["claim/n/c"]
