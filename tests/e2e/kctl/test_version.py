"""`kctl version`: what runs here, and there."""

from __future__ import annotations

import http.server
import json
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import yaml

from kctl import __version__
from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl
from tests.e2e.up.machine import Machine

CLIENT = f"Client Version: v{__version__}\nKustomize Version: v5.8.1\n"


@contextmanager
def server(minor: str, code: int = 200) -> Iterator[str]:
    """One that only tells its version."""
    body = json.dumps({"major": "1", "minor": minor, "gitVersion": f"v1.{minor}.0"}).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_address[1]}"
        listening.shutdown()


def test_the_client_alone_is_two_lines_and_asks_nobody(run_kctl: Kctl) -> None:
    assert run_kctl("version", "--client", "-s", "http://127.0.0.1:1") == Outcome(0, CLIENT, "")


def test_a_server_is_a_third_line(plane: Machine) -> None:
    done = plane.kctl("version")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{CLIENT}Server Version: v1.37.0")


def test_without_a_server_the_client_is_told_and_then_what_is_wrong(run_kctl: Kctl) -> None:
    refused = "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"
    assert run_kctl("version", "-s", "http://127.0.0.1:1") == Outcome(1, CLIENT, refused)


def test_version_as_json_and_as_yaml_say_the_same(plane: Machine) -> None:
    as_json = json.loads(plane.kctl("version", "-o", "json").stdout)
    as_yaml = yaml.load(plane.kctl("version", "--output=yaml").stdout, yaml.BaseLoader)
    assert as_yaml == as_json
    assert list(as_json) == ["clientVersion", "kustomizeVersion", "serverVersion"]
    assert as_json["clientVersion"]["gitVersion"] == f"v{__version__}"
    assert as_json["clientVersion"]["goVersion"] == f"python{platform.python_version()}"
    assert as_json["serverVersion"]["minor"] == "37"


@pytest.mark.parametrize("minor", ["35", "39", "35+"])
def test_a_server_that_is_too_old_or_too_new_is_warned_about(minor: str, run_kctl: Kctl) -> None:
    said = (
        f"version difference between client (1.37) and server (1.{minor.rstrip('+')}) exceeds the supported minor "
        "version skew of +/-1\n"
    )
    with server(minor) as url:
        done = run_kctl("version", "-s", url)
        assert (done.code, done.stderr) == (0, f"Warning: {said}")
        strict = run_kctl("version", "-s", url, "--warnings-as-errors")
        assert (strict.code, strict.stderr) == (1, f"error: {said}")


@pytest.mark.parametrize("minor", ["36", "37", "38"])
def test_a_server_that_is_near_enough_is_not(minor: str, run_kctl: Kctl) -> None:
    with server(minor) as url:
        assert run_kctl("version", "-s", url) == Outcome(0, f"{CLIENT}Server Version: v1.{minor}.0\n", "")


def test_what_is_wrong_is_an_error(run_kctl: Kctl) -> None:
    assert run_kctl("version", "-o", "xml") == Outcome(1, "", "error: --output must be 'yaml' or 'json'\n")
    assert run_kctl("version", "more") == Outcome(1, "", "error: extra arguments: [more]\n")
    assert run_kctl("version", "--client", "more") == Outcome(0, CLIENT, "")
    assert run_kctl("version", "--short").stderr.startswith("error: unknown flag: --short\n")
