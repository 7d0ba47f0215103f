"""The same story with every kubectl that is here: what a newcomer types, and the whole of what is printed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.examples.conftest import flunder
from tests.e2e.examples.kubectl import Kubectl, kubectls, steady

API_RESOURCES = """\
NAME       SHORTNAMES   APIVERSION                    NAMESPACED   KIND
fischers                wardle.example.com/v1alpha1   false        Fischer
flunders                wardle.example.com/v1beta1    true         Flunder
"""
TABLE = """\
NAME   CREATED AT
x      <time>
"""
YAML = """\
apiVersion: wardle.example.com/v1beta1
kind: Flunder
metadata:
  annotations:
    note: seen
  creationTimestamp: "<time>"
  generation: 2
  labels:
    colour: red
  name: x
  namespace: {namespace}
  resourceVersion: "<version>"
  uid: <uid>
spec:
  flunderReference: second
  referenceType: Flunder
"""
EDITOR = "sed -i s/Reference:.first/Reference:\\ second/"
EXPLAINED = [
    "GROUP:      wardle.example.com",
    "KIND:       Flunder",
    "VERSION:    v1beta1",
    "FIELD: spec <FlunderSpecV1Beta1>",
    "DESCRIPTION:",
    "    A field for each kind of name, of which one may be set: the one that",
    "    referenceType tells.",
    "FIELDS:",
    "  fischerReference	<string>",
    "    <no description>",
    "  flunderReference	<string>",
    "    <no description>",
    "  referenceType	<string>",
    "    <no description>",
]


@pytest.fixture(params=kubectls(), ids=lambda path: path.name)
def any_kubectl(request: pytest.FixtureRequest, kubectl: Kubectl) -> Kubectl:
    program: Path = request.param
    return replace(kubectl, program=program)


def test_the_group_can_be_found(any_kubectl: Kubectl) -> None:
    assert any_kubectl.ok("api-resources") == API_RESOURCES
    assert any_kubectl.ok("api-versions") == "wardle.example.com/v1alpha1\nwardle.example.com/v1beta1\n"


def test_an_object_lives_from_create_to_delete(any_kubectl: Kubectl) -> None:
    kubectl = any_kubectl
    first = json.dumps(flunder("v1alpha1", "x", {"reference": "first"}))
    assert kubectl.ok("create", "--dry-run=server", "-f", "-", stdin=first) == (
        "flunder.wardle.example.com/x created (server dry run)\n"
    )
    assert kubectl("get", "flunders").stderr == f"No resources found in {kubectl.namespace} namespace.\n"
    assert kubectl.ok("create", "-f", "-", stdin=first) == "flunder.wardle.example.com/x created\n"
    assert kubectl.ok("get", "flunders") == TABLE
    assert kubectl.ok("label", "flunder", "x", "colour=red") == "flunder.wardle.example.com/x labeled\n"
    # 1.27 has "annotate" there.
    assert kubectl.ok("annotate", "flunder", "x", "note=seen").startswith("flunder.wardle.example.com/x annotate")
    edited = kubectl.ok(
        "edit", "flunder", "x", KUBE_EDITOR="sed -i s/flunderReference:.first/flunderReference:\\ second/"
    )
    assert edited == "flunder.wardle.example.com/x edited\n"
    assert kubectl.ok("get", "flunder", "x", "-o", "yaml") == YAML.format(namespace=kubectl.namespace)
    assert kubectl.ok("get", "flunders", "-l", "colour=red", "-o", "name") == "flunder.wardle.example.com/x\n"
    # From 1.34 on the namespace is told as well.
    deleted = kubectl.ok("delete", "flunder", "x").replace(f" from {kubectl.namespace} namespace", "")
    assert deleted == 'flunder.wardle.example.com "x" deleted\n'


def test_apply_creates_configures_and_leaves_alone(any_kubectl: Kubectl) -> None:
    first, second = (json.dumps(flunder("v1alpha1", "x", {"reference": name})) for name in ("first", "second"))
    assert any_kubectl.ok("apply", "-f", "-", stdin=first) == "flunder.wardle.example.com/x created\n"
    assert any_kubectl.ok("apply", "-f", "-", stdin=first) == "flunder.wardle.example.com/x unchanged\n"
    assert any_kubectl.ok("apply", "-f", "-", stdin=second) == "flunder.wardle.example.com/x configured\n"
    assert any_kubectl.ok("get", "flunder", "x", "-o", "jsonpath={.spec.flunderReference}") == "second"


def test_the_fields_are_explained(any_kubectl: Kubectl) -> None:
    """Blank lines are not counted: 1.30 has more of them than 1.29."""
    explained = any_kubectl.ok("explain", "flunders.spec").splitlines()
    assert [line for line in explained if line.strip()] == EXPLAINED


def test_a_watch_sees_changes(any_kubectl: Kubectl) -> None:
    kubectl = any_kubectl
    kubectl.ok("create", "-f", "-", stdin=json.dumps(flunder("v1beta1", "x", {})))
    with kubectl.running("get", "flunders", "-w", "--output-watch-events") as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline() == "EVENT      NAME   CREATED AT\n"
        assert steady(watching.stdout.readline()) == "ADDED      x      <time>\n"
        kubectl.ok("label", "flunder", "x", "colour=red")
        assert steady(watching.stdout.readline()) == "MODIFIED   x      <time>\n"
        kubectl.ok("create", "-f", "-", stdin=json.dumps(flunder("v1beta1", "y", {})))
        assert steady(watching.stdout.readline()) == "ADDED      y      <time>\n"
        kubectl.ok("delete", "flunder", "x")
        assert steady(watching.stdout.readline()) == "DELETED    x      <time>\n"
