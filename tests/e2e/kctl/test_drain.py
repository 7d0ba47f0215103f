"""`kctl drain`: whole outputs."""

from __future__ import annotations

import json
import re
import shlex
import uuid
from typing import Any

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

TEMPLATE = "{metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: i}]}}"
SPEC = f"{{selector: {{matchLabels: {{app: x}}}}, template: {TEMPLATE}}}"
OWNERS = f"""\
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: rs}}
spec: {SPEC}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: ds}}
spec: {SPEC}
"""


class Node:
    """A node, and owners for pods on it: a replica set rs and a daemon set ds."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.name = f"drain{uuid.uuid4().hex[:6]}"
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name, "labels": {"set": self.name}}}
        desk.write("owners.yaml", OWNERS)
        desk.run("create", "-f", desk.write("node.json", json.dumps(node)), "-f", "owners.yaml")

    def pods(self, *names: str, **more: Any) -> None:
        """A name begins with its owner: rs-..., ds-... or bare-..."""
        made = [self._pod(name, **more) for name in names]
        listed = {"apiVersion": "v1", "kind": "List", "items": made}
        done = self.desk.run("create", "-f", "-", stdin=json.dumps(listed))
        assert done.code == 0, done.stderr

    def _pod(self, name: str, *, volumes: Any = (), finalizers: Any = (), app: str = "x") -> dict[str, Any]:
        metadata: dict[str, Any] = {"name": name, "labels": {"app": app}, "finalizers": list(finalizers)}
        kind = {"rs": "ReplicaSet", "ds": "DaemonSet"}.get(name[:2])
        if kind:
            owner = self._owner(kind, name[:2])
            metadata["ownerReferences"] = [owner]
        spec = {
            "nodeName": self.name,
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "i"}],
            "volumes": list(volumes),
        }
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}

    def _owner(self, kind: str, name: str) -> dict[str, Any]:
        got = json.loads(self.desk.machine.kctl("-n", self.desk.namespace, "get", kind, name, "-o", "json").stdout)
        return {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": got["metadata"]["uid"], "controller": True}

    def drain(self, line: str = "") -> Outcome:
        return self.desk.run("drain", *shlex.split(line), *([] if "-l" in line else [self.name]))

    def refused(self, why: str) -> Outcome:
        """With the node cordoned already."""
        return Outcome(
            1,
            f"node/{self.name} already cordoned\n",
            f'error: unable to drain node "{self.name}" due to error: {why}, continuing command...\n'
            f"There are pending nodes to be drained:\n {self.name}\n{why}\n",
        )

    def drained(self, *lines: str, warning: str = "") -> Outcome:
        said = [f"node/{self.name} already cordoned", *lines, f"node/{self.name} drained"]
        return Outcome(0, "".join(f"{line}\n" for line in said), warning)


@pytest.fixture
def node(desk: Desk) -> Node:
    """Cordoned already."""
    made = Node(desk)
    assert made.drain() == Outcome(0, f"node/{made.name} cordoned\nnode/{made.name} drained\n", "")
    return made


def gone(*names: str, done: str = "evicted", evicting: bool = True) -> list[str]:
    first = [f"evicting pod <ns>/{name}" for name in names] if evicting else []
    return [*first, *(f"pod/{name} {done}" for name in names)]


def test_pods_that_nobody_would_start_again_need_force(node: Node) -> None:
    node.pods("bare-1")
    why = "cannot delete Pods that declare no controller (use --force to override): <ns>/bare-1"
    warning = "Warning: deleting Pods that declare no controller: <ns>/bare-1\n"
    after = f"node/{node.name} drained"
    assert node.drain() == node.refused(why)
    assert node.drain("--force --dry-run=client") == Outcome(
        0,
        f"node/{node.name} already cordoned (dry run)\nevicting pod <ns>/bare-1 (dry run)\n{after} (dry run)\n",
        warning,
    )
    assert node.drain("--force --dry-run=server") == Outcome(
        0,
        f"node/{node.name} already cordoned (server dry run)\nevicting pod <ns>/bare-1 (server dry run)\n"
        f"{after} (server dry run)\n",
        warning,
    )
    assert node.drain("--pod-selector=app=other") == node.drained()
    assert node.drain("--force") == node.drained(*gone("bare-1"), warning=warning)


def test_daemon_sets_are_left_where_they_are(node: Node) -> None:
    node.pods("ds-1", "rs-1")
    why = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): <ns>/ds-1"
    assert node.drain("--force") == node.refused(why)
    assert node.drain(f"--ignore-daemonsets -l set={node.name}") == node.drained(
        *gone("rs-1"), warning="Warning: ignoring DaemonSet-managed Pods: <ns>/ds-1\n"
    )


def test_local_data_is_given_up_only_when_asked(node: Node) -> None:
    node.pods("rs-1", volumes=[{"name": "v", "emptyDir": {}}])
    why = "cannot delete Pods with local storage (use --delete-emptydir-data to override): <ns>/rs-1"
    assert node.drain() == node.refused(why)
    assert node.drain("--delete-emptydir-data") == node.drained(*gone("rs-1"))


def test_pods_are_asked_for_page_by_page(node: Node) -> None:
    asked = [
        re.findall(r"/pods\?\S*(limit=\d+)", node.drain(f"--dry-run=client -v=6 {flag}").stderr)
        for flag in ("", "--chunk-size=7")
    ]
    assert asked == [["limit=500"], ["limit=7"]]


def test_a_budget_forbids_and_is_not_asked_if_told_so(node: Node) -> None:
    node.desk.run("create", "pdb", "guard", "--selector=app=guarded", "--min-available=1")
    numbers = {
        "observedGeneration": 1,
        "disruptionsAllowed": 0,
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
    }
    settled = json.dumps({"status": numbers})
    node.desk.run("patch", "pdb", "guard", "--subresource=status", "--type=merge", "-p", settled)
    node.pods("rs-1", app="guarded")
    ready = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
    node.desk.run("patch", "pod", "rs-1", "--subresource=status", "-p", ready)
    done = node.drain("--timeout=1s")
    late = 'error when evicting pods/"rs-1" -n "<ns>": global timeout reached: 1s'
    assert done.code == 1
    assert done.stdout == f"node/{node.name} already cordoned\n" + "evicting pod <ns>/rs-1\n" * 2
    assert done.stderr.startswith('error when evicting pods/"rs-1" -n "<ns>" (will retry after 5s): Cannot evict pod ')
    assert done.stderr.endswith(
        f'There are pending pods in node "{node.name}" when an error occurred: {late}\npod/rs-1\n'
        + node.refused(late).stderr
    )
    assert node.drain("--disable-eviction --grace-period=0") == node.drained(
        *gone("rs-1", done="deleted", evicting=False)
    )


def test_a_pod_that_does_not_end_is_waited_for(node: Node) -> None:
    node.pods("rs-1", finalizers=["example.com/stay"])
    why = 'error when waiting for pod "rs-1" in namespace "<ns>" to terminate: context deadline exceeded'
    done = node.drain("--timeout=1100ms")
    assert done.stdout == f"node/{node.name} already cordoned\nevicting pod <ns>/rs-1\n"
    assert done.stderr.endswith(node.refused(why).stderr)
    assert node.drain("--skip-wait-for-delete-timeout=1") in (
        node.drained(),
        node.drained("evicting pod <ns>/rs-1", 'pod "rs-1" has DeletionTimestamp older than 1 seconds, skipping'),
    )
    node.desk.run("patch", "pod", "rs-1", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def test_the_grace_period_is_handed_on(node: Node) -> None:
    node.pods("rs-1", finalizers=["example.com/stay"])
    node.drain("--grace-period=77 --timeout=1s")
    seconds = node.desk.run("get", "pod", "rs-1", "-o", "jsonpath={.metadata.deletionGracePeriodSeconds}").stdout
    node.desk.run("patch", "pod", "rs-1", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    assert seconds == "77"


HELP = "See 'kctl drain -h' for help and examples\n"
REFUSED = [
    ("", f"error: USAGE: drain NODE [flags]\n{HELP}"),
    ("n -l a=b", f"error: cannot specify both a node name and a --selector option\n{HELP}"),
    ("nobody", 'Error from server (NotFound): nodes "nobody" not found\n'),
    ("n --pod-selector='a in ('", "error: --pod-selector=<pod_selector> must be a valid label selector\n"),
]


@pytest.mark.parametrize(("words", "stderr"), REFUSED, ids=[words for words, _ in REFUSED])
def test_a_wrong_command_line_is_refused(read: Read, words: str, stderr: str) -> None:
    assert read("drain", *shlex.split(words)) == Outcome(1, "", stderr)
