"""`kctl wait`: whole outputs."""

from __future__ import annotations

import shlex
import subprocess
from contextlib import ExitStack

import pytest

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

THINGS = """\
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: p}}
spec: {containers: [{name: c, image: i}, {name: d, image: j}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {a: b}}
"""
CONDITIONS = '{"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"PodScheduled","status":"True"}]}}'
MET = "pod/p condition met\n"


@pytest.fixture
def made(desk: Desk) -> Desk:
    """A pod p, scheduled and not ready, and a config map cfg."""
    desk.run("create", "-f", desk.write("made.yaml", THINGS))
    desk.run("patch", "pod", "p", "--subresource=status", "--type=merge", "-p", CONDITIONS)
    return desk


def wait(desk: Desk, line: str) -> Outcome:
    return desk.run("wait", *shlex.split(line))


TRUE = [
    ("--for=condition=PodScheduled", MET),
    ("--for=condition=podscheduled=TRUE", MET),
    ("--for=condition=Ready=false --timeout=0", MET),
    ("--for=condition=PodScheduled --for=condition=Ready=False", MET * 2),
    ("--for=jsonpath={.spec.containers[0].name}=c", MET),
    ("""--for='jsonpath={.status.conditions[?(@.type=="Ready")].status}=False'""", MET),
    ("--for=jsonpath='{.metadata.labels}'", MET),
    ("--for=jsonpath=.metadata.name --timeout=-1s", MET),
    ("--for=create", MET),
    ("--for=create -o name", "pod/p\n"),
    ("--for=create -o jsonpath={.kind}", "Pod"),
    ("--for=create --template={{.kind}}", "Pod"),
]


def test_what_is_true_already_is_not_waited_for(made: Desk) -> None:
    for words, stdout in TRUE:
        assert wait(made, f"pod/p {words}") == Outcome(0, stdout, ""), words


FALSE = [
    ("pod/p --for=condition=Ready --timeout=10ms", "error: timed out waiting for the condition on pods/p\n"),
    ("pod/p --for=condition=Ready --timeout=0", "error: condition not met for pods/p\n"),
    ("pod/p --for=jsonpath={.nope} --timeout=0", "error: condition not met for pods/p\n"),
    ("pod/p --for=delete --timeout=0", "error: condition not met for pods/p\n"),
    ("pod/p --for=delete --timeout=10ms", "error: timed out waiting for the condition on pods/p\n"),
    ("pod/q --for=create --timeout=10ms", "error: timed out waiting for the condition\n"),
    ("pod/q --for=condition=Ready", 'Error from server (NotFound): pods "q" not found\n'),
    ("pod/p --for=jsonpath={.spec.containers[*].name}=c",
     "error: given jsonpath expression matches more than one value\n"),
    ("pod/p --for=jsonpath={.metadata.labels}=c",
     "error: jsonpath leads to a nested object or list which is not supported\n"),
]  # fmt: skip


def test_what_does_not_come_true_fails(made: Desk) -> None:
    for words, stderr in FALSE:
        assert wait(made, words) == Outcome(1, "", stderr), words


def test_objects_are_chosen_by_name_selector_or_file(made: Desk) -> None:
    made.config_map("dir/deep/cfg.yaml", "cfg")
    chosen = [
        ("pods --all --for=create", MET),
        ("pod/p --all --for=create", MET),
        ("pods -l app=p --for=create", MET),
        ("pods --field-selector=metadata.name=p --for=create", MET),
        (f"pods -n default -A --field-selector=metadata.namespace={made.namespace} --for=create", MET),
        ("-f made.yaml --for=create", f"{MET}configmap/cfg condition met\n"),
        ("-f dir --for=create", "configmap/cfg condition met\n"),
        ("pods -l app=none --for=delete", ""),
        ("pod/q --for=delete", ""),
        ("--local -f made.yaml --for=create", f"{MET}configmap/cfg condition met\n"),
    ]
    for words, stdout in chosen:
        assert wait(made, words) == Outcome(0, stdout, ""), words
    assert wait(made, "-f dir -R=false --for=create").code == 1
    assert wait(made, "pods -l app=none --for=condition=Ready").stderr == "error: no matching resources found\n"


def test_the_object_is_printed_with_what_was_asked_for(made: Desk) -> None:
    assert "manager:" not in wait(made, "pod/p --for=create -o yaml").stdout
    assert "manager:" in wait(made, "pod/p --for=create -o yaml --show-managed-fields").stdout
    assert wait(made, "pod/p --for=create -o jsonpath={.nope}") == Outcome(0, "", "")
    template = "pod/p --for=create -o go-template={{.nope}}"
    assert wait(made, template) == Outcome(0, "<no value>", "")
    strict = wait(made, f"{template} --allow-missing-template-keys=false")
    assert (strict.code, strict.stderr) == (0, "")  # kubectl does not look at what its printer says
    assert strict.stdout.startswith('Error executing template: template: output:1:2: executing "output" at <.nope>: ')


def test_changes_are_seen_as_they_happen(made: Desk) -> None:
    lines = [
        "cm/late --for=create --for=jsonpath={.data.x}=1 --timeout=50s",
        "pod/p --for=condition=Ready --timeout=50s",
        "cm/cfg --for=delete --timeout=50s",
    ]
    environ = environment(made.machine.home, made.machine.environ)
    with ExitStack() as stack:
        waiting = [
            stack.enter_context(
                subprocess.Popen(
                    [*KCTL, "-n", made.namespace, "wait", *shlex.split(line)],
                    env=environ,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for line in lines
        ]
        made.run("create", "cm", "late")
        made.run("patch", "cm", "late", "-p", '{"data":{"x":"1"}}')
        made.run("patch", "pod", "p", "--subresource=status", "-p", CONDITIONS.replace("False", "True"))
        made.run("delete", "cm", "cfg")
        said = [process.communicate(timeout=55)[0] for process in waiting]
    assert said[:2] == ["configmap/late condition met\n" * 2, MET]
    assert said[2] in ("configmap/cfg condition met\n", "")  # nothing, if it was gone before the first look


def test_an_observation_of_an_older_generation_does_not_count(desk: Desk) -> None:
    desk.run("create", "deploy", "web", "--image=i")
    status = '{"status":{"observedGeneration":%d,"conditions":[{"type":"Available","status":"True"}]}}'
    for observed, outcome in (
        (1, Outcome(0, "deployment.apps/web condition met\n", "")),
        (0, Outcome(1, "", "error: condition not met for deployments/web\n")),
    ):
        if not observed:
            desk.run("scale", "deploy", "web", "--replicas=2")
        desk.run("patch", "deploy", "web", "--subresource=status", "--type=merge", "-p", status % 1)
        assert wait(desk, "deploy/web --for=condition=Available --timeout=0") == outcome


REFUSED = [
    ("", "error: unrecognized condition: []\n"),
    ("pod/p --for=bogus", 'error: unrecognized condition: "bogus"\n'),
    ("pod/p --for=jsonpath=", "error: jsonpath expression cannot be empty\n"),
    ("pod/p --for=jsonpath={.a}=", ("error: jsonpath wait has to have a value after equal sign, like "
     "--for=jsonpath='{.status.readyReplicas}'=3\n")),
    ("pod/p --for=jsonpath={.a}=b=c", ("error: jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 "
     "or --for=jsonpath='{.status.readyReplicas}'\n")),
    ("pods --for=create", "error: resource(s) were provided, but no name was specified\n"),
    ("pod/p --for=create --timeout=soon", ('error: invalid argument "soon" for "--timeout" flag: time: invalid '
     "duration \"soon\"\nSee 'kctl wait --help' for usage.\n")),
    ("pod/p -k . --for=create",
     "error: unknown shorthand flag: 'k' in -k\nSee 'kctl wait --help' for usage.\n"),
    ("cm/x cm/y --for=create", ('Error from server (NotFound): configmaps "x" not found\n'
     'Error from server (NotFound): configmaps "y" not found\n')),
    ("cm/x --local --for=create", ("error: you must specify resources by --filename when --local is set.\n"
     "Example resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n")),
]  # fmt: skip


@pytest.mark.parametrize(("words", "stderr"), REFUSED, ids=[words for words, _ in REFUSED])
def test_a_wrong_command_line_is_refused(read: Read, words: str, stderr: str) -> None:
    assert read("wait", *shlex.split(words)) == Outcome(1, "", stderr)
