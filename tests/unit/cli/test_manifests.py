"""Manifests: read as kubectl reads them, applied in an order that works, and told what is wrong with each."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest

from localplane.cli.errors import PlaneError
from localplane.cli.manifests.applier import Applier
from localplane.cli.manifests.reader import read_manifests, read_what_can_be
from localplane.client import Client
from localplane.client.transport.interface import BufferedResponse, Pairs

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"


def names(path: Path) -> list[str]:
    return [manifest.name for manifest in read_manifests([str(path)])]


def test_a_directorys_manifests_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", "c.json", "README.md"):
        (tmp_path / name).write_text(CONFIG_MAP % name.replace(".", "-"))
    (tmp_path / "deeper.yaml").mkdir()
    assert names(tmp_path) == ["a-yml", "b-yaml", "c-json"]


def test_documents_and_lists_are_taken_apart(tmp_path: Path) -> None:
    inner = (
        '{"kind": "List", "apiVersion": "v1", "items": [{"kind": "A", "apiVersion": "v1", "metadata": {"name": "c"}}]}'
    )
    (tmp_path / "all.yaml").write_text(f"{CONFIG_MAP % 'a'}---\n---\n{CONFIG_MAP % 'b'}---\n{inner}\n")
    assert names(tmp_path / "all.yaml") == ["a", "b", "c"]


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"%s" % (CONFIG_MAP % "a").encode())))
    assert [manifest.name for manifest in read_manifests(["-"])] == ["a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "error parsing {path}: yaml: "),
        ("just text", 'error validating "{path}": this is no object'),
        ("kind: A\nmetadata: {name: a}", 'error validating "{path}": apiVersion not set'),
        ("apiVersion: v1\nmetadata: {name: a}", 'error validating "{path}": kind not set'),
        ("apiVersion: v1\nkind: A\nmetadata: {generateName: a}", 'error validating "{path}": A: metadata.name not set'),
        ("apiVersion: v1\nkind: A", 'error validating "{path}": A: metadata.name not set'),
    ],
)
def test_what_is_wrong_is_told_with_its_file(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(PlaneError) as caught:
        names(path)
    assert str(caught.value).startswith(said.format(path=path))


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.yaml")
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    (tmp_path / "empty").mkdir()
    cases = {
        tmp_path / "fifo.yaml": "is no ordinary file",
        Path("/dev/zero"): "is no ordinary file",
        tmp_path / "loop.yaml": "Too many levels",
        tmp_path / "none.yaml": "does not exist",
        tmp_path / "nul\0.yaml": "cannot be accessed",
        tmp_path / "empty": "recognized file extensions are",
    }
    for path, said in cases.items():
        with pytest.raises(PlaneError, match=said):
            names(path)


class Server:
    """Answers discovery, notes what is applied, and serves `widgets` once their definition is there."""

    def __init__(self) -> None:
        self.applied: list[str] = []
        self.queries: list[Pairs] = []

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> BufferedResponse:
        if method == "GET":
            return self._discovery(path)
        self.applied.append(path)
        self.queries.append(query)
        if path.endswith("/refused"):
            status = {"kind": "Status", "status": "Failure", "reason": "Invalid", "message": "no, thanks", "code": 422}
            return BufferedResponse(422, [("Content-Type", "application/json")], orjson.dumps(status))
        return BufferedResponse(200, [("Content-Type", "application/json")], body or b"{}")

    async def close(self) -> None:
        pass

    def _discovery(self, path: str) -> BufferedResponse:
        groups = {"": [("namespaces", "Namespace", False), ("configmaps", "ConfigMap", True)]}
        groups["apiextensions.k8s.io"] = [("customresourcedefinitions", "CustomResourceDefinition", False)]
        if any("customresourcedefinitions" in done for done in self.applied):
            groups["example.com"] = [("widgets", "Widget", True)]
        chosen = {"": groups[""]} if path == "/api" else {name: kinds for name, kinds in groups.items() if name}
        items = [_group(name, kinds) for name, kinds in chosen.items()]
        form = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        return BufferedResponse(200, [("Content-Type", form)], orjson.dumps({"items": items}))


def _group(name: str, kinds: list[tuple[str, str, bool]]) -> dict[str, object]:
    resources = [
        {
            "resource": plural,
            "responseKind": {"group": name, "version": "v1", "kind": kind},
            "scope": "Namespaced" if namespaced else "Cluster",
        }
        for plural, kind, namespaced in kinds
    ]
    return {"metadata": {"name": name}, "versions": [{"version": "v1", "resources": resources}]}


OUT_OF_ORDER = """\
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: refused}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
---
apiVersion: v1
kind: Gadget
metadata: {name: g}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
"""


async def test_what_others_stand_on_is_applied_first_and_one_problem_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("localplane.cli.manifests.applier._WAIT_FOR_KIND", _a_moment())
    path = tmp_path / "x.yaml"
    path.write_text(OUT_OF_ORDER)
    server = Server()
    outcome = await Applier(Client(server)).apply(read_manifests([str(path)]))
    assert server.applied == [
        "/api/v1/namespaces/shop",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
        "/apis/example.com/v1/namespaces/shop/widgets/w",
        "/api/v1/namespaces/default/configmaps/refused",
        "/api/v1/namespaces/default/configmaps/a",
    ]
    assert server.queries[0] == [("fieldManager", "kctl"), ("force", "true")]
    assert outcome.applied == [
        "namespace/shop",
        "customresourcedefinition.apiextensions.k8s.io/widgets.example.com",
        "widget.example.com/w",
        "configmap/a",
    ]
    assert outcome.problems == [
        f"{path}: ConfigMap refused: no, thanks",
        f'{path}: Gadget g: no matches for kind "Gadget" in version "v1"',
    ]


def _a_moment() -> object:
    from datetime import timedelta

    return timedelta(milliseconds=100)


def test_those_who_go_on_get_what_can_be_read_and_hear_of_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    (tmp_path / "b.yaml").write_text("a: [")
    manifests, problems = read_what_can_be([str(tmp_path), str(tmp_path / "nowhere")])
    assert [manifest.name for manifest in manifests] == ["a"]
    assert [problem.partition(":")[0] for problem in problems] == [
        f"error parsing {tmp_path}/b.yaml",
        f'the path "{tmp_path}/nowhere" does not exist',
    ]
