"""A cluster for those who wait, and what can be asked of it. One is prepared, and each test has a branch of it."""

from __future__ import annotations

import subprocess
import sys
import threading
import unittest
from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane import testing
from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.client import Client, PatchType

MANIFESTS = """
    apiVersion: stable.example.com/v1
    kind: CronTab
    metadata: {name: nightly}
    spec: {schedule: "@daily"}
    ---
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: crontabs.stable.example.com}
    spec:
      group: stable.example.com
      scope: Namespaced
      names: {plural: crontabs, kind: CronTab, shortNames: [ct]}
      versions:
      - name: v1
        served: true
        storage: true
        schema:
          openAPIV3Schema:
            type: object
            properties:
              spec: {type: object, properties: {schedule: {type: string}}}
"""
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"key": "1"}}


@pytest.fixture(scope="module")
def trunk() -> Iterator[testing.Cluster]:
    with testing.cluster(controllers=("none",), manifests=[MANIFESTS], users={"ann": ["readers"]}) as cluster:
        yield cluster


@pytest.fixture
def mine(trunk: testing.Cluster) -> Iterator[testing.Cluster]:
    with trunk.branch({"ann": ["readers"]}) as branch:
        yield branch


def test_what_others_stand_on_is_applied_first(trunk: testing.Cluster) -> None:
    assert trunk.get("ct/nightly")["spec"] == {"schedule": "@daily"}


def test_objects_are_named_as_kubectl_names_them(mine: testing.Cluster) -> None:
    mine.apply(CONFIG_MAP)
    for reference in ("cm/a", "configmap/a", "configmaps/a", "ConfigMap/a", CONFIG_MAP, "configmaps.v1./a"):
        assert mine.get(reference)["data"] == {"key": "1"}
    assert [each["metadata"]["name"] for each in mine.list("crontabs.stable.example.com")] == ["nightly"]
    with pytest.raises(testing.UnknownKind, match='doesn\'t have a resource type "confgmaps"'):
        mine.get("confgmaps/a")
    with pytest.raises(ValueError, match="it should be like configmaps/NAME"):
        mine.get("cm")
    with pytest.raises(testing.UnknownKind, match=r"nothing serves kind Nothing in v1"):
        mine.create({"apiVersion": "v1", "kind": "Nothing", "metadata": {"name": "x"}})


def test_objects_are_written_and_deleted(mine: testing.Cluster) -> None:
    mine.create(CONFIG_MAP)
    mine.patch("cm/a", {"data": {"key": "2"}})
    mine.patch("cm/a", [{"op": "add", "path": "/data/more", "value": "3"}], PatchType.JSON)
    assert mine.get("cm/a")["data"] == {"key": "2", "more": "3"}
    mine.delete("cm/a")
    with pytest.raises(NotFound):
        mine.get("cm/a")


def test_a_branch_has_nothing_of_another_one(trunk: testing.Cluster) -> None:
    with trunk.branch() as first, trunk.branch() as second:
        first.create(CONFIG_MAP)
        assert len({first.url, second.url, trunk.url}) == 3
        assert second.list("cm", "default") == []


def test_files_and_folders_are_applied(mine: testing.Cluster, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n")
    (tmp_path / "b.json").write_text('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two"}}')
    (tmp_path / "c.txt").write_text("no manifest")
    mine.apply(tmp_path)
    mine.apply([tmp_path / "a.yaml", CONFIG_MAP], namespace="kube-public")
    assert {each["metadata"]["name"] for each in mine.list("cm", "default")} == {"one", "two"}
    assert {each["metadata"]["name"] for each in mine.list("cm", "kube-public")} == {"one", "a"}


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ("nowhere.yaml", r"nowhere\.yaml can't be read: No such file"),
        ("kind: ConfigMap\n", "apiVersion is not set"),
        ("apiVersion: v1\nkind: ConfigMap\n", r"metadata\.name is not set"),
        ("a: [\n", "the text can't be read"),
        ("- a\n- b\n", "the text is no object"),
    ],
)
def test_what_is_no_manifest_is_told_and_nothing_is_applied(
    mine: testing.Cluster, manifest: str, sentence: str
) -> None:
    with pytest.raises(testing.BadManifest, match=sentence):
        mine.apply([CONFIG_MAP, manifest])
    assert mine.list("cm", "default") == []


ROLE = """
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata: {name: reads}
    rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list]}]
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRoleBinding
    metadata: {name: reads}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reads}
    subjects:
    - {kind: Group, apiGroup: rbac.authorization.k8s.io, name: readers}
    - {kind: ServiceAccount, namespace: shop, name: operator}
"""


def test_somebody_else_may_do_what_roles_give_him(mine: testing.Cluster) -> None:
    mine.apply([ROLE, CONFIG_MAP])
    for user in (mine.users["ann"], mine.as_user("system:serviceaccount:shop:operator")):
        assert user.get("cm/a")["data"] == {"key": "1"}
        with pytest.raises(Forbidden, match=f'User "{user.name}" cannot create'):
            user.create(CONFIG_MAP)
    with pytest.raises(Forbidden):
        mine.as_user("bob").get("cm/a")
    with pytest.raises(ValueError, match="should be system:serviceaccount:NAMESPACE:NAME"):
        mine.as_user("system:serviceaccount:nobody")


def test_who_asked_what_over_the_socket_is_told(mine: testing.Cluster) -> None:
    with pytest.raises(Forbidden):
        mine.users["ann"].create(CONFIG_MAP)
    with pytest.raises(Forbidden):
        mine.users["ann"].get("cm/a")
    (request,) = mine.requests(user="ann", verb="create,patch")
    assert (request["resource"], request["status"]) == ("configmaps", 403)
    assert [each["verb"] for each in mine.requests(status="403")] == ["create", "get"]


def test_every_revision_of_an_object_is_told(mine: testing.Cluster) -> None:
    mine.patch("ct/nightly", {"spec": {"schedule": "@hourly"}})
    mine.delete("ct/nightly")
    revisions = mine.history("ct/nightly")
    assert [each["type"] for each in revisions][-2:] == ["MODIFIED", "DELETED"]
    assert [each["object"]["spec"]["schedule"] for each in revisions][:2] == ["@daily", "@hourly"]


def test_command_lines_are_run_as_whoever_runs_them(mine: testing.Cluster) -> None:
    mine.create(CONFIG_MAP)
    assert mine.kctl("get", "cm", "-o", "name").stdout == "configmap/a\n"
    refused = mine.users["ann"].kctl("get", "cm", check=False)
    assert refused.exit_code == 1
    assert 'User "ann" cannot list resource "configmaps"' in refused.stderr
    with pytest.raises(testing.Failed, match='configmaps "b" not found'):
        mine.kctl("get", "cm", "b")


def test_waiting_ends_when_it_is_so(mine: testing.Cluster) -> None:
    timer = threading.Timer(0.2, lambda: mine.patch("ct/nightly", {"spec": {"schedule": "@hourly"}}))
    timer.start()
    crontab = mine.wait_for("ct/nightly", lambda each: each["spec"]["schedule"] == "@hourly")
    assert crontab["spec"]["schedule"] == "@hourly"
    timer.join()
    mine.delete("ct/nightly")
    mine.wait_for("ct/nightly", "deleted")
    threading.Timer(0.2, lambda: mine.create(CONFIG_MAP)).start()
    assert mine.wait_for("cm")["metadata"]["name"] == "a"


def test_who_waited_in_vain_sees_the_object_its_events_and_who_changed_it(mine: testing.Cluster) -> None:
    crontab = mine.get("ct/nightly")
    mine.create(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "nightly.1", "namespace": "default"},
            "involvedObject": {"kind": "CronTab", "name": "nightly", "uid": crontab["metadata"]["uid"]},
            "reason": "Late",
            "message": "it did not run",
            "type": "Warning",
        }
    )
    assert [event["reason"] for event in mine.events("ct/nightly")] == ["Late"]
    with pytest.raises(testing.WaitTimedOut) as caught:
        mine.wait_for("ct/nightly", "Ready", timeout=0.2)
    text = str(caught.value)
    assert text.startswith("crontabs/nightly in default was not Ready within 0.2 seconds:\n")
    assert "  schedule: '@daily'\n" in text
    assert "CronTab/nightly: it did not run" in text
    assert "localplane.testing Apply: spec.schedule" in text
    with pytest.raises(testing.WaitTimedOut, match="it is not there"):
        mine.wait_for("ct/none", timeout=0.1)


async def test_coroutines_take_the_same_cluster_in_their_own_loop(trunk: testing.Cluster) -> None:
    async with trunk.asynchronous.branch() as branch:
        await branch.create(CONFIG_MAP)
        async with branch.client() as client:
            assert isinstance(client, Client)
        assert (await branch.wait_for("cm/a"))["data"] == {"key": "1"}
        assert (await branch.list("cm", "default"))[0]["metadata"]["name"] == "a"


def test_what_a_test_raises_comes_out_as_it_is_and_nothing_is_left() -> None:
    threads = threading.active_count()
    places: list[Path] = []
    with pytest.raises(ZeroDivisionError), testing.cluster(controllers=("none",)) as cluster:
        places.append(cluster.kubeconfig.parent / str(1 / len(places)))
    assert cluster.kubeconfig.parent.is_dir() is False
    assert threading.active_count() <= threads


def test_a_storage_that_there_is_not_is_told() -> None:
    with pytest.raises(ValueError, match='there is no storage "paper": it is one of etcd, sqlite, memory'):
        testing.cluster(storage="paper")


def test_only_a_cluster_in_memory_is_branched() -> None:
    with testing.cluster(controllers=("none",), storage="sqlite") as cluster:
        with pytest.raises(ValueError, match="only a cluster in memory can be branched"), cluster.branch():
            pass
        cluster.create(CONFIG_MAP)


class TestUnittest(unittest.TestCase):
    def test_a_cluster_is_a_context(self) -> None:
        opened = testing.cluster(controllers=("none",))
        cluster = opened.__enter__()
        self.addCleanup(opened.__exit__, None, None, None)
        assert cluster.get("ns/default")["kind"] == "Namespace"


def test_the_plugin_costs_nothing_until_it_is_used() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import localplane.testing.plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["localplane", "localplane.testing", "localplane.testing.plugin"]
