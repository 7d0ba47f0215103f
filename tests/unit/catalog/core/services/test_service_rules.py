"""Rules of a Service. What allocation would have filled in stands in the objects."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.services import services
from localplane.catalog.core.services.columns import service_cells
from localplane.catalog.core.services.strategy import service_warnings
from localplane.catalog.options import CatalogOptions
from tests.unit.catalog.writing import change_refusals, created, refusals, status_refusals

SERVICES = services(CatalogOptions())
ADDRESS = {"clusterIP": "10.0.0.7", "clusterIPs": ["10.0.0.7"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}
BALANCER = {"type": "LoadBalancer"}


def service(**spec: Any) -> JSONObject:
    address = {} if spec.get("type") == "ExternalName" else ADDRESS
    return {"spec": {**address, "ports": [{"port": 80}], **spec}}


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({}, []),
        (BALANCER | {"externalTrafficPolicy": "Local", "healthCheckNodePort": 30000}, []),
        ({"ports": []}, ["spec.ports: Required value"]),
        ({"clusterIP": "None", "clusterIPs": ["None"], "ports": []}, []),
        (
            {"type": "NodePort", "clusterIP": "None", "clusterIPs": ["None"]},
            ["spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"],
        ),
        ({"type": "ExternalName", "externalName": "a.b.", "ports": []}, []),
        (
            {"type": "ExternalName", "externalName": "a.b", "ipFamilyPolicy": "", "clusterIPs": ["1.2.3.4"]},
            [
                "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
                "spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services",
            ],
        ),
        (
            {"sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 86401}}},
            [
                (
                    "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: "
                    "must be greater than 0 and less than 86400"
                )
            ],
        ),
        (
            {"externalIPs": ["127.0.0.1"]},
            [
                (
                    'spec.externalIPs[0]: Invalid value: "127.0.0.1": '
                    "may not be in the loopback range (127.0.0.0/8, ::1/128)"
                )
            ],
        ),
        (
            {"clusterIPs": ["10.0.0.7", "10.0.0.8"]},
            [
                (
                    'spec.clusterIPs: Invalid value: ["10.0.0.7","10.0.0.8"]: '
                    "may specify no more than one IP for each IP family"
                )
            ],
        ),
        ({"ipFamilies": ["IPv4", "IPv4"]}, ['spec.ipFamilies[1]: Duplicate value: "IPv4"']),
        (
            {"loadBalancerClass": "example.com/x", "allocateLoadBalancerNodePorts": True},
            [
                "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
                "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
            ],
        ),
        (BALANCER | {"loadBalancerSourceRanges": [" 10.0.0.0/8 "]}, []),
        (
            BALANCER | {"healthCheckNodePort": 30000},
            [
                (
                    "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and "
                    "`externalTrafficPolicy` is 'Local'"
                )
            ],
        ),
        (
            {"trafficDistribution": "Far"},
            [
                (
                    'spec.trafficDistribution: Unsupported value: "Far": supported values: "PreferClose", '
                    '"PreferSameZone", "PreferSameNode"'
                )
            ],
        ),
        (
            {"internalTrafficPolicy": ""},
            ['spec.internalTrafficPolicy: Unsupported value: "": supported values: "Cluster", "Local"'],
        ),
    ],
)
def test_rules(spec: JSONObject, errors: list[str]) -> None:
    assert refusals(SERVICES, service(**spec)) == errors


def test_a_name_may_begin_with_a_digit() -> None:
    assert refusals(SERVICES, service() | {"metadata": {"name": "1a"}}) == []
    assert refusals(SERVICES, service() | {"metadata": {"name": "a.b"}}) == [
        'metadata.name: Invalid value: "a.b": must not contain dots'
    ]


def test_a_load_balancer_class_may_not_change() -> None:
    old = created(SERVICES, service(**BALANCER, loadBalancerClass="example.com/a"))
    new = old | {"spec": old["spec"] | {"loadBalancerClass": "example.com/b"}}
    assert change_refusals(SERVICES, old, new) == [
        'spec.loadBalancerClass: Invalid value: "example.com/b": may not change once set'
    ]


@pytest.mark.parametrize(
    ("ingress", "error"),
    [
        ({"ip": "1.2.3.4", "ipMode": "VIP"}, ""),
        (
            {"ip": "1.2.3.4"},
            "status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set",
        ),
        (
            {"hostname": "a.b", "ipMode": "VIP"},
            "status.loadBalancer.ingress[0].ipMode: Forbidden: may not be specified when `ip` is not set",
        ),
        (
            {"hostname": "1.2.3.4"},
            'status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
        ),
    ],
)
def test_status(ingress: JSONObject, error: str) -> None:
    old = created(SERVICES, service(**BALANCER))
    status = {"loadBalancer": {"ingress": [ingress]}}
    assert status_refusals(SERVICES, old, status) == ([error] if error else [])
    assert status_refusals(SERVICES, created(SERVICES, service()), status) == [
        "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"
    ]


@pytest.mark.parametrize(
    ("spec", "warnings"),
    [
        ({}, []),
        (
            {"externalIPs": ["1.2.3.4"]},
            ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"],
        ),
        (
            {"clusterIP": "None", "clusterIPs": ["None"], "sessionAffinity": "ClientIP"},
            ["spec.SessionAffinity is ignored for headless services"],
        ),
        ({"externalName": "a.b"}, ['spec.externalName is ignored when spec.type is not "ExternalName"']),
        (
            {"trafficDistribution": "PreferClose"},
            ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
        ),
    ],
)
def test_warnings(spec: JSONObject, warnings: list[str]) -> None:
    assert list(service_warnings(created(SERVICES, service(**spec)))) == warnings


@pytest.mark.parametrize(
    ("spec", "ingress", "cells"),
    [
        ({}, [], ["ClusterIP", "10.0.0.7", "<none>", "80/TCP", "<none>"]),
        (
            {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}], "selector": {"b": "2", "a": "1"}},
            [],
            ["NodePort", "10.0.0.7", "<none>", "80:30080/TCP", "a=1,b=2"],
        ),
        (BALANCER, [], ["LoadBalancer", "10.0.0.7", "<pending>", "80/TCP", "<none>"]),
        (
            BALANCER | {"externalIPs": ["9.9.9.9"]},
            [{"ip": "2.2.2.2"}, {"hostname": "a.b"}],
            ["LoadBalancer", "10.0.0.7", "2.2.2.2,a.b,9.9.9.9", "80/TCP", "<none>"],
        ),
    ],
)
def test_rows(spec: JSONObject, ingress: list[JSONObject], cells: list[str]) -> None:
    obj = created(SERVICES, service(**spec)) | {"status": {"loadBalancer": {"ingress": ingress}}}
    row = service_cells(obj)
    assert [*row[1:5], row[6]] == cells
