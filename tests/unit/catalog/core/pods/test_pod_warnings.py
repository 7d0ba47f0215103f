"""What is accepted with a warning, in Kubernetes' words."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.warnings import pod_template_warnings, pod_warnings


def warnings(spec: JSONObject, annotations: dict[str, str] | None = None, **container: Any) -> list[str]:
    full = {"containers": [{"name": "c", "image": "i"} | container]} | spec
    return pod_warnings({"metadata": {"annotations": annotations or {}}, "spec": full})


def _mapping(*paths: str) -> list[JSONObject]:
    return [{"key": f"k{index}", "path": path} for index, path in enumerate(paths)]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"nodeSelector": {"failure-domain.beta.kubernetes.io/zone": "a"}},
            (
                "spec.nodeSelector[failure-domain.beta.kubernetes.io/zone]: deprecated since v1.17; use "
                '"topology.kubernetes.io/zone" instead'
            ),
        ),
        (
            {"topologySpreadConstraints": [{"topologyKey": "zone"}]},
            "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
        ),
        (
            {"volumes": [{"name": "v", "gitRepo": {"repository": "r"}}]},
            "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
        ),
        (
            {"volumes": [{"name": "v", "configMap": {"name": "m", "items": _mapping("a", "a/b")}}]},
            'volume "v" (ConfigMap "m"): overlapping paths: "a/b" with "a"',
        ),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [{}]}}]},
            'volume "v" (Projected) has no sources provided',
        ),
        (
            {"hostAliases": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.1"}]},
            'spec.hostAliases[1].ip: duplicate ip "10.0.0.1"',
        ),
        (
            {"overhead": {"memory": "1500m"}},
            'spec.overhead[memory]: fractional byte value "1500m" is invalid, must be an integer',
        ),
        (
            {"terminationGracePeriodSeconds": -1},
            "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
        ),
        (
            {"dnsConfig": {"nameservers": ["2001:DB8::1"]}},
            (
                'spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format '
                '("2001:db8::1")'
            ),
        ),
    ],
)
def test_a_spec_that_is_accepted_with_a_warning(spec: JSONObject, expected: str) -> None:
    assert warnings(spec) == [expected]


@pytest.mark.parametrize(
    ("variables", "count"),
    [
        ([{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)2"}], 0),
        ([{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)"}], 1),
        ([{"name": "A", "value": "1"}, {"name": "A", "valueFrom": {}}], 1),
        ([{"name": "A", "value": "1"}, {"name": "B", "value": "1"}], 0),
    ],
)
def test_a_second_variable_hides_the_first_unless_it_goes_on_from_it(variables: list[JSONObject], count: int) -> None:
    hidden = 'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'
    assert warnings({}, env=variables) == ([hidden] * count)


@pytest.mark.parametrize(
    ("ports", "expected"),
    [
        ([{"containerPort": 80}, {"containerPort": 80}], ["ports[1]: duplicate port definition with {0}.ports[0]"]),
        (
            [{"containerPort": 80, "hostPort": 80}, {"containerPort": 80}],
            ["ports[1]: overlapping port definition with {0}.ports[0]"],
        ),
        (
            [{"containerPort": 80, "hostPort": 80}, {"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}],
            ["ports[1]: dangerously ambiguous port definition with {0}.ports[0]"],
        ),
        (
            [{"containerPort": 80, "hostIP": "10.0.0.1"}],
            [
                (
                    "ports[0]: hostIP set without hostPort: {{Name: HostPort:0 ContainerPort:80 Protocol:TCP "
                    "HostIP:10.0.0.1}}"
                )
            ],
        ),
        (
            [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}],
            [
                (
                    'ports[1]: duplicate port name "a" with {0}.ports[0], services and probes that select ports by '
                    "name will use {0}.ports[0]"
                )
            ],
        ),
    ],
)
def test_ports_that_are_said_twice(ports: list[JSONObject], expected: list[str]) -> None:
    place = "spec.containers[0]"
    found = warnings({}, ports=[{"protocol": "TCP"} | port for port in ports])
    assert found == [f"{place}.{line.format(place)}" for line in expected]


def test_old_annotations_are_warned_of_unless_the_field_says_the_same() -> None:
    key = "container.seccomp.security.alpha.kubernetes.io/c"
    message = f'metadata.annotations[{key}]: non-functional in v1.27+; use the "seccompProfile" field instead'
    assert warnings({}, {key: "unconfined"}) == [message]
    assert warnings({}, {key: "unconfined"}, securityContext={"seccompProfile": {"type": "Unconfined"}}) == []


def test_a_templates_warnings_begin_with_its_place_and_name_its_apparmor_annotations() -> None:
    key, place = "container.apparmor.security.beta.kubernetes.io/c", "spec.template"
    template = {
        "metadata": {"annotations": {key: "unconfined"}},
        "spec": {"containers": [{"name": "c"}], "nodeSelector": {"beta.kubernetes.io/os": "linux"}},
    }
    assert pod_template_warnings(template, Path("spec") / "template") == [
        f'{place}.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
        f'{place}.metadata.annotations[{key}]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ]
    assert pod_warnings(template)[1:] == []
