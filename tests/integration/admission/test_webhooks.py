"""Webhooks on a real socket are asked about writes, and have their say."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, PatchType
from localplane.client.rest.resources import ResourceClient
from localplane.compose.server import Plane
from tests.integration.admission.reviewing import (
    CONFIG_MAPS,
    MUTATING,
    NAMESPACES,
    VALIDATING,
    Reviewer,
    config_map,
    configured,
    denied,
    patching,
)
from tests.integration.outbound import answering as answers

pytestmark = pytest.mark.asyncio(loop_scope="module")

SCALERS = GroupVersionResource("autoscaling", "v1", "horizontalpodautoscalers")
PODS = GroupVersionResource("", "v1", "pods")


def maps(plane: Plane) -> ResourceClient:
    return plane.client.resource(CONFIG_MAPS, "default")


async def refusal(made: Any) -> JSONObject:
    with pytest.raises(APIError) as raised:
        await made
    return raised.value.status()


async def test_a_webhook_is_sent_the_whole_request(plane: Plane, reviewer: Reviewer) -> None:
    rule = {"operations": ["CREATE", "UPDATE", "DELETE"]}
    async with configured(plane.client, VALIDATING, reviewer.webhook("see", rule=rule)):
        await maps(plane).create(config_map("whole", a="1"), field_manager="me")
        await maps(plane).patch("whole", {"data": {"a": "2"}}, PatchType.MERGE)
        await maps(plane).delete("whole")
    created, updated, deleted = (request for _, request in reviewer.asked)
    assert created["object"]["data"] == {"a": "1"}
    assert {key: created[key] for key in created.keys() - {"uid", "object", "userInfo"}} == {
        "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "resource": {"group": "", "version": "v1", "resource": "configmaps"},
        "requestKind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "requestResource": {"group": "", "version": "v1", "resource": "configmaps"},
        "name": "whole",
        "namespace": "default",
        "operation": "CREATE",
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"},
    }
    assert (updated["oldObject"]["data"], updated["object"]["data"]) == ({"a": "1"}, {"a": "2"})
    assert (deleted["operation"], deleted["object"], deleted["oldObject"]["data"]) == ("DELETE", None, {"a": "2"})


async def test_patches_are_applied_in_order_and_read_as_a_client_s_would_be(plane: Plane, reviewer: Reviewer) -> None:
    reviewer.answers["first"] = patching({"op": "add", "path": "/data/b", "value": "2"})
    reviewer.answers["second"] = patching(
        {"op": "test", "path": "/data/b", "value": "2"},
        {"op": "add", "path": "/nonsense", "value": "2"},
        {"op": "add", "path": "/metadata/labels", "value": {"seen": "yes"}},
    )
    async with configured(plane.client, MUTATING, reviewer.webhook("first"), reviewer.webhook("second")):
        made = await maps(plane).create(config_map("patched", a="1"))
    assert (made["data"], made["metadata"]["labels"]) == ({"a": "1", "b": "2"}, {"seen": "yes"})
    assert "nonsense" not in made


async def test_one_that_wants_to_is_asked_again_after_a_change(plane: Plane, reviewer: Reviewer) -> None:
    reviewer.answers["later"] = patching({"op": "add", "path": "/data/b", "value": "2"})
    early = reviewer.webhook("early", reinvocationPolicy="IfNeeded")
    async with configured(plane.client, MUTATING, early, reviewer.webhook("once"), reviewer.webhook("later")):
        await maps(plane).create(config_map("again", a="1"))
    assert [path for path, _ in reviewer.asked] == ["early", "once", "later", "early"]
    assert reviewer.asked[-1][1]["object"]["data"] == {"a": "1", "b": "2"}


async def test_a_refusal_is_the_webhook_s_own_status(plane: Plane, reviewer: Reviewer) -> None:
    about = 'admission webhook "no.example.com" denied the request'
    table: list[tuple[JSONObject, JSONObject]] = [
        ({}, {"message": f"{about} without explanation", "code": 400}),
        ({"message": "not today"}, {"message": f"{about}: not today", "code": 400}),
        (
            {"reason": "Forbidden", "code": 403},
            {"message": f"{about}: Forbidden", "reason": "Forbidden", "code": 403},
        ),
        (
            {"message": "m", "code": 422, "details": {"name": "x"}},
            {"message": f"{about}: m", "details": {"name": "x"}, "code": 422},
        ),
        *(
            ({"message": "m", "code": code}, {"message": f"{about}: m", "code": told})
            for code, told in (
                *((400, 400), (599, 599), (600, 400), (999, 400), (200999, 400)),
                *((399, 400), (200, 400), (0, 400), (-1, 400), (100, 400)),
            )
        ),
    ]
    async with configured(plane.client, VALIDATING, reviewer.webhook("no")):
        for status, told in table:
            reviewer.answers["no"] = denied(**status)
            found = await refusal(maps(plane).create(config_map("refused")))
            assert found == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", **told}


def long_denial(request: bytes) -> bytes:
    """More than anybody reads at once."""
    review = orjson.loads(request.partition(b"\r\n\r\n")[2])
    status = {"message": "the field is wrong: " + "x" * 300_000}
    response = {"uid": review["request"]["uid"], "allowed": False, "status": status}
    return orjson.dumps({"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": response})


@pytest.mark.parametrize("pieces", [answers.whole, answers.halves, answers.head_first])
@pytest.mark.parametrize("frame", [answers.with_length, answers.chunked, answers.until_the_end, answers.packed])
async def test_a_denial_is_one_in_any_pieces(
    plane: Plane,
    reviewer: Reviewer,
    tmp_path: Path,
    frame: Callable[[bytes], bytes],
    pieces: Callable[[bytes], list[bytes]],
) -> None:
    """Also to one whose failures would be ignored: it did not fail."""
    async with answers.answering(tmp_path) as server:
        server.choose = lambda request: pieces(frame(long_denial(request)))
        bundle = b64encode(answers.AUTHORITY.pem).decode()
        told = {"url": f"https://127.0.0.1:{server.port}/no", "caBundle": bundle}
        webhook = reviewer.webhook("long", clientConfig=told, failurePolicy="Ignore")
        async with configured(plane.client, VALIDATING, webhook):
            found = await refusal(maps(plane).create(config_map("denied")))
    assert found["code"] == 400
    assert found["message"].startswith(
        'admission webhook "long.example.com" denied the request: the field is wrong: xxx'
    )


async def test_a_webhook_as_test_environments_declare_it_is_called(
    plane: Plane, reviewer: Reviewer, tmp_path: Path
) -> None:
    """With the server's own certificate as the bundle, and a path with a slash too many."""
    async with answers.answering(tmp_path) as server:
        server.choose = lambda request: [answers.with_length(long_denial(request))]
        bundle = b64encode(answers.SERVER.pem).decode()
        told = {"url": f"https://127.0.0.1:{server.port}//failing", "caBundle": bundle}
        async with configured(plane.client, VALIDATING, reviewer.webhook("leaf", clientConfig=told)):
            found = await refusal(maps(plane).create(config_map("denied")))
    assert found["message"].startswith('admission webhook "leaf.example.com" denied the request: the field is wrong')
    assert server.requests[0].startswith(b"POST /failing?timeout=10s HTTP/1.1\r\n")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"allowed": True, "uid": "other"}, 'received invalid webhook response: expected response.uid="'),
        (
            {"allowed": True, "patch": "W10="},
            "received invalid webhook response: webhook returned response.patch but not response.patchType",
        ),
        (
            {"allowed": True, "patch": "e30=", "patchType": "JSONPatch"},
            "received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type",
        ),
    ],
)
async def test_an_answer_that_is_none_is_a_failure(
    plane: Plane, reviewer: Reviewer, answer: JSONObject, told: str
) -> None:
    reviewer.answers["odd"] = lambda _: answer
    async with configured(plane.client, MUTATING, reviewer.webhook("odd")):
        found = await refusal(maps(plane).create(config_map("odd")))
    assert found["code"] == 500
    assert found["message"].startswith(f'Internal error occurred: failed calling webhook "odd.example.com": {told}')


async def test_a_failure_may_be_ignored(plane: Plane, reviewer: Reviewer) -> None:
    nowhere = {"url": "https://127.0.0.1:9/x"}
    failing = reviewer.webhook("gone", clientConfig=nowhere, failurePolicy="Ignore")
    async with configured(plane.client, MUTATING, failing), configured(plane.client, VALIDATING, failing):
        await maps(plane).create(config_map("ignored"))


async def test_a_stranger_s_certificate_is_not_trusted(plane: Plane, reviewer: Reviewer) -> None:
    webhook = reviewer.webhook("strange")
    del webhook["clientConfig"]["caBundle"]
    async with configured(plane.client, VALIDATING, webhook):
        found = await refusal(maps(plane).create(config_map("untrusted")))
    assert "tls: failed to verify certificate: x509: " in found["message"]


async def test_a_service_that_is_not_there_is_told(plane: Plane, reviewer: Reviewer) -> None:
    service = {"namespace": "default", "name": "hook", "path": "/p"}
    async with configured(plane.client, VALIDATING, reviewer.webhook("s", clientConfig={"service": service})):
        found = await refusal(maps(plane).create(config_map("unserved")))
    assert found["message"] == (
        'Internal error occurred: failed calling webhook "s.example.com": failed to call webhook: '
        'Post "https://hook.default.svc:443/p?timeout=10s": service "hook" not found'
    )


async def test_selectors_and_conditions_decide_who_is_asked(plane: Plane, reviewer: Reviewer) -> None:
    await plane.client.resource(NAMESPACES).create({"metadata": {"name": "team", "labels": {"team": "a"}}})
    selector = {"matchLabels": {"team": "a"}}
    webhooks = [
        reviewer.webhook("namespace", namespaceSelector=selector),
        reviewer.webhook("object", objectSelector=selector),
        reviewer.webhook(
            "condition",
            matchConditions=[
                {"name": "named", "expression": "object.metadata.name == 'two'"},
                {"name": "may", "expression": "authorizer.group('').resource('configmaps').check('get').allowed()"},
            ],
        ),
        reviewer.webhook(
            "nobody",
            matchConditions=[
                {
                    "name": "may",
                    "expression": "authorizer.serviceAccount('default', 'x').path('/x').check('get').allowed()",
                }
            ],
        ),
        reviewer.webhook("other", rule={"resources": ["configmaps/status", "secrets"]}),
    ]
    async with configured(plane.client, VALIDATING, *webhooks):
        await plane.client.resource(CONFIG_MAPS, "team").create(config_map("one"))
        await maps(plane).create({"metadata": {"name": "two", "labels": {"team": "a"}}})
    asked = {(request["name"], path) for path, request in reviewer.asked}
    assert asked == {("one", "namespace"), ("two", "object"), ("two", "condition")}


async def test_a_condition_that_fails_refuses_or_is_passed_over(plane: Plane, reviewer: Reviewer) -> None:
    conditions = [{"name": "broken", "expression": "object.data.missing == 'x'"}]
    async with configured(plane.client, VALIDATING, reviewer.webhook("strict", matchConditions=conditions)):
        found = await refusal(maps(plane).create(config_map("broken", a="1")))
    why = "expression 'object.data.missing == 'x'' resulted in error: no such key: missing"
    assert (found["code"], found["message"]) == (403, f'configmaps "broken" is forbidden: {why}')
    lenient = reviewer.webhook("lenient", matchConditions=conditions, failurePolicy="Ignore")
    async with configured(plane.client, VALIDATING, lenient):
        await maps(plane).create(config_map("broken", a="1"))
    assert reviewer.asked == []


async def test_equivalent_versions_are_shown_in_the_one_that_is_asked_for(plane: Plane, reviewer: Reviewer) -> None:
    rule = {"apiGroups": ["autoscaling"], "apiVersions": ["v2"]}
    webhooks = [
        reviewer.webhook("newer", resource="horizontalpodautoscalers", rule=rule),
        reviewer.webhook("exact", resource="horizontalpodautoscalers", rule=rule, matchPolicy="Exact"),
    ]
    reviewer.answers["newer"] = patching(
        {"op": "replace", "path": "/spec/metrics/0/resource/target/averageUtilization", "value": 70}
    )
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    spec = {"maxReplicas": 3, "scaleTargetRef": target, "targetCPUUtilizationPercentage": 50}
    async with configured(plane.client, MUTATING, *webhooks):
        made = await plane.client.resource(SCALERS, "default").create({"metadata": {"name": "h"}, "spec": spec})
    ((path, request),) = reviewer.asked
    assert path == "newer"
    assert (request["kind"]["version"], request["requestKind"]["version"]) == ("v2", "v1")
    assert request["object"]["apiVersion"] == "autoscaling/v2"
    assert (made["apiVersion"], made["spec"]["targetCPUUtilizationPercentage"]) == ("autoscaling/v1", 70)


async def test_dry_run_asks_only_those_without_side_effects(plane: Plane, reviewer: Reviewer) -> None:
    async with configured(plane.client, VALIDATING, reviewer.webhook("quiet", sideEffects="NoneOnDryRun")):
        await maps(plane).create(config_map("dry"), dry_run=True)
    ((_, request),) = reviewer.asked
    assert request["dryRun"] is True


async def test_no_webhook_is_asked_about_configurations(plane: Plane, reviewer: Reviewer) -> None:
    reviewer.answers["all"] = denied()
    everything = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"]}
    async with configured(plane.client, VALIDATING, reviewer.webhook("all", resource="*/*", rule=everything)):
        assert (await refusal(maps(plane).create(config_map("never"))))["code"] == 400
        async with configured(plane.client, MUTATING):
            pass


async def test_plugins_see_what_webhooks_added(plane: Plane, reviewer: Reviewer) -> None:
    """A container that a webhook brings gets the defaults of every other."""
    sidecar = {"name": "sidecar", "image": "proxy"}
    reviewer.answers["inject"] = patching({"op": "add", "path": "/spec/containers/-", "value": sidecar})
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    async with configured(plane.client, MUTATING, reviewer.webhook("inject", resource="pods")):
        made = await plane.client.resource(PODS, "default").create(pod)
    assert [each["imagePullPolicy"] for each in made["spec"]["containers"]] == ["Always", "Always"]
