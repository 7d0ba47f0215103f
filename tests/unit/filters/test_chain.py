"""The filters together, in the order a request meets them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from localplane.apiserver.audit import EVERYTHING_AT_METADATA, Auditor
from localplane.apiserver.authentication import (
    AUTHENTICATED,
    AnonymousAuthenticator,
    BearerTokenAuthenticator,
    StaticTokenAuthenticator,
    TokenUnion,
    standard_authenticator,
)
from localplane.apiserver.authorization import (
    DISCOVERY_PATHS,
    PUBLIC_PATHS,
    NamedAuthorizer,
    PathAuthorizer,
    PrivilegedGroups,
    UnionAuthorizer,
)
from localplane.apiserver.endpoints.filters import (
    UnfinishedWrites,
    audit,
    authentication,
    authorization,
    deadline,
    flow_control,
    impersonation,
    recover,
    request_info,
)
from localplane.apiserver.flow_control import InFlight
from localplane.apiserver.request import Handler, Response, User
from tests.unit.audit.backend import Kept
from tests.unit.filters.requests import Recorded, make_request


class Server:
    """What a server without roles is made of."""

    def __init__(self, handler: Handler | None = None) -> None:
        self.log = Kept()
        auditor = Auditor(EVERYTHING_AT_METADATA, self.log)
        tokens = {"root": User("admin", groups=("system:masters",)), "jane": User("jane")}
        authenticator = standard_authenticator(
            BearerTokenAuthenticator(TokenUnion(StaticTokenAuthenticator(tokens))), anonymous=AnonymousAuthenticator()
        )
        authorizer = UnionAuthorizer(
            NamedAuthorizer("masters", PrivilegedGroups()),
            NamedAuthorizer("public", PathAuthorizer(PUBLIC_PATHS)),
            NamedAuthorizer("discovery", PathAuthorizer(DISCOVERY_PATHS, groups=(AUTHENTICATED,))),
        )
        filters = (
            recover(),
            request_info(),
            deadline(unfinished_writes=UnfinishedWrites(), auditor=auditor),
            authentication(authenticator, auditor=auditor),
            audit(auditor),
            impersonation(authorizer),
            flow_control(InFlight()),
            authorization(authorizer),
        )
        self._serve: Handler = handler or Recorded()
        for each in reversed(filters):
            self._serve = each(self._serve)

    async def __call__(self, method: str, url: str, *, token: str = "", **headers: str) -> Response:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        answer = await self._serve(make_request(method, url, headers=sent))
        assert isinstance(answer, Response)
        return answer


def body(answer: Response) -> dict[str, Any]:
    assert isinstance(answer.body, bytes)
    found: dict[str, Any] = json.loads(answer.body)
    return found


@pytest.mark.parametrize(
    ("url", "token", "status"),
    [
        ("/api/v1/pods", "root", 200),
        ("/api/v1/pods", "jane", 403),
        ("/api/v1/pods", "", 403),
        ("/api/v1/pods", "bad", 401),
        ("/readyz", "", 200),
        ("/readyz", "bad", 401),
        ("/version", "", 200),
        ("/api", "", 403),
        ("/api", "jane", 200),
        ("/metrics", "jane", 403),
        ("/nope", "", 403),
    ],
)
async def test_who_is_let_through(url: str, token: str, status: int) -> None:
    assert (await Server()("GET", url, token=token)).status == status


async def test_nobody_unknown_may_write() -> None:
    server = Server()
    answer = await server("POST", "/api/v1/namespaces/d/configmaps")
    assert body(answer)["message"] == (
        'configmaps is forbidden: User "system:anonymous" cannot create resource "configmaps" in API group "" '
        'in the namespace "d"'
    )


async def test_an_impersonated_user_has_no_rights_of_the_impersonator() -> None:
    answer = await Server()("GET", "/api/v1/namespaces/d/pods/x/log", token="root", Impersonate_User="jane")
    assert body(answer)["message"] == (
        'pods "x" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "d"'
    )


async def test_nobody_may_impersonate_without_permission() -> None:
    answer = await Server()("GET", "/version", token="jane", Impersonate_User="root")
    assert (answer.status, answer.headers["X-Content-Type-Options"]) == (403, "nosniff")


async def test_every_refusal_is_in_the_audit_log() -> None:
    server = Server()
    for url, token in (("/x?timeout=y", "root"), ("/x", "bad"), ("/x", "jane"), ("/x", "root")):
        await server("GET", url, token=token)
    assert [event["responseStatus"]["code"] for event in server.log.events] == [400, 401, 403, 200]
    assert [event["user"].get("username") for event in server.log.events] == [None, None, "jane", "admin"]


async def test_a_bug_is_a_500_a_panic_in_the_log_and_the_server_stays_up() -> None:
    server = Server(Recorded(RuntimeError("bug")))
    for method, url in (("GET", "/api/v1/nodes"), ("POST", "/api/v1/nodes")):
        answer = await server(method, url, token="root")
        assert answer.status == 500
        assert answer.body == b"This request caused apiserver to panic. Look in the logs for details.\n"
    assert server.log.stages == ["Panic", "Panic"]


async def test_the_answer_and_the_log_know_the_request_by_the_same_id() -> None:
    server = Server()
    answer = await server("GET", "/version")
    assert server.log.events[0]["auditID"] == answer.headers["Audit-Id"]


async def test_an_answer_to_another_origin_says_nothing_of_origins() -> None:
    for token in ("", "root"):
        answer = await Server()("OPTIONS", "/api/v1/pods", token=token, Origin="http://evil.example")
        assert not [name for name in answer.headers if name.startswith("Access-Control")]
    assert (await Server()("OPTIONS", "/api/v1/pods", Origin="http://evil.example")).status == 403
