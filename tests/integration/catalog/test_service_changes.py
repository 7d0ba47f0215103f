"""Services that change: what is kept, what is given back, what a client may leave out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.talk import API
from tests.integration.catalog.network import SERVICES, addresses, create, service

WEB = f"{SERVICES}/web"


async def test_the_same_manifest_again_keeps_what_was_found_for_it(api: API) -> None:
    sent: dict[str, Any] = {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}
    before = await create(api, **sent)
    reply = await api.put(WEB, service(**sent))
    assert (reply.status, reply.body["spec"]) == (200, before)


async def test_node_ports_follow_the_names_of_their_ports(api: API) -> None:
    before = await create(api, type="NodePort", ports=[{"name": "a", "port": 1}, {"name": "b", "port": 2}])
    first, second = (port["nodePort"] for port in before["ports"])
    swapped = service(type="NodePort", ports=[{"name": "b", "port": 2}, {"name": "a", "port": 1, "nodePort": second}])
    refused = (await api.put(WEB, swapped)).body["spec"]["ports"]
    assert refused[1]["nodePort"] == second
    assert refused[0]["nodePort"] not in (first, second)


async def test_from_node_port_to_a_mere_name_and_back(api: API) -> None:
    before = await create(api, type="NodePort", ports=[{"port": 80, "nodePort": 30080}])
    name = (await api.merge(WEB, {"spec": {"type": "ExternalName", "externalName": "a.example.com"}})).body["spec"]
    assert name == {
        "type": "ExternalName",
        "externalName": "a.example.com",
        "sessionAffinity": "None",
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
    }
    assert await addresses(api) == set()
    await create(api, "other", clusterIP=before["clusterIP"], type="NodePort", ports=[{"port": 1, "nodePort": 30080}])
    back = (await api.merge(WEB, {"spec": {"type": "ClusterIP", "externalName": None}})).body["spec"]
    assert back["clusterIP"] not in ("", before["clusterIP"])
    assert back["internalTrafficPolicy"] == "Cluster"


async def test_from_load_balancer_to_cluster_ip_drops_what_no_longer_applies(api: API) -> None:
    before = await create(api, type="LoadBalancer", externalTrafficPolicy="Local", loadBalancerClass="example.com/x")
    status = {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}
    shown = (await api.merge(f"{WEB}/status", status)).body
    assert shown["status"]["loadBalancer"]["ingress"] == [{"ip": "1.2.3.4", "ipMode": "VIP"}]
    changed = (await api.merge(WEB, {"spec": {"type": "ClusterIP"}})).body
    assert changed["status"] == {"loadBalancer": {}}
    gone = {"externalTrafficPolicy", "healthCheckNodePort", "loadBalancerClass", "allocateLoadBalancerNodePorts"}
    assert set(before) - set(changed["spec"]) == gone
    assert "nodePort" not in changed["spec"]["ports"][0]
    free = {"healthCheckNodePort": before["healthCheckNodePort"], "externalTrafficPolicy": "Local"}
    await create(api, "other", type="LoadBalancer", **free)


async def test_what_a_client_changes_itself_is_not_dropped_but_refused(api: API) -> None:
    await create(api, type="NodePort")
    reply = await api.put(WEB, service(type="ClusterIP", ports=[{"port": 80, "nodePort": 31234}]))
    assert "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'" in reply.message


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"clusterIP": "10.0.0.8"}, 'spec.clusterIPs[0]: Invalid value: ["10.0.0.8"]: may not change once set'),
        ({"clusterIP": "None"}, 'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set'),
        (
            {"clusterIPs": ["10.0.0.8"]},
            'spec.clusterIPs: Invalid value: ["10.0.0.8"]: first value must match `clusterIP`',
        ),
        ({"ipFamilies": ["IPv6"]}, "expected an IPv6 value as indicated by `ipFamilies[0]`"),
    ],
)
async def test_an_address_may_not_change(api: API, change: dict[str, Any], why: str) -> None:
    await create(api, clusterIP="10.0.0.7")
    reply = await api.merge(WEB, {"spec": change})
    assert reply.status == 422
    assert why in reply.message
    assert await addresses(api) == {"10.0.0.7"}


async def test_a_stale_client_is_told_so_and_nothing_is_taken(api: API) -> None:
    await create(api)
    sent = service(type="NodePort", ports=[{"port": 80, "nodePort": 99}])
    sent["metadata"]["resourceVersion"] = "1"
    assert (await api.put(WEB, sent)).error[1] == "Conflict"


async def test_put_of_what_is_not_there_creates_it(api: API) -> None:
    reply = await api.put(WEB, service(type="NodePort"))
    assert reply.status == 201
    assert await addresses(api) == {reply.body["spec"]["clusterIP"]}
    assert reply.body["spec"]["ports"][0]["nodePort"] in range(30000, 32768)


@pytest.mark.parametrize(
    ("port", "why"),
    [
        (29999, "provided port is not in the valid range. The range of valid ports is 30000-30002"),
        (30000, "provided port is already allocated"),
    ],
)
async def test_node_ports_that_are_not_to_be_had(small: API, port: int, why: str) -> None:
    await create(small, type="NodePort", ports=[{"port": 80, "nodePort": 30000}])
    reply = await small.post(SERVICES, service("other", type="NodePort", ports=[{"port": 80, "nodePort": port}]))
    message = f'Service "other" is invalid: spec.ports[0].nodePort: Invalid value: {port}: {why}'
    assert reply.error == (422, "Invalid", message)


async def test_node_ports_run_out(small: API) -> None:
    await create(small, type="NodePort", ports=[{"name": str(n), "port": n} for n in (1, 2, 3)])
    reply = await small.post(SERVICES, service("other", type="NodePort"))
    assert reply.error == (
        500,
        "InternalError",
        "Internal error occurred: failed to allocate a nodePort: range is full",
    )
    without = await create(small, "other", type="LoadBalancer", allocateLoadBalancerNodePorts=False)
    assert "nodePort" not in without["ports"][0]


async def test_one_node_port_serves_both_protocols_of_a_port(api: API) -> None:
    ports = [{"name": "t", "port": 53}, {"name": "u", "port": 53, "protocol": "UDP"}, {"name": "x", "port": 54}]
    found = [port["nodePort"] for port in (await create(api, type="NodePort", ports=ports))["ports"]]
    assert found[0] == found[1] != found[2]


async def test_a_health_check_port_that_is_taken(api: API) -> None:
    await create(api, type="NodePort", ports=[{"port": 80, "nodePort": 30000}])
    balancer = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 30000}
    reply = await api.post(SERVICES, service("other", **balancer))
    why = "failed to allocate requested HealthCheck NodePort 30000: provided port is already allocated"
    assert reply.error == (500, "InternalError", f"Internal error occurred: {why}")
    assert len(await addresses(api)) == 1


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("web/proxy", (503, "ServiceUnavailable", 'no endpoints available for service "web"')),
        ("http:web:80/proxy/a/b", (503, "ServiceUnavailable", 'no endpoints available for service "web"')),
        ("web:81/proxy/", (503, "ServiceUnavailable", 'no service port 81 found for service "web"')),
        ("gone:80/proxy", (404, "NotFound", 'services "gone" not found')),
        ("ftp:web:80/proxy", (400, "BadRequest", 'invalid service request "ftp:web:80"')),
    ],
)
async def test_nothing_is_proxied(api: API, path: str, error: tuple[int, str, str]) -> None:
    await create(api)
    assert (await api.get(f"{SERVICES}/{path}")).error == error
