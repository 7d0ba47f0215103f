"""How containers behave: annotations before commands before restart policies."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.nodes.options import NodeOptions
from localplane.nodes.pods.behaviour import (
    ContainerKind,
    Course,
    Ending,
    InvalidSimulation,
    containers,
    course,
    is_out_of_reach,
    name_problem,
    wishes,
)
from localplane.nodes.pods.commands import CommandSurroundings


def pod(*, annotations: dict[str, str] | None = None, job: bool = False, **spec: Any) -> JSONObject:
    metadata: JSONObject = {"name": "web", "namespace": "default", "uid": "1"}
    if annotations:
        metadata["annotations"] = {f"simulation.localplane/{key}": value for key, value in annotations.items()}
    if job:
        metadata["ownerReferences"] = [{"kind": "Job", "name": "job", "uid": "2", "controller": True}]
    return {"metadata": metadata, "spec": {"containers": [{"name": "main", "image": "app"}], **spec}}


def course_of(obj: JSONObject, name: str = "main", speed: float = 1.0) -> Course:
    kind, container = next(each for each in containers(obj) if each[1]["name"] == name)
    wished = wishes(obj).of(name)
    options = NodeOptions(speed=speed)
    return course(obj, kind, container, wished=wished, around=CommandSurroundings(), options=options)


def image(name: str, **more: Any) -> list[JSONObject]:
    return [{"name": "main", "image": name, **more}]


@pytest.mark.parametrize(
    ("obj", "ends"),
    [
        (pod(), False),
        (pod(restartPolicy="Never"), True),
        (pod(restartPolicy="OnFailure"), True),
        (pod(restartPolicy="Never", containers=image("nginx:1.27")), False),
        (pod(restartPolicy="Never", containers=image("nginx:1.27"), job=True), True),
        (pod(restartPolicy="Never", containers=image("nginx", command=["nginx", "-t"])), True),
        (pod(restartPolicy="Never", containers=image("registry.k8s.io/pause:3.10"), job=True), False),
        (
            pod(restartPolicy="Never", containers=image("example.com/agnhost:2", args=["netexec"])),
            False,
        ),
        (pod(restartPolicy="Never", containers=image("agnhost", args=["mounttest"])), True),
        (pod(containers=image("busybox", command=["sleep", "3"])), True),
        (pod(restartPolicy="Never", containers=image("busybox", command=["sleep", "infinity"])), False),
    ],
)
def test_whether_a_container_ends_by_itself(obj: JSONObject, ends: bool) -> None:  # noqa: FBT001 - a parameter
    assert (course_of(obj).ending is not None) is ends


def test_annotations_come_before_the_command() -> None:
    obj = pod(annotations={"exit-code": "7", "exit-after": "2s"}, containers=image("busybox", command=["sleep", "9"]))
    assert course_of(obj).ending == Ending(2.0, 7)


def test_what_is_said_of_a_container_wins_and_init_containers_are_only_meant_by_name() -> None:
    obj = pod(
        annotations={"exit-code": "1", "exit-code.second": "2", "exit-code.first": "3"},
        initContainers=[{"name": "first", "image": "app"}, {"name": "other", "image": "app"}],
        containers=[{"name": "main", "image": "app"}, {"name": "second", "image": "app"}],
    )
    codes = {
        name: ending.exit_code
        for name in ("main", "second", "first", "other")
        if (ending := course_of(obj, name).ending)
    }
    assert codes == {"main": 1, "second": 2, "first": 3, "other": 0}


def test_speed_shortens_what_the_simulation_takes() -> None:
    assert course_of(pod(annotations={"exit-after": "10s"}), speed=10.0).ending == Ending(1.0, 0)


def test_crash_loops_and_memory() -> None:
    assert course_of(pod(annotations={"crash-loop": "true"})).ending == Ending(1.0, 1)
    assert course_of(pod(annotations={"crash-loop": "false"})).ending is None
    assert course_of(pod(annotations={"oom-after": "1m"})).ending == Ending(60.0, 137, "OOMKilled")


def test_readiness_follows_annotations_and_probes() -> None:
    probed = image("app", readinessProbe={"initialDelaySeconds": 5, "httpGet": {"port": 80}})
    assert course_of(pod()).ready_after == 0.0
    assert course_of(pod(containers=probed)).ready_after == 5.0
    assert course_of(pod(annotations={"ready-after": "2s"}, containers=probed)).ready_after == 2.0
    assert course_of(pod(annotations={"never-ready": "true"})).ready_after is None
    failing = image("app", readinessProbe={"exec": {"command": ["/bin/false"]}})
    assert course_of(pod(containers=failing)).ready_after is None
    unknown = image("app", readinessProbe={"exec": {"command": ["sh", "-c", "test -f /tmp/healthy"]}})
    assert course_of(pod(containers=unknown)).ready_after == 0.0


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ({"exit-code": "256"}, 'simulation.localplane/exit-code: must be a number from 0 to 255, not "256"'),
        (
            {"exit-after": "soon"},
            'simulation.localplane/exit-after: must be a duration such as "5s" or "1m30s", not "soon"',
        ),
        (
            {"exit-after": "-1s"},
            'simulation.localplane/exit-after: must be a duration such as "5s" or "1m30s", not "-1s"',
        ),
        ({"never-ready": "yes"}, 'simulation.localplane/never-ready: must be "true" or "false", not "yes"'),
        ({"exit-code.other": "1"}, 'simulation.localplane/exit-code.other: the pod has no container "other"'),
    ],
)
def test_a_wrong_annotation_is_refused_in_one_sentence(annotations: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidSimulation) as refusal:
        wishes(pod(annotations=annotations))
    assert str(refusal.value) == message


def test_an_unknown_annotation_is_refused_and_those_of_others_are_not() -> None:
    with pytest.raises(InvalidSimulation, match="nothing is known by this name"):
        wishes(pod(annotations={"exit-cod": "1"}))
    assert wishes(pod(annotations={"cpu": "100m", "memory": "1Gi"})).of("main") == {}


def test_an_image_from_nowhere_is_out_of_reach() -> None:
    assert is_out_of_reach({"image": "invalid.registry.k8s.io/invalid/alpine:3.1"}, {})
    assert not is_out_of_reach({"image": "invalid/alpine"}, {})
    assert is_out_of_reach({"image": "nginx"}, {"image-pull-error": True})


def test_an_image_that_says_that_it_is_not_there_is_not() -> None:
    for name in ("webserver:404", "foo:non-existent", "nginx:does-not-exist"):
        assert is_out_of_reach({"image": name}, {})
    for name in ("localhost/app", "localhost:5001/app", "existing/app:405"):
        assert not is_out_of_reach({"image": name, "imagePullPolicy": "Always"}, {})


def test_a_name_with_capitals_is_none() -> None:
    assert name_problem("nginx:V1") == ""
    assert name_problem("example.com/team/app@sha256:AB") == ""
    assert name_problem("Nginx") == (
        'Failed to apply default image tag "Nginx": couldn\'t parse image name "Nginx": '
        "invalid reference format: repository name (library/Nginx) must be lowercase"
    )


def test_each_kind_of_container_has_its_statuses() -> None:
    fields = {kind: kind.statuses for kind in ContainerKind}
    assert fields == {
        ContainerKind.INIT: "initContainerStatuses",
        ContainerKind.SIDECAR: "initContainerStatuses",
        ContainerKind.REGULAR: "containerStatuses",
        ContainerKind.EPHEMERAL: "ephemeralContainerStatuses",
    }
