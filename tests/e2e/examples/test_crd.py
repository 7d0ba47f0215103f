"""The operator example: custom resources of a real plane are reconciled from outside, and cleaned up by the plane."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.examples.serving import EXAMPLES
from tests.e2e.up.machine import Machine, until

HERE = EXAMPLES / "crd"


@pytest.fixture(scope="module")
def kubectl(plane: Machine, kubectl_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """With the definition applied and the operator running, in the plane that all tests share."""
    kubectl = Kubectl(kubectl_program, plane.kubeconfig, tmp_path_factory.mktemp("kubectl"))
    kubectl.ok("apply", "-f", str(HERE / "websites.yaml"))
    environ = {**os.environ, "KUBECONFIG": str(plane.kubeconfig), "PYTHONPATH": str(EXAMPLES.parent)}
    with subprocess.Popen([sys.executable, str(HERE / "websites.py")], env=environ) as operator:
        yield kubectl
        operator.terminate()
    assert kubectl("delete", "-f", str(HERE / "websites.yaml")).code == 0


def website(name: str, image: str) -> str:
    body = {"apiVersion": "example.com/v1", "kind": "Website", "metadata": {"name": name}, "spec": {"image": image}}
    return json.dumps(body)


def test_a_website_gets_a_deployment_which_follows_it_and_goes_with_it(kubectl: Kubectl) -> None:
    kubectl.ok("apply", "-f", "-", stdin=website("shop", "nginx:1.27"))
    image = "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}"
    until(lambda: kubectl("get", "deployment", "shop", "-o", image).stdout == "1 nginx:1.27")
    until(lambda: kubectl.ok("get", "website", "shop", "-o", "jsonpath={.status.ready}") == "true")

    kubectl.ok("patch", "website", "shop", "--type=merge", "-p", '{"spec": {"image": "nginx:1.28", "replicas": 3}}')
    until(lambda: kubectl.ok("get", "deployment", "shop", "-o", image) == "3 nginx:1.28")

    kubectl.ok("delete", "deployment", "shop")
    until(lambda: kubectl("get", "deployment", "shop").code == 0)

    kubectl.ok("delete", "website", "shop")
    until(lambda: kubectl("get", "deployment", "shop").code == 1)


def test_the_definition_s_rules_are_told_to_whoever_breaks_them(kubectl: Kubectl) -> None:
    refused = kubectl("apply", "-f", "-", stdin=website("latest", "nginx:latest"))
    assert refused.code == 1
    assert refused.stderr == 'The Website "latest" is invalid: spec: Invalid value: name a version of the image\n'
