"""The kinds of storage.k8s.io: what they ask for, and what may change."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.resource import Resource
from localplane.catalog.storage.csi_drivers import CSI_DRIVERS, csi_driver_cells
from localplane.catalog.storage.csi_nodes import CSI_NODES
from localplane.catalog.storage.csi_storage_capacities import CSI_STORAGE_CAPACITIES
from localplane.catalog.storage.storage_classes import STORAGE_CLASSES, storage_class_cells
from localplane.catalog.storage.volume_attachments import VOLUME_ATTACHMENTS
from localplane.catalog.storage.volume_attributes_classes import VOLUME_ATTRIBUTES_CLASSES
from tests.unit.catalog.writing import REQUEST, UID, change_refusals, created


def stored(resource: Resource, obj: JSONObject) -> JSONObject:
    """Cluster-wide kinds have no namespace."""
    made = created(resource, obj)
    if not resource.namespaced:
        del made["metadata"]["namespace"]
    made["metadata"]["uid"] = UID
    return made


def found(resource: Resource, obj: JSONObject) -> list[str]:
    return [str(error) for error in resource.strategy.validate(REQUEST, stored(resource, obj))]


ATTACHMENT = {"spec": {"attacher": "D.io", "nodeName": "n", "source": {"persistentVolumeName": "v"}}}
TERM = {"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}
BAD_NAME = (
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'Example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


@pytest.mark.parametrize(
    ("resource", "obj", "expected"),
    [
        (STORAGE_CLASSES, {"provisioner": "A.io/B"}, []),
        (STORAGE_CLASSES, {}, ["provisioner: Required value"]),
        (
            STORAGE_CLASSES,
            {"provisioner": "a", "parameters": {str(number): "" for number in range(513)}},
            ["parameters: Too long: may not be more than 512 bytes"],
        ),
        (
            STORAGE_CLASSES,
            {"provisioner": "a", "allowedTopologies": [TERM, TERM]},
            ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
        ),
        (
            STORAGE_CLASSES,
            {
                "provisioner": "a",
                "allowedTopologies": [
                    {"matchLabelExpressions": [{"key": "z", "values": ["a", "a"]}, {"key": "z", "values": []}]}
                ],
            },
            [
                'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
                "allowedTopologies[0].matchLabelExpressions[1].values: Required value",
                'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "z"',
            ],
        ),
        (
            VOLUME_ATTRIBUTES_CLASSES,
            {"driverName": "d.io"},
            ["parameters: Required value: must contain at least one key/value pair"],
        ),
        (CSI_DRIVERS, {"spec": {}}, []),
        (
            CSI_DRIVERS,
            {"spec": {"tokenRequests": [{"expirationSeconds": 1}, {}], "volumeLifecycleModes": ["Odd"]}},
            [
                (
                    "spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than "
                    "10 minutes"
                ),
                'spec.tokenRequests[1].audience: Duplicate value: ""',
                'spec.volumeLifecycleModes: Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"',
            ],
        ),
        (
            CSI_DRIVERS,
            {"spec": {"serviceAccountTokenInSecrets": True, "nodeAllocatableUpdatePeriodSeconds": 9}},
            [
                (
                    "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 "
                    "seconds"
                ),
                (
                    "spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but "
                    "no tokenRequests are specified"
                ),
            ],
        ),
        (
            CSI_NODES,
            {"spec": {"drivers": [{"name": "d.io", "nodeID": "n"}, {"name": "d.io", "topologyKeys": ["a", "a"]}]}},
            [
                "spec.drivers[1].nodeID: Required value",
                'spec.drivers[1].name: Duplicate value: "d.io"',
                'spec.drivers[1]: Duplicate value: "a"',
            ],
        ),
        (
            CSI_STORAGE_CAPACITIES,
            {"storageClassName": "c", "capacity": "-1"},
            ['capacity: Invalid value: "-1": must be greater than or equal to 0'],
        ),
        (VOLUME_ATTACHMENTS, ATTACHMENT, []),
        (
            VOLUME_ATTACHMENTS,
            {"spec": {"attacher": "-", "nodeName": "n", "source": {}}},
            [
                "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
                f'spec.attacher: Invalid value: "-": {BAD_NAME}',
            ],
        ),
        (
            VOLUME_ATTACHMENTS,
            {
                "spec": {
                    "attacher": "a" * 64,
                    "nodeName": "n",
                    "source": {
                        "inlineVolumeSpec": {
                            "hostPath": {"path": "/"},
                            "accessModes": ["ReadWriteOnce"],
                            "claimRef": {"name": "c"},
                        }
                    },
                }
            },
            [
                (
                    "spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified in the context of inline "
                    "volumes"
                ),
                (
                    "spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of "
                    "inline volumes"
                ),
                "spec.attacher: Too long: may not be more than 63 characters",
            ],
        ),
    ],
)
def test_new_objects(resource: Resource, obj: JSONObject, expected: list[str]) -> None:
    assert found(resource, obj) == expected


@pytest.mark.parametrize(
    ("resource", "old", "changes", "expected"),
    [
        (STORAGE_CLASSES, {"provisioner": "a"}, {"allowVolumeExpansion": True}, []),
        (
            STORAGE_CLASSES,
            {"provisioner": "a"},
            {"parameters": {"a": "b"}, "reclaimPolicy": "Retain"},
            [
                "parameters: Invalid value: null: field is immutable",
                "reclaimPolicy: Invalid value: null: field is immutable",
            ],
        ),
        (
            VOLUME_ATTRIBUTES_CLASSES,
            {"driverName": "d", "parameters": {"a": "b"}},
            {"driverName": "e"},
            ["driverName: Forbidden: updates to driverName are forbidden."],
        ),
        (
            CSI_STORAGE_CAPACITIES,
            {"storageClassName": "c"},
            {"storageClassName": "d", "capacity": "1"},
            ['storageClassName: Invalid value: "d": field is immutable'],
        ),
        (
            VOLUME_ATTACHMENTS,
            ATTACHMENT,
            {"spec": {"attacher": "", "nodeName": "n", "source": {"persistentVolumeName": "v"}}},
            ["spec: Invalid value: null: field is immutable"],
        ),
        (
            CSI_NODES,
            {"spec": {"drivers": [{"name": "d.io", "nodeID": "n"}]}},
            {"spec": {"drivers": [{"name": "d.io", "nodeID": "n", "allocatable": {"count": 1}}]}},
            [],
        ),
        (
            CSI_NODES,
            {"spec": {"drivers": [{"name": "d.io", "nodeID": "n"}]}},
            {"spec": {"drivers": [{"name": "d.io", "nodeID": "m"}]}},
            [
                (
                    'spec.drivers: Invalid value: {"Name":"d.io","NodeID":"m","TopologyKeys":null,"Allocatable":null}: '
                    "field is immutable"
                )
            ],
        ),
    ],
)
def test_changes(resource: Resource, old: JSONObject, changes: JSONObject, expected: list[str]) -> None:
    before = stored(resource, old)
    assert change_refusals(resource, before, copied(before) | copied(changes)) == expected


def test_a_driver_has_its_defaults_and_counts_its_changes() -> None:
    driver = stored(CSI_DRIVERS, {"spec": {}})
    assert driver["spec"] == {
        "attachRequired": True,
        "podInfoOnMount": False,
        "storageCapacity": False,
        "fsGroupPolicy": "ReadWriteOnceWithFSType",
        "requiresRepublish": False,
        "seLinuxMount": False,
        "preventPodSchedulingIfMissing": False,
        "volumeLifecycleModes": ["Persistent"],
    }
    del driver["metadata"]["generation"]
    changed = copied(driver)
    changed["spec"]["podInfoOnMount"] = True
    CSI_DRIVERS.strategy.prepare_for_update(REQUEST, changed, driver)
    assert changed["metadata"]["generation"] == 1


def test_rows() -> None:
    named = {"metadata": {"name": "x"}}
    assert csi_driver_cells(named | {"spec": {"tokenRequests": [{"audience": "a"}, {}]}}) == [
        "x",
        True,
        False,
        False,
        "a,",
        False,
        "<none>",
        "<unknown>",
    ]
    assert storage_class_cells(named | {"provisioner": "p"}) == ["x", "p", "Delete", "Immediate", False, "<unknown>"]


def test_in_a_list_the_default_class_that_counts_is_marked() -> None:
    """The youngest, and among twins the first by name."""
    declared = STORAGE_CLASSES.versions[0]
    assert declared.list_cells is not None
    mark = {"storageclass.kubernetes.io/is-default-class": "true"}
    classes: list[JSONObject] = [
        {"metadata": {"name": name, "creationTimestamp": f"2020-01-0{day}T00:00:00Z", "annotations": annotations}}
        for name, day, annotations in (("a", 1, mark), ("c", 2, mark), ("b", 2, mark), ("d", 3, {}))
    ]
    assert [row[0] for row in declared.list_cells(classes)] == ["a", "c", "b (default)", "d"]
