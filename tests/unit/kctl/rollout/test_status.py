"""How far a rollout has come, in kubectl's words."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.changes.rollout.status import Progress, daemon_set, deployment, stateful_set
from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject


def web(status: JSONObject, **spec: Any) -> JSONObject:
    metadata = {"name": "web", "generation": 2, "annotations": {"deployment.kubernetes.io/revision": "3"}}
    strategy = {"type": "RollingUpdate"}
    return {"metadata": metadata, "spec": {"replicas": 3, "updateStrategy": strategy, **spec}, "status": status}


def seen(**status: Any) -> JSONObject:
    return {"observedGeneration": 2, **status}


DEPLOYMENTS = [
    ({"observedGeneration": 1}, "Waiting for deployment spec update to be observed...\n"),
    (
        seen(updatedReplicas=1),
        'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...\n',
    ),
    (
        seen(updatedReplicas=3, replicas=4),
        'Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...\n',
    ),
    (
        seen(updatedReplicas=3, replicas=3, availableReplicas=2),
        'Waiting for deployment "web" rollout to finish: 2 of 3 updated replicas are available...\n',
    ),
]


@pytest.mark.parametrize(("status", "text"), DEPLOYMENTS)
def test_a_deployment_on_its_way_says_what_it_waits_for(status: JSONObject, text: str) -> None:
    assert deployment(web(status), 0) == Progress(text)


def test_a_deployment_is_done_when_all_replicas_are_new_and_available() -> None:
    done = seen(updatedReplicas=3, replicas=3, availableReplicas=3)
    assert deployment(web(done), 0) == Progress('deployment "web" successfully rolled out\n', done=True)


def test_a_deployment_that_got_stuck_fails() -> None:
    stuck = seen(conditions=[{"type": "Progressing", "reason": "ProgressDeadlineExceeded"}])
    with pytest.raises(KctlError, match=r'^deployment "web" exceeded its progress deadline$'):
        deployment(web(stuck), 0)


def test_another_revision_than_the_wanted_one_fails() -> None:
    with pytest.raises(KctlError, match=r"^desired revision \(2\) is different from the running revision \(3\)$"):
        deployment(web(seen()), 2)


def test_a_daemon_set_waits_for_nodes() -> None:
    status = seen(desiredNumberScheduled=2, updatedNumberScheduled=1)
    text = 'Waiting for daemon set "web" rollout to finish: 1 out of 2 new pods have been updated...\n'
    assert daemon_set(web(status), 0) == Progress(text)


def test_a_partitioned_stateful_set_is_done_when_its_part_is() -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    obj = web(seen(readyReplicas=3, updatedReplicas=1), updateStrategy=strategy)
    text = "partitioned roll out complete: 1 new pods have been updated...\n"
    assert stateful_set(obj, 0) == Progress(text, done=True)


def test_a_set_that_is_updated_by_hand_has_no_rollout() -> None:
    with pytest.raises(KctlError, match=r"^rollout status is only available for RollingUpdate strategy type$"):
        stateful_set(web(seen(), updateStrategy={"type": "OnDelete"}), 0)
