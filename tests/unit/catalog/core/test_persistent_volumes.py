"""Volumes: one source, a capacity, and hardly anything that changes afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.core.persistent_volumes import PERSISTENT_VOLUMES
from localplane.catalog.core.persistent_volumes.columns import persistent_volume_cells
from tests.unit.catalog.writing import REQUEST, UID, change_refusals

HOST = {"hostPath": {"path": "/data"}}
CSI = {"csi": {"driver": "d.io", "volumeHandle": "h"}}
AFFINITY = {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "Exists"}]}]}}


def volume(spec: JSONObject, **metadata: Any) -> JSONObject:
    """As it is stored."""
    common = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}
    obj: JSONObject = {
        "metadata": {"name": "v", "uid": UID, "resourceVersion": "1", **metadata},
        "spec": copied(common | spec),
    }
    default = PERSISTENT_VOLUMES.versions[0].default
    assert default is not None
    default(obj)
    PERSISTENT_VOLUMES.strategy.prepare_for_create(REQUEST, obj)
    return obj


def found(obj: JSONObject) -> list[str]:
    return [str(error) for error in PERSISTENT_VOLUMES.strategy.validate(REQUEST, obj)]


def test_a_new_volume_is_pending_and_is_kept() -> None:
    obj = volume(HOST)
    assert obj["status"]["phase"] == "Pending"
    assert obj["status"]["lastPhaseTransitionTime"]
    assert obj["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert obj["spec"]["volumeMode"] == "Filesystem"
    assert obj["spec"]["hostPath"] == {"path": "/data", "type": ""}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (HOST, []),
        ({}, ["spec: Required value: must specify a volume type"]),
        (
            HOST | {"nfs": {"server": "s", "path": "/"}},
            ["spec.nfs: Forbidden: may not specify more than 1 volume type"],
        ),
        (
            {"local": {"path": "/d"}},
            ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
        ),
        ({"local": {"path": "/d"}, "nodeAffinity": AFFINITY}, []),
        (
            HOST | {"accessModes": [], "capacity": {}},
            [
                "spec.accessModes: Required value",
                "spec.capacity: Required value",
                'spec.capacity: Unsupported value: null: supported values: "storage"',
            ],
        ),
        (
            HOST | {"capacity": {"storage": "0", "cpu": "1"}},
            [
                'spec.capacity: Unsupported value: {"cpu":"1","storage":"0"}: supported values: "storage"',
                'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
            ],
        ),
        (
            HOST | {"accessModes": ["ReadWriteOncePod", "ReadOnlyMany"]},
            ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
        ),
        (
            {"hostPath": {"path": "/"}, "persistentVolumeReclaimPolicy": "Recycle"},
            ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
        ),
        (
            HOST | {"volumeAttributesClassName": "c"},
            ["spec.csi: Required value: has to be specified when using volumeAttributesClassName"],
        ),
        (
            {"csi": {"driver": "d.io", "nodePublishSecretRef": {"name": "S"}}},
            [
                "spec.csi.volumeHandle: Required value",
                "spec.csi.nodePublishSecretRef.namespace: Required value",
                (
                    'spec.csi.nodePublishSecretRef.name: Invalid value: "S": a lowercase RFC 1123 subdomain must '
                    "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
                    "alphanumeric character (e.g. 'example.com', regex used for validation is "
                    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                ),
            ],
        ),
        (
            {"iscsi": {"targetPortal": "p", "iqn": "wrong"}},
            ['spec.iscsi.iqn: Invalid value: "wrong": must be valid format'],
        ),
        (
            HOST | {"nodeAffinity": {}},
            ["spec.nodeAffinity.required: Required value: must specify required node constraints"],
        ),
    ],
)
def test_a_volume_makes_sense(spec: JSONObject, expected: list[str]) -> None:
    assert found(volume(spec)) == expected


def test_mount_options_as_an_annotation_are_for_some_kinds_only() -> None:
    options = {"volume.beta.kubernetes.io/mount-options": "ro"}
    assert found(volume({"nfs": {"server": "s", "path": "/"}}, annotations=options)) == []
    assert found(volume(HOST, annotations=options)) == [
        (
            "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options "
            "for this volume type"
        )
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (HOST, HOST | {"claimRef": {"name": "c"}, "capacity": {"storage": "2Gi"}}, []),
        (CSI, {"csi": CSI["csi"] | {"controllerExpandSecretRef": {"name": "s", "namespace": "n"}}}, []),
        (
            HOST,
            HOST | {"volumeMode": "Block"},
            ['volumeMode: Invalid value: "Block": field is immutable'],
        ),
        (
            CSI | {"volumeAttributesClassName": "c"},
            CSI,
            ["spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden"],
        ),
        (HOST, HOST | {"nodeAffinity": AFFINITY}, []),
        (
            HOST | {"nodeAffinity": AFFINITY},
            HOST,
            [
                "nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA",
            ],
        ),
    ],
)
def test_what_may_change(old: JSONObject, new: JSONObject, expected: list[str]) -> None:
    assert change_refusals(PERSISTENT_VOLUMES, volume(old), volume(new)) == expected


def test_a_label_of_nodes_may_lose_its_beta() -> None:
    old, new = (
        HOST | {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}
        for expression in (
            {"key": "beta.kubernetes.io/os", "operator": "Exists"},
            {"key": "kubernetes.io/os", "operator": "Exists"},
        )
    )
    assert change_refusals(PERSISTENT_VOLUMES, volume(old), volume(new)) == []
    assert change_refusals(PERSISTENT_VOLUMES, volume(new), volume(old)) != []


def test_the_source_stays_and_the_message_shows_what_differs() -> None:
    [refusal] = change_refusals(PERSISTENT_VOLUMES, volume(HOST), volume({"hostPath": {"path": "/other"}}))
    assert refusal.startswith(
        "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ "
    )
    assert '-  "Path": "/data",\n+  "Path": "/other",\n' in refusal


def test_a_change_of_phase_is_dated() -> None:
    strategy = PERSISTENT_VOLUMES.status_strategy
    assert strategy is not None
    old = volume(HOST)
    old["status"]["lastPhaseTransitionTime"] = "2020-01-01T00:00:00Z"
    same, other = copied(old) | {"status": {"phase": "Pending"}}, copied(old) | {"status": {"phase": "Bound"}}
    strategy.prepare_for_update(REQUEST, same, old)
    strategy.prepare_for_update(REQUEST, other, old)
    assert same["status"]["lastPhaseTransitionTime"] == "2020-01-01T00:00:00Z"
    assert other["status"]["lastPhaseTransitionTime"] > "2020-01-01T00:00:00Z"


def test_warnings_tell_what_is_old() -> None:
    obj = volume(
        {"rbd": {"monitors": ["m"], "image": "i"}, "persistentVolumeReclaimPolicy": "Recycle"},
        annotations={"volume.beta.kubernetes.io/storage-class": "c"},
    )
    assert PERSISTENT_VOLUMES.strategy.warnings_on_create(REQUEST, obj) == [
        (
            "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "
            '"storageClassName" attribute instead'
        ),
        (
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
            "approach is to use dynamic provisioning."
        ),
        "spec.rbd: deprecated in v1.28, non-functional in v1.31+",
    ]


def test_a_row() -> None:
    obj = volume(HOST | {"claimRef": {"namespace": "n", "name": "c"}, "storageClassName": "s"})
    assert persistent_volume_cells(obj) == [
        "v",
        "1Gi",
        "RWO",
        "Retain",
        "Pending",
        "n/c",
        "s",
        "<unset>",
        "",
        "<unknown>",
        "Filesystem",
    ]
    obj["metadata"]["deletionTimestamp"] = "2020-01-01T00:00:00Z"
    assert persistent_volume_cells(obj)[4] == "Terminating"
