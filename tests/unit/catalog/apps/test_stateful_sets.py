"""Stateful sets: defaults, claims, and what may change."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.apps.stateful_sets import STATEFUL_SETS
from tests.unit.catalog.writing import change_refusals, created, refusals

ROLLING_ONLY = "only allowed for updateStrategy 'RollingUpdate'"
STRATEGIES = "must be 'RollingUpdate' or 'OnDelete'"


def stateful_set(**spec: Any) -> JSONObject:
    container = {"name": "c", "image": "img", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [container]}}
    return {
        "spec": {
            "serviceName": "s",
            "selector": {"matchLabels": {"app": "a"}},
            "template": template,
            "volumeClaimTemplates": [claim],
        }
        | spec
    }


def test_a_claim_in_a_template_is_a_whole_object() -> None:
    spec = created(STATEFUL_SETS, stateful_set())["spec"]
    (claim,) = spec["volumeClaimTemplates"]
    assert (claim["kind"], claim["apiVersion"], claim["status"]) == (
        "PersistentVolumeClaim",
        "v1",
        {"phase": "Pending"},
    )
    assert claim["spec"]["volumeMode"] == "Filesystem"
    assert spec["updateStrategy"] == {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 1}}
    assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Retain", "whenScaled": "Retain"}


def test_a_mount_may_name_a_claim_for_a_volume() -> None:
    assert refusals(STATEFUL_SETS, stateful_set()) == []
    assert refusals(STATEFUL_SETS, stateful_set(volumeClaimTemplates=[])) == [
        'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"'
    ]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            {"podManagementPolicy": "Chaos"},
            "spec.podManagementPolicy: Invalid value: \"Chaos\": must be 'OrderedReady' or 'Parallel'",
        ),
        (
            {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 1}}},
            'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: ' + ROLLING_ONLY,
        ),
        (
            {"updateStrategy": {"type": "Recreate"}},
            'spec.updateStrategy: Invalid value: {"Type":"Recreate","RollingUpdate":null}: ' + STRATEGIES,
        ),
        (
            {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "0%"}}},
            'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "0%": cannot be 0',
        ),
        ({"ordinals": {"start": -1}}, "spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"),
        ({"serviceName": "a.b"}, 'spec.serviceName: Invalid value: "a.b": must not contain dots'),
    ],
)
def test_what_is_wrong_with_a_stateful_set_is_told_in_kubernetes_words(spec: JSONObject, told: str) -> None:
    assert refusals(STATEFUL_SETS, stateful_set(**spec)) == [told]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"replicas": 5, "minReadySeconds": 3}, []),
        ({"serviceName": "other"}, ['spec.serviceName: Invalid value: "other": field is immutable']),
        (
            {"podManagementPolicy": "Parallel"},
            ['spec.podManagementPolicy: Invalid value: "Parallel": field is immutable'],
        ),
    ],
)
def test_only_some_fields_of_a_stateful_set_may_change(change: JSONObject, told: list[str]) -> None:
    old = created(STATEFUL_SETS, stateful_set())
    assert change_refusals(STATEFUL_SETS, old, copied(old) | {"spec": copied(old["spec"]) | change}) == told


def test_claims_stay_as_they_are_and_are_shown_as_go_prints_them() -> None:
    old = created(STATEFUL_SETS, stateful_set())
    new = copied(old)
    new["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"] = "2Gi"
    (told,) = change_refusals(STATEFUL_SETS, old, new)
    assert told.startswith('spec.volumeClaimTemplates: Invalid value: [{"name":"data","Spec":{"AccessModes":')
    assert '"Requests":{"storage":"2Gi"}' in told
    new["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"] = "1024Mi"
    assert change_refusals(STATEFUL_SETS, old, new) == []
