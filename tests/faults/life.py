"""A plane is killed again and again while workloads roll out and jobs run. Afterwards everything is as the specs say,
and nothing was done twice: `python -m tests.faults.life --help`."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from localplane.apimachinery.objects import JSONObject
from tests.e2e.up.machine import Machine, machine, until

_DEPLOYMENTS: Final = 3
_REPLICAS: Final = 6
_COMPLETIONS: Final = 8
_PATIENCE: Final = 240.0


@dataclass(slots=True)
class Verdict:
    """What was wrong, and what was seen of it on the way."""

    kills: int = 0
    jobs: int = 0
    rollouts: int = 0
    seconds: float = 0.0
    violations: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = (
            f"{self.kills} kills during {self.rollouts} rollouts and {self.jobs} jobs, "
            f"everything as it should be {self.seconds:.1f} s after the last; violations: {len(self.violations)}"
        )
        return "\n".join([told, *self.violations])


def run(home: Path, *, kills: int, storage: str, seed: int) -> Verdict:
    chance, verdict = random.Random(seed), Verdict()
    completed: dict[str, str] = {}
    with machine(home, **_etcd()) as here:
        arguments = ("--data-dir", str(home / "data"), "--storage", storage, "--nodes", "3")
        here.up(*arguments)
        for number in range(kills):
            _begin(here, number, verdict)
            time.sleep(chance.uniform(0.05, 2.0))
            _note_completions(here, completed, verdict)
            os.kill(here.status()["pids"]["server"], signal.SIGKILL)
            verdict.kills += 1
            until(lambda: here.status()["state"] == "killed")
            here.up(*arguments)
        begun = time.monotonic()
        while (left := sorted(set(_unfinished(here, kills)))) and time.monotonic() - begun < _PATIENCE:
            time.sleep(0.2)
        verdict.seconds = time.monotonic() - begun
        verdict.violations += [f"{name} is not as it should be" for name in left]
        _note_completions(here, completed, verdict)
        verdict.violations += _twice(here)
    return verdict


def _begin(here: Machine, number: int, verdict: Verdict) -> None:
    """A change of every deployment, which may still be busy with the one before, and a job more."""
    documents = [_deployment(each, number) for each in range(_DEPLOYMENTS)] + [_job(number)]
    manifest = here.home / "manifest.json"
    manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}))
    done = here.kctl("apply", "-f", str(manifest))
    assert done.code == 0, done.stderr
    verdict.rollouts += _DEPLOYMENTS
    verdict.jobs += 1


def _deployment(each: int, number: int) -> JSONObject:
    labels = {"app": f"web-{each}"}
    container = {"name": "web", "image": f"nginx:{number}"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": _REPLICAS, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": f"web-{each}"}, "spec": spec}


def _job(number: int) -> JSONObject:
    container = {"name": "work", "image": "busybox", "command": ["true"]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"completions": _COMPLETIONS, "parallelism": 3, "completionMode": "Indexed", "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"job-{number}"}, "spec": spec}


def _items(here: Machine, resource: str) -> list[JSONObject]:
    done = here.kctl("get", resource, "-o", "json")
    assert done.code == 0, done.stderr
    items: list[JSONObject] = json.loads(done.stdout)["items"]
    return items


def _unfinished(here: Machine, kills: int) -> Iterator[str]:
    for deployment in _items(here, "deployments"):
        status = deployment.get("status", {})
        counts = [status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")]
        if counts != [_REPLICAS] * 3 or status.get("observedGeneration") != deployment["metadata"]["generation"]:
            yield deployment["metadata"]["name"]
    jobs = _items(here, "jobs")
    if len(jobs) != kills:
        yield "jobs"
    yield from (job["metadata"]["name"] for job in jobs if not _completion(job))
    pods = [pod for pod in _items(here, "pods") if "app" in pod["metadata"].get("labels", {})]
    if len(pods) != _DEPLOYMENTS * _REPLICAS:
        yield "pods"  # some are still on their way out


def _completion(job: JSONObject) -> str:
    conditions = {each["type"]: each["status"] for each in job.get("status", {}).get("conditions", ())}
    return str(job["status"].get("completionTime", "")) if conditions.get("Complete") == "True" else ""


def _note_completions(here: Machine, completed: dict[str, str], verdict: Verdict) -> None:
    """A job that is complete stays so, since the same moment."""
    for job in _items(here, "jobs"):
        name, moment = job["metadata"]["name"], _completion(job)
        if name in completed and completed[name] != moment:
            verdict.violations.append(f"{name} was complete at {completed[name]} and is now at {moment or 'no time'}")
        if moment:
            completed[name] = moment


def _twice(here: Machine) -> Iterator[str]:
    """What was counted, and made, more often than it was asked for."""
    pods = _items(here, "pods")
    for job in _items(here, "jobs"):
        name, status = job["metadata"]["name"], job["status"]
        if status.get("succeeded") != _COMPLETIONS or status.get("failed", 0) or status.get("active", 0):
            yield f"{name} counts {status}"
        indexes = Counter(
            pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]
            for pod in pods
            if pod["metadata"]["labels"].get("batch.kubernetes.io/job-name") == name
        )
        if indexes != Counter(map(str, range(_COMPLETIONS))):
            yield f"{name} has pods for {dict(indexes)}"
    held = [pod["metadata"]["name"] for pod in pods if pod["metadata"].get("finalizers")]
    if held:
        yield f"pods that nobody let go: {held}"
    addresses = Counter(pod["status"].get("podIP") for pod in pods if pod["status"]["phase"] == "Running")
    yield from (f"{address} is the address of {count} pods" for address, count in addresses.items() if count > 1)


def _etcd() -> dict[str, str]:
    from localplane.apiserver.storage.etcd.program.binary import EtcdUnusable, find_etcd

    try:
        return {"KCTL_ETCD": str(find_etcd().path)}
    except EtcdUnusable:
        return {}


def main(argv: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m tests.faults.life", description=__doc__)
    made.add_argument("--kills", type=int, default=20)
    made.add_argument("--storage", choices=("etcd", "sqlite"), default="etcd")
    made.add_argument("--seed", type=int, default=0)
    options = made.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="kctl-faults-") as home:
        verdict = run(Path(home), kills=options.kills, storage=options.storage, seed=options.seed)
    print(verdict)
    return 1 if verdict.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
