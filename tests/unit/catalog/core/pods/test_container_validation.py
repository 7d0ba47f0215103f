"""Rules for containers, one fault at a time, each in Kubernetes' words and place."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from tests.unit.catalog.core.pods.pod_making import faults

C = "spec.containers[0]"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
PORTS = "must be between 1 and 65535, inclusive"

CASES: list[tuple[JSONObject, list[str]]] = [
    ({}, []),
    ({"name": ""}, [f"{C}.name: Required value"]),
    ({"name": "a.b"}, [f'{C}.name: Invalid value: "a.b": must not contain dots']),
    ({"image": ""}, [f"{C}.image: Required value"]),
    ({"image": "i "}, [f'{C}.image: Invalid value: "i ": must not have leading or trailing whitespace']),
    (
        {"terminationMessagePolicy": "Shout"},
        [
            (
                f'{C}.terminationMessagePolicy: Unsupported value: "Shout": supported values: "File", '
                '"FallbackToLogsOnError"'
            )
        ],
    ),
    (
        {"ports": [{"containerPort": 1, "name": "a-name-that-is-too-long"}]},
        [f'{C}.ports[0].name: Invalid value: "a-name-that-is-too-long": must be no more than 15 characters'],
    ),
    (
        {"ports": [{"containerPort": 1, "hostPort": 8}, {"containerPort": 2, "hostPort": 8}]},
        [f'{C}.ports[1].hostPort: Duplicate value: "TCP//8"'],
    ),
    (
        {"ports": [{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]},
        [f'{C}.ports[1].name: Duplicate value: "a"'],
    ),
    (
        {"env": [{"name": "A", "valueFrom": {}}]},
        [
            (
                f'{C}.env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, '
                "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
            )
        ],
    ),
    (
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.hostname"}}}]},
        [
            (
                f'{C}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.hostname": error converting fieldPath: '
                "field label not supported: spec.hostname"
            )
        ],
    ),
    (
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels"}}}]},
        [
            (
                f'{C}.env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: '
                '"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", '
                '"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"'
            )
        ],
    ),
    ({"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a']"}}}]}, []),
    (
        {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1k"}}}]},
        [
            (
                f'{C}.env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values '
                "1m and 1 are supported with the cpu resource"
            )
        ],
    ),
    (
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "a b"}}}]},
        [
            (
                f'{C}.env[0].valueFrom.secretKeyRef.key: Invalid value: "a b": a valid config key must consist of '
                "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used "
                "for validation is '[-._a-zA-Z0-9]+')"
            )
        ],
    ),
    (
        {"envFrom": [{"prefix": "A"}]},
        [f'{C}.envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`'],
    ),
    (
        {"livenessProbe": {"exec": {}, "successThreshold": 2}},
        [
            f"{C}.livenessProbe.exec.command: Required value",
            f"{C}.livenessProbe.successThreshold: Invalid value: 2: must be 1",
        ],
    ),
    (
        {"readinessProbe": {"tcpSocket": {"port": "UP"}, "terminationGracePeriodSeconds": 1}},
        [
            (
                f'{C}.readinessProbe.tcpSocket.port: Invalid value: "UP": must contain only alpha-numeric characters '
                "(a-z, 0-9), and hyphens (-)"
            ),
            f'{C}.readinessProbe.tcpSocket.port: Invalid value: "UP": must contain at least one letter (a-z)',
            f"{C}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes",
        ],
    ),
    ({"startupProbe": {"grpc": {"port": 0}}}, [f"{C}.startupProbe.grpc.port: Invalid value: 0: {PORTS}"]),
    (
        {"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}},
        [
            (
                f"{C}.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than "
                "terminationGracePeriodSeconds (30)"
            )
        ],
    ),
    ({"lifecycle": {"postStart": {}}}, [f"{C}.lifecycle.postStart: Required value: must specify a handler type"]),
    (
        {"resources": {"limits": {"hugepages-2Mi": "3Mi", "cpu": "1"}}},
        [
            (
                f'{C}.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of '
                "hugepages-2Mi"
            ),
            (
                f'{C}.resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of '
                "hugepages-2Mi"
            ),
        ],
    ),
    (
        {"resources": {"limits": {"hugepages-2Mi": "4Mi"}}},
        [f"{C}.resources: Forbidden: HugePages require cpu or memory"],
    ),
    (
        {"resources": {"requests": {"example.com/gpu": "1"}}},
        [f"{C}.resources.limits: Required value: Limit must be set for non overcommitable resources"],
    ),
    (
        {"resources": {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "2"}}},
        [f'{C}.resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'],
    ),
    (
        {"resources": {"requests": {"example.com/gpu": "500m"}, "limits": {"example.com/gpu": "500m"}}},
        [
            f'{C}.resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
            f'{C}.resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
        ],
    ),
    (
        {"resources": {"claims": [{"name": "gpu"}]}},
        [
            (
                f'{C}.resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims which '
                "is empty"
            )
        ],
    ),
    (
        {"resizePolicy": [{"resourceName": "disk", "restartPolicy": "NotRequired"}]},
        [f'{C}.resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"'],
    ),
    (
        {"restartPolicyRules": [{"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}]},
        [f"{C}.restartPolicy: Required value: must specify restartPolicy when restart rules are used"],
    ),
    (
        {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Pray"}]},
        [
            (
                f'{C}.restartPolicyRules[0].action: Unsupported value: "Pray": supported values: "Restart", '
                '"RestartAllContainers"'
            ),
            f"{C}.restartPolicyRules[0].exitCodes: Required value: must be specified",
        ],
    ),
    (
        {"securityContext": {"runAsUser": -1, "procMount": "Unmasked"}},
        [
            f"{C}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
            f'{C}.securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
        ],
    ),
    (
        {"securityContext": {"allowPrivilegeEscalation": False, "privileged": True}},
        [
            (
                f'{C}.securityContext: Invalid value: {{"Capabilities":null,"Privileged":true,"SELinuxOptions":null,'
                '"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,'
                '"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,'
                '"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true'
            )
        ],
    ),
    (
        {"securityContext": {"seccompProfile": {"type": "Localhost"}}},
        [
            (
                f"{C}.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type "
                "is Localhost"
            )
        ],
    ),
    (
        {"securityContext": {"windowsOptions": {"runAsUserName": "a\\b\\c"}}},
        [
            (
                f'{C}.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot '
                "contain more than one backslash"
            )
        ],
    ),
]


@pytest.mark.parametrize(("container", "expected"), CASES)
def test_a_container(container: JSONObject, expected: list[str]) -> None:
    assert faults(container=container) == expected


VOLUMES: JSONObject = {"volumes": [{"name": "v"}, {"name": "block", "persistentVolumeClaim": {"claimName": "x"}}]}


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        (
            {"volumeMounts": [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/a"}]},
            [f'{C}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique'],
        ),
        (
            {"volumeMounts": [{"name": "v", "mountPath": "/a", "subPath": "/x/.."}]},
            [
                f'{C}.volumeMounts.subPath: Invalid value: "/x/..": must be a relative path',
                f"{C}.volumeMounts.subPath: Invalid value: \"/x/..\": must not contain '..'",
            ],
        ),
        (
            {"volumeMounts": [{"name": "v", "mountPath": "/a", "mountPropagation": "Bidirectional"}]},
            [
                (
                    f"{C}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only "
                    "to privileged containers"
                )
            ],
        ),
        (
            {"volumeMounts": [{"name": "v", "mountPath": "/a", "recursiveReadOnly": "Enabled"}]},
            [f"{C}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"],
        ),
        (
            {"volumeDevices": [{"name": "v", "devicePath": "/dev/x"}]},
            [
                (
                    f'{C}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of '
                    "PersistentVolumeClaim or Ephemeral for block mode"
                )
            ],
        ),
        ({"volumeDevices": [{"name": "block", "devicePath": "/dev/x"}]}, []),
        (
            {
                "env": [
                    {
                        "name": "A",
                        "valueFrom": {"fileKeyRef": {"key": "k", "volumeName": "block", "path": "f"}},
                    }
                ]
            },
            [
                (
                    f'{C}.env[0].valueFrom.fileKeyRef.volumeName: Invalid value: "block": referenced volume must be of '
                    "type emptyDir"
                )
            ],
        ),
    ],
)
def test_a_container_and_its_volumes(container: JSONObject, expected: list[str]) -> None:
    assert faults(VOLUMES, container) == expected


def test_init_containers_are_named_apart_and_probed_only_when_they_stay() -> None:
    probe = {"tcpSocket": {"port": 1}}
    init = {"name": "c", "image": "i", "resources": {}, "livenessProbe": probe}
    place = "spec.initContainers[0]"
    assert faults({"initContainers": [init]}) == [
        f'{place}.name: Duplicate value: "c"',
        f"{place}.livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ]
    assert faults({"initContainers": [init | {"name": "d", "restartPolicy": "Always"}]}) == []


def test_ephemeral_containers_come_later_and_may_do_less() -> None:
    place = "spec.ephemeralContainers[0]"
    debug = {"name": "d", "image": "i", "resources": {}, "targetContainerName": "x", "ports": [{"containerPort": 1}]}
    assert faults({"ephemeralContainers": [debug]}) == [
        f'{place}.targetContainerName: Not found: "x"',
        f"{place}.ports: Forbidden: cannot be set for an Ephemeral Container",
        "spec.ephemeralContainers: Forbidden: cannot be set on create",
    ]


def test_a_name_that_is_no_label_is_told_so() -> None:
    assert faults(container={"name": "A_b"}) == [f'{C}.name: Invalid value: "A_b": {LABEL}']
