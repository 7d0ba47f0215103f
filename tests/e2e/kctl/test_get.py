"""`kctl get`: every flag, and what is printed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.kctl.conftest import Read
from tests.e2e.up.machine import Machine

FRUIT = "get cm -l app=fruit"

SHOWN = [
    ("get cm apple", "NAME    DATA   AGE\napple   1      <age>\n"),
    (FRUIT, "NAME    DATA   AGE\napple   1      <age>\npear    2      <age>\n"),
    (f"{FRUIT} --no-headers", "apple   1     <age>\npear    2     <age>\n"),
    (f"{FRUIT} -o name", "configmap/apple\nconfigmap/pear\n"),
    (f"{FRUIT} -oname", "configmap/apple\nconfigmap/pear\n"),
    (f"{FRUIT} --chunk-size=1 -o name", "configmap/apple\nconfigmap/pear\n"),
    ("get cm --field-selector metadata.name=pear -o name", "configmap/pear\n"),
    ("get cm apple -L weight,none", "NAME    DATA   AGE  WEIGHT   NONE\napple   1      <age> 100      \n"),
    ("get cm apple --show-labels", "NAME    DATA   AGE  LABELS\napple   1      <age> app=fruit,weight=100\n"),
    ("get cm apple --show-kind", "NAME              DATA   AGE\nconfigmap/apple   1      <age>\n"),
    ("get cm apple --server-print=false", "NAME    AGE\napple   <age>\n"),
    (f"{FRUIT} --sort-by=.metadata.labels.weight -o name", "configmap/pear\nconfigmap/apple\n"),
    (f"{FRUIT} --sort-by=.metadata.labels.weight", "NAME    DATA   AGE\npear    2      <age>\napple   1      <age>\n"),
    (
        "get cm,secret -l app=fruit",
        (
            "NAME              DATA   AGE\nconfigmap/apple   1      <age>\nconfigmap/pear    2      <age>\n\n"
            "NAME         TYPE     DATA   AGE\nsecret/key   Opaque   1      <age>\n"
        ),
    ),
    (
        "get all -l app=fruit",
        (
            "NAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n"
            "deployment.apps/web   0/0     0            0           <age>\n"
        ),
    ),
    (
        "get deploy web -o wide",
        (
            "NAME   READY   UP-TO-DATE   AVAILABLE   AGE  CONTAINERS   IMAGES   SELECTOR\n"
            "web    0/0     0            0           <age> c            nginx    a=b\n"
        ),
    ),
    ("get deployments.v1.apps/web -o name", "deployment.apps/web\n"),
    ("get deploy web --subresource=scale -o jsonpath={.kind}", "Scale"),
    ("get cm pear -o jsonpath={.data.colour}", "green"),
    ("get cm -l app=fruit -o jsonpath={.items[*].metadata.name}", "apple pear"),
    ("get cm apple -o go-template={{.data.colour}}", "red"),
    ("get cm -l app=fruit --template={{.kind}}", "List"),
    ("get cm apple -o custom-columns=N:.metadata.name,C:.data.colour", "N       C\napple   red\n"),
    ("get cm -A -l app=vegetable", "NAMESPACE   NAME     DATA   AGE\nshop        carrot   0      <age>\n"),
    ("get cm nope --ignore-not-found", ""),
    ("get --raw /readyz", "ok"),
]


@pytest.mark.parametrize(("line", "stdout"), SHOWN, ids=[line for line, _ in SHOWN])
def test_get_prints(line: str, stdout: str, read: Read) -> None:
    assert read(*line.split(" ")) == Outcome(0, stdout, "")


SAID = [
    ("get cm -l app=none", 0, "No resources found in shop namespace.\n"),
    ("get cm -A -l app=none", 0, "No resources found\n"),
    ("get cm none", 1, 'Error from server (NotFound): configmaps "none" not found\n'),
    ("get nosuch", 1, 'error: the server doesn\'t have a resource type "nosuch"\n'),
    (
        "get deployments.v9.apps",
        1,
        'error: the server doesn\'t have a resource type "deployments" in group "v9.apps"\n',
    ),
    ("get cm apple -l a=b", 1, "error: name cannot be provided when a selector is specified\n"),
    ("get cm apple -A", 1, "error: a resource cannot be retrieved by name across all namespaces\n"),
    ("get cm a%2fb", 1, "error: invalid resource name \"a%2fb\": [may not contain '%']\n"),
    ("get cm,secret -w", 1, "error: you may only specify a single resource type\n"),
    ("get cm --raw /api", 1, "error: arguments may not be passed when --raw is specified\n"),
    ("get --raw relative", 1, 'error: --raw must be a valid URL path: parse "relative": invalid URI for request\n'),
    (
        "get cm --output-watch-events",
        1,
        "error: --output-watch-events option can only be used with --watch or --watch-only\n",
    ),
    ("get cm --show-labels -o json", 1, "error: --show-labels option cannot be used with json printer\n"),
    ("get secret none -n nowhere", 1, 'Error from server (NotFound): namespaces "nowhere" not found\n'),
    (
        "get cm --field-selector data.a=b",
        1,
        (
            'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", '
            'field selector "data.a=b": "data.a" is not a known field selector: only "metadata.name", '
            '"metadata.namespace"\n'
        ),
    ),
]


@pytest.mark.parametrize(("line", "code", "stderr"), SAID, ids=[line for line, _, _ in SAID])
def test_get_says(line: str, code: int, stderr: str, read: Read) -> None:
    assert read(*line.split(" ")) == Outcome(code, "", stderr)


def test_what_is_there_is_printed_beside_what_is_not(read: Read) -> None:
    assert read("get", "cm", "none", "apple") == Outcome(
        1, "NAME    DATA   AGE\napple   1      <age>\n", 'Error from server (NotFound): configmaps "none" not found\n'
    )


def test_who_is_impersonated_needs_rights_of_their_own(read: Read) -> None:
    refused = read("get", "cm", "--as", "nobody", "--as-group", "system:authenticated")
    assert refused.code == 1
    assert refused.stderr.startswith(
        'Error from server (Forbidden): configmaps is forbidden: User "nobody" cannot list'
    )


def test_managed_fields_are_shown_on_request(read: Read) -> None:
    assert "managedFields" not in read("get", "cm", "apple", "-o", "yaml").stdout
    assert "managedFields" in read("get", "cm", "apple", "-o", "yaml", "--show-managed-fields").stdout


def test_an_object_is_printed_as_it_is(read: Read) -> None:
    printed = json.loads(read("get", "cm", "pear", "-o", "json").stdout)
    assert printed["data"] == {"colour": "green", "note": "a\nb\n"}
    assert list(printed) == sorted(printed)


def test_files_say_which_objects_are_meant(read: Read, tmp_path: Path) -> None:
    apple = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: apple\n"
    (tmp_path / "a.yaml").write_text(apple + "---\n" + apple.replace("apple", "pear"))
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "b.json").write_text(
        '{"kind": "List", "apiVersion": "v1", "items": [{"kind": "Secret", "apiVersion": "v1", "metadata": {"name": '
        '"key"}}]}'
    )
    (tmp_path / "notes.txt").write_text("no manifest")
    assert read("get", "-f", str(tmp_path), "-o", "name").stdout == "configmap/apple\nconfigmap/pear\n"
    assert (
        read("get", "-R", "-f", str(tmp_path), "-o", "name").stdout == "configmap/apple\nconfigmap/pear\nsecret/key\n"
    )
    refused = read("get", "-f", str(tmp_path / "none"))
    assert refused == Outcome(1, "", f'error: the path "{tmp_path}/none" does not exist\n')


@pytest.mark.parametrize("flag", ["-w", "--watch-only"])
def test_changes_are_printed_as_they_come(flag: str, shop: Machine) -> None:
    line = [*KCTL, "-n", "shop", "get", "cm", "-l", "watched=yes", "--output-watch-events", flag, "--no-headers"]
    with subprocess.Popen(
        line, cwd=shop.home, env=environment(shop.home, shop.environ), stdout=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stdout is not None
        try:
            manifest = {
                "kind": "ConfigMap",
                "apiVersion": "v1",
                "metadata": {"name": "w", "labels": {"watched": "yes"}},
            }
            _eventually(shop, json.dumps(manifest))
            first = watching.stdout.readline().split()
        finally:
            watching.terminate()
            shop.kctl("-n", "shop", "delete", "cm", "w")
    assert first[:2] == ["ADDED", "w"]


def _eventually(shop: Machine, manifest: str) -> None:
    """Make an object after the watch has had time to open."""
    import time

    time.sleep(1.0)
    file = shop.home / "w.json"
    file.write_text(manifest)
    done = shop.kctl("-n", "shop", "create", "-f", str(file))
    assert done.code == 0, done.stderr
