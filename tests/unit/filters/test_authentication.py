"""Who asks, and what becomes of those who can't say."""

from __future__ import annotations

import logging

import pytest

from localplane.apimachinery.errors import Unauthorized
from localplane.apiserver.audit import EVERYTHING_AT_METADATA, Auditor
from localplane.apiserver.authentication import (
    AnonymousAuthenticator,
    Authenticator,
    BearerTokenAuthenticator,
    StaticTokenAuthenticator,
    TokenUnion,
    standard_authenticator,
)
from localplane.apiserver.endpoints.filters import authentication
from localplane.apiserver.request import User
from tests.unit.audit.backend import Kept
from tests.unit.filters.requests import Recorded, make_request

TOKENS = BearerTokenAuthenticator(TokenUnion(StaticTokenAuthenticator({"s3cret": User("jane", groups=("dev",))})))


def authenticator(*, anonymous: bool) -> Authenticator:
    return standard_authenticator(TOKENS, anonymous=AnonymousAuthenticator() if anonymous else None)


async def test_a_known_token_is_its_user() -> None:
    handler = Recorded()
    request = make_request("GET", "/api/v1/pods", headers={"Authorization": "Bearer s3cret"})
    await authentication(authenticator(anonymous=False))(handler)(request)
    assert handler.user == User("jane", groups=("dev", "system:authenticated"))


async def test_nobody_further_in_sees_a_credential() -> None:
    handler = Recorded()
    headers = {"Authorization": "Bearer s3cret", "X-Remote-User": "root", "X-Remote-Extra-Scopes": "a", "Accept": "b"}
    request = make_request("GET", "/api/v1/pods", headers=headers)
    await authentication(authenticator(anonymous=False))(handler)(request)
    (seen,) = handler.requests
    assert dict(seen.headers) == {"accept": "b"}
    for name in ("Authorization", "authorization", "x-remote-user", "x-remote-extra-scopes"):
        assert seen.header_values(name) == ()
    assert seen.header_values("accept") == ("b",)


@pytest.mark.parametrize("url", ["/api/v1/pods", "/readyz"])
@pytest.mark.parametrize(
    "header", ["Bearer nonsense", "Bearer s3cre", "bearer s3cret2", "Bearer eyJhbGciOiJub25lIn0.e30."]
)
async def test_a_bad_token_is_unauthorized_and_never_anonymous(url: str, header: str) -> None:
    handler = Recorded()
    with pytest.raises(Unauthorized) as refused:
        await authentication(authenticator(anonymous=True))(handler)(
            make_request("GET", url, headers={"Authorization": header})
        )
    assert refused.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }
    assert not handler.requests


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic YTpi"}, {"Authorization": ""}])
async def test_without_a_token_somebody_is_anonymous_where_that_is_allowed(headers: dict[str, str]) -> None:
    handler = Recorded()
    request = make_request("GET", "/readyz?token=s3cret", headers=headers)
    await authentication(authenticator(anonymous=True))(handler)(request)
    assert handler.user == User("system:anonymous", groups=("system:unauthenticated",))


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic YTpi"}])
async def test_without_a_token_somebody_is_unauthorized_where_it_is_not(headers: dict[str, str]) -> None:
    with pytest.raises(Unauthorized):
        await authentication(authenticator(anonymous=False))(Recorded())(
            make_request("GET", "/api/v1/pods?token=s3cret&access_token=s3cret", headers=headers)
        )


async def test_the_log_never_holds_a_token(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(Unauthorized):
        await authentication(authenticator(anonymous=False))(Recorded())(
            make_request("GET", "/api/v1/pods", headers={"Authorization": "Bearer mistyped"})
        )
    assert "invalid bearer token" in caplog.text
    assert "mistyped" not in caplog.text


async def test_a_refusal_is_recorded_with_nothing_of_the_credential() -> None:
    backend = Kept()
    with pytest.raises(Unauthorized):
        await authentication(authenticator(anonymous=False), auditor=Auditor(EVERYTHING_AT_METADATA, backend))(
            Recorded()
        )(make_request("GET", "/api/v1/pods", headers={"Authorization": "Bearer mistyped"}))
    (event,) = backend.events
    assert event["stage"] == "ResponseStarted"
    assert event["user"] == {}
    assert event["responseStatus"] == {
        "metadata": {},
        "status": "Failure",
        "message": "Unauthorized",
        "reason": "Unauthorized",
        "code": 401,
    }
    assert "mistyped" not in str(event)
