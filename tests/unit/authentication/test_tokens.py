"""Bearer tokens, and several authenticators as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from localplane.apiserver.authentication import (
    AnonymousAuthenticator,
    AuthenticatedGroupAdder,
    BearerTokenAuthenticator,
    StaticTokenAuthenticator,
    TokenFileInvalid,
    TokenUnion,
    Unauthenticated,
    UnionAuthenticator,
    read_token_file,
    standard_authenticator,
)
from localplane.apiserver.authentication.service_accounts import groups_of, split_username, username
from localplane.apiserver.request import Request, User
from tests.unit.filters.requests import make_request

JANE, BOB = User("jane"), User("bob", uid="2", groups=("dev", "ops"))
KNOWN = StaticTokenAuthenticator({"one": JANE, "two": BOB})
TOKENS = BearerTokenAuthenticator(TokenUnion(KNOWN))


class Says:
    """An authenticator that always says the same."""

    def __init__(self, user: User | None = None, error: str = "") -> None:
        self._user = user
        self._error = error

    async def authenticate(self, request: Request) -> User | None:
        if self._error:
            raise Unauthenticated(self._error)
        return self._user


def with_header(value: str) -> Request:
    return make_request("GET", "/", headers={"Authorization": value})


@pytest.mark.parametrize("header", ["Bearer two", "bearer two", "BEARER two", " Bearer two ", "Bearer two three"])
async def test_a_token_is_found_however_the_scheme_is_written(header: str) -> None:
    assert await TOKENS.authenticate(with_header(header)) == BOB


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic two", "two", "Bearertwo"])
async def test_without_a_bearer_token_there_is_nothing_to_say(header: str) -> None:
    assert await TOKENS.authenticate(with_header(header)) is None
    assert await TOKENS.authenticate(make_request("GET", "/?token=two&access_token=two")) is None


@pytest.mark.parametrize("token", ["tw", "twoo", "TWO", "one,two", "\udcff"])
async def test_a_token_that_is_not_known_is_bad(token: str) -> None:
    with pytest.raises(Unauthenticated, match="invalid bearer token"):
        await TOKENS.authenticate(with_header(f"Bearer {token}"))


async def test_an_empty_token_is_nobodys() -> None:
    nobody = BearerTokenAuthenticator(TokenUnion(StaticTokenAuthenticator({"": JANE})))
    assert await nobody.authenticate(with_header("Bearer ")) is None
    with pytest.raises(Unauthenticated):
        await nobody.authenticate(with_header("Bearer x"))


async def test_a_space_too_many_is_warned_of() -> None:
    request = with_header("Bearer  two")
    assert await TOKENS.authenticate(request) is None
    assert request.warnings == [
        "the provided Authorization header contains extra space before the bearer token, and is ignored"
    ]


def test_no_token_is_kept_in_memory_as_it_is() -> None:
    assert "'one'" not in repr(vars(KNOWN))


def test_tokens_are_read_from_a_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text('one,jane,1\ntwo,bob,2,"dev,ops"\n\n,nobody,3\none,joe,4,\n')
    assert read_token_file(file) == {"one": User("joe", uid="4"), "two": BOB}
    assert "empty token" in caplog.text
    assert "duplicate token" in caplog.text


@pytest.mark.parametrize("content", [b"s3cret,jane\n", b"s3cret,\xff,1\n", b's3cret,"jane,1\x00\n'])
def test_what_is_wrong_with_a_file_is_told_without_its_tokens(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_bytes(content)
    with pytest.raises(TokenFileInvalid) as refused:
        read_token_file(file)
    assert str(file) in str(refused.value)
    assert "s3cret" not in str(refused.value)


async def test_the_first_who_knows_the_user_answers() -> None:
    union = UnionAuthenticator(Says(), Says(error="bad"), Says(JANE), Says(BOB))
    assert await union.authenticate(make_request("GET", "/")) == JANE


async def test_if_nobody_knows_the_user_all_problems_are_told() -> None:
    with pytest.raises(Unauthenticated, match="one; two"):
        await UnionAuthenticator(Says(error="one"), Says(), Says(error="two")).authenticate(make_request("GET", "/"))
    assert await UnionAuthenticator(Says(), Says()).authenticate(make_request("GET", "/")) is None


async def test_one_problem_can_be_the_end() -> None:
    with pytest.raises(Unauthenticated):
        await UnionAuthenticator(Says(error="bad"), Says(JANE), fail_on_error=True).authenticate(
            make_request("GET", "/")
        )


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ((), ("system:authenticated",)),
        (("dev",), ("dev", "system:authenticated")),
        (("system:authenticated",), ("system:authenticated",)),
        (("system:unauthenticated",), ("system:unauthenticated",)),
    ],
)
async def test_the_known_belong_to_a_group(groups: tuple[str, ...], expected: tuple[str, ...]) -> None:
    adder = AuthenticatedGroupAdder(Says(User("u", uid="1", groups=groups, extra={"k": ("v",)})))
    for _ in range(2):
        user = await adder.authenticate(make_request("GET", "/"))
        assert user == User("u", uid="1", groups=expected, extra={"k": ("v",)})


async def test_two_users_do_not_get_one_anothers_groups() -> None:
    authenticator = standard_authenticator(TOKENS, anonymous=None)
    for token, name in (("one", "jane"), ("two", "bob"), ("one", "jane")):
        user = await authenticator.authenticate(with_header(f"Bearer {token}"))
        assert user is not None
        assert user.name == name
        assert user.groups[-1] == "system:authenticated"


async def test_anonymous_may_be_for_some_paths_only() -> None:
    authenticator = standard_authenticator(TOKENS, anonymous=AnonymousAuthenticator(paths=("/healthz",)))
    user = await authenticator.authenticate(make_request("GET", "/healthz"))
    assert user == User("system:anonymous", groups=("system:unauthenticated",))
    assert await authenticator.authenticate(make_request("GET", "/healthz/etcd")) is None


async def test_a_bad_token_never_becomes_anonymous() -> None:
    authenticator = standard_authenticator(TOKENS, anonymous=AnonymousAuthenticator())
    with pytest.raises(Unauthenticated):
        await authenticator.authenticate(with_header("Bearer bad"))


def test_service_accounts_have_names_as_users() -> None:
    assert username("d", "sa") == "system:serviceaccount:d:sa"
    assert split_username("system:serviceaccount:d:sa") == ("d", "sa")
    assert groups_of("d") == ("system:serviceaccounts", "system:serviceaccounts:d")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "jane",
        "system:serviceaccount:",
        "system:serviceaccount:d",
        "system:serviceaccount:d:a:b",
        "system:serviceaccount:D:a",
        "system:serviceaccount:d:",
        "system:serviceaccount:d:A_b",
    ],
)
def test_other_names_are_no_service_accounts(name: str) -> None:
    assert split_username(name) is None
