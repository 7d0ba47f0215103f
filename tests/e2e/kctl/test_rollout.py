"""`kctl rollout history|pause|restart|resume|status|undo`: whole outputs. There are no controllers here, so that what
they would write is written by the tests."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

CAUSE = "kubernetes.io/change-cause"
HELD = "can't restart paused deployment (run rollout resume first)"
RESTARTED = "{.spec.template.metadata.annotations}"


def template(name: str, image: str) -> JSONObject:
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": image}]}}


def workload(kind: str, name: str, image: str, **more: Any) -> JSONObject:
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template(name, image), **more}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "labels": {"app": name}}, "spec": spec}


def described(image: str, more: str = "") -> str:
    return (
        f"Pod Template:\n  Labels:\tapp=web{more}\n  Containers:\n   c:\n    Image:\t{image}\n    Port:\t<none>\n"
        "    Host Port:\t<none>\n    Environment:\t<none>\n    Mounts:\t<none>\n  Volumes:\t<none>\n"
        "  Node-Selectors:\t<none>\n  Tolerations:\t<none>\n"
    )


class Workloads:
    """Made as JSON, and given the past that a controller would have written down."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def make(self, *objects: JSONObject) -> None:
        for obj in objects:
            file = self.desk.write(f"{obj['metadata']['name']}.json", json.dumps(obj))
            done = self.desk.run("create", "-f", file)
            assert done.code == 0, done.stderr

    def run(self, line: str) -> Outcome:
        return self.desk.run("rollout", *shlex.split(line))

    def status(self, resource: str, **fields: Any) -> None:
        patch = json.dumps({"status": fields})
        done = self.desk.run("patch", *resource.split("/"), "--subresource=status", "--type=merge", "-p", patch)
        assert done.code == 0, done.stderr

    def past(self, kind: str, name: str, *images: str) -> None:
        """A revision for each image, the last of which is now; the first says why it is there."""
        got = self.desk.machine.kctl("-n", self.desk.namespace, "get", kind, name, "-o", "json").stdout
        owner = {"apiVersion": "apps/v1", "kind": kind, "name": name, "controller": True}
        owner["uid"] = json.loads(got)["metadata"]["uid"]
        for number, image in enumerate(images, start=1):
            obj = self._replica_set(name, number, image) if kind == "Deployment" else _revision(got, number, image)
            obj["metadata"] |= {"name": f"{name}-{number}", "ownerReferences": [owner]}
            if number == 1:
                obj["metadata"].setdefault("annotations", {})[CAUSE] = "the first"
            self.make(obj)

    def _replica_set(self, name: str, number: int, image: str) -> JSONObject:
        obj = workload("ReplicaSet", name, image, replicas=0)
        obj["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": str(number)}
        for labels in (obj["metadata"]["labels"], obj["spec"]["selector"]["matchLabels"],
                       obj["spec"]["template"]["metadata"]["labels"]):  # fmt: skip
            labels["pod-template-hash"] = str(number)
        return obj


def _revision(owner: str, number: int, image: str) -> JSONObject:
    whole = json.loads(owner)["spec"]["template"]
    whole["spec"]["containers"][0]["image"] = image
    data = {"spec": {"template": {**whole, "$patch": "replace"}}}
    metadata = {"labels": whole["metadata"]["labels"]}
    return {
        "apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": metadata, "revision": number, "data": data,
    }  # fmt: skip


@pytest.fixture
def workloads(desk: Desk) -> Workloads:
    return Workloads(desk)


@pytest.fixture
def web(workloads: Workloads) -> Workloads:
    """A deployment web with three revisions."""
    workloads.make(workload("Deployment", "web", "nginx:3", replicas=3))
    workloads.past("Deployment", "web", "nginx:1", "nginx:2", "nginx:3")
    return workloads


LISTED = "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         the first\n2         <none>\n3         <none>\n\n"


def test_the_revisions_of_a_deployment(web: Workloads) -> None:
    web.desk.write("deep/dir/web.json", (web.desk.directory / "web.json").read_text())
    web.desk.write("kus/kustomization.yaml", "resources: [web.json]\n")
    web.desk.write("kus/web.json", (web.desk.directory / "web.json").read_text())
    for words in ("deploy/web", "deploy", "deploy -l app=web", "-f web.json", "-f deep -R", "-k kus"):
        assert web.run(f"history {words}") == Outcome(0, LISTED, ""), words
    assert web.run("history deploy -l app=none") == Outcome(0, "", "")
    steps = [
        ("--revision=2", f"deployment.apps/web with revision #2\n{described('nginx:2', NEXT_LABEL)}\n"),
        ("-o name", "".join(f"replicaset.apps/web-{number}\n" for number in (1, 2, 3))),
        ("--revision=2 -o jsonpath={.metadata.name}", "web-2"),
        ("--template={{.metadata.name}}", "web"),
        ("-o jsonpath={.nope}", ""),
    ]
    for words, stdout in steps:
        assert web.run(f"history deploy/web {words}") == Outcome(0, stdout, ""), words
    assert web.run("history deploy/web --revision=9").stderr == "error: unable to find the specified revision\n"
    strict = web.run("history deploy/web --revision=2 -o jsonpath={.nope} --allow-missing-template-keys=false")
    assert "nope is not found" in strict.stderr
    assert "manager:" not in web.run("history deploy/web --revision=2 -o yaml").stdout
    assert "manager:" in web.run("history deploy/web --revision=2 -o yaml --show-managed-fields").stdout


NEXT_LABEL = "\n\tpod-template-hash=2"


@pytest.mark.parametrize("kind", ["DaemonSet", "StatefulSet"])
def test_other_sets_go_back_as_well(workloads: Workloads, kind: str) -> None:
    more = {"serviceName": "s"} if kind == "StatefulSet" else {}
    name, shown = f"{kind.lower()}/web", f"{kind.lower()}.apps/web"
    workloads.make(workload(kind, "web", "nginx:2", **more))
    assert workloads.run(f"history {name}") == Outcome(0, f"{shown} \nNo rollout history found.\n", "")
    assert workloads.run(f"undo {name}") == Outcome(1, "", "error: no last revision to roll back to\n")
    workloads.past(kind, "web", "nginx:1", "nginx:2")
    current = "skipped rollback (current template already matches revision 2)"
    steps = [
        (f"history {name}", f"{shown} \nREVISION  CHANGE-CAUSE\n1         the first\n2         <none>\n\n"),
        (f"history {name} --revision=1", f"{shown} with revision #1\n{described('nginx:1')}\n"),
        (f"undo {name} --dry-run=client", f"{shown} will roll back to {described('nginx:1')} (dry run)\n"),
        (f"undo {name} --to-revision=2", f"{shown} {current}\n"),
        (f"undo {name}", f"{shown} rolled back\n"),
    ]
    for line, stdout in steps:
        assert workloads.run(line) == Outcome(0, stdout, ""), line
    image = workloads.desk.run("get", *name.split("/"), "-o", "jsonpath={..image}").stdout
    assert image == "nginx:1"


def test_a_deployment_goes_back(web: Workloads) -> None:
    steps = [
        ("--dry-run=server", "rolled back (server dry run)"),
        ("--to-revision=3", "skipped rollback (current template already matches revision 3)"),
        ("", "rolled back"),
        ("--to-revision=1 -o name", None),
    ]
    for words, done in steps:
        said = f"deployment.apps/web {done}\n" if done else "deployment.apps/web\n"
        assert web.run(f"undo deploy/web {words}") == Outcome(0, said, ""), words
    found = web.desk.run("get", "deploy", "web", "-o", "jsonpath={..image} {.metadata.annotations}").stdout
    assert found == 'nginx:1 {"kubernetes.io/change-cause":"the first"}'
    assert web.run("undo deploy/web --to-revision=9") == Outcome(
        1, "", "error: unable to find specified revision 9 in history\n"
    )
    web.run("pause deploy/web")
    assert web.run("undo -f web.json").stderr == (
        "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again\n"
    )


def test_what_was_applied_is_warned_of(workloads: Workloads) -> None:
    file = workloads.desk.write("web.json", json.dumps(workload("Deployment", "web", "nginx:2")))
    workloads.desk.run("apply", "-f", file)
    done = workloads.run("undo deploy -l app=web")
    assert done.stderr.startswith("Warning: resource deployments/web was previously managed with 'kctl apply'. ")
    assert done.stderr.endswith('error: no rollout history found for deployment "web"\n')


def test_a_deployment_is_held_and_let_go(workloads: Workloads) -> None:
    workloads.make(workload("Deployment", "web", "nginx"))
    why = 'error: deployments.apps "web" {}\n'
    steps = [
        ("pause deploy/web", Outcome(0, "deployment.apps/web paused\n", "")),
        ("pause -f web.json", Outcome(1, "", why.format("is already paused"))),
        ("restart deploy/web", Outcome(1, "", why.format(HELD))),
        ("resume deploy -l app=web", Outcome(0, "deployment.apps/web resumed\n", "")),
        ("resume deploy/web", Outcome(1, "", why.format("is not paused"))),
        ("restart deploy", Outcome(0, "deployment.apps/web restarted\n", "")),
        ("pause deploy/web -o jsonpath={.spec.paused}", Outcome(0, "true", "")),
        ("resume deploy/web --template={{.spec.paused}}", Outcome(0, "<no value>", "")),
        ("pause deploy -l app=none", Outcome(0, "", "No resources found in <ns> namespace.\n")),
        ("pause deploy/web --field-manager=me -o name", Outcome(0, "deployment.apps/web\n", "")),
    ]  # fmt: skip
    for line, outcome in steps:
        assert workloads.run(line) == outcome, line
    assert workloads.run(f"resume deploy/web -o jsonpath={RESTARTED}").stdout == (
        '{"kubectl.kubernetes.io/restartedAt":"<time>"}'
    )
    managers = workloads.desk.run("get", "deploy", "web", "-o", "jsonpath={.metadata.managedFields[*].manager}")
    assert managers.stdout.split() == ["kubectl-create", "kubectl-rollout"]  # `me` owned what is gone again


@pytest.fixture
def three(workloads: Workloads) -> Workloads:
    """Deployments with two revisions each: web, in the folder deep/dir; old, in the kustomization kus; and new."""
    for name in ("web", "old", "new"):
        workloads.make(workload("Deployment", name, "nginx:2"))
        workloads.past("Deployment", name, "nginx:1", "nginx:2")
    workloads.desk.write("deep/dir/web.json", (workloads.desk.directory / "web.json").read_text())
    workloads.desk.write("kus/old.json", (workloads.desk.directory / "old.json").read_text())
    workloads.desk.write("kus/kustomization.yaml", "resources: [old.json]\n")
    return workloads


def test_all_of_them_take_files_and_selectors_and_print_as_they_are_told(three: Workloads) -> None:
    """Each deployment once, because nothing is restarted twice within a second."""
    for command in ("pause", "resume", "restart", "undo"):
        strict = three.run(f"{command} -f deep -R -o jsonpath={{.nope}} --allow-missing-template-keys=false")
        assert "Error executing template: nope is not found." in strict.stderr, command
        assert "\n    manager: " in three.run(f"{command} -k kus -o yaml --show-managed-fields").stdout, command
        mine = [] if command == "undo" else ["--field-manager=me"]
        name = ("-l", "app=new", "--template={{.metadata.name}}")
        chosen = three.desk.run("rollout", command, "deploy", *name, *mine, "-v=6")
        assert (chosen.code, chosen.stdout) == (0, "new"), command
        assert ("fieldManager=me" in chosen.stderr) == (command != "undo"), command
    for words in ("deploy -l app=new", "-k kus", "-f deep -R"):
        waiting = Outcome(0, "Waiting for deployment spec update to be observed...\n", "")
        assert three.run(f"status {words} --watch=false") == waiting, words
    images = three.desk.run("get", "deploy", "-o", "jsonpath={.items[*].spec.template.spec.containers[0].image}")
    assert images.stdout == "nginx:1 nginx:1 nginx:1"


def complete(text: str) -> Outcome:
    return Outcome(0, f"{text}\n", "")


WAITING = 'Waiting for deployment "web" rollout to finish: '
DEPLOYMENT_STATES: list[tuple[JSONObject, str]] = [
    ({}, "Waiting for deployment spec update to be observed..."),
    ({"observedGeneration": 1, "updatedReplicas": 1, "replicas": 3},
     f"{WAITING}1 out of 3 new replicas have been updated..."),
    ({"updatedReplicas": 3, "replicas": 5}, f"{WAITING}2 old replicas are pending termination..."),
    ({"replicas": 3, "availableReplicas": 1, "readyReplicas": 1}, f"{WAITING}1 of 3 updated replicas are available..."),
    ({"availableReplicas": 3, "readyReplicas": 3}, 'deployment "web" successfully rolled out'),
]  # fmt: skip


def test_how_far_a_deployment_is(workloads: Workloads) -> None:
    deployment = workload("Deployment", "web", "nginx", replicas=3)
    deployment["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "4"}
    workloads.make(deployment)
    for fields, said in DEPLOYMENT_STATES:
        if fields:
            workloads.status("deploy/web", **fields)
        assert workloads.run("status deploy/web --watch=false") == complete(said)
    assert workloads.run("status deploy/web --revision=4").code == 0
    assert workloads.run("status -f web.json --revision=3").stderr == (
        "error: desired revision (3) is different from the running revision (4)\n"
    )
    late = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    workloads.status("deploy/web", conditions=[late])
    assert workloads.run("status deploy -l app=web").stderr == (
        'error: deployment "web" exceeded its progress deadline\n'
    )


def test_how_far_other_sets_are(workloads: Workloads) -> None:
    waiting = 'Waiting for daemon set "agent" rollout to finish: '
    workloads.make(workload("DaemonSet", "agent", "i"), workload("StatefulSet", "db", "i", replicas=2, serviceName="s"))
    states: list[tuple[str, JSONObject, str]] = [
        ("ds/agent", {"observedGeneration": 1, "desiredNumberScheduled": 3, "currentNumberScheduled": 3,
                      "numberMisscheduled": 0, "numberReady": 0, "updatedNumberScheduled": 1},
         f"{waiting}1 out of 3 new pods have been updated..."),
        ("ds/agent", {"updatedNumberScheduled": 3}, f"{waiting}0 of 3 updated pods are available..."),
        ("ds/agent", {"numberAvailable": 3}, 'daemon set "agent" successfully rolled out'),
        ("sts/db", {"observedGeneration": 1, "replicas": 2, "readyReplicas": 1}, "Waiting for 1 pods to be ready..."),
        ("sts/db", {"readyReplicas": 2},
         "Waiting for partitioned roll out to finish: 0 out of 2 new pods have been updated..."),
        ("sts/db", {"updatedReplicas": 2}, "partitioned roll out complete: 2 new pods have been updated..."),
    ]  # fmt: skip
    for resource, fields, said in states:
        workloads.status(resource, **fields)
        assert workloads.run(f"status {resource} -w=false") == complete(said)


def test_a_rollout_is_followed_until_it_is_done(workloads: Workloads) -> None:
    workloads.make(workload("Deployment", "web", "nginx", replicas=3))
    states = [state for state, _ in DEPLOYMENT_STATES[1:]]
    command = [*KCTL, "-n", workloads.desk.namespace, "rollout", "status", "deploy/web"]
    machine = workloads.desk.machine
    environ = environment(machine.home, machine.environ)
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        said = [following.stdout.readline()]
        for state in states:
            workloads.status("deploy/web", **state)
            said.append(following.stdout.readline())
        assert following.wait(timeout=30) == 0
    assert said == [f"{line}\n" for _, line in DEPLOYMENT_STATES]
    workloads.desk.run("scale", "deploy", "web", "--replicas=4")
    assert workloads.run("status deploy/web --timeout=1s") == Outcome(
        1,
        "Waiting for deployment spec update to be observed...\n",
        "error: timed out waiting for the condition\n",
    )


REFUSED = [
    *((f"{verb}", "error: required resource not specified\n")
      for verb in ("history", "pause", "restart", "resume", "status", "undo")),
    ("history deploy/web --revision=-1", "error: revision must be a positive integer: -1\n"),
    ("status deploy/web --revision=-1", "error: revision must be a positive integer: -1\n"),
    ("history cm/apple",
     'error: error retrieving history for "ConfigMap", no visitor method exists for { ConfigMap}\n'),
    ("undo cm/apple",
     'error: error retrieving rollbacker for "ConfigMap", no visitor method exists for { ConfigMap}\n'),
    ("status cm/apple", "error: no status viewer has been implemented for ConfigMap\n"),
    ("pause cm/apple", 'error: configmaps "apple" pausing is not supported\n'),
    ("resume cm/apple", 'error: configmaps "apple" resuming is not supported\n'),
    ("restart cm/apple", 'error: configmaps "apple" restarting is not supported\n'),
    ("undo deploy/web --dry-run=maybe",
     'error: Invalid dry-run value (maybe). Must be "none", "server", or "client".\n'),
    ("bogus", "error: unknown command \"bogus\"\nSee 'kctl rollout -h' for help and examples\n"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_wrong_command_line_is_refused(read: Read, line: str, stderr: str) -> None:
    assert read("rollout", *line.split()) == Outcome(1, "", stderr)


def test_alone_it_shows_its_help_and_fails(read: Read) -> None:
    done = read("rollout")
    assert (done.code, done.stderr) == (1, "")
    assert "Available Commands:\n" in done.stdout
