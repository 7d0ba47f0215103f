"""The request path: what a request meets, in which order."""

from __future__ import annotations

from localplane.apiserver.authorization import Attributes, Decision, Verdict
from localplane.apiserver.endpoints.filters import Shutdown
from localplane.apiserver.flow_control import InFlight
from localplane.apiserver.request import Answer, Filter, Handler, Request, Response, Transport, User
from localplane.apiserver.server.chain import Guards, filters, wrapped
from tests.unit.server.asking import ask


def noting(name: str, notes: list[str]) -> Filter:
    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            notes.append(f"{name} in")
            answer = await handler(request)
            notes.append(f"{name} out")
            return answer

        return handle

    return filtered


async def test_the_first_filter_sees_a_request_first_and_its_answer_last() -> None:
    notes: list[str] = []

    async def handler(_request: Request) -> Answer:
        notes.append("handled")
        return Response(200)

    await wrapped([noting("a", notes), noting("b", notes)], handler)(ask())
    assert notes == ["a in", "b in", "handled", "b out", "a out"]


class Everyone:
    """Believes the header, allows all but one, and keeps the order in which it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def authenticate(self, request: Request) -> User | None:
        self.asked.append(f"who sends {request.info.verb}?")
        name = request.headers.get("authorization")
        return User(name) if name else None

    async def authorize(self, attributes: Attributes) -> Decision:
        self.asked.append(f"may {attributes.user.name}?")
        return Decision(Verdict.ALLOW if attributes.user.name == "friend" else Verdict.NO_OPINION)


async def answer_to(request: Request, shutdown: Shutdown | None = None) -> Response:
    everyone = Everyone()
    guards = Guards(authenticator=everyone, authorizer=everyone, in_flight=InFlight(), shutdown=shutdown or Shutdown())

    async def handler(request: Request) -> Answer:
        if request.path == "/boom":
            raise ZeroDivisionError
        return Response(200, b"handled", headers={"X-Asked": ", ".join(everyone.asked)})

    answer = await wrapped(filters(guards), handler)(request)
    assert isinstance(answer, Response)
    return answer


async def test_nobody_is_handled_before_it_is_known_who_and_whether_they_may() -> None:
    answer = await answer_to(ask("/x", authorization="friend"))
    assert (answer.status, answer.headers["X-Asked"]) == (200, "who sends get?, may friend?")
    assert (await answer_to(ask("/x"))).status == 401
    assert (await answer_to(ask("/x", authorization="stranger"))).status == 403
    assert (await answer_to(ask("/boom", authorization="friend"))).status == 500
    assert (await answer_to(ask("/x?timeout=abc"))).status == 400  # before anybody asks who


def test_the_path_has_all_filters_and_this_is_their_order() -> None:
    everyone = Everyone()
    guards = Guards(authenticator=everyone, authorizer=everyone, in_flight=InFlight())
    assert [each.__qualname__.partition(".")[0] for each in filters(guards)] == [
        "plane_time",
        "transport",
        "shutdown",
        "recover",
        "request_info",
        "deadline",
        "authentication",
        "audit",
        "impersonation",
        "flow_control",
        "authorization",
        "faults",
    ]


async def test_what_comes_in_a_wrong_way_or_too_late_is_refused_before_anybody_is_asked() -> None:
    page = ask("/x", authorization="friend", origin="https://example.com")
    page.transport = Transport(secure=False)
    answer = await answer_to(page)
    assert (answer.status, "X-Asked" in answer.headers, "Audit-Id" in answer.headers) == (403, False, False)
    late = await answer_to(ask("/x", authorization="friend"), Shutdown(refuses=True))
    assert (late.status, "X-Asked" in late.headers) == (503, False)
