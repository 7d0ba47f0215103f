"""`kctl api-resources`: which types a server has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.up.machine import Machine

APPS = (
    "NAME                  SHORTNAMES   APIVERSION   NAMESPACED   KIND\n"
    "controllerrevisions                apps/v1      true         ControllerRevision\n"
    "daemonsets            ds           apps/v1      true         DaemonSet\n"
    "deployments           deploy       apps/v1      true         Deployment\n"
    "replicasets           rs           apps/v1      true         ReplicaSet\n"
    "statefulsets          sts          apps/v1      true         StatefulSet\n"
)
NOTHING = "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\n"
VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
POLICY_JSON = """\
{
    "kind": "APIResourceList",
    "apiVersion": "v1",
    "groupVersion": "",
    "resources": [
        {
            "name": "poddisruptionbudgets",
            "singularName": "poddisruptionbudget",
            "namespaced": true,
            "group": "policy",
            "version": "v1",
            "kind": "PodDisruptionBudget",
            "verbs": [
                "create",
                "delete",
                "deletecollection",
                "get",
                "list",
                "patch",
                "update",
                "watch"
            ],
            "shortNames": [
                "pdb"
            ]
        }
    ]
}
"""
POLICY_YAML = f"""\
apiVersion: v1
groupVersion: ""
kind: APIResourceList
resources:
- group: policy
  kind: PodDisruptionBudget
  name: poddisruptionbudgets
  namespaced: true
  shortNames:
  - pdb
  singularName: poddisruptionbudget
  verbs:
{"".join(f"  - {verb}{chr(10)}" for verb in VERBS)}\
  version: v1
"""
POLICY_KYAML = f"""\
---
{{
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "",
  resources: [{{
    name: "poddisruptionbudgets",
    singularName: "poddisruptionbudget",
    namespaced: true,
    group: "policy",
    version: "v1",
    kind: "PodDisruptionBudget",
    verbs: [
{"".join(f'      "{verb}",{chr(10)}' for verb in VERBS)}\
    ],
    shortNames: [
      "pdb",
    ],
  }}],
}}
"""
SHOWN = [
    ("--api-group=apps", APPS),
    ("--api-group=apps --no-headers=false", APPS),
    (
        "--api-group=batch --no-headers",
        "cronjobs   cj    batch/v1   true   CronJob\njobs             batch/v1   true   Job\n",
    ),
    ("--api-group=batch -o name", "cronjobs.batch\njobs.batch\n"),
    (
        "--api-group=rbac.authorization.k8s.io --namespaced=false -o name",
        "clusterrolebindings.rbac.authorization.k8s.io\nclusterroles.rbac.authorization.k8s.io\n",
    ),
    (
        "--api-group=rbac.authorization.k8s.io --namespaced -o name",
        "rolebindings.rbac.authorization.k8s.io\nroles.rbac.authorization.k8s.io\n",
    ),
    (
        "--api-group=apps --categories=all --verbs=list -o name",
        "daemonsets.apps\ndeployments.apps\nreplicasets.apps\nstatefulsets.apps\n",
    ),
    ("--categories=all,api-extensions", NOTHING),
    ("--verbs=fly", NOTHING),
    ("--api-group=authorization.k8s.io --verbs create --verbs=get", NOTHING),
    ("--api-group= --verbs=create --namespaced --categories=all -o name", "pods\nreplicationcontrollers\nservices\n"),
    ("--api-group=policy -o json", POLICY_JSON),
    ("--api-group=policy -o JSON --show-managed-fields", POLICY_JSON),
    ("--api-group=policy -o yaml", POLICY_YAML),
    ("--api-group=policy -o kyaml", POLICY_KYAML),
    ("--api-group=nope", NOTHING),
    ("--api-group=nope -o name", ""),
    ("--api-group=nope -o yaml", 'apiVersion: v1\ngroupVersion: ""\nkind: APIResourceList\nresources: null\n'),
    (
        "--api-group=policy -o wide",
        (
            "NAME                   SHORTNAMES   APIVERSION   NAMESPACED   KIND                  "
            "VERBS                                                        CATEGORIES\n"
            "poddisruptionbudgets   pdb          policy/v1    true         PodDisruptionBudget   "
            f"{','.join(VERBS)}   \n"
        ),
    ),
]


@pytest.mark.parametrize(("line", "stdout"), SHOWN, ids=[line for line, _ in SHOWN])
def test_types_are_listed(line: str, stdout: str, read: Read) -> None:
    assert read("api-resources", *line.split()) == Outcome(0, stdout, "")


FORMATS = "unable to match a printer suitable for the output format"
ALLOWED = "allowed formats are: json,kyaml,name,wide,yaml"
HINT = "See 'kctl api-resources -h' for help and examples\n"
USAGE = "See 'kctl api-resources --help' for usage.\n"
REFUSED = [
    ("--sort-by=colour", "error: --sort-by accepts only name or kind\n"),
    ("extra words", f"error: unexpected arguments: [extra words]\n{HINT}"),
    ("-o table", f'error: {FORMATS} "table", {ALLOWED}\n'),
    ("-o WIDE", f'error: {FORMATS} "WIDE", {ALLOWED}\n'),
    ("--sort-by=colour -o table", f'error: {FORMATS} "table", {ALLOWED}\n'),
    (
        "--namespaced=maybe",
        'error: invalid argument "maybe" for "--namespaced" flag: strconv.ParseBool: parsing "maybe": invalid syntax\n'
        + USAGE,
    ),
    (
        '--verbs=a"b',
        (
            'error: invalid argument "a\\"b" for "--verbs" flag: parse error on line 1, column 2: bare " in '
            f"non-quoted-field\n{USAGE}"
        ),
    ),
    ("--colours", f"error: unknown flag: --colours\n{USAGE}"),
]


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_meant_is_refused(line: str, stderr: str, read: Read) -> None:
    assert read("api-resources", *line.split()) == Outcome(1, "", stderr)


def test_types_are_sorted_by_group_unless_something_else_is_said(read: Read) -> None:
    by_group, by_name, by_kind = (
        read("api-resources", "--no-headers", *more).stdout.splitlines()
        for more in ([], ["--sort-by=name"], ["--sort-by=kind"])
    )
    assert [by_group[0].split()[0], by_group[-1].split()[0]] == ["bindings", "storageversionmigrations"]
    assert [line.split()[0] for line in by_name] == sorted(line.split()[0] for line in by_group)
    assert [line.split()[-1] for line in by_kind] == sorted(line.split()[-1] for line in by_group)


def test_what_is_cached_is_asked_for_again_unless_somebody_wants_it_cached(shop: Machine, tmp_path: Path) -> None:
    cache = ["--cache-dir", str(tmp_path), "api-resources", "--api-group=apps"]
    assert shop.kctl(*cache) == Outcome(0, APPS, "")
    kept = next(tmp_path.rglob("groups.json"))
    changed = json.loads(kept.read_text().replace("StatefulSet", "Sandcastle"))
    changed["roots"]["/apis"]["etag"] = ""
    kept.write_text(json.dumps(changed))
    assert "Sandcastle" in shop.kctl(*cache, "--cached").stdout
    assert "Sandcastle" not in shop.kctl(*cache).stdout
