"""The verbs that make objects up and change them: whole outputs, in a namespace of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine

Run: TypeAlias = Callable[..., Outcome]

_SERIAL = iter(range(1000))


@pytest.fixture
def run(plane: Machine) -> Run:
    """kctl in a new namespace."""
    namespace = f"changing-{next(_SERIAL)}"
    assert plane.kctl("create", "namespace", namespace).stdout == f"namespace/{namespace} created\n"

    def kctl(line: str, **environ: str) -> Outcome:
        return plane.kctl("-n", namespace, *line.split(), **environ)

    return kctl


MADE_UP = [
    ("configmap c --from-literal=a=b", "{.data}", '{"a":"b"}'),
    ("configmap c --from-literal=a=b --append-hash", "{.metadata.name}", "c-m4h6ctkgb2"),
    ("secret generic s --from-literal=a=b --type=x", "{.data}{.type}", '{"a":"Yg=="}x'),
    ("secret docker-registry s --docker-username=u --docker-password=p", "{.type}", "kubernetes.io/dockerconfigjson"),
    ("priorityclass p --value=5 --description=d", "{.value}{.description}", "5d"),
    ("priorityclass p --global-default --preemption-policy=Never", "{.globalDefault}{.preemptionPolicy}", "trueNever"),
    ("quota q --hard=pods=1 --scopes=BestEffort", "{.spec}", '{"hard":{"pods":"1"},"scopes":["BestEffort"]}'),
    ("role r --verb=get --resource=pods --resource-name=a", "{.rules[0].resourceNames}", '["a"]'),
    ("clusterrole r --verb=get --non-resource-url=/x", "{.rules}", '[{"nonResourceURLs":["/x"],"verbs":["get"]}]'),
    ("clusterrole r --aggregation-rule=a=b", "{.aggregationRule.clusterRoleSelectors[0].matchLabels}", '{"a":"b"}'),
    ("rolebinding r --role=a --group=g", "{.subjects[0].kind}{.roleRef.kind}", "GroupRole"),
    ("rolebinding r --clusterrole=a --user=g", "{.subjects[0].kind}{.roleRef.kind}", "UserClusterRole"),
    ("clusterrolebinding r --clusterrole=a --serviceaccount=n:s", "{.subjects[0].namespace}", "n"),
    ("pdb p --selector=a=b --max-unavailable=10%", "{.spec.maxUnavailable}", "10%"),
    ("pdb p --selector=a=b --min-available=1", "{.spec.minAvailable}", "1"),
    ("cronjob j --image=i --schedule=@daily --restart=Never", "{..restartPolicy}", "Never"),
    ("job j --image=i -- a b", "{..command}", '["a","b"]'),
    (
        "service nodeport s --tcp=80:http --node-port=30001",
        "{.spec.ports[0].targetPort}{.spec.ports[0].nodePort}",
        "http30001",
    ),
    ("service clusterip s --tcp=80 --clusterip=None", "{.spec.clusterIP}", "None"),
    ("service externalname s --external-name=a.b", "{.spec.externalName}", "a.b"),
    (
        "ingress i --rule=a.b/x*=s:80,tls=t --class=c",
        "{.spec.ingressClassName}{.spec.tls}",
        'c[{"hosts":["a.b"],"secretName":"t"}]',
    ),
    ("ingress i --default-backend=s:http --annotation=a=b", "{.metadata.annotations}", '{"a":"b"}'),
]


@pytest.mark.parametrize(("line", "path", "value"), MADE_UP, ids=[line for line, _, _ in MADE_UP])
def test_an_object_is_made_up_and_not_sent(run: Run, line: str, path: str, value: str) -> None:
    head, dashes, rest = line.partition(" -- ")
    assert run(f"create {head} --dry-run=client -o jsonpath={path}{dashes}{rest}") == Outcome(0, value, "")


PODS = [
    ("--env=A=b", "{.spec.containers[0].env}", '[{"name":"A","value":"b"}]'),
    ("--port=80", "{.spec.containers[0].ports}", '[{"containerPort":80}]'),
    ("--labels=a=b", "{.metadata.labels}", '{"a":"b"}'),
    ("--annotations=a=b", "{.metadata.annotations}", '{"a":"b"}'),
    ("--restart=Never", "{.spec.restartPolicy}", "Never"),
    ("--image-pull-policy=Never", "{.spec.containers[0].imagePullPolicy}", "Never"),
    ("--privileged", "{.spec.containers[0].securityContext}", '{"privileged":true}'),
    ('--overrides={"spec":{"hostNetwork":true}}', "{.spec.hostNetwork}", "true"),
    ("--command -- a b", "{.spec.containers[0].command}", '["a","b"]'),
    ("-- a b", "{.spec.containers[0].args}", '["a","b"]'),
]


@pytest.mark.parametrize(("flags", "path", "value"), PODS, ids=[flags for flags, _, _ in PODS])
def test_a_flag_of_run_is_seen_in_the_pod(run: Run, flags: str, path: str, value: str) -> None:
    assert run(f"run p --image=i --dry-run=client -o jsonpath={path} {flags}") == Outcome(0, value, "")


def test_a_deployment_goes_through_all_its_verbs(run: Run) -> None:
    steps = [
        ("create deployment web --image=a:1 --replicas=0 --port=80", "deployment.apps/web created\n"),
        ("expose deployment web --name=front", "service/front exposed\n"),
        ("scale deployment web --replicas=2", "deployment.apps/web scaled\n"),
        ("scale deployment web --replicas=0 --current-replicas=2", "deployment.apps/web scaled\n"),
        ("set image deployment/web a=a:2", "deployment.apps/web image updated\n"),
        ("set image deployment/web a=a:2", ""),
        ("set env deployment/web A=1 B=2", "deployment.apps/web env updated\n"),
        ("set env deployment/web A-", "deployment.apps/web env updated\n"),
        ("set env deployment/web --list", "# Deployment web, container a\nB=2\n"),
        ("set resources deployment web --limits=cpu=1", "deployment.apps/web resource requirements updated\n"),
        ("set serviceaccount deployment web robot", "deployment.apps/web serviceaccount updated\n"),
        ("set selector service front a=b", "service/front selector updated\n"),
        ("rollout pause deployment/web", "deployment.apps/web paused\n"),
        ("rollout resume deployment/web", "deployment.apps/web resumed\n"),
        ("rollout restart deployment/web", "deployment.apps/web restarted\n"),
        ("autoscale deployment web --max=3 --cpu=80%", "horizontalpodautoscaler.autoscaling/web autoscaled\n"),
        ("wait deployment/web --for=jsonpath={.spec.replicas}=0 --timeout=5s", "deployment.apps/web condition met\n"),
    ]
    for line, stdout in steps:
        done = run(line)
        assert (line, done.code, done.stdout, done.stderr) == (line, 0, stdout, "")


REFUSED = [
    ("create deployment d", 'error: required flag(s) "image" not set\n'),
    (
        "create configmap",
        "error: exactly one NAME is required, got 0\nSee 'kctl create configmap -h' for help and examples\n",
    ),
    ("scale deployment x", 'error: required flag(s) "replicas" not set\n'),
    ("run p --image=Bad:::", 'error: invalid image name "Bad:::": invalid reference format\n'),
    ("rollout history", "error: required resource not specified\n"),
    ("wait pod/x --for=bogus", 'error: unrecognized condition: "bogus"\n'),
    ("wait configmap/x --for=create --timeout=1s", "error: timed out waiting for the condition\n"),
    ("events --types=Odd", "error: valid --types are Normal or Warning\n"),
    ("taint node", "error: at least one taint update is required\n"),
    ("describe configmap nobody", 'Error from server (NotFound): configmaps "nobody" not found\n'),
]


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(run: Run, line: str, stderr: str) -> None:
    assert run(line) == Outcome(1, "", stderr)


def test_who_i_am_and_what_i_may(run: Run) -> None:
    assert run("auth can-i create pods") == Outcome(0, "yes\n", "")
    assert run("auth can-i create pods --as=nobody -q") == Outcome(1, "", "")
    assert run("auth whoami -o jsonpath={.status.userInfo.username} --as=jane").stdout == "jane"
    listed = run("auth can-i --list").stdout.splitlines()
    assert listed[0].split("   ")[0] == "Resources"
    assert any(line.startswith("*.*") for line in listed)


def test_a_config_map_is_described_with_its_data(run: Run) -> None:
    run("create configmap c --from-literal=a=b")
    namespace = run("get configmap c -o jsonpath={.metadata.namespace}").stdout
    assert run("describe configmap c").stdout == (
        f"Name:         c\nNamespace:    {namespace}\nLabels:       <none>\nAnnotations:  <none>\n\n"
        "Data\n====\na:\n----\nb\n\n\nBinaryData\n====\n\nEvents:  <none>\n"
    )


def test_a_node_is_marked_tainted_and_drained(run: Run, tmp_path: Path) -> None:
    name = "changing-node"
    manifest = tmp_path / "node.json"
    manifest.write_text(f'{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{name}"}}}}')
    assert run(f"create -f {manifest}").stdout == f"node/{name} created\n"
    assert run(f"cordon {name}").stdout == f"node/{name} cordoned\n"
    assert run(f"cordon {name}").stdout == f"node/{name} already cordoned\n"
    assert run(f"taint node {name} a=b:NoExecute").stdout == f"node/{name} tainted\n"
    assert run(f"uncordon {name}").stdout == f"node/{name} uncordoned\n"
    assert run(f"drain {name}").stdout == f"node/{name} cordoned\nnode/{name} drained\n"
