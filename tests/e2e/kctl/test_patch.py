"""`kctl patch`: whole outputs, and every flag once."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: one, image: i}, {name: two, image: i}]}
"""
_MISSING = (
    'error: error executing jsonpath "{.nope}": Error executing template: nope is not found. Printing more information '
    "for debugging the template:"
)
_IMAGES = "jsonpath={.spec.template.spec.containers[*].image}"
_IMAGE = '{"spec":{"template":{"spec":{"containers":[{"name":"two","image":"j"}]}}}}'


@pytest.fixture
def made(desk: Desk) -> Desk:
    desk.run("create", "-f", desk.config_map("a.yaml", "a", x="1"))
    return desk


@pytest.mark.parametrize(
    ("flags", "data"),
    [
        (["-p", '{"data":{"w":"2"}}'], '{"w":"2","x":"1"}'),
        (["--patch", "data: {w: '2'}"], '{"w":"2","x":"1"}'),
        (["--type=merge", "-p", '{"data":{"x":null,"w":"2"}}'], '{"w":"2"}'),
        (["--type=json", "-p", '[{"op":"replace","path":"/data/x","value":"3"}]'], '{"x":"3"}'),
        (["--patch-file=patch.yaml"], '{"x":"1","z":"4"}'),
        (["--dry-run=client", "-p", '{"data":{"w":"2"}}'], '{"w":"2","x":"1"}'),
        (["--dry-run=server", "-p", '{"data":{"w":"2"}}'], '{"w":"2","x":"1"}'),
    ],
)
def test_an_object_is_patched(made: Desk, flags: list[str], data: str) -> None:
    made.write("patch.yaml", "data: {z: '4'}\n")
    assert made.run("patch", "cm", "a", *flags, "-o", "jsonpath={.data}") == Outcome(0, data, "")
    stored = made.run("get", "cm", "a", "-o", "jsonpath={.data}").stdout
    assert (stored == data) == (not flags[0].startswith("--dry-run"))


def test_a_patch_that_changes_nothing_says_so(made: Desk) -> None:
    change = ("patch", "cm", "a", "-p", '{"data":{"w":"2"}}')
    assert made.run(*change) == Outcome(0, "configmap/a patched\n", "")
    assert made.run(*change) == Outcome(0, "configmap/a patched (no change)\n", "")


def test_lists_are_merged_by_their_keys_on_the_server_and_here(desk: Desk) -> None:
    file = desk.write("d.yaml", _DEPLOYMENT)
    assert desk.run("patch", "--local", "-f", file, "-p", _IMAGE, "-o", _IMAGES) == Outcome(0, "i j", "")
    assert desk.run("get", "deploy", "web").code == 1
    desk.run("create", "-f", file)
    assert desk.run("patch", "deploy", "web", "-p", _IMAGE, "-o", _IMAGES) == Outcome(0, "i j", "")


def test_a_file_is_patched_without_a_server(made: Desk) -> None:
    nowhere = made.write("nowhere", "apiVersion: v1\nkind: Config\n")
    local = ("patch", "-f", "a.yaml", "--local", "--kubeconfig", nowhere, "-o", "jsonpath={.data}")
    for kind in ("merge", "strategic"):
        assert made.run(*local, f"--type={kind}", "-p", '{"data":{"x":"2"}}') == Outcome(0, '{"x":"2"}', "")
    assert made.run("get", "cm", "a", "-o", "jsonpath={.data.x}").stdout == "1"


def test_several_objects_are_patched_and_what_is_missing_is_told(made: Desk) -> None:
    made.run("create", "-f", made.config_map("b.yaml", "b", x="1"))
    assert made.run("patch", "cm", "a", "nope", "b", "-p", '{"data":{"w":"2"}}') == Outcome(
        1,
        "configmap/a patched\nconfigmap/b patched\n",
        'Error from server (NotFound): configmaps "nope" not found\n',
    )


def test_files_directories_and_kustomizations_say_what_is_patched(made: Desk) -> None:
    made.write("d/e/a.yaml", (made.directory / "a.yaml").read_text())
    done = made.run("patch", "-R", "-f", "d", "-p", '{"data":{"w":"2"}}')
    assert done == Outcome(0, "configmap/a patched\n", "")
    made.write("d/e/kustomization.yaml", "resources: [a.yaml]\n")
    done = made.run("patch", "-k", "d/e", "-p", '{"data":{"w":"3"}}', "--template={{.data.w}}")
    assert done == Outcome(0, "3", "")


def test_fields_belong_to_whom_the_flag_says_and_the_command_line_is_noted(made: Desk) -> None:
    patching = ("patch", "cm", "a", "-p", '{"data":{"w":"2"}}', "--field-manager=me")
    shown = json.loads(made.run(*patching, "-o", "json", "--show-managed-fields").stdout)
    assert "me" in [entry["manager"] for entry in shown["metadata"]["managedFields"]]
    noted = made.run("patch", "cm", "a", "-p", "{}", "--record", "-o", "jsonpath={.metadata.annotations}")
    assert noted.stderr == "Flag --record has been deprecated, --record will be removed in the future\n"
    cause = "kctl patch cm a --namespace=<ns> --patch={} --record=true --output=jsonpath={.metadata.annotations}"
    assert json.loads(noted.stdout) == {"kubernetes.io/change-cause": cause}


def test_a_part_of_an_object_is_patched(desk: Desk) -> None:
    desk.run("create", "-f", desk.write("d.yaml", _DEPLOYMENT))
    scaling = ("patch", "deploy", "web", "--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":2}}')
    assert desk.run(*scaling) == Outcome(0, "scale.autoscaling/web patched\n", "")
    assert desk.run("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}").stdout == "2"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "error: must specify --patch or --patch-file containing the contents of the patch"),
        (["-p", "{}", "--patch-file=x"], "error: cannot specify --patch and --patch-file together"),
        (["-p", "{}", "--type=weird"], 'error: --type must be one of [json merge strategic], not "weird"'),
        (["-p", "{}", "--local"], "error: cannot specify --local and server resources"),
        (["--patch-file=absent"], "error: unable to read patch file: open absent: no such file or directory"),
        (["--patch-file=."], "error: unable to read patch file: read .: is a directory"),
        (["-p", "a: ["], 'error: unable to parse "a: [": yaml: line 1: did not find expected node content'),
        (["-p", "{}", "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false"],
         _MISSING),
        (["--type=json", "-p", '[{"op":"remove","path":"/data/nope"}]'],
         "The request is invalid: the server rejected our request due to an error in our request"),
    ],
)  # fmt: skip
def test_what_cant_be_done_is_refused(made: Desk, flags: list[str], said: str) -> None:
    done = made.run("patch", "cm", "a", *flags)
    assert (done.code, done.stdout, done.stderr.splitlines()[0]) == (1, "", said)
