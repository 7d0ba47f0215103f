"""Each example runs, is as short as it claims, and is told of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.examples.serving import EXAMPLES, MINIMAL, WARDLE, serving
from tests.e2e.up.machine import until

EVERY = sorted(EXAMPLES.rglob("*.py"))
SERVERS = [path for path in EVERY if path.parent.name not in ("crd", "testing")]


@pytest.mark.parametrize("example", SERVERS, ids=lambda path: path.stem)
def test_it_serves_and_stops(example: Path, tmp_path: Path) -> None:
    with serving(example, "--storage", "memory", home=tmp_path) as server:
        with server.http() as http:
            until(lambda: http.get("/readyz").text == "ok")  # a controller's informers come when it has begun
            (group,) = http.get("/apis").json()["groups"]
            assert server.report.startswith(f"{group['name']} is served at {server.url}\n")
        assert server.stop() == 0
        assert [line for line in server.stderr.read_text().splitlines() if "informer-sync" not in line] == []
        assert not server.kubeconfig.parent.exists()


def test_wardle_is_one_file_that_can_be_read_at_a_sitting() -> None:
    assert len(WARDLE.read_text().splitlines()) < 120
    assert list(WARDLE.parent.glob("*.py")) == [WARDLE]


def test_the_minimal_example_is_about_ten_lines_of_code() -> None:
    lines = [line for line in MINIMAL.read_text().splitlines() if line.strip() and not line.startswith('"""')]
    assert len(lines) <= 10


@pytest.mark.parametrize("example", EVERY, ids=lambda path: path.stem)
def test_it_is_listed_where_people_look(example: Path) -> None:
    assert str(example.relative_to(EXAMPLES)) in (EXAMPLES / "README.md").read_text()


def test_the_minimal_example_answers_kubectl(tmp_path: Path, kubectl_program: Path) -> None:
    with serving(MINIMAL, "--storage", "memory", home=tmp_path) as server:
        kubectl = Kubectl(kubectl_program, server.kubeconfig, tmp_path)
        assert kubectl.ok("api-resources") == (
            "NAME        SHORTNAMES   APIVERSION             NAMESPACED   KIND\n"
            "greetings   hi           hello.example.com/v1   true         Greeting\n"
        )
        body = {"apiVersion": "hello.example.com/v1", "kind": "Greeting", "metadata": {"name": "x"}}
        refused = kubectl("create", "-f", "-", stdin=json.dumps(body | {"spec": {}}))
        assert (refused.code, refused.stderr) == (1, 'The Greeting "x" is invalid: spec.text: Required value\n')
        created = kubectl.ok("create", "-f", "-", stdin=json.dumps(body | {"spec": {"text": "hello", "loud": True}}))
        assert created == "greeting.hello.example.com/x created\n"
        assert kubectl.ok("get", "hi", "x", "-o", "jsonpath={.spec}") == '{"loud":true,"text":"hello"}'
