"""Rules for the rest of a pod spec: where it goes, what it is called, and what its system allows."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.core.pods.validation.pods import pod_template_errors
from tests.unit.catalog.core.pods.pod_making import faults

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def spread(**fields: Any) -> JSONObject:
    good = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    return {"topologySpreadConstraints": [good | fields]}


CASES: list[tuple[JSONObject, list[str]]] = [
    ({}, []),
    ({"containers": []}, ["spec.containers: Required value"]),
    (
        {"restartPolicy": "Maybe"},
        ['spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"'],
    ),
    (
        {"nodeSelector": {"a": "b c"}},
        [
            (
                'spec.nodeSelector: Invalid value: "b c": a valid label must be an empty string or consist of '
                "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            )
        ],
    ),
    (
        {"securityContext": {"sysctls": [{"name": "net.core.x"}]}, "hostNetwork": True},
        [
            (
                'spec.securityContext.sysctls[0].name: Invalid value: "net.core.x": may not be specified when '
                "'hostNetwork' is true"
            )
        ],
    ),
    (
        {"securityContext": {"sysctls": [{"name": "Kernel"}], "fsGroupChangePolicy": "Often"}},
        [
            (
                'spec.securityContext.sysctls[0].name: Invalid value: "Kernel": must have at most 253 characters and '
                r"match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
            ),
            (
                'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Often": supported values: "Always", '
                '"OnRootMismatch"'
            ),
        ],
    ),
    (
        {"shareProcessNamespace": True, "hostPID": True},
        ["spec.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled"],
    ),
    (
        {"affinity": {"nodeAffinity": {REQUIRED: {}}}},
        [
            (
                f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms: Required value: must have at least one node "
                "selector term"
            )
        ],
    ),
    (
        {"affinity": {"nodeAffinity": {PREFERRED: [{"weight": 0, "preference": {"matchFields": [{"key": "a"}]}}]}}},
        [
            f"spec.affinity.nodeAffinity.{PREFERRED}[0].weight: Invalid value: 0: must be in the range 1-100",
            (
                f'spec.affinity.nodeAffinity.{PREFERRED}[0].preference.matchFields[0].operator: Invalid value: "": not '
                "a valid selector operator"
            ),
            (
                f'spec.affinity.nodeAffinity.{PREFERRED}[0].preference.matchFields[0].key: Invalid value: "a": not a '
                "valid field selector key"
            ),
        ],
    ),
    (
        {"affinity": {"podAffinity": {REQUIRED: [{"topologyKey": "zone", "matchLabelKeys": ["a"]}]}}},
        [
            (
                f"spec.affinity.podAffinity.{REQUIRED}[0].matchLabelKeys: Forbidden: must not be specified when "
                "labelSelector is not set"
            )
        ],
    ),
    (
        {"dnsPolicy": "None"},
        ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
    ),
    (
        {"dnsConfig": {"nameservers": ["10.0.0.01"], "options": [{}]}},
        [
            'spec.dnsConfig.nameservers[0]: Invalid value: "10.0.0.01": must not have leading 0s',
            "spec.dnsConfig.options[0]: Required value: must not be empty",
        ],
    ),
    ({"dnsConfig": {"searches": [".", "_a.b."]}}, []),
    (
        {"schedulingGates": [{"name": "a"}, {"name": "a"}], "nodeName": "n"},
        [
            'spec.schedulingGates[1]: Duplicate value: "a"',
            "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
        ],
    ),
    (spread(maxSkew=0), ["spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"]),
    (
        spread(whenUnsatisfiable="ScheduleAnyway", minDomains=1),
        [
            (
                "spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if "
                "whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"
            )
        ],
    ),
    (
        {"topologySpreadConstraints": spread()["topologySpreadConstraints"] * 2},
        [
            (
                "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "
                '"{zone, DoNotSchedule}"'
            )
        ],
    ),
    ({"hostUsers": False, "hostPID": True}, ["spec.HostPID: Forbidden: when `hostUsers` is false"]),
    (
        {"hostnameOverride": "a", "hostNetwork": True},
        ["spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true"],
    ),
    ({"hostname": "a.b"}, ['spec.hostname: Invalid value: "a.b": must not contain dots']),
    (
        {"tolerations": [{"key": "a", "operator": "Gt", "value": "1"}, {"operator": "Exists", "tolerationSeconds": 1}]},
        [
            'spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"',
            (
                "spec.tolerations[1].effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` "
                "is set"
            ),
        ],
    ),
    (
        {"hostAliases": [{"ip": "x", "hostnames": ["ok"]}]},
        ['spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ),
    (
        {"preemptionPolicy": "Often"},
        [
            'spec.preemptionPolicy: Unsupported value: "Often": supported values: "PreemptLowerPriority", "Never"',
        ],
    ),
    (
        {"overhead": {"disk": "1"}},
        [
            'spec.overhead.limits[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
            'spec.overhead.limits[disk]: Invalid value: "disk": must be a standard resource for containers',
        ],
    ),
    ({"os": {"name": "plan9"}}, ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"']),
    (
        {"os": {"name": "windows"}, "securityContext": {"runAsUser": 1}, "hostPID": True},
        [
            "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
            "spec.hostPID: Forbidden: cannot be set for a windows pod",
        ],
    ),
    (
        {"securityContext": {"windowsOptions": {"hostProcess": True}}},
        ["spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers"],
    ),
    (
        {"resourceClaims": [{"name": "a"}]},
        [
            (
                'spec.resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,'
                '"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, '
                "`resourceClaimTemplateName`"
            )
        ],
    ),
    (
        {"resources": {"limits": {"cpu": "1", "ephemeral-storage": "1Gi"}}},
        [
            (
                'spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: '
                '"cpu", "hugepages-", "memory"'
            )
        ],
    ),
]


@pytest.mark.parametrize(("spec", "expected"), CASES)
def test_a_pod_spec(spec: JSONObject, expected: list[str]) -> None:
    assert faults(spec) == expected


def test_containers_must_fit_into_what_the_pod_asks_for() -> None:
    container = {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "3"}}}
    assert faults({"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}}, container) == [
        (
            'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container '
            "requests of 2"
        ),
        'spec.resources.containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2',
    ]


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        (
            {"controller.kubernetes.io/pod-deletion-cost": "01"},
            (
                'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "01": must be a '
                "32bit integer"
            ),
        ),
        (
            {"kubernetes.io/config.mirror": "x"},
            (
                'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if '
                "mirror pod annotation is set"
            ),
        ),
        (
            {"container.apparmor.security.beta.kubernetes.io/d": "unconfined"},
            (
                'metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value: "d": container '
                "not found"
            ),
        ),
        (
            {"seccomp.security.alpha.kubernetes.io/pod": "x"},
            (
                'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": must be a valid '
                "seccomp profile"
            ),
        ),
    ],
)
def test_annotations_that_mean_something(annotations: dict[str, str], expected: str) -> None:
    assert faults(annotations=annotations) == [expected]


def test_a_profile_that_is_said_twice_must_be_the_same() -> None:
    key = "container.apparmor.security.beta.kubernetes.io/c"
    context = {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}
    assert faults(container=context, annotations={key: "unconfined"}) == []
    assert faults(container=context, annotations={key: "runtime/default"}) == [
        (
            "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field "
            "must match"
        )
    ]


def template(**parts: Any) -> list[str]:
    made: JSONObject = {"spec": {"containers": [{"name": "c", "image": " i", "ports": [{"containerPort": 80}]}]}}
    made["spec"] |= parts.pop("spec", {})
    made |= parts
    default_pod_template(made)
    return [str(error) for error in pod_template_errors(made, Path("spec") / "template")]


def test_a_template_is_asked_less_than_a_pod() -> None:
    # Neither the space before the image nor the missing port of the host matters yet.
    assert template(spec={"hostNetwork": True, "terminationGracePeriodSeconds": -1}) == []


def test_a_templates_metadata_is_reported_beside_its_spec() -> None:
    (line,) = template(metadata={"labels": {"a b": ""}})
    assert line == (
        "spec.template.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
        "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    )


def test_a_template_has_no_ephemeral_containers() -> None:
    debug = {"name": "d", "image": "i"}
    assert template(spec={"ephemeralContainers": [debug]}) == [
        "spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"
    ]
