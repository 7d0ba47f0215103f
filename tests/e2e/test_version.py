"""`kctl version --client`: no server is asked."""

from __future__ import annotations

import json
import platform

import yaml

from kctl import __version__
from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl


def test_the_client_alone_is_two_lines(run_kctl: Kctl) -> None:
    done = run_kctl("version", "--client")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"Client Version: v{__version__}"
    assert done.stdout.splitlines()[1].startswith("Kustomize Version: v")


def test_without_a_server_the_client_is_told_and_then_what_is_wrong(run_kctl: Kctl) -> None:
    done = run_kctl("version", "-s", "http://127.0.0.1:1")
    assert done.code == 1
    assert done.stdout.startswith(f"Client Version: v{__version__}\n")
    assert done.stderr.startswith("The connection to the server 127.0.0.1:1 was refused")


def test_version_as_json_and_as_yaml_say_the_same(run_kctl: Kctl) -> None:
    as_json = json.loads(run_kctl("version", "--client", "-o", "json").stdout)
    as_yaml = yaml.safe_load(run_kctl("version", "--client", "--output=yaml").stdout)
    assert {**as_yaml["clientVersion"], "buildDate": ""} == {**as_json["clientVersion"], "buildDate": ""}
    assert as_json["clientVersion"]["gitVersion"] == f"v{__version__}"
    assert as_json["clientVersion"]["goVersion"] == f"python{platform.python_version()}"


def test_another_output_is_an_error(run_kctl: Kctl) -> None:
    assert run_kctl("version", "-o", "xml") == Outcome(1, "", "error: --output must be 'yaml' or 'json'\n")
