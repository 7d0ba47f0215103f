from __future__ import annotations

import json
import platform

import yaml

from kctl import __version__
from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl


def test_version_is_two_lines(run_kctl: Kctl) -> None:
    expected = f"Client Version: v{__version__}\nPython Version: {platform.python_version()}\n"
    assert run_kctl("version") == Outcome(0, expected, "")


def test_version_as_json_and_as_yaml_say_the_same(run_kctl: Kctl) -> None:
    as_json = json.loads(run_kctl("version", "-o", "json").stdout)
    as_yaml = yaml.safe_load(run_kctl("version", "--output=yaml").stdout)
    assert as_json == as_yaml
    assert as_json["clientVersion"]["gitVersion"] == f"v{__version__}"
    assert as_json["clientVersion"]["pythonVersion"] == platform.python_version()


def test_another_output_is_an_error(run_kctl: Kctl) -> None:
    assert run_kctl("version", "-o", "xml") == Outcome(1, "", "error: --output must be 'yaml' or 'json'\n")
