"""Rules for volumes: one source each, and every source's own."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from tests.unit.catalog.core.pods.pod_making import faults

V = "spec.volumes[0]"
MODE = "must be a number between 0 and 0777 (octal), both inclusive"


def claim(**spec: Any) -> JSONObject:
    good = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"ephemeral": {"volumeClaimTemplate": {"spec": good | spec}}}


def token(**fields: Any) -> JSONObject:
    return {"projected": {"sources": [{"serviceAccountToken": {"path": "t"} | fields}]}}


CASES: list[tuple[JSONObject, list[str]]] = [
    ({}, []),
    ({"emptyDir": {"sizeLimit": "1Gi"}}, []),
    (
        {"emptyDir": {"sizeLimit": "-1"}},
        [f"{V}.emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
    ),
    ({"hostPath": {"path": "/a/../b"}}, [f"{V}.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"]),
    (
        {"hostPath": {"path": "/a", "type": "Pipe"}},
        [
            (
                f'{V}.hostPath.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", "CharDevice", '
                '"Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"'
            )
        ],
    ),
    (
        {"secret": {"defaultMode": 0o1000}},
        [f"{V}.secret.secretName: Required value", f"{V}.secret.defaultMode: Invalid value: 512: {MODE}"],
    ),
    (
        {"configMap": {"name": "m", "items": [{"path": "..x"}]}},
        [
            f"{V}.configMap.items[0].key: Required value",
            f"{V}.configMap.items[0].path: Invalid value: \"..x\": must not start with '..'",
        ],
    ),
    (
        {"downwardAPI": {"items": [{"path": "p"}]}},
        [f"{V}.downwardAPI: Required value: one of fieldRef and resourceFieldRef is required"],
    ),
    (
        {"downwardAPI": {"items": [{"path": "p", "resourceFieldRef": {"resource": "limits.cpu"}}]}},
        [f"{V}.downwardAPI.resourceFieldRef.containerName: Required value"],
    ),
    (
        token(expirationSeconds=10),
        [
            (
                f"{V}.projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: "
                "10: may not specify a duration less than 10 minutes"
            )
        ],
    ),
    (token(path="../t"), [f"{V}.projected.path: Invalid value: \"../t\": must not contain '..'"]),
    (
        {"projected": {"sources": [{"secret": {"name": "s"}, "configMap": {"name": "m"}}]}},
        [f"{V}.projected.sources[0]: Forbidden: may not specify more than 1 volume type per source"],
    ),
    (
        {
            "projected": {
                "sources": [
                    {"secret": {"name": "s", "items": [{"key": "k", "path": "p"}]}},
                    {"configMap": {"name": "m", "items": [{"key": "k", "path": "p"}]}},
                ]
            }
        },
        [f'{V}.projected: Invalid value: "m": conflicting duplicate paths'],
    ),
    (
        {"projected": {"sources": [{"clusterTrustBundle": {"signerName": "a", "path": "p"}}]}},
        [
            (
                f'{V}.projected.sources[0].clusterTrustBundle.signerName: Invalid value: "a": must be a fully '
                "qualified domain and path of the form 'example.com/signer-name'"
            )
        ],
    ),
    ({"persistentVolumeClaim": {}}, [f"{V}.persistentVolumeClaim.claimName: Required value"]),
    (claim(), []),
    (
        claim(accessModes=["ReadWriteOncePod", "ReadOnlyMany"]),
        [
            (
                f"{V}.ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: may not use ReadWriteOncePod with "
                "other access modes"
            )
        ],
    ),
    (
        claim(resources={"requests": {"storage": "0"}}),
        [f'{V}.ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero'],
    ),
    (
        claim(dataSource={"kind": "Snapshot", "name": "s"}),
        [
            (
                f'{V}.ephemeral.volumeClaimTemplate.spec.dataSource: Invalid value: "Snapshot": must be '
                "'PersistentVolumeClaim' when referencing the default apiGroup"
            )
        ],
    ),
    ({"ephemeral": {}}, [f"{V}.ephemeral.volumeClaimTemplate: Required value"]),
    ({"nfs": {"server": "s", "path": "x"}}, [f'{V}.nfs.path: Invalid value: "x": must be an absolute path']),
    (
        {"iscsi": {"targetPortal": "p", "iqn": "abc", "lun": 256}},
        [
            f'{V}.iscsi.iqn: Invalid value: "abc": must be valid format starting with iqn, eui, or naa',
            f"{V}.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
        ],
    ),
    (
        {"fc": {"targetWWNs": ["a"]}},
        [f"{V}.fc.lun: Required value: lun is required if targetWWNs is specified"],
    ),
    (
        {"csi": {"driver": "a_b"}},
        [
            (
                f'{V}.csi.driver: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case '
                "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
                "'example.com', regex used for validation is "
                r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            )
        ],
    ),
    (
        {"azureDisk": {"diskName": "d", "diskURI": "http://x", "kind": "Managed"}},
        [
            (
                f'{V}.azureDisk.diskURI: Unsupported value: "http://x": supported values: "/subscriptions/{{sub-id}}/'
                'resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"'
            )
        ],
    ),
    ({"image": {}}, [f"{V}.image.reference: Required value"]),
    ({"gcePersistentDisk": {}}, [f"{V}.persistentDisk.pdName: Required value"]),
    (
        {"emptyDir": {}, "downwardAPI": {}, "cephfs": {"monitors": ["m"]}},
        [
            f"{V}.cephFS: Forbidden: may not specify more than 1 volume type",
            f"{V}.downwarAPI: Forbidden: may not specify more than 1 volume type",
        ],
    ),
]


@pytest.mark.parametrize(("volume", "expected"), CASES)
def test_a_volume(volume: JSONObject, expected: list[str]) -> None:
    assert faults({"volumes": [{"name": "v"} | volume], "serviceAccountName": "a"}) == expected


def test_volumes_have_names_of_their_own() -> None:
    assert faults({"volumes": [{"name": "v"}, {"name": "v"}]}) == ['spec.volumes[1].name: Duplicate value: "v"']


def test_a_token_needs_an_account() -> None:
    assert faults({"volumes": [{"name": "v"} | token()]}) == [
        (
            f"{V}.projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName "
            "is not set"
        )
    ]


def test_a_claim_that_the_pod_makes_can_not_be_mounted_as_one_that_is_there() -> None:
    made, used = {"name": "v"} | claim(), {"name": "w", "persistentVolumeClaim": {"claimName": "p-v"}}
    assert faults({"volumes": [made, used]}) == [
        (
            'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-v": must not reference a PVC that gets '
            "created for an ephemeral volume"
        )
    ]
