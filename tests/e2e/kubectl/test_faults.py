"""kubectl meets the faults that kctl has asked for."""

from __future__ import annotations

from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.up.machine import Machine


def test_lost_answers_and_invitations_to_come_again(kubectl: Kubectl, plane: Machine) -> None:
    here = ("-n", kubectl.namespace, "--resource", "configmaps")
    assert plane.kctl("faults", "add", "lost", *here, "--verb", "create", "--cut=after", "--first", "1").code == 0
    assert plane.kctl("faults", "add", "later", *here, "--verb", "get", "--answer", "429", "--first", "1").code == 0
    try:
        lost = kubectl("create", "configmap", "a")
        assert (lost.code, "EOF" in lost.stderr or "reset" in lost.stderr) == (1, True), lost
        again = kubectl("create", "configmap", "a")
        assert (again.code, again.stderr) == (1, 'error: failed to create configmap: configmaps "a" already exists\n')
        assert kubectl.ok("get", "configmap", "a", "-o", "name") == "configmap/a\n"  # it came again by itself
        hits = [line.split()[2:4] for line in plane.kctl("faults", "list", "--hits").stdout.splitlines()[1:]]
        assert hits == [["lost", "create"], ["later", "get"]]
    finally:
        assert plane.kctl("faults", "rm", "--all").code == 0
