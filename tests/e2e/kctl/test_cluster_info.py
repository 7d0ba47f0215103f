"""`kctl cluster-info` and `kctl cluster-info dump`."""

from __future__ import annotations

import json
import stat

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk

SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: {name}
  labels:
    kubernetes.io/cluster-service: "true"
{label}spec:
  clusterIP: None
  ports: {ports}
---
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  automountServiceAccountToken: false
  initContainers:
  - name: first
    image: busybox
  containers:
  - name: one
    image: nginx
"""
LISTS = ("daemonsets", "deployments", "events", "pods", "replicasets", "replication-controllers", "services")
KINDS = ("Event", "ReplicationController", "Service", "DaemonSet", "Deployment", "ReplicaSet", "Pod")
DEBUG = "\nTo further debug and diagnose cluster problems, use 'kctl cluster-info dump'.\n"


def test_the_control_plane_is_somewhere(read: Read) -> None:
    done = read("cluster-info", "-n", "kube-system")
    first, rest = done.stdout.split("\n", 1)
    assert first.startswith("Kubernetes control plane is running at https://127.0.0.1:")
    assert (done.code, rest, done.stderr) == (0, DEBUG, "")


def test_services_of_the_cluster_are_reached_through_the_server(desk: Desk) -> None:
    named = "    kubernetes.io/name: Nice\n"
    services = (
        ("plain", "", "[{port: 80}]"),
        ("secure", "", "[{port: 443, name: web}]"),
        ("named", named, "[{port: 80, name: http}, {port: 443, name: https}]"),
        ("other", "", "[{port: 8443, name: https}]"),
    )
    desk.write(
        "s.yaml", "".join(SERVICE.format(name=name, label=label, ports=ports) for name, label, ports in services)
    )
    assert desk.run("create", "-f", "s.yaml").code == 0
    lines = desk.run("cluster-info").stdout.splitlines()
    base = lines[0].removeprefix("Kubernetes control plane is running at ") + "/api/v1/namespaces/<ns>/services"
    assert lines[1:] == [
        f"Nice is running at {base}/named:http/proxy",
        f"other is running at {base}/https:other:https/proxy",
        f"plain is running at {base}/plain/proxy",
        f"secure is running at {base}/https:secure:web/proxy",
        *DEBUG.splitlines(),
    ]


def test_everything_is_dumped_into_files_that_only_the_owner_reads(desk: Desk) -> None:
    desk.write("pod.yaml", POD)
    assert desk.run("create", "-f", "pod.yaml").code == 0
    done = desk.run("cluster-info", "dump", f"--namespaces={desk.namespace}", "--output-directory=out/deep")
    assert done == Outcome(0, "Cluster info dumped to out/deep\n", "")
    out = desk.directory / "out" / "deep"
    below = out / desk.namespace
    files = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    expected = ["nodes.json", f"{desk.namespace}/web/logs.txt", *(f"{desk.namespace}/{name}.json" for name in LISTS)]
    assert files == sorted(expected)
    assert {stat.S_IMODE(path.stat().st_mode) for path in out.rglob("*") if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (out.parent, out, below)} == {0o700}
    pods = json.loads((below / "pods.json").read_text())
    assert (pods["kind"], pods["apiVersion"], [pod["metadata"]["name"] for pod in pods["items"]]) == (
        "PodList",
        "v1",
        ["web"],
    )
    assert "managedFields" not in pods["items"][0]["metadata"]
    titles = [
        f"==== {mark} logs for container {name} of pod {desk.namespace}/web ===="
        for name in ("first", "one")
        for mark in ("START", "END")
    ]
    assert [line for line in (below / "web" / "logs.txt").read_text().splitlines() if line.startswith("====")] == titles


def test_an_empty_namespace_is_dumped_to_stdout_as_lists_without_items(desk: Desk) -> None:
    done = desk.run("cluster-info", "dump", "--namespaces=no-such-namespace", "--output-directory=-")
    documents = done.stdout.replace("\n}\n{", "\n}\n\x00{").split("\x00")
    listed = [json.loads(document) for document in documents]
    assert [document["kind"] for document in listed] == ["NodeList", *(f"{kind}List" for kind in KINDS)]
    assert [document["items"] for document in listed[1:]] == [None] * len(KINDS)
    assert documents[2].startswith(
        '{\n    "kind": "ReplicationControllerList",\n    "apiVersion": "v1",\n    "metadata":'
    )
    assert (done.code, done.stderr) == (0, "")


KINDS_LINE = "".join(f"{kind}List" for kind in KINDS)
FORMS = [
    ("--namespaces=nope -o jsonpath={.kind}", f"NodeList{KINDS_LINE}"),
    ("--namespaces=nope,nada -o jsonpath={.kind}", f"NodeList{KINDS_LINE * 2}"),
    ("--namespaces nope --namespaces nada --template={{.kind}}", f"NodeList{KINDS_LINE * 2}"),
    ("--namespaces=nope -o go-template={{.nope}}", "<no value>" * 8),
    ("--namespaces=nope -o jsonpath={.nope} --allow-missing-template-keys", ""),
]


@pytest.mark.parametrize(("line", "stdout"), FORMS, ids=[line for line, _ in FORMS])
def test_a_dump_has_the_usual_forms(line: str, stdout: str, desk: Desk) -> None:
    assert desk.run("cluster-info", "dump", *line.split()) == Outcome(0, stdout, "")


def test_yaml_goes_into_files_of_that_name_and_others_into_text(desk: Desk) -> None:
    for form in ("yaml", "kyaml", "jsonpath={.kind}"):
        desk.run("cluster-info", "dump", "--namespaces=nope", "--output-directory", form[:4], "-o", form)
    found = sorted(str(path.relative_to(desk.directory)) for path in desk.directory.rglob("nodes.*"))
    assert found == ["json/nodes.txt", "kyam/nodes.txt", "yaml/nodes.yaml"]
    # One printer prints all lists, so documents after the first begin with three dashes.
    assert (desk.directory / "yaml" / "nope" / "pods.yaml").read_text().startswith("---\napiVersion: v1\nitems: null\n")


def test_without_a_word_it_is_kube_system_and_the_current_namespace(desk: Desk) -> None:
    desk.run("cluster-info", "dump", "--output-directory=some", "-o", "jsonpath={.kind}")
    desk.run("cluster-info", "dump", "--output-directory=all", "-A", "--namespaces=nope", "-o", "jsonpath={.kind}")
    some = {path.parent.name for path in (desk.directory / "some").rglob("pods.txt")}
    every = {path.parent.name for path in (desk.directory / "all").rglob("pods.txt")}
    assert some == {"kube-system", desk.namespace}
    assert {*some, "default", "kube-public"} <= every
    assert "nope" not in every


def test_managed_fields_are_shown_on_request(desk: Desk) -> None:
    desk.write("s.yaml", SERVICE.format(name="one", label="", ports="[{port: 80}]"))
    assert desk.run("create", "-f", "s.yaml").code == 0
    line = ["cluster-info", "dump", "--namespaces", desk.namespace, "-o", "yaml"]
    assert "managedFields" not in desk.run(*line).stdout
    assert "\n    managedFields:\n" in desk.run(*line, "--show-managed-fields").stdout


HINT = "See 'kctl cluster-info dump --help' for usage.\n"
REFUSED = [
    ("--pod-running-timeout=0", "error: --pod-running-timeout must be higher than zero\n"),
    (
        "--pod-running-timeout=5",
        'error: invalid argument "5" for "--pod-running-timeout" flag: time: missing unit in duration "5"\n' + HINT,
    ),
    ("-o name", "error: list types are not supported by name printing: *v1.NodeList\n"),
    ("--namespaces=nope --output-directory file", "error: mkdir file: not a directory\n"),
    ("--namespaces=nope --output-directory file/a/b", "error: mkdir file: not a directory\n"),
    (
        "-o wide",
        (
            'error: unable to match a printer suitable for the output format "wide", allowed formats are: go-template,'
            "go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml\n"
        ),
    ),
    (
        "-o jsonpath={.nope} --allow-missing-template-keys=false",
        (
            'error: error executing jsonpath "{.nope}": Error executing template: nope is not found. Printing more '
            "information for debugging the template:"
        ),
    ),
]


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_dumped_is_refused(line: str, stderr: str, desk: Desk) -> None:
    desk.write("file", "")
    done = desk.run("cluster-info", "dump", *line.split())
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(stderr) if line.endswith("=false") else done.stderr == stderr
