"""Claims: where their data come from, what may change, and when."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.core.persistent_volume_claims import PERSISTENT_VOLUME_CLAIMS as CLAIMS
from localplane.catalog.core.persistent_volume_claims.columns import claim_cells
from tests.unit.catalog.writing import REQUEST, change_refusals, created, status_refusals

CLASS = "volume.beta.kubernetes.io/storage-class"


def claim(
    spec: JSONObject | None = None, *, size: str = "2Gi", status: JSONObject | None = None, **metadata: Any
) -> Any:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}} | (spec or {})
    stored = created(CLAIMS, {"metadata": metadata, "spec": asked})
    stored["status"].update(status or {})
    return stored


@pytest.mark.parametrize(
    ("asked", "source", "reference"),
    [
        (
            {"dataSource": {"kind": "PersistentVolumeClaim", "name": "c"}},
            "PersistentVolumeClaim",
            "PersistentVolumeClaim",
        ),
        ({"dataSource": {"apiGroup": "a.io", "kind": "Thing", "name": "c"}}, None, None),
        ({"dataSourceRef": {"apiGroup": "a.io", "kind": "Thing", "name": "c"}}, "Thing", "Thing"),
        ({"dataSourceRef": {"apiGroup": "a.io", "kind": "Thing", "name": "c", "namespace": "n"}}, None, None),
    ],
)
def test_each_data_source_is_filled_in_from_the_other(
    asked: JSONObject, source: str | None, reference: str | None
) -> None:
    spec = claim(asked)["spec"]
    assert (spec.get("dataSource") or {}).get("kind") == source
    assert (spec.get("dataSourceRef") or {}).get("kind") == reference


BOUND = {"phase": "Bound", "capacity": {"storage": "1Gi"}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (claim(), claim({"volumeName": "v"}), []),
        (claim(), claim({"storageClassName": "c"}), []),
        (claim(status=BOUND), claim(size="3Gi", status=BOUND), []),
        (claim(status=BOUND), claim(size="2048Mi", status=BOUND), []),
        (claim(status=BOUND), claim(size="1500Mi", status=BOUND), []),
        (
            claim(status=BOUND),
            claim(size="1Gi", status=BOUND),
            ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
        ),
        (claim(status=BOUND), claim({"volumeAttributesClassName": "c"}, status=BOUND), []),
        (
            claim({"volumeAttributesClassName": "c"}, status=BOUND | {"currentVolumeAttributesClassName": "c"}),
            claim(status=BOUND),
            [
                (
                    "spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when "
                    "status.currentVolumeAttributesClassName is not nil"
                )
            ],
        ),
        (claim(annotations={CLASS: "c"}), claim({"storageClassName": "c"}), []),
        (
            claim(annotations={CLASS: "c"}),
            claim(annotations={CLASS: "d"}),
            [f'metadata.annotations.{CLASS}: Invalid value: "d": field is immutable'],
        ),
    ],
)
def test_what_may_change(old: JSONObject, new: JSONObject, expected: list[str]) -> None:
    changed = copied(new) | {"status": copied(old["status"])}  # as the registry keeps it
    assert change_refusals(CLAIMS, old, changed) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (claim(), claim(size="3Gi")),
        (claim({"storageClassName": "c"}), claim({"storageClassName": "d"})),
        (claim({"volumeName": "v"}), claim({"volumeName": "w"})),
        (claim(), claim({"volumeAttributesClassName": "c"})),
    ],
)
def test_the_rest_of_the_spec_stays(old: JSONObject, new: JSONObject) -> None:
    refusals = change_refusals(CLAIMS, old, new)
    assert refusals[0].startswith("spec: Forbidden: spec is immutable after creation except resources.requests and")


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"capacity": {"storage": "1Gi"}, "allocatedResourceStatuses": {"storage": "NodeResizePending"}}, []),
        (
            {"allocatedResourceStatuses": {"storage": "Odd"}},
            [
                (
                    'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: '
                    '"ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", '
                    '"NodeResizeInfeasible", "NodeResizePending"'
                )
            ],
        ),
        (
            {"allocatedResources": {"cpu": "1"}},
            ['status.allocatedResources: Unsupported value: "cpu": supported values: "storage"'],
        ),
        (
            {"capacity": {"storage": "-1"}},
            ["status.capacity[storage]: Invalid value: -1: must be a valid resource quantity"],
        ),
    ],
)
def test_a_status_tells_of_storage(status: JSONObject, expected: list[str]) -> None:
    assert status_refusals(CLAIMS, claim(), status) == expected


def test_a_fraction_of_a_byte_is_warned_about() -> None:
    assert CLAIMS.strategy.warnings_on_create(REQUEST, claim(size="1500m")) == [
        'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'
    ]


def test_a_row_shows_what_it_got_once_it_has_a_volume() -> None:
    got = {"phase": "Bound", "capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteMany"]}
    assert claim_cells(claim(status=got))[1:5] == ["Bound", "", "", ""]
    assert claim_cells(claim({"volumeName": "v"}, status=got))[1:5] == ["Bound", "v", "5Gi", "RWX"]
