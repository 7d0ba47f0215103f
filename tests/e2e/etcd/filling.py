"""What fills an etcd through a plane, and what is left in it."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine


def config_map(directory: Path, name: str, *, kilobytes: int = 500) -> str:
    """A manifest with content of its own each time, so that each apply is a write."""
    path = directory / "large.json"
    data = {"noise": base64.b64encode(os.urandom(kilobytes * 750)).decode()}
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}))
    return str(path)


def fill(here: Machine) -> Outcome:
    """Write until it is refused; returns the refusal. The last one may be taken: etcd measures after the fact."""
    assert here.kctl("create", "-f", config_map(here.home, "large")).code == 0
    for _ in range(200):
        done = here.kctl("replace", "-f", config_map(here.home, "large"))
        if done.code:
            return done
    raise AssertionError("etcd was never full")


def names(here: Machine) -> list[str]:
    listed = here.kctl("get", "configmaps", "-o", "json")
    assert listed.code == 0, listed.stderr
    return [item["metadata"]["name"] for item in json.loads(listed.stdout)["items"]]
