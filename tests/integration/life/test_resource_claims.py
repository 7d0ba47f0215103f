"""Pods get claims by template, and claims are given back when their pods have ended."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.world import World, cluster

PODS, CLAIMS = "v1/pods", "resource.k8s.io/v1/resourceclaims"
TEMPLATES = "resource.k8s.io/v1/resourceclaimtemplates"
CONTROLLER = "resourceclaim-controller"
DEVICES = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}
TEMPLATE = {"metadata": {"name": "gpus"}, "spec": {"metadata": {"labels": {"a": "b"}}, "spec": DEVICES}}


def pod(name: str, **entry: Any) -> JSONObject:
    return {
        "metadata": {"name": name},
        "spec": {
            "resourceClaims": [{"name": "gpu"} | entry],
            "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "gpu"}]}}],
        },
    }


def claim_of(obj: JSONObject) -> str:
    statuses = obj["status"].get("resourceClaimStatuses") or [{}]
    return str(statuses[0].get("resourceClaimName", ""))


async def allocate(world: World, name: str, pod_obj: JSONObject) -> JSONObject:
    """What the scheduler would do."""
    claim = await world.of(CLAIMS).get(name)
    claim["metadata"]["finalizers"] = ["resource.kubernetes.io/delete-protection"]
    claim = await world.of(CLAIMS).update(claim)
    result = {"request": "gpu", "driver": "gpu.example.com", "pool": "p", "device": "d"}
    consumer = {"resource": "pods", "name": pod_obj["metadata"]["name"], "uid": pod_obj["metadata"]["uid"]}
    claim["status"] = {"allocation": {"devices": {"results": [result]}}, "reservedFor": [consumer]}
    return await world.of(CLAIMS).update(claim, subresource="status")


def is_free(claim: JSONObject) -> bool:
    return not claim["status"].get("allocation") and not claim["status"].get("reservedFor")


async def test_a_pod_gets_a_claim_from_its_template_when_that_is_there() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await world.create(PODS, pod("web", resourceClaimTemplateName="gpus"))
        event = await world.event("web", "FailedResourceClaimCreation")
        assert event["message"] == (
            'PodResourceClaim gpu: resource claim template "gpus": '
            'resourceclaimtemplate.resource.k8s.io "gpus" not found'
        )
        await world.create(TEMPLATES, TEMPLATE)
        web = await world.becomes(PODS, "web", lambda obj: bool(claim_of(obj)))
        (claim,) = await world.items(CLAIMS)
        assert claim["metadata"]["name"] == claim_of(web)
        assert claim["metadata"]["name"].startswith("web-gpu-")
        assert claim["metadata"]["labels"] == {"a": "b"}
        assert claim["metadata"]["annotations"] == {"resource.kubernetes.io/pod-claim-name": "gpu"}
        (owner,) = claim["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("Pod", web["metadata"]["uid"], True)
        assert claim["spec"]["devices"]["requests"][0]["name"] == "gpu"


async def test_a_claim_that_was_made_for_a_pod_is_made_again_and_goes_when_the_pod_has_ended() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await world.create(TEMPLATES, TEMPLATE)
        await world.create(PODS, pod("web", resourceClaimTemplateName="gpus"))
        first = claim_of(await world.becomes(PODS, "web", lambda obj: bool(claim_of(obj))))
        await world.of(CLAIMS).delete(first)
        web = await world.becomes(PODS, "web", lambda obj: claim_of(obj) not in ("", first))
        name = claim_of(web)
        await allocate(world, name, web)
        await world.play(web)
        await world.play(await world.of(PODS).get("web"), phase="Succeeded", ready=False)
        await world.gone(CLAIMS, name)


async def test_a_shared_claim_is_given_back_when_its_last_consumer_has_ended() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await world.create(CLAIMS, {"metadata": {"name": "shared"}, "spec": DEVICES})
        web = await world.create(PODS, pod("web", resourceClaimName="shared"))
        await allocate(world, "shared", web)
        # A pod that was bound past the scheduler gets its reservation.
        other = await world.create(PODS, pod("other", resourceClaimName="shared"))
        await world.play(other)
        await world.becomes(CLAIMS, "shared", lambda claim: len(claim["status"].get("reservedFor") or ()) == 2)
        await world.of(PODS).delete("other", grace_period_seconds=0)
        reserved = await world.becomes(
            CLAIMS, "shared", lambda claim: len(claim["status"].get("reservedFor") or ()) == 1
        )
        assert reserved["status"]["reservedFor"][0]["name"] == "web"
        assert reserved["status"]["allocation"]
        await world.of(PODS).delete("web", grace_period_seconds=0)
        free = await world.becomes(CLAIMS, "shared", is_free)
        assert free is not None
        await world.becomes(CLAIMS, "shared", lambda claim: not claim["metadata"].get("finalizers"))


async def test_a_claim_that_nobody_uses_is_let_go() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await world.create(CLAIMS, {"metadata": {"name": "shared"}, "spec": DEVICES})
        shared = await world.of(CLAIMS).get("shared")
        shared["metadata"]["finalizers"] = ["resource.kubernetes.io/delete-protection"]
        await world.of(CLAIMS).update(shared)
        await world.of(CLAIMS).delete("shared")
        await world.gone(CLAIMS, "shared")
