"""The sentences of a refusal, as a real server told them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from localplane.apimachinery.errors import Forbidden
from localplane.apiserver.audit import EVERYTHING_AT_METADATA, Auditor, Stage
from localplane.apiserver.authorization import AlwaysAllow, Attributes, Authorizer, Decision, Verdict
from localplane.apiserver.endpoints.filters import authorization
from localplane.apiserver.request import Response, User
from tests.unit.audit.backend import Kept
from tests.unit.filters.requests import JANE, Recorded, make_request


class Says:
    """An authorizer that always says the same, and remembers what it was asked."""

    def __init__(self, verdict: Verdict, reason: str = "", error: str = "") -> None:
        self._decision = Decision(verdict, reason, error)
        self.asked: list[Attributes] = []

    async def authorize(self, attributes: Attributes) -> Decision:
        self.asked.append(attributes)
        return self._decision


async def refusal(method: str, url: str, *, user: User = JANE, reason: str = "") -> dict[str, Any]:
    handler = Recorded()
    with pytest.raises(Forbidden) as refused:
        await authorization(Says(Verdict.NO_OPINION, reason))(handler)(make_request(method, url, user=user))
    assert not handler.requests
    return refused.value.status()


REFUSALS = [
    (
        "GET /api/v1/namespaces/d/pods",
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "d"',
        {"kind": "pods"},
    ),
    (
        "GET /api/v1/namespaces/d/pods/x",
        'pods "x" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "d"',
        {"name": "x", "kind": "pods"},
    ),
    (
        "GET /api/v1/namespaces/d/pods?watch=1",
        'pods is forbidden: User "jane" cannot watch resource "pods" in API group "" in the namespace "d"',
        {"kind": "pods"},
    ),
    (
        "GET /api/v1/nodes",
        'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
        {"kind": "nodes"},
    ),
    (
        "GET /apis/apps/v1/namespaces/d/deployments/d",
        (
            'deployments.apps "d" is forbidden: User "jane" cannot get resource "deployments" in API group "apps" '
            'in the namespace "d"'
        ),
        {"name": "d", "group": "apps", "kind": "deployments"},
    ),
    (
        "GET /api/v1/namespaces/d/pods/x/log",
        'pods "x" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "d"',
        {"name": "x", "kind": "pods"},
    ),
    (
        "DELETE /api/v1/namespaces/d/configmaps",
        (
            'configmaps is forbidden: User "jane" cannot deletecollection resource "configmaps" in API group "" '
            'in the namespace "d"'
        ),
        {"kind": "configmaps"},
    ),
    ("GET /metrics", 'forbidden: User "jane" cannot get path "/metrics"', {}),
    ("POST /nope", 'forbidden: User "jane" cannot post path "/nope"', {}),
    (
        "GET /apis/nope.example.com/v1/things",
        (
            'things.nope.example.com is forbidden: User "jane" cannot list resource "things" in API group '
            '"nope.example.com" at the cluster scope'
        ),
        {"group": "nope.example.com", "kind": "things"},
    ),
    (
        "GET /api/v1/namespaces/d/pods?fieldSelector=metadata.name%3Dx",
        'pods "x" is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "d"',
        {"name": "x", "kind": "pods"},
    ),
]


@pytest.mark.parametrize(("asked", "message", "details"), REFUSALS)
async def test_a_refusal_says_who_can_not_do_what_where(asked: str, message: str, details: dict[str, str]) -> None:
    assert await refusal(*asked.split(" ", 1)) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "Forbidden",
        "details": details,
        "code": 403,
    }


async def test_a_reason_follows() -> None:
    status = await refusal("GET", "/api/v1/nodes", reason="no rules for <you>")
    assert status["message"].endswith("at the cluster scope: no rules for <you>")


async def test_markup_is_defused() -> None:
    status = await refusal("GET", "/%3Cscript%3E&", user=User("<b>"))
    assert status["message"] == 'forbidden: User "&lt;b&gt;" cannot get path "/&lt;script&gt;&amp;"'


async def test_deny_is_a_refusal_too() -> None:
    handler = Recorded()
    with pytest.raises(Forbidden):
        await authorization(Says(Verdict.DENY))(handler)(make_request("GET", "/x", user=JANE))
    assert handler.requests == [], "who is refused gets no further"


async def test_the_authorizer_is_asked_about_all_that_is_known() -> None:
    authorizer = Says(Verdict.ALLOW)
    url = "/apis/apps/v1/namespaces/d/deployments?labelSelector=a%3Db&fieldSelector=metadata.name%3Dx"
    answer = await authorization(authorizer)(Recorded())(make_request("GET", url, user=JANE))
    assert answer.status == 200
    assert authorizer.asked == [
        Attributes(
            JANE,
            "list",
            path="/apis/apps/v1/namespaces/d/deployments",
            group="apps",
            version="v1",
            resource="deployments",
            namespace="d",
            name="x",
            label_selector="a=b",
            field_selector="metadata.name=x",
        )
    ]


async def test_an_error_is_our_fault_and_no_refusal() -> None:
    answer = await authorization(Says(Verdict.NO_OPINION, error="roles are <gone>"))(Recorded())(
        make_request("GET", "/api/v1/nodes", user=JANE)
    )
    assert isinstance(answer, Response)
    assert answer.status == 500
    assert answer.body == b'Internal Server Error: "/api/v1/nodes": roles are &lt;gone&gt;\n'


async def test_what_is_allowed_is_allowed_in_spite_of_an_error() -> None:
    answer = await authorization(Says(Verdict.ALLOW, error="one role is gone"))(Recorded())(
        make_request("GET", "/api/v1/nodes", user=JANE)
    )
    assert answer.status == 200


@pytest.mark.parametrize(
    ("authorizer", "annotations"),
    [
        (AlwaysAllow(), {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""}),
        (
            Says(Verdict.NO_OPINION, "why"),
            {"authorization.k8s.io/decision": "forbid", "authorization.k8s.io/reason": "why"},
        ),
        (Says(Verdict.NO_OPINION, error="oh"), {"authorization.k8s.io/reason": "internal error"}),
    ],
)
async def test_the_decision_is_told_to_the_audit_log(authorizer: Authorizer, annotations: dict[str, str]) -> None:
    event = Auditor(EVERYTHING_AT_METADATA, Kept()).begin(request := make_request("GET", "/api/v1/nodes", user=JANE))
    assert event is not None
    with suppress(Forbidden):
        await authorization(authorizer)(Recorded())(request)
    assert event.document(Stage.RESPONSE_COMPLETE)["annotations"] == annotations
