"""`kctl node`: whole outputs, and what becomes of nodes and the pods on them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine, machine, until

LONELY = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: lonely}
spec:
  selector: {matchLabels: {app: lonely}}
  template:
    metadata: {labels: {app: lonely}}
    spec:
      containers: [{name: c, image: i}]
      nodeSelector: {disk: ssd}
      tolerations:
      - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 1}
      - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 1}
      - {key: gpu, operator: Exists}
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    with machine(tmp_path_factory.mktemp("nodes")) as one:
        one.up("--ephemeral", "--storage", "memory", "--nodes", "1", "--seed", "7", "--own-clock")
        until(lambda: "node-0" in nodes(one))
        yield one


def nodes(here: Machine) -> dict[str, Any]:
    items = json.loads(here.kctl("get", "nodes", "-o", "json").stdout)["items"]
    return {item["metadata"]["name"]: item for item in items}


def ready(here: Machine, name: str) -> str:
    conditions = nodes(here)[name].get("status", {}).get("conditions", [])
    return next((each["status"] for each in conditions if each["type"] == "Ready"), "")


def test_nodes_are_added_with_the_next_free_names_and_removed(here: Machine) -> None:
    assert here.kctl("node", "add", "--count", "2") == Outcome(0, "node/node-1 added\nnode/node-2 added\n", "")
    until(lambda: ready(here, "node-2") == "True")
    assert here.kctl("node", "rm", "node-1") == Outcome(0, "node/node-1 removed\n", "")
    assert "node-1" not in nodes(here)
    assert here.kctl("node", "add") == Outcome(0, "node/node-1 added\n", "")
    assert here.kctl("node", "rm", "node-1", "node-2").code == 0


def test_a_node_is_as_large_as_it_is_told_to_be(here: Machine) -> None:
    added = here.kctl(
        *("node", "add", "tiny", "--cpu", "1", "--memory", "512Mi", "--pods", "3"),
        *("--labels", "disk=ssd,zone=a", "--taints", "gpu=true:NoSchedule"),
    )
    assert added == Outcome(0, "node/tiny added\n", "")
    until(lambda: ready(here, "tiny") == "True")
    node = nodes(here)["tiny"]
    capacity = node["status"]["capacity"]
    assert (capacity["cpu"], capacity["memory"], capacity["pods"]) == ("1", "512Mi", "3")
    assert (node["metadata"]["labels"]["disk"], node["metadata"]["labels"]["zone"]) == ("ssd", "a")
    assert {"key": "gpu", "value": "true", "effect": "NoSchedule"} in node["spec"]["taints"]
    assert "Simulated" in here.kctl("get", "node", "tiny", "-o", "wide").stdout
    assert here.kctl("node", "rm", "tiny").code == 0


def test_what_is_wrong_is_said(here: Machine, tmp_path: Path) -> None:
    def refusal(*arguments: str) -> str:
        done = here.kctl("node", *arguments)
        assert done.code != 0
        return done.stderr

    assert 'invalid argument "lots" for "--cpu" flag' in refusal("add", "--cpu", "lots")
    assert "--count 0 is not between 1 and 5000" in refusal("add", "--count", "0")
    assert "--count is for nodes without names" in refusal("add", "a", "--count", "2")
    assert 'nodes "node-0" already exists' in refusal("add", "node-0")
    assert "invalid taint spec" in refusal("add", "--taints", "gpu")
    assert 'nodes "nope" not found' in refusal("stop", "nope")
    assert "name at least one node" in refusal("start")
    real = tmp_path / "real.yaml"
    real.write_text("{apiVersion: v1, kind: Node, metadata: {name: real}}")
    assert here.kctl("create", "-f", str(real)).code == 0
    assert 'node "real" is not simulated' in refusal("rm", "real")
    assert here.kctl("delete", "node", "real").code == 0


def test_a_node_that_stops_is_lost_with_its_pods_and_comes_back(here: Machine, tmp_path: Path) -> None:
    """After the time that Kubernetes gives a silent node."""
    for name in ("left", "right"):
        assert here.kctl("node", "add", name, "--labels", "disk=ssd").code == 0
    (tmp_path / "lonely.yaml").write_text(LONELY)
    assert here.kctl("apply", "-f", str(tmp_path / "lonely.yaml")).code == 0
    assert here.kctl("rollout", "status", "deployment/lonely", "--timeout=55s").code == 0
    first = here.kctl("get", "pods", "-l", "app=lonely", "-o", "jsonpath={.items[0].spec.nodeName}").stdout
    assert here.kctl("node", "stop", first) == Outcome(0, f"node/{first} stopped\n", "")
    assert here.kctl("clock", "advance", "1m").code == 0
    until(lambda: ready(here, first) == "Unknown", within=180)

    def runs_elsewhere() -> bool:
        found = json.loads(here.kctl("get", "pods", "-l", "app=lonely", "-o", "json").stdout)["items"]
        return any(
            pod["spec"].get("nodeName") not in (None, first) and pod["status"]["phase"] == "Running" for pod in found
        )

    until(runs_elsewhere, within=180)
    assert here.kctl("node", "start", first) == Outcome(0, f"node/{first} started\n", "")
    until(lambda: ready(here, first) == "True", within=180)
    until(lambda: not nodes(here)[first]["spec"].get("taints"), within=180)
