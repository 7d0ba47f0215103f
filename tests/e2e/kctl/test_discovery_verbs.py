"""`api-resources`, `api-versions`, `cluster-info`, `explain`, `version`: what a server says about itself."""

from __future__ import annotations

import json

import pytest

from kctl import __version__
from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read

APPS = (
    "NAME                  SHORTNAMES   APIVERSION   NAMESPACED   KIND\n"
    "controllerrevisions                apps/v1      true         ControllerRevision\n"
    "daemonsets            ds           apps/v1      true         DaemonSet\n"
    "deployments           deploy       apps/v1      true         Deployment\n"
    "replicasets           rs           apps/v1      true         ReplicaSet\n"
    "statefulsets          sts          apps/v1      true         StatefulSet\n"
)
SHOWN = [
    ("api-resources --api-group=apps", APPS),
    ("api-resources --api-group=apps --cached", APPS),
    (
        "api-resources --api-group=batch --no-headers",
        "cronjobs   cj    batch/v1   true   CronJob\njobs             batch/v1   true   Job\n",
    ),
    ("api-resources --api-group=batch -o name", "cronjobs.batch\njobs.batch\n"),
    ("api-resources --api-group=batch -o name --sort-by=kind", "cronjobs.batch\njobs.batch\n"),
    (
        "api-resources --api-group=rbac.authorization.k8s.io --namespaced=false -o name",
        "clusterrolebindings.rbac.authorization.k8s.io\nclusterroles.rbac.authorization.k8s.io\n",
    ),
    (
        "api-resources --api-group=apps --categories=all --verbs=list -o name",
        "daemonsets.apps\ndeployments.apps\nreplicasets.apps\nstatefulsets.apps\n",
    ),
]


@pytest.mark.parametrize(("line", "stdout"), SHOWN, ids=[line for line, _ in SHOWN])
def test_types_are_listed(line: str, stdout: str, read: Read) -> None:
    assert read(*line.split()) == Outcome(0, stdout, "")


REFUSED = [
    ("api-resources --sort-by=colour", "error: --sort-by accepts only name or kind\n"),
    (
        "api-resources extra",
        "error: unexpected arguments: [extra]\nSee 'kctl api-resources -h' for help and examples\n",
    ),
    ("api-versions extra", "error: unexpected arguments: [extra]\nSee 'kctl api-versions -h' for help and examples\n"),
    ("explain nosuch", 'the server doesn\'t have a resource type "nosuch"\n'),
    ("explain a b", "error: We accept only this format: explain RESOURCE\n"),
    ("explain pods --api-version=v7", 'error: couldn\'t find resource for "/v7, Resource=pods"\n'),
    ("explain pods -o fancy", "error: unrecognized format: fancy\n"),
    ("explain pods --max-depth=2", "error: --max-depth requires --recursive\n"),
    ("version extra", "error: extra arguments: [extra]\n"),
    ("version -o fancy", "error: --output must be 'yaml' or 'json'\n"),
]


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_answered_is_refused(line: str, stderr: str, read: Read) -> None:
    assert read(*line.split()) == Outcome(1, "", stderr)


def test_wide_lists_verbs_and_categories(read: Read) -> None:
    header, row = read("api-resources", "--api-group=policy", "-o", "wide").stdout.splitlines()
    assert header.split()[-2:] == ["VERBS", "CATEGORIES"]
    assert "create,delete,deletecollection,get,list,patch,update,watch" in row


def test_versions_are_sorted(read: Read) -> None:
    versions = read("api-versions").stdout.splitlines()
    assert versions == sorted(versions)
    assert {"v1", "apps/v1", "batch/v1"} <= {*versions}


def test_the_control_plane_is_somewhere(read: Read) -> None:
    lines = read("cluster-info").stdout.splitlines()
    assert lines[0].startswith("Kubernetes control plane is running at https://127.0.0.1:")
    assert lines[1:] == ["", "To further debug and diagnose cluster problems, use 'kctl cluster-info dump'."]


def test_a_field_is_explained(read: Read) -> None:
    said = read("explain", "deploy.spec.replicas").stdout
    assert said.startswith("GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: replicas <integer>\n")
    assert "\nFIELDS:\n" not in said


def test_the_fields_of_fields_are_listed_to_a_depth(read: Read) -> None:
    all_of_them = read("explain", "secret", "--recursive").stdout
    some = read("explain", "secret", "--recursive", "--max-depth=1").stdout
    assert "\n    annotations\t<map[string]string>\n" in all_of_them
    assert "\n    annotations" not in some
    assert "\n  metadata\t<ObjectMeta>\n" in some


def test_a_field_that_is_not_there_is_said_after_what_is_known(read: Read) -> None:
    expected = Outcome(1, "KIND:       Pod\nVERSION:    v1\n\n", 'error: field "nope" does not exist\n')
    assert read("explain", "pods.spec.nope") == expected


def test_both_versions_are_told(read: Read) -> None:
    lines = read("version").stdout.splitlines()
    assert lines[0] == f"Client Version: v{__version__}"
    assert lines[2].startswith("Server Version: v1.37.0")
    document = json.loads(read("version", "-o", "json").stdout)
    assert document["serverVersion"]["minor"] == "37"
