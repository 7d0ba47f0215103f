"""The variables that a container's command finds."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apis.amounts import read
from localplane.nodes.pods.commands import CommandRun, CommandSurroundings, expanded, understand
from localplane.nodes.pods.environment import host_name, path_problem, variables
from localplane.nodes.pods.node_view import NodeView
from localplane.nodes.pods.requirements import Need
from localplane.nodes.pods.resize import Room

OBJECTS: dict[Need, JSONObject] = {
    Need("configmaps", "settings"): {"data": {"colour": "red", "shape": "round"}},
    Need("secrets", "keys"): {"data": {"password": "c2VjcmV0"}},
}


def values(*env: JSONObject, **container: Any) -> dict[str, str]:
    main = {"name": "main", "env": list(env), **container}
    pod = {
        "metadata": {"name": "web", "labels": {"app": "shop"}},
        "spec": {"nodeName": "node-0", "containers": [main]},
        "status": {"podIP": "10.0.0.7", "podIPs": [{"ip": "10.0.0.7"}, {"ip": "fd00::7"}]},
    }
    room = Room(lambda: read({"cpu": "8", "ephemeral-storage": "10Gi"}), dict)
    place = NodeView("node-0", ("172.30.0.2",), tuple, found=OBJECTS.get, room=room)
    return {name: value for name, value in variables(pod, main, place).items() if name != "HOSTNAME"}


def of(kind: str, **says: Any) -> JSONObject:
    return {"name": "X", "valueFrom": {kind: says}}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        (of("fieldRef", fieldPath="status.podIP"), "10.0.0.7"),
        (of("fieldRef", fieldPath="status.podIPs"), "10.0.0.7,fd00::7"),
        (of("fieldRef", fieldPath="metadata.labels['app']"), "shop"),
        (of("configMapKeyRef", name="settings", key="colour"), "red"),
        (of("secretKeyRef", name="keys", key="password"), "secret"),
        (of("resourceFieldRef", resource="limits.cpu"), "2"),
        (of("resourceFieldRef", resource="limits.cpu", divisor="1m"), "1250"),
        (of("resourceFieldRef", resource="limits.memory", divisor="1Mi"), "64"),
        (of("configMapKeyRef", name="absent", key="colour", optional=True), None),
        (of("resourceFieldRef", resource="limits.ephemeral-storage", divisor="1Gi"), "10"),
        (of("resourceFieldRef", resource="requests.cpu"), "0"),
    ],
)
def test_a_value_comes_from_where_the_variable_says(variable: JSONObject, value: str | None) -> None:
    found = values(variable, resources={"limits": {"cpu": "1250m", "memory": "64Mi"}})
    assert found == ({} if value is None else {"X": value})


def test_all_of_a_config_map_or_secret_may_be_variables() -> None:
    sources = [{"prefix": "SET_", "configMapRef": {"name": "settings"}}, {"secretRef": {"name": "keys"}}]
    found = values({"name": "password", "value": "mine"}, envFrom=sources)
    assert found == {"SET_colour": "red", "SET_shape": "round", "password": "mine"}


def test_a_value_may_refer_to_those_before_it() -> None:
    first, second = {"name": "FOO", "value": "foo"}, {"name": "BAR", "value": "$(FOO);;$(BAZ);;$$(FOO)"}
    assert values(first, second)["BAR"] == "foo;;$(BAZ);;$(FOO)"
    assert expanded("$(FOO) $FOO $(FOO", {"FOO": "x"}) == "x $FOO $(FOO"


def test_a_command_prints_its_environment() -> None:
    around = CommandSurroundings(variables={"A": "1", "B": "2"})
    assert understand(["sh", "-c", "env"], around) == CommandRun(0.0, 0, ("A=1", "B=2"))
    assert understand(["printenv", "B", "C"], around) == CommandRun(0.0, 1, ("2",))
    assert understand(["sh", "-c", 'A=wrong echo "right"'], around) == CommandRun(0.0, 0, ("right",))


@pytest.mark.parametrize(
    ("mount", "problem"),
    [
        ({"subPathExpr": "$(NAME)/x"}, ""),
        ({"subPath": "a/b"}, ""),
        ({"subPathExpr": "$(OTHER)"}, 'missing value for "OTHER"'),
        ({"subPathExpr": "/$(NAME)"}, "error SubPath `/web` must not be an absolute path"),
        ({"subPathExpr": "$(NAME)/../x"}, "unable to provision SubPath `web/../x`: must not contain '..'"),
    ],
)
def test_part_of_a_volume_is_mounted_only_by_a_path_within_it(mount: JSONObject, problem: str) -> None:
    assert path_problem({"volumeMounts": [mount | {"name": "data", "mountPath": "/data"}]}, {"NAME": "web"}) == problem


@pytest.mark.parametrize(
    ("spec", "name", "domain_name"),
    [
        ({}, "web", "web"),
        ({"hostname": "shop", "subdomain": "t"}, "shop", "shop.t.default.svc.cluster.local"),
        ({"subdomain": "t", "setHostnameAsFQDN": True}, *["web.t.default.svc.cluster.local"] * 2),
        ({"hostname": "shop", "subdomain": "t", "hostnameOverride": "a.b"}, "a.b", "a.b"),
        ({"hostNetwork": True, "nodeName": "node-0"}, "node-0", "node-0"),
    ],
)
def test_a_command_knows_the_name_of_its_host(spec: JSONObject, name: str, domain_name: str) -> None:
    pod = {"metadata": {"name": "web", "namespace": "default"}, "spec": spec}
    assert (host_name(pod), host_name(pod, fully=True)) == (name, domain_name)
    around = CommandSurroundings(variables={"HOSTNAME": name}, domain_name=domain_name)
    told = understand(["sh", "-c", "echo $(hostname)';'$(hostname -f)';'"], around)
    assert told == CommandRun(0.0, 0, (f"{name};{domain_name};",))
