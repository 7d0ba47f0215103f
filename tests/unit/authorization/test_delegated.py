"""Another server's decisions, asked for and remembered for a moment."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from localplane.apiserver.authorization.delegated import DelegatedAuthorizer
from localplane.apiserver.authorization.interface import Attributes, Verdict
from localplane.apiserver.request import User
from localplane.client import BufferedResponse, Client
from localplane.client.transport.interface import Pairs, Response

JANE = User("jane", groups=("devs",), extra={"scope": ("read",)})
LISTS = Attributes(JANE, "list", group="example.com", version="v1", resource="tickets", namespace="default")


class Reviewing:
    """A cluster that gives the same answer to every question, and keeps the questions."""

    def __init__(self, status: dict[str, Any], code: int = 201) -> None:
        self._status = status
        self._code = code
        self.asked: list[dict[str, Any]] = []

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        assert (method, path) == ("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews")
        review = orjson.loads(body or b"")
        self.asked.append(review["spec"])
        answer = review | {"status": self._status}
        return BufferedResponse(self._code, [("Content-Type", "application/json")], orjson.dumps(answer))

    async def close(self) -> None:
        pass


async def test_the_question_tells_who_wants_what() -> None:
    cluster = Reviewing({"allowed": True})
    assert (await DelegatedAuthorizer(Client(cluster)).authorize(LISTS)).allowed
    (asked,) = cluster.asked
    assert (asked["user"], asked["groups"], asked["extra"]) == ("jane", ["devs"], {"scope": ["read"]})
    assert asked["resourceAttributes"] == {
        "namespace": "default",
        "verb": "list",
        "group": "example.com",
        "version": "v1",
        "resource": "tickets",
        "subresource": "",
        "name": "",
    }


async def test_a_question_is_asked_once() -> None:
    cluster = Reviewing({"allowed": True})
    authorizer = DelegatedAuthorizer(Client(cluster))
    await authorizer.authorize(LISTS)
    await authorizer.authorize(LISTS)
    await authorizer.authorize(Attributes(JANE, "get", is_resource=False, path="/healthz"))
    assert [sorted({"resourceAttributes", "nonResourceAttributes"} & set(asked)) for asked in cluster.asked] == [
        ["resourceAttributes"],
        ["nonResourceAttributes"],
    ]


@pytest.mark.parametrize(
    ("status", "verdict"),
    [({"allowed": False}, Verdict.NO_OPINION), ({"allowed": False, "denied": True}, Verdict.DENY)],
)
async def test_a_refusal_is_one(status: dict[str, Any], verdict: Verdict) -> None:
    decision = await DelegatedAuthorizer(Client(Reviewing(status | {"reason": "no"}))).authorize(LISTS)
    assert (decision.verdict, decision.reason) == (verdict, "no")


async def test_a_cluster_that_fails_allows_nothing_and_is_asked_again() -> None:
    cluster = Reviewing({"allowed": True}, code=403)
    authorizer = DelegatedAuthorizer(Client(cluster))
    decision = await authorizer.authorize(LISTS)
    assert decision.verdict is Verdict.NO_OPINION
    assert decision.error
    await authorizer.authorize(LISTS)
    assert len(cluster.asked) == 2
