"""Rules and rows of the kinds of networking.k8s.io and of the endpoints of Services."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.resource import Resource
from localplane.catalog.core.endpoints import ENDPOINTS, endpoints_cells
from localplane.catalog.discovery.endpoint_slices import ENDPOINT_SLICES, endpoint_slice_cells
from localplane.catalog.networking.ingress_classes import INGRESS_CLASSES, ingress_class_cells
from localplane.catalog.networking.ingresses import INGRESSES, ingress_cells
from localplane.catalog.networking.ip_addresses import IP_ADDRESSES, ip_address_cells
from localplane.catalog.networking.network_policies import NETWORK_POLICIES, network_policy_cells
from localplane.catalog.networking.service_cidrs import SERVICE_CIDRS
from tests.unit.catalog.writing import REQUEST, change_refusals, created

BACKEND = {"service": {"name": "s", "port": {"number": 80}}}


def spec(**fields: Any) -> JSONObject:
    return {"spec": fields}


def path(**fields: Any) -> JSONObject:
    return spec(rules=[{"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": BACKEND, **fields}]}}])


def peer(**fields: Any) -> JSONObject:
    return spec(podSelector={}, ingress=[{"from": [fields]}])


def port(**fields: Any) -> JSONObject:
    return spec(podSelector={}, egress=[{"ports": [fields]}])


def slice_of(*addresses: str, kind: str = "IPv4", **fields: Any) -> JSONObject:
    return {"addressType": kind, "endpoints": [{"addresses": list(addresses), **fields}]}


AT_PATH = "spec.rules[0].http.paths[0]"
AT_PEER = "spec.ingress[0].from[0]"
AT_PORT = "spec.egress[0].ports[0]"


@pytest.mark.parametrize(
    ("resource", "obj", "errors"),
    [
        (INGRESSES, path(), []),
        (INGRESSES, path(path="", pathType="ImplementationSpecific"), []),
        (INGRESSES, path(path="/a/.."), [f"{AT_PATH}.path: Invalid value: \"/a/..\": cannot end with '/..'"]),
        (INGRESSES, path(path="a"), [f'{AT_PATH}.path: Invalid value: "a": must be an absolute path']),
        (
            INGRESSES,
            path(pathType="Regex"),
            [
                (
                    f'{AT_PATH}.pathType: Unsupported value: "Regex": '
                    'supported values: "Exact", "ImplementationSpecific", "Prefix"'
                )
            ],
        ),
        (
            INGRESSES,
            path(backend={}),
            [f'{AT_PATH}.backend: Invalid value: "": resource or service backend is required'],
        ),
        (
            INGRESSES,
            path(backend={"service": {}}),
            [
                f"{AT_PATH}.backend.service.name: Required value",
                f"{AT_PATH}.backend: Required value: port name or number is required",
            ],
        ),
        (
            INGRESSES,
            path(backend={"resource": {"kind": "a/b"}}),
            [
                f"{AT_PATH}.backend.resource.kind: Invalid value: \"a/b\": may not contain '/'",
                f"{AT_PATH}.backend.resource.name: Required value",
            ],
        ),
        (
            INGRESSES,
            spec(defaultBackend=BACKEND, ingressClassName="a")
            | {"metadata": {"annotations": {"kubernetes.io/ingress.class": "b"}}},
            [
                (
                    'annotations.kubernetes.io/ingress.class: Invalid value: "b": '
                    "must match `ingressClassName` when both are specified"
                )
            ],
        ),
        (NETWORK_POLICIES, peer(podSelector={}), []),
        (NETWORK_POLICIES, peer(), [f"{AT_PEER}: Required value: must specify a peer"]),
        (
            NETWORK_POLICIES,
            peer(podSelector={}, ipBlock={"cidr": "10.0.0.0/8", "except": ["10.0.0.0/8", "11.0.0.0/16"]}),
            [
                f'{AT_PEER}.ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
                f'{AT_PEER}.ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
                f"{AT_PEER}: Forbidden: may not specify both ipBlock and another peer",
            ],
        ),
        (NETWORK_POLICIES, peer(ipBlock={}), [f"{AT_PEER}.ipBlock.cidr: Required value"]),
        (NETWORK_POLICIES, port(port=80, endPort=90), []),
        (
            NETWORK_POLICIES,
            port(port=80, endPort=79),
            [f"{AT_PORT}.endPort: Invalid value: 79: must be greater than or equal to `port`"],
        ),
        (
            NETWORK_POLICIES,
            port(port="http", endPort=79),
            [f"{AT_PORT}.endPort: Invalid value: 79: may not be specified when `port` is non-numeric"],
        ),
        (
            NETWORK_POLICIES,
            port(endPort=79),
            [f"{AT_PORT}.endPort: Invalid value: 79: may not be specified when `port` is not specified"],
        ),
        (
            NETWORK_POLICIES,
            spec(podSelector={}, policyTypes=["Ingress", "Sideways"]),
            ['spec.policyTypes[1]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"'],
        ),
        (INGRESS_CLASSES, spec(controller="example.com/c"), []),
        (
            INGRESS_CLASSES,
            spec(controller="c", parameters={"kind": "K", "name": "n", "namespace": "x"}),
            [
                'spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")',
                "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
            ],
        ),
        (
            INGRESS_CLASSES,
            spec(controller="example.com/c", parameters={"scope": "Namespace", "kind": "K", "name": "n"}),
            ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
        ),
        (SERVICE_CIDRS, spec(cidrs=["10.0.0.0/8", "fd00::/64"]), []),
        (SERVICE_CIDRS, spec(), ["spec.cidrs: Required value: at least one CIDR required"]),
        (
            SERVICE_CIDRS,
            spec(cidrs=["10.0.0.0/8", "11.0.0.0/8"]),
            [
                (
                    'spec.cidrs: Invalid value: ["10.0.0.0/8","11.0.0.0/8"]: '
                    "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
                )
            ],
        ),
        (
            IP_ADDRESSES,
            spec() | {"metadata": {"name": "10.0.0.01"}},
            [
                'metadata.name: Invalid value: "10.0.0.01": must not have leading 0s',
                "spec.parentRef: Required value",
            ],
        ),
        (
            IP_ADDRESSES,
            spec(parentRef={}) | {"metadata": {"name": "10.0.0.1"}},
            ["spec.parentRef.resource: Required value", "spec.parentRef.name: Required value"],
        ),
        (ENDPOINT_SLICES, slice_of("a.example.com", kind="FQDN"), []),
        (
            ENDPOINT_SLICES,
            slice_of("localhost", kind="FQDN"),
            [
                (
                    'endpoints[0].addresses[0]: Invalid value: "localhost": '
                    "should be a domain with at least two segments separated by dots"
                )
            ],
        ),
        (
            ENDPOINT_SLICES,
            slice_of("10.0.0.1", hints={"forZones": [{"name": "a"}, {"name": "a"}]}),
            ['endpoints[0].hints.forZones[1].name: Duplicate value: "a"'],
        ),
        (
            ENDPOINT_SLICES,
            slice_of(*["10.0.0.1"] * 101),
            ["endpoints[0].addresses: Too many: 101: must have at most 100 items"],
        ),
        (ENDPOINTS, {"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]}, []),
        (ENDPOINTS, {"subsets": [{}]}, ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"]),
    ],
)
def test_rules(resource: Resource, obj: JSONObject, errors: list[str]) -> None:
    made = created(resource, obj)
    if not resource.namespaced:
        del made["metadata"]["namespace"]
    assert [str(error) for error in resource.strategy.validate(REQUEST, made)] == errors


@pytest.mark.parametrize(
    ("resource", "old", "new", "errors"),
    [
        (
            ENDPOINT_SLICES,
            slice_of("10.0.0.1"),
            slice_of("fd00::1", kind="IPv6"),
            ["addressType: Invalid value: null: field is immutable"],
        ),
        (
            INGRESS_CLASSES,
            spec(controller="example.com/a"),
            spec(controller="example.com/b"),
            ['spec.controller: Invalid value: "example.com/b": field is immutable'],
        ),
        (SERVICE_CIDRS, spec(cidrs=["10.0.0.0/8"]), spec(cidrs=["10.0.0.0/8", "fd00::/64"]), []),
        (
            SERVICE_CIDRS,
            spec(cidrs=["10.0.0.0/8"]),
            spec(cidrs=["11.0.0.0/8"]),
            ['spec.cidrs[0]: Invalid value: "11.0.0.0/8": field is immutable'],
        ),
        (
            NETWORK_POLICIES,
            peer(ipBlock={"cidr": "10.0.0.1/8"}),
            peer(ipBlock={"cidr": "10.0.0.1/8", "except": ["10.1.0.1/16"]}),
            [
                (
                    f'{AT_PEER}.ipBlock.except[0]: Invalid value: "10.1.0.1/16": '
                    "must not have bits set beyond the prefix length"
                )
            ],
        ),
        (
            ENDPOINTS,
            {"subsets": [{"addresses": [{"ip": "127.0.0.1"}]}]},
            {"subsets": [{"addresses": [{"ip": "127.0.0.1"}]}]},
            [],
        ),
    ],
)
def test_changes(resource: Resource, old: JSONObject, new: JSONObject, errors: list[str]) -> None:
    before, after = created(resource, old), created(resource, new)
    for obj in (before, after):
        if not resource.namespaced:
            del obj["metadata"]["namespace"]
    assert change_refusals(resource, before, after) == errors


def test_a_parent_may_not_change() -> None:
    old, new = (
        created(
            IP_ADDRESSES, spec(parentRef={"resource": "services", "name": name}) | {"metadata": {"name": "10.0.0.1"}}
        )
        for name in "ab"
    )
    for obj in (old, new):
        del obj["metadata"]["namespace"]
    assert change_refusals(IP_ADDRESSES, old, new) == ["spec.parentRef: Invalid value: null: field is immutable"]


def test_labels_count_as_a_generation_of_a_slice() -> None:
    old = created(ENDPOINT_SLICES, slice_of("10.0.0.1"))
    new = created(ENDPOINT_SLICES, slice_of("10.0.0.1"))
    new["metadata"]["labels"] = {"a": "b"}
    ENDPOINT_SLICES.strategy.prepare_for_update(REQUEST, new, old)
    assert new["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("cells", "obj", "row"),
    [
        (endpoints_cells, {}, ["<none>"]),
        (
            endpoints_cells,
            {
                "subsets": [
                    {
                        "addresses": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}],
                        "notReadyAddresses": [{"ip": "10.0.0.9"}],
                        "ports": [{"port": 80}, {"port": 443}],
                    }
                ]
            },
            ["10.0.0.1:80,[fd00::1]:80,10.0.0.1:443 + 1 more..."],
        ),
        (endpoint_slice_cells, {"addressType": "IPv4"}, ["IPv4", "<unset>", "<unset>"]),
        (
            endpoint_slice_cells,
            slice_of("1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4") | {"ports": [{"port": 80}, {"name": "x"}]},
            ["IPv4", "80,x", "1.1.1.1,1.1.1.2,1.1.1.3 + 1 more..."],
        ),
        (ingress_cells, spec(rules=[{"host": "a"}, {}, {"host": "b"}]), ["<none>", "a,b", "", "80"]),
        (
            ingress_cells,
            spec(rules=[{"host": each} for each in "abcd"], tls=[{}], ingressClassName="x"),
            ["x", "a,b,c + 1 more...", "", "80, 443"],
        ),
        (ingress_cells, spec(defaultBackend=BACKEND), ["<none>", "*", "", "80"]),
        (
            ingress_class_cells,
            spec(controller="c", parameters={"apiGroup": "g", "kind": "K", "name": "n"}),
            ["c", "K.g/n"],
        ),
        (network_policy_cells, spec(podSelector={}), ["<none>"]),
        (
            network_policy_cells,
            spec(podSelector={"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]}),
            ["a=b,c"],
        ),
        (
            ip_address_cells,
            spec(parentRef={"resource": "services", "namespace": "n", "name": "s"}),
            ["services/n/s"],
        ),
    ],
)
def test_rows(cells: Any, obj: JSONObject, row: list[str]) -> None:
    """Between the name and the age."""
    assert cells({"metadata": {"name": "x"}} | obj)[1:-1] == row


def test_the_default_class_says_so() -> None:
    annotations = {"ingressclass.kubernetes.io/is-default-class": "true"}
    assert ingress_class_cells({"metadata": {"name": "x", "annotations": annotations}})[0] == "x (default)"
