"""`kctl scale`: whole outputs."""

from __future__ import annotations

import shlex

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s, labels: {app: %s}}
spec:
  replicas: 1
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec: {containers: [{name: c, image: nginx}]}
"""


@pytest.fixture
def made(desk: Desk) -> Desk:
    """Deployments web and api, with one pod each, in files of the same names."""
    for name in ("web", "api"):
        desk.run("create", "-f", desk.write(f"{name}.yaml", DEPLOYMENT % (name, name, name, name)))
    return desk


def scale(desk: Desk, line: str) -> Outcome:
    return desk.run("scale", *shlex.split(line))


def sizes(desk: Desk) -> str:
    return desk.run("get", "deploy", "-o", "jsonpath={.items[*].spec.replicas}").stdout


def test_a_size_is_set_where_it_is_what_one_thinks(made: Desk) -> None:
    steps = [
        ("--replicas=2", Outcome(0, "deployment.apps/web scaled\n", "")),
        ("--replicas=3 --current-replicas=2", Outcome(0, "deployment.apps/web scaled\n", "")),
        ("--replicas=4 --current-replicas=2", Outcome(1, "", "error: Expected replicas to be 2, was 3\n")),
    ]
    for words, outcome in steps:
        assert scale(made, f"deploy web {words}") == outcome
    assert sizes(made) == "1 3"
    version = made.run("get", "deploy", "web", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    assert scale(made, f"deploy web --replicas=5 --resource-version={version}").stdout == "deployment.apps/web scaled\n"
    refused = scale(made, f"deploy web --replicas=6 --resource-version={version}")
    assert refused.stderr.startswith(f"error: Expected resource version to be {version}, was ")


CHOSEN = [
    ("deploy web api --replicas=2", "2 2"),
    ("deploy --all --replicas=3", "3 3"),
    ("deploy -l app=api --replicas=4", "4 3"),
    ("-f files/web.yaml --replicas=5", "4 5"),
    ("-f files --replicas=6", "4 6"),
    ("-f files -R --replicas=8", "8 8"),
    ("-k kus --replicas=7", "7 8"),
]


def test_objects_are_chosen_by_name_selector_or_file(made: Desk) -> None:
    made.write("kus/kustomization.yml", "resources: [api.yaml]\n")
    made.write("kus/api.yaml", DEPLOYMENT % (("api",) * 4))
    made.write("files/deep/api.yaml", DEPLOYMENT % (("api",) * 4))
    made.write("files/web.yaml", DEPLOYMENT % (("web",) * 4))
    for words, after in CHOSEN:
        assert (scale(made, words).code, sizes(made)) == (0, after), words


def test_a_dry_run_changes_nothing(made: Desk) -> None:
    steps = [
        ("--dry-run=client", "deployment.apps/web scaled (dry run)\n"),
        ("--dry-run=server", "deployment.apps/web scaled (server dry run)\n"),
        ("--dry-run=server -o jsonpath={.spec.replicas}", "9"),
    ]
    for words, stdout in steps:
        assert scale(made, f"deploy web --replicas=9 {words}") == Outcome(0, stdout, "")
    assert sizes(made) == "1 1"


def test_the_object_is_printed_as_asked(made: Desk) -> None:
    steps = [
        ("-o name", "deployment.apps/web\n"),
        ("-o jsonpath={.spec.replicas}", "8"),
        ("--template={{.spec.replicas}}", "8"),
        ("-o jsonpath={.nope}", ""),
    ]
    for words, stdout in steps:
        assert scale(made, f"deploy web --replicas=8 {words}") == Outcome(0, stdout, "")
    strict = scale(made, "deploy web --replicas=8 -o jsonpath={.nope} --allow-missing-template-keys=false")
    assert "nope is not found" in strict.stderr
    assert "manager:" not in scale(made, "deploy web --replicas=8 -o yaml").stdout
    assert "manager:" in scale(made, "deploy web --replicas=8 -o yaml --show-managed-fields").stdout


def test_the_new_size_is_waited_for(made: Desk) -> None:
    assert scale(made, "deploy web --replicas=2 --timeout=1ms") == Outcome(
        1, "", 'error: timed out waiting for "web" to be synced\n'
    )
    made.run("patch", "deploy", "web", "--subresource=status", "--type=merge", "-p", '{"status":{"replicas":3}}')
    assert scale(made, "deploy web --replicas=3 --timeout=30s") == Outcome(0, "deployment.apps/web scaled\n", "")


def test_one_that_is_missing_does_not_stop_the_others(made: Desk) -> None:
    assert scale(made, "deploy nobody web --replicas=2") == Outcome(
        1,
        "deployment.apps/web scaled\n",
        'Error from server (NotFound): deployments.apps "nobody" not found\n',
    )


def test_the_command_line_is_recorded_for_those_who_still_ask(made: Desk) -> None:
    assert scale(made, "deploy web --replicas=2 --record").stderr == (
        "Flag --record has been deprecated, --record will be removed in the future\n"
    )
    noted = made.run("get", "deploy", "web", "-o", "jsonpath={.metadata.annotations}").stdout
    assert noted == '{"kubernetes.io/change-cause":"kctl scale deploy web --namespace=<ns> --replicas=2 --record=true"}'


NOT_FOUND = "the server could not find the requested resource"
REFUSED = [
    ("deploy web", 'error: required flag(s) "replicas" not set\n'),
    ("deploy web --replicas=-1",
     "error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0\n"),
    ("deploy web --replicas=1 --current-replicas=-2",
     "error: The --current-replicas must specify an integer of -1 or greater\n"),
    ("deploy --replicas=1", "error: resource(s) were provided, but no name was specified\n"),
    ("deploy -l no=body --replicas=1", "error: no objects passed to scale\n"),
    ("cm apple --replicas=1", f"Error from server (NotFound): {NOT_FOUND}\n"),
    ("cm --all --replicas=1 --resource-version=1", "error: cannot use --resource-version with multiple resources\n"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "stderr"), REFUSED, ids=[words for words, _ in REFUSED])
def test_what_can_not_be_scaled_is_refused(read: Read, words: str, stderr: str) -> None:
    assert read("scale", *shlex.split(words)) == Outcome(1, "", stderr)
