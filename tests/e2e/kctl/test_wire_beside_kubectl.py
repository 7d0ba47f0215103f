"""The same command lines with a real kubectl and with kctl, through a proxy that writes down what is asked.

Only what has been the same in many releases of kubectl is compared: which requests, in which order, with which queries.
Left out are the requests for OpenAPI, which kubectl makes to see whether the server validates fields, and the program's
own name, which kctl puts where kubectl puts its own.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, environment
from tests.e2e.examples.kubectl import kubectls
from tests.e2e.kctl.recording_proxy import RecordingProxy, recording
from tests.e2e.up.machine import Machine

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\ndata:\n  x: '{}'\n"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: c, image: nginx}]}
"""
LINES = """\
get pods
get cm -l a=b -o name
get cm,secrets --field-selector=metadata.name=x
get pods -A -o wide
get cm none
get nonsense
get all
create -f one.yaml
create -f web.yaml
create cm two --from-literal=a=b
get cm two -o yaml
get cm --chunk-size=1
get -f one.yaml
get deploy web --subresource=scale
get --raw /version
describe cm two
apply -f three.yaml
apply -f three.yaml
apply -f changed.yaml
apply -f one.yaml --dry-run=client
label cm two x=y
label cm -l x=y z=q
annotate cm two x=y
patch cm two -p {"data":{"z":"1"}}
patch cm two --type=json -p [{"op":"remove","path":"/data/z"}]
scale deploy web --replicas=0
rollout restart deploy web
set image deploy/web c=nginx:2
set env deploy/web A=B
expose deploy web --port=80
replace -f three.yaml
api-resources
api-versions
auth whoami
auth can-i get pods -A
delete cm two
delete -f three.yaml
delete deploy/web svc/web
delete cm -l none=none
version"""


@dataclass(frozen=True, slots=True)
class Program:
    """With a home, a discovery cache and a namespace of its own."""

    argv: tuple[str, ...]
    home: Path
    namespace: str
    proxy: RecordingProxy

    def asked(self, line: str) -> list[str]:
        self.proxy.asked()
        subprocess.run(
            [*self.argv, *line.split(" "), "-n", self.namespace, "-s", self.proxy.url],
            cwd=self.home,
            env=environment(self.home, {"PATH": os.environ["PATH"]}),
            capture_output=True,
            check=False,
            timeout=60,
        )
        left_out = re.compile(r"GET /(openapi/|version\?timeout=5s)")  # the second is a kubectl that chooses another
        return [self._steady(one) for one in self.proxy.asked() if not left_out.match(one)]

    def _steady(self, request: str) -> str:
        request = request.replace(self.namespace, "<ns>").replace("kubectl", "kctl")
        request = re.sub(r"(involvedObject\.\w+%3D[^%&]*(%2C)?)+", "<object>", request)  # in no order of its own
        return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>", request)


@pytest.fixture(scope="module")
def programs(plane: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Program, Program]]:
    found = kubectls()
    if not found:
        pytest.skip("no kubectl on PATH or in .tools: run `make kubectl`")
    config = plane.user_config()
    server, user = config["clusters"][0]["cluster"]["server"], config["users"][0]["user"]
    with recording(server, user["token"]) as proxy:
        made = []
        for name, argv in (("kubectl", (str(found[0]),)), ("kctl", KCTL)):
            home = tmp_path_factory.mktemp(name)
            (home / "one.yaml").write_text(CONFIG_MAP.format("one", 1))
            (home / "three.yaml").write_text(CONFIG_MAP.format("three", 1))
            (home / "changed.yaml").write_text(CONFIG_MAP.format("three", 2))
            (home / "web.yaml").write_text(DEPLOYMENT)
            assert plane.kctl("create", "namespace", f"wire-{name}").code == 0
            made.append(Program(argv, home, f"wire-{name}", proxy))
        yield made[0], made[1]


def test_kctl_asks_what_kubectl_asks(programs: tuple[Program, Program]) -> None:
    kubectl, kctl = programs
    different = {}
    for line in LINES.splitlines():
        theirs, ours = kubectl.asked(line), kctl.asked(line)
        if theirs != ours:
            different[line] = (theirs, ours)
    assert different == {}
