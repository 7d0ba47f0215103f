"""Which types a server has is asked once, kept for six hours, and asked again when somebody names one that is new."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Kctl
from tests.e2e.kctl.foreign_server import ForeignServer, serving

TYPES = ["GET /api?timeout=32s", "GET /apis?timeout=32s"]
PODS = "GET /api/v1/namespaces/default/pods?limit=500"


@pytest.fixture
def server() -> Iterator[ForeignServer]:
    with serving(etag='"one"') as server:
        yield server


def kept(home: Path) -> Path:
    (file,) = (home / ".kube" / "cache").rglob("groups.json")
    return file


def aged(home: Path, hours: float) -> None:
    file = kept(home)
    document = json.loads(file.read_bytes())
    document["at"] -= hours * 3600
    file.write_text(json.dumps(document))


def test_types_are_asked_for_once(server: ForeignServer, run_kctl: Kctl, tmp_path: Path) -> None:
    assert run_kctl("get", "po", "-s", server.url).code == 0
    assert server.asked() == [*TYPES, PODS]
    assert run_kctl("get", "po", "-s", server.url).code == 0
    assert server.asked() == [PODS]
    assert kept(tmp_path).stat().st_mode & 0o777 == 0o660 & ~_umask()


def _umask() -> int:
    import os

    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_they_are_believed_for_six_hours(server: ForeignServer, run_kctl: Kctl, tmp_path: Path) -> None:
    run_kctl("get", "po", "-s", server.url)
    server.asked()
    aged(tmp_path, 5.9)
    run_kctl("get", "po", "-s", server.url)
    assert server.asked() == [PODS]
    aged(tmp_path, 0.2)
    run_kctl("get", "po", "-s", server.url)
    asked = server.seen[0]
    assert server.asked() == [*TYPES, PODS]
    assert asked.headers["If-None-Match"] == '"one"'
    run_kctl("get", "po", "-s", server.url)
    assert server.asked() == [PODS]  # 304 made what is on disk young again


def test_one_from_the_future_is_not_believed(server: ForeignServer, run_kctl: Kctl, tmp_path: Path) -> None:
    run_kctl("get", "po", "-s", server.url)
    server.asked()
    aged(tmp_path, -1)
    run_kctl("get", "po", "-s", server.url)
    assert server.asked() == [*TYPES, PODS]


def test_an_unknown_type_is_asked_for_again(server: ForeignServer, run_kctl: Kctl) -> None:
    run_kctl("get", "po", "-s", server.url)
    server.asked()
    unknown = run_kctl("get", "widgets", "-s", server.url)
    assert unknown.stderr == 'error: the server doesn\'t have a resource type "widgets"\n'
    assert server.asked() == TYPES
    server.etag = '"two"'
    server.kinds["apps"]["widgets"] = ("Widget", True, "wi")
    assert run_kctl("get", "widgets", "-s", server.url).code == 0
    assert server.asked() == [*TYPES, "GET /apis/apps/v1/namespaces/default/widgets?limit=500"]
    assert run_kctl("get", "wi", "-s", server.url).code == 0
    assert server.asked() == ["GET /apis/apps/v1/namespaces/default/widgets?limit=500"]


def test_who_asks_for_the_types_themselves_asks_the_server(server: ForeignServer, run_kctl: Kctl) -> None:
    first = run_kctl("api-resources", "-s", server.url)
    server.asked()
    assert run_kctl("api-resources", "-s", server.url).stdout == first.stdout
    assert server.asked() == TYPES
    assert run_kctl("api-resources", "--cached", "-s", server.url).stdout == first.stdout
    assert server.asked() == []


def test_another_place_is_another_cache(server: ForeignServer, run_kctl: Kctl, tmp_path: Path) -> None:
    for flags, environ in (
        (("--cache-dir", str(tmp_path / "flag")), {}),
        ((), {"KUBECACHEDIR": str(tmp_path / "env")}),
    ):
        run_kctl("get", "po", "-s", server.url, *flags, **environ)
        assert server.asked() == [*TYPES, PODS]
    assert len(list(tmp_path.rglob("groups.json"))) == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"at": 99999999999, "roots": {}}', '{"roots": {"/api": 1}}'])
def test_a_broken_file_is_no_cache(server: ForeignServer, run_kctl: Kctl, tmp_path: Path, content: str) -> None:
    run_kctl("get", "po", "-s", server.url)
    server.asked()
    kept(tmp_path).write_text(content)
    assert run_kctl("get", "po", "-s", server.url).code == 0
    assert server.asked() == [*TYPES, PODS]


def test_a_place_that_can_t_be_written_is_no_matter(server: ForeignServer, run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for _ in range(2):
        done = run_kctl("get", "po", "-s", server.url, "--cache-dir", str(tmp_path / "file" / "below"))
        assert (done.code, done.stdout) == (0, "NAME\np\n")
        assert server.asked() == [*TYPES, PODS]


def test_a_server_that_can_t_answer_in_one_piece_is_asked_version_by_version(run_kctl: Kctl) -> None:
    with serving(aggregated=False) as server:
        done = run_kctl("get", "deploy", "-s", server.url)
        assert done.stdout == "NAME\nweb\n"
        deployments = "GET /apis/apps/v1/namespaces/default/deployments?limit=500"
        versions = ["/api/v1", "/apis/apps/v1", "/apis/autoscaling/v2", "/apis/certificates.k8s.io/v1"]
        assert server.asked() == [*TYPES, *(f"GET {one}?timeout=32s" for one in versions), deployments]
        run_kctl("get", "deploy", "-s", server.url)
        assert server.asked() == [deployments]


def test_a_timeout_of_ones_own_is_told_there_as_well(server: ForeignServer, run_kctl: Kctl) -> None:
    run_kctl("get", "po", "-s", server.url, "--request-timeout=7")
    assert server.asked() == ["GET /api?timeout=7s", "GET /apis?timeout=7s", f"{PODS}&timeout=7s"]
