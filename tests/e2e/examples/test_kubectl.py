"""What else kubectl asks of a server: formats, selectors, pages, patches, and sentences when something is wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.examples.conftest import flunder
from tests.e2e.examples.kubectl import Kubectl, steady


def create(kubectl: Kubectl, name: str, spec: dict[str, Any] | None = None, **labels: str) -> None:
    body = flunder("v1beta1", name, spec or {})
    body["metadata"]["labels"] = labels
    kubectl.ok("create", "-f", "-", stdin=json.dumps(body))


def names(kubectl: Kubectl, *arguments: str) -> list[str]:
    return kubectl.ok("get", "flunders", "-o", "name", *arguments).replace("flunder.wardle.example.com/", "").split()


def test_wide_and_labels_are_columns(kubectl: Kubectl) -> None:
    create(kubectl, "x", colour="red")
    table = kubectl.ok("get", "flunders", "-o", "wide", "--show-labels")
    assert re.sub(" {2,}", " | ", table) == "NAME | CREATED AT | LABELS\nx | <time> | colour=red\n"


def test_all_namespaces_are_one_table(kubectl: Kubectl) -> None:
    create(kubectl, "x")
    table = kubectl.ok("get", "flunders", "--all-namespaces").splitlines()
    assert table[0].split("  ")[0] == "NAMESPACE"
    assert [kubectl.namespace, "x", "<time>"] in [line.split() for line in table[1:]]


def test_json_is_a_list_of_whole_objects(kubectl: Kubectl) -> None:
    create(kubectl, "x", {"fischerReference": "f", "referenceType": "Fischer"}, colour="red")
    assert json.loads(kubectl.ok("get", "flunders", "-o", "json")) == {
        "apiVersion": "v1",
        "kind": "List",
        "metadata": {"resourceVersion": ""},
        "items": [
            {
                "apiVersion": "wardle.example.com/v1beta1",
                "kind": "Flunder",
                "metadata": {
                    "name": "x",
                    "namespace": kubectl.namespace,
                    "labels": {"colour": "red"},
                    "generation": 1,
                    "creationTimestamp": "<time>",
                    "resourceVersion": "<version>",
                    "uid": "<uid>",
                },
                "spec": {"fischerReference": "f", "referenceType": "Fischer"},
            }
        ],
    }


def test_an_older_version_can_be_asked_for(kubectl: Kubectl) -> None:
    create(kubectl, "x", {"fischerReference": "f", "referenceType": "Fischer"})
    assert kubectl.ok("get", "flunders.v1alpha1.wardle.example.com", "x", "-o", "jsonpath={.spec}") == (
        '{"reference":"f","referenceType":"Fischer"}'
    )


def test_custom_columns_show_what_they_name(kubectl: Kubectl) -> None:
    create(kubectl, "x", {"fischerReference": "f", "referenceType": "Fischer"})
    columns = "custom-columns=NAME:.metadata.name,TYPE:.spec.referenceType"
    assert kubectl.ok("get", "flunders", "-o", columns) == "NAME   TYPE\nx      Fischer\n"


def test_nothing_is_found_in_an_empty_namespace(kubectl: Kubectl) -> None:
    sentence = f"No resources found in {kubectl.namespace} namespace.\n"
    assert kubectl("get", "flunders") == Outcome(0, "", sentence)


def test_labels_select(kubectl: Kubectl) -> None:
    create(kubectl, "x", colour="red")
    create(kubectl, "y", colour="blue")
    create(kubectl, "z")
    assert names(kubectl, "-l", "colour=red") == ["x"]
    assert names(kubectl, "-l", "colour") == ["x", "y"]
    assert names(kubectl, "-l", "!colour") == ["z"]
    assert names(kubectl, "-l", "colour notin (red)") == ["y", "z"]


def test_fields_select(kubectl: Kubectl) -> None:
    for name in ("x", "y", "z"):
        create(kubectl, name)
    assert names(kubectl, "--field-selector", "metadata.name=y") == ["y"]
    assert names(kubectl, "--field-selector", "metadata.name!=y") == ["x", "z"]
    assert names(kubectl, "--field-selector", f"metadata.namespace={kubectl.namespace},metadata.name=z") == ["z"]
    outcome = kubectl("get", "flunders", "--field-selector", "spec.referenceType=Fischer")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert '"spec.referenceType" is not a known field selector' in outcome.stderr


@pytest.mark.parametrize("size", [1, 2, 3, 0])
def test_a_list_may_come_in_pages(kubectl: Kubectl, size: int) -> None:
    for name in ("a", "b", "c", "d", "e"):
        create(kubectl, name)
    outcome = kubectl("get", "flunders", "-o", "name", f"--chunk-size={size}", "-v=6")
    assert outcome.stdout == "".join(f"flunder.wardle.example.com/{name}\n" for name in "abcde")
    pages = [line for line in outcome.stderr.splitlines() if "/flunders" in line and "GET" in line]
    assert len(pages) == (-(-5 // size) if size else 1)


def test_one_object_can_be_watched(kubectl: Kubectl) -> None:
    create(kubectl, "x")
    create(kubectl, "y")
    with kubectl.running("get", "flunder", "x", "-w", "--no-headers") as watching:
        assert watching.stdout is not None
        assert steady(watching.stdout.readline()) == "x     <time>\n"
        kubectl.ok("label", "flunder", "y", "colour=red")
        kubectl.ok("delete", "flunder", "x")
        assert steady(watching.stdout.readline()) == "x     <time>\n"


def test_a_condition_can_be_waited_for(kubectl: Kubectl) -> None:
    create(kubectl, "x")
    with kubectl.running(
        "wait", "flunder/x", "--timeout=30s", "--for=jsonpath={.spec.referenceType}=Flunder"
    ) as waiting:
        spec = {"spec": {"flunderReference": "a", "referenceType": "Flunder"}}
        kubectl.ok("patch", "flunder", "x", "--type=merge", "-p", json.dumps(spec))
        stdout, stderr = waiting.communicate()
        assert (waiting.returncode, stdout, stderr) == (0, "flunder.wardle.example.com/x condition met\n", "")


def test_what_is_not_there_is_not_found(kubectl: Kubectl) -> None:
    """In the namespace "default": for any other, kubectl asks whether it exists, and this server has no namespaces."""
    in_default = replace(kubectl, namespace="default")
    sentence = 'Error from server (NotFound): flunders.wardle.example.com "absent" not found\n'
    assert in_default("get", "flunder", "absent") == Outcome(1, "", sentence)
    assert in_default("delete", "flunder", "absent") == Outcome(1, "", sentence)
    assert in_default("delete", "flunder", "absent", "--ignore-not-found") == Outcome(0, "", "")


def test_deletion_can_be_waited_for(kubectl: Kubectl, namespace: str) -> None:
    """In the namespace "default", for the reason given above: it may be gone before it is looked for."""
    in_default = replace(kubectl, namespace="default")
    name = f"of-{namespace}"
    create(in_default, name)
    with in_default.running("wait", f"flunder/{name}", "--timeout=30s", "--for=delete") as waiting:
        in_default.ok("delete", "flunder", name)
        stdout, stderr = waiting.communicate()
        assert (waiting.returncode, stderr) == (0, "")
        assert stdout in ("", f"flunder.wardle.example.com/{name} condition met\n")


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("merge", {"spec": {"flunderReference": "new"}}),
        ("json", [{"op": "replace", "path": "/spec/flunderReference", "value": "new"}]),
    ],
)
def test_patches_change_what_they_name(kubectl: Kubectl, kind: str, patch: Any) -> None:
    create(kubectl, "x", {"flunderReference": "old", "referenceType": "Flunder"})
    patched = kubectl.ok("patch", "flunder", "x", f"--type={kind}", "-p", json.dumps(patch))
    assert patched == "flunder.wardle.example.com/x patched\n"
    assert kubectl.ok("get", "flunder", "x", "-o", "jsonpath={.spec}") == (
        '{"flunderReference":"new","referenceType":"Flunder"}'
    )


def test_replace_puts_the_whole_object(kubectl: Kubectl) -> None:
    create(kubectl, "x", {"flunderReference": "old", "referenceType": "Flunder"}, colour="red")
    body = json.dumps(flunder("v1beta1", "x", {}))
    assert kubectl.ok("replace", "-f", "-", stdin=body) == "flunder.wardle.example.com/x replaced\n"
    assert kubectl.ok("get", "flunder", "x", "-o", "jsonpath={.spec}{.metadata.labels}") == "{}"


def test_diff_shows_what_apply_would_change(kubectl: Kubectl) -> None:
    create(kubectl, "x", {"flunderReference": "old", "referenceType": "Flunder"})
    body = flunder("v1beta1", "x", {"flunderReference": "new", "referenceType": "Flunder"})
    outcome = kubectl("diff", "-f", "-", stdin=json.dumps(body))
    assert (outcome.code, outcome.stderr) == (1, "")
    assert "-  flunderReference: old\n+  flunderReference: new\n" in outcome.stdout
    assert kubectl.ok("get", "flunder", "x", "-o", "jsonpath={.spec.flunderReference}") == "old"


def test_all_can_be_deleted_at_once(kubectl: Kubectl) -> None:
    create(kubectl, "x", colour="red")
    create(kubectl, "y", colour="red")
    create(kubectl, "z")
    kubectl.ok("delete", "flunders", "-l", "colour=red")
    assert names(kubectl) == ["z"]
    kubectl.ok("delete", "flunders", "--all")
    assert names(kubectl) == []


def test_creating_it_twice_says_so(kubectl: Kubectl) -> None:
    create(kubectl, "x")
    sentence = (
        'Error from server (AlreadyExists): error when creating "STDIN": '
        'flunders.wardle.example.com "x" already exists\n'
    )
    body = json.dumps(flunder("v1beta1", "x", {}))
    assert kubectl("create", "-f", "-", stdin=body) == Outcome(1, "", sentence)


def test_what_is_invalid_is_shown_with_its_field(kubectl: Kubectl) -> None:
    spec = {"flunderReference": "a", "fischerReference": "b", "referenceType": "Flunder"}
    sentence = (
        'The Flunder "x" is invalid: spec.fischerReference: Invalid value: "b": '
        "cannot be set with flunderReference at the same time\n"
    )
    body = json.dumps(flunder("v1beta1", "x", spec))
    assert kubectl("create", "-f", "-", stdin=body) == Outcome(1, "", sentence)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"colour": "red"}, 'strict decoding error: unknown field "spec.colour"'),
        (
            {"flunderReference": 7},
            (
                "json: cannot unmarshal number into Go struct field "
                "FlunderSpecV1Beta1.spec.flunderReference of type string"
            ),
        ),
    ],
)
def test_a_wrong_field_is_refused(kubectl: Kubectl, spec: dict[str, Any], why: str) -> None:
    sentence = (
        'Error from server (BadRequest): error when creating "STDIN": '
        f'Flunder in version "v1beta1" cannot be handled as a Flunder: {why}\n'
    )
    body = json.dumps(flunder("v1beta1", "x", spec))
    assert kubectl("create", "-f", "-", stdin=body) == Outcome(1, "", sentence)


def test_the_server_tells_that_it_is_well(kubectl: Kubectl) -> None:
    assert kubectl.ok("get", "--raw", "/readyz") == "ok"
    assert kubectl.ok("get", "--raw", "/livez") == "ok"
    assert "Server Version: v1." in kubectl("version").stdout
