"""`kctl history` and `kctl undo`: what happened to an object, and back."""

from __future__ import annotations

import json
import re

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk


def _without_numbers(text: str) -> str:
    text = re.sub(r"creationTimestamp: .*|uid: .*|namespace: .*", "...", text)
    return re.sub(r"revision \d+", "revision N", re.sub(r"kubectl/v1\.37\.0\+kctl\.[\d.]+[a-z\d]*", "kubectl/V", text))


def test_what_happened_is_told_and_undone(desk: Desk) -> None:
    assert desk.run("create", "configmap", "a", "--from-literal=colour=red").code == 0
    assert desk.run("patch", "cm/a", "-p", '{"data":{"colour":"blue"}}').code == 0
    told = desk.run("history", "cm/a")
    assert (told.code, told.stderr) == (0, "")
    created, changed = _without_numbers(told.stdout).split("revision N")[1:]
    assert created.splitlines()[0] == "  <time>  ADDED  by kubectl-create  (kubernetes-admin, kubectl/V)"
    assert "  +  colour: red\n" in created
    assert changed == (
        "  <time>  MODIFIED  by kubectl-patch  (kubernetes-admin, kubectl/V)\n   data:\n  -  colour: red\n"
        "  +  colour: blue\n   kind: ConfigMap\n"
    )
    revisions = json.loads(desk.run("history", "cm", "a", "-o", "json").stdout)["items"]
    assert [each["object"]["data"]["colour"] for each in revisions] == ["red", "blue"]
    assert desk.run("history", "cm/a", "--output", "yaml").stdout.startswith("apiVersion: v1\nitems:\n")
    first = str(revisions[0]["revision"])
    assert desk.run("undo", "cm/a", "--to", first) == Outcome(0, f"configmaps/a is again as it was at {first}\n", "")
    assert desk.run("get", "cm/a", "-o", "jsonpath={.data.colour}").stdout == "red"
    assert desk.run("undo", "cm/a", "--to", first) == Outcome(0, f"configmaps/a is still as it was at {first}\n", "")
    assert desk.run("delete", "cm", "a").code == 0
    again = desk.run("undo", "cm/a", "--to", str(revisions[1]["revision"]))
    assert again.stdout == f"configmaps/a is there again, as it was at {revisions[1]['revision']}\n"
    assert desk.run("get", "cm/a", "-o", "jsonpath={.data.colour}").stdout == "blue"

    refusals = {
        ("undo", "cm/a"): "error: say to when: --to REVISION",
        ("undo", "cm/a", "--to", "0"): "0 is gone: the history of this plane reaches back to revision",
        ("undo", "cm/a", "--to", "99999999"): "revision 99999999 is in the future: the plane is at",
        ("undo", "cm/nope", "--to", first): f"error: configmaps/nope was not there at {first}: see `kctl history",
        ("history", "cm/nope"): "error: nothing is known of configmaps/nope: the history of this plane reaches back",
        ("history", "cm/a", "-o", "wide"): 'there is no --output "wide" here: it is one of json, yaml',
    }
    for words, why in refusals.items():
        done = desk.run(*words)
        assert done.code == 1
        assert why in done.stderr, done.stderr


def test_what_may_not_change_is_refused_by_the_server(desk: Desk) -> None:
    assert desk.run("create", "secret", "generic", "s", "--from-literal=a=1").code == 0
    first = json.loads(desk.run("history", "secret/s", "-o", "json").stdout)["items"][0]["revision"]
    assert desk.run("patch", "secret/s", "-p", '{"immutable":true,"data":{"a":"Mg=="}}').code == 0
    done = desk.run("undo", "secret/s", "--to", str(first))
    assert done.code == 1
    assert 'The Secret "s" is invalid' in done.stderr
    assert "immutable" in done.stderr
