"""kwok's Stage objects drive pods and nodes that they select."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life import node_control as control
from tests.integration.life.simulation import pod, simulation
from tests.integration.life.test_pod_life import condition, container, has_phase, is_ready
from tests.integration.life.world import World

STAGES = "kwok.x-k8s.io/v1alpha1/stages"
NOT_DELETED = {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}
PENDING = {"key": ".status.phase", "operator": "In", "values": ["Pending"]}
UNREADY = {
    "key": '.status.conditions.[] | select( .type == "Ready" ) | .status',
    "operator": "NotIn",
    "values": ["True"],
}
RUN = """
{{ $now := Now }}
{{ $addresses := PodIPsWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) "" "" }}
conditions:
- lastTransitionTime: {{ $now | Quote }}
  status: "True"
  type: Ready
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: true
  restartCount: 0
  state:
    running:
      startedAt: {{ $now | Quote }}
{{ end }}
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ index $addresses 0 | Quote }}
phase: Running
message: {{ printf "by %s" .metadata.name | Quote }}
"""


async def install(world: World) -> None:
    """The definition of Stages, as loose as can be."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {"plural": "stages", "singular": "stage", "kind": "Stage", "listKind": "StageList"}
    version = {"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "stages.kwok.x-k8s.io"},
        "spec": {"group": "kwok.x-k8s.io", "scope": "Cluster", "names": names, "versions": [version]},
    }
    await world.create("apiextensions.k8s.io/v1/customresourcedefinitions", definition, "")
    await world.becomes(
        "apiextensions.k8s.io/v1/customresourcedefinitions",
        "stages.kwok.x-k8s.io",
        lambda each: condition(each, "Established").get("status") == "True",
        "",
    )


def stage(name: str, *expressions: JSONObject, kind: str = "Pod", **spec: Any) -> JSONObject:
    selector = {"matchExpressions": list(expressions)} | spec.pop("selector", {})
    reference = {"apiGroup": "v1", "kind": kind}
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {"resourceRef": reference, "selector": selector, **spec},
    }


async def known(world: World, name: str = "known") -> None:
    """Until the stages that were made before are in force: the last of them shows it."""
    probe = stage(
        name, selector={"matchLabels": {"probe": name}}, next={"event": {"reason": "Known", "message": "yes"}}
    )
    await world.create(STAGES, probe, "")
    seen = pod(f"probe-{name}")
    seen["metadata"]["labels"] = {"probe": name}
    await world.create("v1/pods", seen)
    await world.event(f"probe-{name}", "Known")


async def test_a_stage_drives_the_pods_that_it_selects_and_no_others() -> None:
    async with simulation() as world:
        await install(world)
        selector = {"matchLabels": {"driven": "yes"}}
        event = {"type": "Normal", "reason": "Staged", "message": "it runs"}
        ready = stage("ready", NOT_DELETED, PENDING, selector=selector, next={"statusTemplate": RUN, "event": event})
        await world.create(STAGES, ready, "")
        await known(world)
        driven = pod("driven")
        driven["metadata"]["labels"] = {"driven": "yes"}
        await world.create("v1/pods", driven)
        await world.create("v1/pods", pod("free"))
        by_stage = await world.becomes("v1/pods", "driven", has_phase("Running"))
        assert by_stage["status"]["message"] == "by driven"
        assert by_stage["status"]["podIP"]
        assert "containerID" not in container(by_stage)
        assert (await world.event("driven", "Staged"))["message"] == "it runs"
        by_kubelet = await world.becomes("v1/pods", "free", is_ready)
        assert container(by_kubelet)["containerID"].startswith("simulated://")
        left = await world.get("v1/pods", "driven")
        assert left is not None
        assert left["status"] == by_stage["status"]


async def test_the_kubelet_deletes_what_a_stage_has_started_unless_a_stage_does() -> None:
    async with simulation(speed=10.0) as world:
        await install(world)
        await world.create(STAGES, stage("ready", NOT_DELETED, PENDING, next={"statusTemplate": RUN}), "")
        await known(world)
        await world.create("v1/pods", pod("web"))
        await world.becomes("v1/pods", "web", has_phase("Running"))
        await world.of("v1/pods").delete("web")
        await world.gone("v1/pods", "web")


async def test_finalizers_and_deletion_by_stages() -> None:
    deleted = {"key": ".metadata.deletionTimestamp", "operator": "Exists"}
    finalized = {"key": ".metadata.finalizers.[]", "operator": "In", "values": ["example.com/keep"]}
    async with simulation() as world:
        await install(world)
        remove = {"finalizers": {"remove": [{"value": "example.com/keep"}]}}
        await world.create(STAGES, stage("release", deleted, finalized, next=remove), "")
        gone = {"key": ".metadata.finalizers", "operator": "DoesNotExist"}
        await world.create(STAGES, stage("delete", deleted, gone, next={"delete": True}), "")
        await known(world)
        web = pod("web")
        web["metadata"]["finalizers"] = ["example.com/keep"]
        await world.create("v1/pods", web)
        await world.becomes("v1/pods", "web", is_ready)
        await world.of("v1/pods").delete("web")
        await world.gone("v1/pods", "web")


async def test_a_delay_may_be_told_by_the_pod() -> None:
    ready = {
        "key": '.status.conditions.[] | select( .type == "Ready" ) | .status',
        "operator": "In",
        "values": ["True"],
    }
    delay = {"durationMilliseconds": 3_600_000, "durationFrom": {"expressionFrom": '.metadata.annotations["after"]'}}
    failing = {"patches": [{"subresource": "status", "root": "status", "template": "phase: Failed\nreason: Staged"}]}
    async with simulation() as world:
        await install(world)
        timed = {"matchLabels": {"timed": "yes"}}
        await world.create(STAGES, stage("fail", NOT_DELETED, ready, selector=timed, delay=delay, next=failing), "")
        await known(world)
        early, late = pod("early"), pod("late")
        early["metadata"]["annotations"] = {"after": "100ms"}
        for each in (late, early):
            each["metadata"]["labels"] = {"timed": "yes"}
            await world.create("v1/pods", each)
        failed = await world.becomes("v1/pods", "early", has_phase("Failed"))
        assert failed["status"]["reason"] == "Staged"
        waiting = await world.get("v1/pods", "late")
        assert waiting is not None
        assert waiting["status"]["phase"] == "Running"


async def test_weights_choose_among_stages() -> None:
    def marking(text: str) -> JSONObject:
        return {"patches": [{"template": f"metadata: {{annotations: {{mark: {text}}}}}"}]}

    unmarked = {"key": ".metadata.annotations.mark", "operator": "DoesNotExist"}
    async with simulation() as world:
        await install(world)
        await world.create(STAGES, stage("never", unmarked, weight=0, next=marking("never")), "")
        await world.create(STAGES, stage("always", unmarked, weight=7, next=marking("always")), "")
        for number in range(8):
            await world.create("v1/pods", pod(f"web-{number}"))
        # Those that were seen before both stages were known may have got either mark.
        await world.until("v1/pods", lambda items: all("annotations" in each["metadata"] for each in items))
        await world.create("v1/pods", pod("last"))
        marked = await world.becomes("v1/pods", "last", lambda each: "annotations" in each["metadata"])
        assert marked["metadata"]["annotations"]["mark"] == "always"


async def test_a_stage_of_nodes_writes_their_status() -> None:
    template = """
conditions:
{{ range NodeConditions }}
- lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ Now | Quote }}
  message: {{ .message | Quote }}
  reason: {{ .reason | Quote }}
  status: {{ .status | Quote }}
  type: {{ .type | Quote }}
{{ end }}
addresses:
- {address: {{ NodeIP | Quote }}, type: InternalIP}
allocatable:
{{ YAML .status.capacity 1 }}
nodeInfo:
  kubeletVersion: staged-{{ Version }}
"""
    async with simulation(count=0) as world:
        await install(world)
        await world.create(STAGES, stage("node", UNREADY, kind="Node", next={"statusTemplate": template}), "")
        await control.add_node(world.client, "node-0")
        await known(world)
        mine = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "mine", "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "status": {"capacity": {"cpu": "3", "pods": "9"}},
        }
        await world.create("v1/nodes", mine, "")
        ready = await world.becomes("v1/nodes", "mine", is_ready, "")
        assert ready["status"]["nodeInfo"]["kubeletVersion"].startswith("staged-")
        assert ready["status"]["allocatable"] == {"cpu": "3", "pods": "9"}
        assert condition(ready, "NetworkUnavailable")["reason"] == "RouteCreated"


async def test_stages_of_nodes_need_no_pods() -> None:
    without_phase = {"key": ".status.phase", "operator": "DoesNotExist"}
    async with simulation() as world:
        await install(world)
        staged = stage("node", without_phase, kind="Node", next={"statusTemplate": "phase: Running"})
        await world.create(STAGES, staged, "")
        await world.becomes("v1/nodes", "node-0", has_phase("Running"), "")


async def test_what_is_not_understood_of_a_stage_is_told() -> None:
    async with simulation() as world:
        await install(world)
        expression = {"key": ".status.phase | ascii_downcase", "operator": "In", "values": ["pending"]}
        await world.create(STAGES, stage("strange", expression, next={"delete": True}), "")
        event = await world.event("strange", "InvalidSimulation")
        assert event["message"].startswith("the stage counts for nothing: ")
        await world.create(STAGES, stage("unknown", NOT_DELETED, next={"statusTemplate": "phase: {{ Surprise }}"}), "")
        event = await world.event("unknown", "InvalidSimulation")
        assert 'function "Surprise" not defined' in event["message"]
        await world.create(STAGES, stage("leases", NOT_DELETED, kind="Lease", next={"delete": True}), "")
        await world.event("leases", "InvalidSimulation")
        await world.create("v1/pods", pod("web"))
        await world.becomes("v1/pods", "web", is_ready)


async def test_a_template_that_fails_is_told_at_the_pod() -> None:
    async with simulation() as world:
        await install(world)
        broken = {"statusTemplate": "phase: {{ index .spec.containers 99 }}"}
        await world.create(STAGES, stage("broken", NOT_DELETED, PENDING, next=broken), "")
        await world.create("v1/pods", pod("web"))
        event = await world.event("web", "InvalidSimulation")
        assert event["message"].startswith("stage broken: ")
