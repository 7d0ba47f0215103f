"""Who decides, and in which order."""

from __future__ import annotations

import pytest

from localplane.apiserver.authorization import (
    ALLOWED,
    DISCOVERY_PATHS,
    NO_OPINION,
    PUBLIC_PATHS,
    AlwaysAllow,
    Attributes,
    Authorizer,
    Decision,
    NamedAuthorizer,
    PathAuthorizer,
    PrivilegedGroups,
    UnionAuthorizer,
    Verdict,
)
from localplane.apiserver.request import User

ANONYMOUS = User("system:anonymous", groups=("system:unauthenticated",))
JANE = User("jane", groups=("system:authenticated",))
ADMIN = User("admin", groups=("system:masters", "system:authenticated"))


class Says:
    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self.asked = 0

    async def authorize(self, attributes: Attributes) -> Decision:
        self.asked += 1
        return self._decision


def path(user: User, path: str, verb: str = "get") -> Attributes:
    return Attributes(user, verb, is_resource=False, path=path)


def pods(user: User) -> Attributes:
    return Attributes(user, "list", resource="pods", path="/api/v1/pods")


def union(*authorizers: Authorizer) -> UnionAuthorizer:
    return UnionAuthorizer(*(NamedAuthorizer(f"a{index}", each) for index, each in enumerate(authorizers)))


async def test_administrators_may_do_everything() -> None:
    assert await PrivilegedGroups().authorize(pods(ADMIN)) == ALLOWED
    assert await PrivilegedGroups().authorize(pods(JANE)) == NO_OPINION
    assert await PrivilegedGroups("ops").authorize(pods(ADMIN)) == NO_OPINION


async def test_always_allow_does() -> None:
    assert (await AlwaysAllow().authorize(pods(ANONYMOUS))).allowed


# What a server without roles allows: as Kubernetes' bootstrap roles do.
DEFAULTS = union(
    PrivilegedGroups(),
    PathAuthorizer(PUBLIC_PATHS),
    PathAuthorizer(DISCOVERY_PATHS, groups=("system:authenticated",)),
)


@pytest.mark.parametrize("url", ["/healthz", "/livez", "/readyz", "/version", "/version/"])
async def test_everybody_may_ask_for_health_and_version(url: str) -> None:
    assert (await DEFAULTS.authorize(path(ANONYMOUS, url))).allowed
    assert not (await DEFAULTS.authorize(path(ANONYMOUS, url, "post"))).allowed


@pytest.mark.parametrize(
    "url",
    ["/", "/api", "/apis", "/metrics", "/nope", "/healthz/etcd", "/openapi/v2", "/.well-known/openid-configuration"],
)
async def test_nobody_unknown_may_ask_for_more(url: str) -> None:
    assert await DEFAULTS.authorize(path(ANONYMOUS, url)) == NO_OPINION


@pytest.mark.parametrize("url", ["/api", "/api/v1", "/apis", "/apis/apps/v1", "/openapi/v3", "/version"])
async def test_whoever_is_known_may_discover(url: str) -> None:
    assert (await DEFAULTS.authorize(path(JANE, url))).allowed


async def test_discovery_is_no_key_to_resources() -> None:
    assert not (await DEFAULTS.authorize(pods(JANE))).allowed
    assert not (await DEFAULTS.authorize(path(JANE, "/metrics"))).allowed


def test_a_star_stands_at_the_end() -> None:
    with pytest.raises(ValueError, match="only trailing"):
        PathAuthorizer(["/a*/b"])


@pytest.mark.parametrize("verdict", [Verdict.ALLOW, Verdict.DENY])
async def test_the_first_to_have_an_opinion_decides(verdict: Verdict) -> None:
    last = Says(ALLOWED)
    decision = await union(Says(NO_OPINION), Says(Decision(verdict, "because")), last).authorize(pods(JANE))
    assert decision == Decision(verdict, "because")
    assert last.asked == 0


async def test_if_nobody_has_one_all_reasons_and_errors_are_told() -> None:
    decision = await union(
        Says(Decision(Verdict.NO_OPINION, "no rule", "one")),
        Says(NO_OPINION),
        Says(Decision(Verdict.NO_OPINION, "no role", "two")),
        Says(Decision(Verdict.NO_OPINION, "", "two")),
    ).authorize(pods(JANE))
    assert decision == Decision(Verdict.NO_OPINION, "a0: no rule\na2: no role", "[one, two]")


async def test_one_error_stands_alone() -> None:
    assert (await union(Says(Decision(Verdict.NO_OPINION, error="one"))).authorize(pods(JANE))).error == "one"


def test_authorizers_need_names_of_their_own() -> None:
    with pytest.raises(ValueError, match="names of their own"):
        UnionAuthorizer(NamedAuthorizer("x", AlwaysAllow()), NamedAuthorizer("x", AlwaysAllow()))
