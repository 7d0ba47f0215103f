"""What becomes of a pod once it is bound to a simulated node."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.client import PatchType
from localplane.compose.server import Plane
from tests.integration.life.simulation import living, pod, simulation
from tests.integration.life.world import World, cluster


def condition(obj: JSONObject, kind: str) -> JSONObject:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == kind), {})


def states(obj: JSONObject, field: str = "containerStatuses") -> dict[str, JSONObject]:
    return {each["name"]: each["state"] for each in (obj.get("status") or {}).get(field) or ()}


def container(obj: JSONObject, name: str = "main") -> JSONObject:
    statuses = obj.get("status") or {}
    both = [*(statuses.get("containerStatuses") or ()), *(statuses.get("initContainerStatuses") or ())]
    return next((each for each in both if each["name"] == name), {})


def has_phase(phase: str) -> Any:
    return lambda obj: obj["status"].get("phase") == phase


def is_ready(obj: JSONObject) -> bool:
    return condition(obj, "Ready").get("status") == "True"


def waits_for(reason: str, name: str = "main") -> Any:
    return lambda obj: container(obj, name).get("state", {}).get("waiting", {}).get("reason") == reason


async def seen(world: World, name: str, end: Any) -> list[JSONObject]:
    """All versions of a pod, from its first until one is so."""
    versions: list[JSONObject] = []
    async with asyncio.timeout(60), world.of("v1/pods").watch() as stream:
        async for event in stream:
            if event.object["metadata"]["name"] == name:
                versions.append(event.object)
                if end(event.object):
                    return versions
    raise AssertionError("the watch has ended")


async def test_a_pod_waits_then_runs_with_everything_that_a_kubelet_writes() -> None:
    async with simulation() as world:
        web = pod("web", {"name": "main", "image": "nginx:1.27", "resources": {"requests": {"cpu": "100m"}}})
        await world.create("v1/pods", web)
        versions = await seen(world, "web", is_ready)
        waiting = next(each for each in versions if states(each))
        assert states(waiting) == {"main": {"waiting": {"reason": "ContainerCreating"}}}
        assert condition(waiting, "PodReadyToStartContainers")["status"] == "False"
        assert condition(waiting, "ContainersReady")["message"] == "containers with unready status: [main]"
        status = versions[-1]["status"]
        assert status["phase"] == "Running"
        assert status["observedGeneration"] == 1
        assert status["hostIPs"] == [{"ip": status["hostIP"]}]
        assert status["podIPs"] == [{"ip": status["podIP"]}]
        assert status["allocatedResources"] == {"cpu": "100m"}
        main = container(versions[-1])
        assert main["containerID"].startswith("simulated://")
        assert main["imageID"].startswith("nginx@sha256:")
        assert (main["ready"], main["started"], main["restartCount"]) == (True, True, 0)
        assert main["resources"] == {"requests": {"cpu": "100m"}}
        assert main["allocatedResources"] == {"cpu": "100m"}
        for reason, message in (
            ("Pulling", 'Pulling image "nginx:1.27"'),
            ("Created", "Container created"),
            ("Started", "Container started"),
        ):
            event = await world.event("web", reason)
            assert event["message"] == message
            assert event["involvedObject"]["fieldPath"] == "spec.containers{main}"
            assert event["source"] == {"component": "kubelet", "host": "node-0"}


async def test_init_containers_run_in_order_and_a_sidecar_stays() -> None:
    inits = [
        {"name": "first", "image": "busybox", "command": ["true"]},
        {"name": "proxy", "image": "envoy", "restartPolicy": "Always"},
        {"name": "second", "image": "busybox", "command": ["sh", "-c", "sleep 0.1"]},
    ]
    async with simulation() as world:
        await world.create("v1/pods", pod("web", initContainers=inits))
        versions = await seen(world, "web", is_ready)
        for version in versions:
            inside = states(version, "initContainerStatuses")
            if "running" in inside.get("second", {}):
                assert inside["first"]["terminated"]["reason"] == "Completed"
                assert "running" in inside["proxy"]
                assert states(version) == {"main": {"waiting": {"reason": "PodInitializing"}}}
                assert condition(version, "Initialized")["reason"] == "ContainersNotInitialized"
                break
        else:
            raise AssertionError("the second init container was never seen to run")
        assert "running" in states(versions[-1], "initContainerStatuses")["proxy"]
        assert condition(versions[-1], "Initialized")["status"] == "True"


async def test_an_init_container_that_fails_ends_a_pod_that_is_never_restarted() -> None:
    failing = [{"name": "first", "image": "busybox", "command": ["false"]}]
    async with simulation() as world:
        await world.create("v1/pods", pod("job", initContainers=failing, restartPolicy="Never"))
        failed = await world.becomes("v1/pods", "job", has_phase("Failed"))
        assert container(failed, "first")["state"]["terminated"]["exitCode"] == 1
        assert states(failed) == {"main": {"waiting": {"reason": "PodInitializing"}}}


@pytest.mark.parametrize(
    ("command", "phase", "reason", "code"),
    [(["true"], "Succeeded", "PodCompleted", 0), (["sh", "-c", "echo no; exit 3"], "Failed", "PodFailed", 3)],
)
async def test_a_pod_that_is_not_restarted_ends_as_its_command_does(
    command: list[str], phase: str, reason: str, code: int
) -> None:
    async with simulation() as world:
        task = {"name": "main", "image": "busybox", "command": command}
        await world.create("v1/pods", pod("task", task, restartPolicy="Never"))
        ended = await world.becomes("v1/pods", "task", has_phase(phase))
        assert condition(ended, "Ready")["reason"] == reason
        assert condition(ended, "PodReadyToStartContainers")["status"] == "False"
        terminated = container(ended)["state"]["terminated"]
        assert (terminated["exitCode"], terminated["containerID"]) == (code, container(ended)["containerID"])


async def test_sidecars_are_stopped_when_the_others_are_done() -> None:
    proxy = [{"name": "proxy", "image": "envoy", "restartPolicy": "Always"}]
    async with simulation() as world:
        task = {"name": "main", "image": "busybox", "command": ["true"]}
        await world.create("v1/pods", pod("task", task, restartPolicy="Never", initContainers=proxy))
        ended = await world.becomes("v1/pods", "task", has_phase("Succeeded"))
        assert "terminated" in container(ended, "proxy")["state"]


async def test_a_crash_is_followed_by_restarts_that_take_longer_and_longer() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", simulation={"crash-loop": "true", "exit-after": "50ms"}))
        waiting = await world.becomes("v1/pods", "web", waits_for("CrashLoopBackOff"))
        uid = waiting["metadata"]["uid"]
        message = f"back-off 1s restarting failed container=main pod=web_default({uid})"
        assert container(waiting)["state"]["waiting"]["message"] == message
        assert container(waiting)["lastState"]["terminated"]["exitCode"] == 1
        assert container(waiting)["restartCount"] == 1
        assert waiting["status"]["phase"] == "Running"
        again = await world.becomes("v1/pods", "web", lambda each: container(each)["restartCount"] == 2)
        assert container(again)["lastState"]["terminated"]["reason"] == "Error"
        event = await world.event("web", "BackOff")
        assert event["message"] == f"Back-off restarting failed container main in pod web_default({uid})"


async def test_memory_that_runs_out_is_told_as_the_kernel_does() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", simulation={"oom-after": "50ms"}, restartPolicy="Never"))
        ended = await world.becomes("v1/pods", "web", has_phase("Failed"))
        assert container(ended)["state"]["terminated"]["reason"] == "OOMKilled"
        assert container(ended)["state"]["terminated"]["exitCode"] == 137


async def test_an_image_that_cannot_be_pulled_is_tried_again() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", simulation={"image-pull-error": "true"}))
        versions = await seen(world, "web", waits_for("ImagePullBackOff"))
        assert any(waits_for("ErrImagePull")(each) for each in versions)
        assert versions[-1]["status"]["phase"] == "Pending"
        patch = {"metadata": {"annotations": {"simulation.localplane/image-pull-error": None}}}
        await world.merge("v1/pods", "web", patch)
        await world.becomes("v1/pods", "web", is_ready)


async def test_a_wrong_annotation_is_refused_until_it_is_corrected() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", simulation={"exit-code": "many"}))
        waiting = await world.becomes("v1/pods", "web", waits_for("InvalidSimulation"))
        message = 'simulation.localplane/exit-code: must be a number from 0 to 255, not "many"'
        assert container(waiting)["state"]["waiting"]["message"] == message
        assert (await world.event("web", "InvalidSimulation"))["message"] == message
        await world.merge("v1/pods", "web", {"metadata": {"annotations": {"simulation.localplane/exit-code": None}}})
        await world.becomes("v1/pods", "web", is_ready)


async def test_readiness_comes_and_goes_with_the_annotation() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", simulation={"never-ready": "true"}))
        running = await world.becomes("v1/pods", "web", has_phase("Running"))
        assert condition(running, "Ready")["reason"] == "ContainersNotReady"
        for value, status in ((None, "True"), ("true", "False")):
            patch = {"metadata": {"annotations": {"simulation.localplane/never-ready": value}}}
            await world.merge("v1/pods", "web", patch)
            await world.becomes("v1/pods", "web", partial(_has_readiness, status))


def _has_readiness(status: str, pod: JSONObject) -> bool:
    return bool(condition(pod, "Ready")["status"] == status)


async def test_a_readiness_gate_holds_the_pod_back() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", readinessGates=[{"conditionType": "example.com/open"}]))
        held = await world.becomes(
            "v1/pods", "web", lambda each: condition(each, "Ready").get("reason") == "ReadinessGatesNotReady"
        )
        missing = 'corresponding condition of pod readiness gate "example.com/open" does not exist.'
        assert condition(held, "Ready")["message"] == missing
        gate = {"type": "example.com/open", "status": "True", "lastTransitionTime": now()}
        patch = {"status": {"conditions": [gate]}}
        await world.of("v1/pods").patch("web", patch, PatchType.STRATEGIC, subresource="status")
        ready = await world.becomes("v1/pods", "web", is_ready)
        assert condition(ready, "example.com/open")["status"] == "True"


async def test_a_missing_config_map_holds_the_pod_until_it_is_there() -> None:
    volumes = [{"name": "settings", "configMap": {"name": "settings"}}]
    async with simulation() as world:
        await world.create("v1/pods", pod("web", volumes=volumes))
        event = await world.event("web", "FailedMount")
        assert event["message"] == 'MountVolume.SetUp failed for volume "settings" : configmap "settings" not found'
        waiting = await world.becomes("v1/pods", "web", waits_for("ContainerCreating"))
        assert waiting["status"]["phase"] == "Pending"
        settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
        await world.create("v1/configmaps", settings)
        await world.becomes("v1/pods", "web", is_ready)


async def test_a_missing_key_holds_one_container_until_it_is_there() -> None:
    source = {"secretKeyRef": {"name": "login", "key": "password"}}
    main = {"name": "main", "image": "nginx", "env": [{"name": "PASSWORD", "valueFrom": source}]}
    async with simulation() as world:
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login"}}
        await world.create("v1/secrets", secret)
        await world.create("v1/pods", pod("web", main, {"name": "other", "image": "nginx"}))
        waiting = await world.becomes("v1/pods", "web", waits_for("CreateContainerConfigError"))
        message = "couldn't find key password in Secret default/login"
        assert container(waiting)["state"]["waiting"]["message"] == message
        await world.merge("v1/secrets", "login", {"data": {"password": "c2VjcmV0"}})
        await world.becomes("v1/pods", "web", is_ready)


async def test_an_unbound_claim_holds_the_pod() -> None:
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    async with simulation() as world:
        await world.create("v1/pods", pod("web", volumes=volumes))
        event = await world.event("web", "FailedMount")
        assert 'persistentvolumeclaim "data" not found' in event["message"]


async def test_a_deadline_ends_the_pod() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", activeDeadlineSeconds=1))
        failed = await world.becomes("v1/pods", "web", has_phase("Failed"))
        assert failed["status"]["reason"] == "DeadlineExceeded"
        message = "Pod was active on the node longer than the specified deadline"
        assert failed["status"]["message"] == message
        assert (await world.event("web", "DeadlineExceeded"))["message"] == message


async def test_deletion_stops_the_containers_before_the_pod_goes() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web"))
        await world.becomes("v1/pods", "web", is_ready)
        deleted = await world.of("v1/pods").delete("web")
        assert deleted["metadata"]["deletionGracePeriodSeconds"] == 30
        versions = await seen(world, "web", lambda each: "terminated" in container(each)["state"])
        assert container(versions[-1])["state"]["terminated"]["exitCode"] == 143
        assert versions[-1]["status"]["phase"] == "Failed"
        assert (await world.event("web", "Killing"))["message"] == "Stopping container main"
        await world.gone("v1/pods", "web")


async def test_a_pod_with_a_finalizer_stays_when_it_has_ended() -> None:
    async with simulation(speed=10.0) as world:
        web = pod("web")
        web["metadata"]["finalizers"] = ["example.com/keep"]
        await world.create("v1/pods", web)
        await world.becomes("v1/pods", "web", is_ready)
        await world.of("v1/pods").delete("web")
        stopped = await world.becomes(
            "v1/pods", "web", lambda each: each["metadata"].get("deletionGracePeriodSeconds") == 0
        )
        assert stopped["status"]["phase"] == "Failed"
        await world.merge("v1/pods", "web", {"metadata": {"finalizers": None}})
        await world.gone("v1/pods", "web")


async def test_a_new_image_restarts_the_container() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web"))
        await world.becomes("v1/pods", "web", is_ready)
        patch = {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}}
        await world.of("v1/pods").patch("web", patch, PatchType.STRATEGIC)
        changed = await world.becomes("v1/pods", "web", lambda each: container(each)["restartCount"] == 1)
        assert container(changed)["image"] == "nginx:2"
        assert changed["status"]["observedGeneration"] == 2
        assert (await world.event("web", "Killing"))[
            "message"
        ] == "Container main definition changed, will be restarted"


async def test_an_ephemeral_container_runs_and_ends() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web"))
        await world.becomes("v1/pods", "web", is_ready)
        debugger = {"name": "debugger", "image": "busybox", "command": ["sh", "-c", "exit 7"]}
        patch = {"spec": {"ephemeralContainers": [debugger]}}
        await world.of("v1/pods").patch("web", patch, PatchType.STRATEGIC, subresource="ephemeralcontainers")

        def has_ended(each: JSONObject) -> bool:
            return "terminated" in states(each, "ephemeralContainerStatuses").get("debugger", {})

        ended = await world.becomes("v1/pods", "web", has_ended)
        assert states(ended, "ephemeralContainerStatuses")["debugger"]["terminated"]["exitCode"] == 7
        assert is_ready(ended)


async def test_a_resize_is_granted_and_done() -> None:
    asked = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    async with simulation() as world:
        await world.create("v1/pods", pod("web", {"name": "main", "image": "nginx", "resources": asked}))
        await world.becomes("v1/pods", "web", is_ready)
        more = {"requests": {"cpu": "200m", "memory": "64Mi"}}
        patch = {"spec": {"containers": [{"name": "main", "resources": more}]}}
        await world.of("v1/pods").patch("web", patch, PatchType.STRATEGIC, subresource="resize")

        def is_done(each: JSONObject) -> bool:
            return bool(container(each)["resources"] == more and not condition(each, "PodResizeInProgress"))

        resized = await world.becomes("v1/pods", "web", is_done)
        assert container(resized)["allocatedResources"] == more["requests"]
        assert container(resized)["restartCount"] == 0
        await world.event("web", "ResizeStarted")
        await world.event("web", "ResizeCompleted")


async def test_a_resize_that_the_node_cannot_hold_is_deferred() -> None:
    asked = {"requests": {"cpu": "1"}}
    async with simulation(cpu="4") as world:
        await world.create("v1/pods", pod("web", {"name": "main", "image": "nginx", "resources": asked}))
        await world.create(
            "v1/pods", pod("other", {"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "2"}}})
        )
        for name in ("web", "other"):
            await world.becomes("v1/pods", name, is_ready)
        patch = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "3"}}}]}}
        await world.of("v1/pods").patch("web", patch, PatchType.STRATEGIC, subresource="resize")
        deferred = await world.becomes("v1/pods", "web", lambda each: bool(condition(each, "PodResizePending")))
        pending = condition(deferred, "PodResizePending")
        assert pending["reason"] == "Deferred"
        assert (
            pending["message"] == "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000"
        )
        assert container(deferred)["allocatedResources"] == {"cpu": "1"}
        await world.of("v1/pods").delete("other", grace_period_seconds=0)
        await world.becomes("v1/pods", "web", lambda each: container(each)["allocatedResources"] == {"cpu": "3"})


async def test_room_that_becomes_free_is_granted_once_and_to_the_most_important() -> None:
    def sized(name: str, cpu: str, **spec: Any) -> JSONObject:
        return pod(name, {"name": "main", "image": "nginx", "resources": {"requests": {"cpu": cpu}}}, **spec)

    async with simulation(cpu="4") as world:
        urgent = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}}
        await world.create("scheduling.k8s.io/v1/priorityclasses", urgent | {"value": 1000}, "")
        await world.create("v1/pods", sized("large", "2"))
        for name, spec in (("calm", {}), ("pressing", {"priorityClassName": "urgent"})):
            await world.create("v1/pods", sized(name, "1", **spec))
            await world.becomes("v1/pods", name, is_ready)
        patch = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "3"}}}]}}
        for name in ("calm", "pressing"):
            await world.of("v1/pods").patch(name, patch, PatchType.STRATEGIC, subresource="resize")
            await world.becomes("v1/pods", name, lambda each: bool(condition(each, "PodResizePending")))
        await world.of("v1/pods").delete("large", grace_period_seconds=0)

        def is_done(each: JSONObject) -> bool:
            return bool(container(each)["resources"] == {"requests": {"cpu": "3"}})

        await world.becomes("v1/pods", "pressing", is_done)
        calm = await world.becomes(
            "v1/pods", "calm", lambda each: "used: 3000" in str(condition(each, "PodResizePending"))
        )
        assert container(calm)["allocatedResources"] == {"cpu": "1"}


async def test_a_pod_on_the_hosts_network_has_the_nodes_address() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web", hostNetwork=True))
        ready = await world.becomes("v1/pods", "web", is_ready)
        assert ready["status"]["podIP"] == ready["status"]["hostIP"]


async def test_pods_have_addresses_of_their_own() -> None:
    async with simulation() as world:
        for number in range(20):
            await world.create("v1/pods", pod(f"web-{number}"))
        pods = await world.until("v1/pods", lambda items: all(map(is_ready, items)))
        assert len({each["status"]["podIP"] for each in pods}) == 20


async def test_a_restart_of_the_kubelet_goes_on_where_it_was() -> None:
    async with cluster() as world:
        plane: Plane = world.plane
        async with living(plane):
            await world.create("v1/pods", pod("steady"))
            await world.create("v1/pods", pod("crashing", simulation={"crash-loop": "true", "exit-after": "20ms"}))
            before = await world.becomes("v1/pods", "steady", is_ready)
            await world.becomes("v1/pods", "crashing", waits_for("CrashLoopBackOff"))
        await world.create("v1/pods", pod("late"))
        async with living(plane):
            await world.becomes("v1/pods", "late", is_ready)
            again = await world.becomes("v1/pods", "crashing", lambda each: container(each)["restartCount"] >= 3)
            assert container(again)["lastState"]["terminated"]["exitCode"] == 1
            after = await world.get("v1/pods", "steady")
            assert after is not None
            assert after["status"] == before["status"]
            late = await world.get("v1/pods", "late")
            assert late is not None
            assert late["status"]["podIP"] != after["status"]["podIP"]


async def test_a_phase_that_somebody_else_has_ended_stays_ended() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("web"))
        await world.becomes("v1/pods", "web", is_ready)
        await world.merge("v1/pods", "web", {"status": {"phase": "Failed"}}, subresource="status")
        stopped = await world.becomes("v1/pods", "web", lambda each: "terminated" in container(each)["state"])
        assert stopped["status"]["phase"] == "Failed"
        assert condition(stopped, "Ready")["reason"] == "PodFailed"


async def test_mirror_pods_are_left_alone() -> None:
    async with simulation() as world:
        mirror = pod("mirror")
        mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
        await world.create("v1/pods", mirror)
        await world.create("v1/pods", pod("web"))
        await world.becomes("v1/pods", "web", is_ready)
        left = await world.get("v1/pods", "mirror")
        assert left is not None
        assert "containerStatuses" not in left["status"]


async def test_a_port_that_is_taken_keeps_a_second_pod_out_until_the_first_is_gone() -> None:
    server = {"name": "main", "image": "nginx", "ports": [{"containerPort": 80, "hostPort": 8080}]}
    async with simulation() as world:
        await world.create("v1/pods", pod("first", server))
        await world.becomes("v1/pods", "first", is_ready)
        await world.create("v1/pods", pod("second", server))
        rejected = await world.becomes("v1/pods", "second", has_phase("Failed"))
        message = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"
        status = rejected["status"]
        assert (status["reason"], status["message"]) == ("NodePorts", f"Pod was rejected: {message}")
        assert "containerStatuses" not in status
        assert "conditions" not in status
        event = await world.event("second", "NodePorts")
        assert (event["type"], event["message"]) == ("Warning", message)
        for name in ("first", "second"):
            await world.of("v1/pods").delete(name)
            await world.gone("v1/pods", name)
        await world.create("v1/pods", pod("third", server))
        await world.becomes("v1/pods", "third", is_ready)


async def test_of_pods_that_come_together_only_those_are_taken_that_fit() -> None:
    async with simulation(cpu="2") as world:
        large = {"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "600m"}}}
        await asyncio.gather(*(world.create("v1/pods", pod(f"web-{number}", large)) for number in range(5)))

        def all_are_settled(pods: list[JSONObject]) -> bool:
            return all(is_ready(each) or has_phase("Failed")(each) for each in pods)

        pods = await world.until("v1/pods", all_are_settled)
        rejected = [each["status"] for each in pods if not is_ready(each)]
        message = "Node didn't have enough resource: cpu, requested: 600, used: 1800, capacity: 2000"
        assert [each["message"] for each in rejected] == [f"Pod was rejected: {message}"] * 2
        assert {each["reason"] for each in rejected} == {"OutOfcpu"}
        gone = next(each["metadata"]["name"] for each in pods if is_ready(each))
        await world.merge("v1/pods", gone, {"status": {"phase": "Failed"}}, subresource="status")
        await world.create("v1/pods", pod("later", large))
        await world.becomes("v1/pods", "later", is_ready)


async def test_a_restarted_kubelet_knows_what_is_taken() -> None:
    server = {"name": "main", "image": "nginx", "ports": [{"containerPort": 80, "hostPort": 8080}]}
    async with cluster() as world:
        async with living(world.plane):
            await world.create("v1/pods", pod("first", server))
            await world.becomes("v1/pods", "first", is_ready)
        async with living(world.plane):
            await world.create("v1/pods", pod("second", server))
            rejected = await world.becomes("v1/pods", "second", has_phase("Failed"))
            assert rejected["status"]["reason"] == "NodePorts"
            first = await world.get("v1/pods", "first")
            assert first is not None
            assert is_ready(first)


async def test_labels_that_a_node_has_just_got_count() -> None:
    async with simulation() as world:
        await world.create("v1/pods", pod("lost", nodeSelector={"disk": "fast"}))
        rejected = await world.becomes("v1/pods", "lost", has_phase("Failed"))
        assert rejected["status"]["reason"] == "NodeAffinity"
        await world.merge("v1/nodes", "node-0", {"metadata": {"labels": {"disk": "fast"}}}, "")
        await world.create("v1/pods", pod("found", nodeSelector={"disk": "fast"}))
        await world.becomes("v1/pods", "found", is_ready)
