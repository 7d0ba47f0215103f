"""`kctl ns`: the namespaces, and which of them is the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine


@pytest.fixture
def here(shop: Machine, tmp_path: Path) -> Machine:
    """Its own kubeconfig, so that other tests keep their namespace."""
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube/config").write_bytes(shop.kubeconfig.read_bytes())
    return Machine(tmp_path)


def test_namespaces_are_listed_and_the_default_is_marked(here: Machine) -> None:
    lines = here.kctl("ns").stdout.splitlines()
    assert "* default" in lines
    assert "  shop" in lines
    assert "* shop" in here.kctl("ns", "-n", "shop").stdout.splitlines()


def test_another_one_becomes_the_default_and_a_dash_goes_back(here: Machine) -> None:
    context = here.kctl("config", "current-context").stdout.strip()
    assert here.kctl("ns", "-") == Outcome(1, "", "error: there was no namespace before this one\n")
    assert here.kctl("ns", "shop") == Outcome(0, f'Context "{context}" now uses namespace "shop".\n', "")
    assert here.kctl("config", "view", "-o", "jsonpath={..namespace}").stdout == "shop"
    assert here.kctl("ns", "-") == Outcome(0, f'Context "{context}" now uses namespace "default".\n', "")


def test_one_that_is_not_there_is_refused_unless_it_is_forced(here: Machine) -> None:
    context = here.kctl("config", "current-context").stdout.strip()
    assert here.kctl("ns", "nope") == Outcome(1, "", 'Error from server (NotFound): namespaces "nope" not found\n')
    assert here.kctl("ns", "nope", "--force").stdout == f'Context "{context}" now uses namespace "nope".\n'
    assert here.kctl("ns", "-f", "later").code == 0
    assert here.kctl("ns", "a", "b") == Outcome(1, "", "error: expected one namespace, not 2\n")
