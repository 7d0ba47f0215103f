"""The service that exposes an object."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.changes.launch.service import Exposing
from kctl.command_line.flags import parse
from kctl.commands.expose import COMMAND
from kctl.errors import KctlError


def deployment(*ports: dict[str, Any]) -> dict[str, Any]:
    containers = [{"name": "c", "ports": list(ports)}]
    return {
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"spec": {"containers": containers}}},
    }


def exposed(obj: dict[str, Any], *words: str) -> dict[str, Any]:
    spec: dict[str, Any] = Exposing(parse(words, COMMAND.flags)).service("apps", "Deployment", obj)["spec"]
    return spec


def test_all_ports_are_taken_where_none_is_asked_for() -> None:
    spec = exposed(deployment({"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}))
    assert spec["ports"] == [
        {"name": "port-1", "protocol": "TCP", "port": 80, "targetPort": 80},
        {"name": "port-2", "protocol": "UDP", "port": 53, "targetPort": 53},
    ]


def test_a_port_with_two_protocols_becomes_two() -> None:
    spec = exposed(deployment({"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}))
    assert [(port["name"], port["protocol"]) for port in spec["ports"]] == [
        ("port-1-tcp", "TCP"),
        ("port-1-udp", "UDP"),
    ]


FLAGS = [
    ("--port=81", "ports", [{"protocol": "TCP", "port": 81, "targetPort": 81}]),
    ("--port=81 --protocol=SCTP", "ports", [{"protocol": "SCTP", "port": 81, "targetPort": 81}]),
    ("--port=81 --target-port=http", "ports", [{"protocol": "TCP", "port": 81, "targetPort": "http"}]),
    ("--port=81 --selector=x=1", "selector", {"x": "1"}),
    ("--port=81 --type=NodePort", "type", "NodePort"),
    ("--port=81 --cluster-ip=None", "clusterIP", "None"),
    ("--port=81 --external-ip=192.0.2.1", "externalIPs", ["192.0.2.1"]),
    ("--port=81 --session-affinity=ClientIP", "sessionAffinity", "ClientIP"),
    ("--port=81 --type=LoadBalancer --load-balancer-ip=192.0.2.9", "loadBalancerIP", "192.0.2.9"),
]


@pytest.mark.parametrize(("line", "field", "value"), FLAGS, ids=[line for line, _, _ in FLAGS])
def test_a_flag_is_seen_in_the_service(line: str, field: str, value: object) -> None:
    assert exposed(deployment(), *line.split())[field] == value


def test_what_has_no_port_can_only_be_exposed_headless() -> None:
    with pytest.raises(KctlError, match=r"^couldn't find port via --port flag or introspection$"):
        exposed(deployment())
    assert "ports" not in exposed(deployment(), "--cluster-ip=None")


def test_a_config_map_can_not_be_exposed() -> None:
    with pytest.raises(KctlError, match=r"^cannot expose a ConfigMap$"):
        Exposing(parse([], COMMAND.flags)).service("", "ConfigMap", {})
