"""Lists in pages: all of one state, as long as that state is remembered."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, config_map


@pytest.fixture
async def five(api: API) -> API:
    for name in "abcde":
        await api.post(CONFIG_MAPS, config_map(name, metadata={"labels": {"odd": str(name in "ace").lower()}}))
    return api


def token(**fields: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).rstrip(b"=").decode()


async def test_pages_show_one_state_and_end(five: API) -> None:
    first = await five.get(f"{CONFIG_MAPS}?limit=2")
    assert first.names == ["a", "b"]
    assert first.body["metadata"]["remainingItemCount"] == 3
    await five.delete(f"{CONFIG_MAPS}/c")
    await five.post(CONFIG_MAPS, config_map("bb"))
    second = await five.get(f"{CONFIG_MAPS}?limit=2&continue={first.body['metadata']['continue']}")
    assert second.names == ["c", "d"]
    assert second.version == first.version
    assert second.body["metadata"]["remainingItemCount"] == 1
    last = await five.get(f"{CONFIG_MAPS}?limit=2&continue={second.body['metadata']['continue']}")
    assert last.names == ["e"]
    assert last.body["metadata"] == {"resourceVersion": first.version}


async def test_a_page_that_holds_all_is_the_last(five: API) -> None:
    assert set((await five.get(f"{CONFIG_MAPS}?limit=5")).body["metadata"]) == {"resourceVersion"}


async def test_a_token_can_be_read_by_anyone(five: API) -> None:
    page = (await five.get(f"{CONFIG_MAPS}?limit=2")).body["metadata"]
    padded = page["continue"] + "=" * (-len(page["continue"]) % 4)
    assert json.loads(base64.urlsafe_b64decode(padded)) == {
        "v": "meta.k8s.io/v1",
        "rv": int(page["resourceVersion"]),
        "start": "b\x00",
    }


async def test_nobody_counts_what_a_selector_leaves_out(five: API) -> None:
    first = await five.get(f"{CONFIG_MAPS}?limit=2&labelSelector=odd%3Dtrue")
    assert first.names == ["a", "c"]
    assert set(first.body["metadata"]) == {"resourceVersion", "continue"}
    token = first.body["metadata"]["continue"]
    assert (await five.get(f"{CONFIG_MAPS}?limit=2&labelSelector=odd%3Dtrue&continue={token}")).names == ["e"]


async def test_any_state_is_shown_whole(five: API) -> None:
    """Whoever takes any version takes all of it: a cache has no pages."""
    listed = await five.get(f"{CONFIG_MAPS}?limit=2&resourceVersion=0")
    assert listed.names == ["a", "b", "c", "d", "e"]
    assert "continue" not in listed.body["metadata"]


async def test_a_page_of_a_state_that_is_gone_can_go_on_in_the_present(five: API) -> None:
    first = await five.get(f"{CONFIG_MAPS}?limit=2")
    for name in "xyz":
        await five.post(CONFIG_MAPS, config_map(name))
    await five.backend.compact(five.revision)
    refused = await five.get(f"{CONFIG_MAPS}?limit=2&continue={first.body['metadata']['continue']}")
    assert refused.error == (
        410,
        "Expired",
        (
            "The provided continue parameter is too old to display a consistent list result. You can start a new list "
            "without the continue parameter, or use the continue token in this response to retrieve the remainder of "
            "the "
            "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
            "modified, or deleted between the time the first chunk was returned and now may show up in the list."
        ),
    )
    rest = await five.get(f"{CONFIG_MAPS}?continue={refused.body['metadata']['continue']}")
    assert rest.names == ["c", "d", "e", "x", "y", "z"]
    assert rest.version == str(five.revision)


NOT_VALID = "invalid continue token: continue key is not valid: "


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("garbage!", f"{NOT_VALID}illegal base64 data at input byte 7"),
        ("x", f"{NOT_VALID}illegal base64 data at input byte 0"),
        (token(v="meta.k8s.io/v1", rv=1, start="../secrets/"), f"{NOT_VALID}../secrets/"),
        (
            token(v="meta.k8s.io/v2", rv=1, start="a"),
            f"{NOT_VALID}server does not recognize this encoded version meta.k8s.io/v2",
        ),
        (
            token(v="meta.k8s.io/v1", rv=0, start="a"),
            f"{NOT_VALID}incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        ),
        (token(v="meta.k8s.io/v1", rv=1, start=""), f"{NOT_VALID}encoded start key empty (version meta.k8s.io/v1)"),
    ],
)
async def test_a_token_that_is_none_of_ours_is_refused(five: API, given: str, message: str) -> None:
    assert (await five.get(f"{CONFIG_MAPS}?continue={given}")).error == (400, "BadRequest", message)


async def test_a_token_and_a_version_do_not_go_together(five: API) -> None:
    given = (await five.get(f"{CONFIG_MAPS}?limit=2")).body["metadata"]["continue"]
    refused = await five.get(f"{CONFIG_MAPS}?continue={given}&resourceVersion=5")
    assert refused.error == (400, "BadRequest", "specifying resource version is not allowed when using continue")


async def test_a_token_of_one_namespace_never_shows_another(five: API) -> None:
    await five.post("/api/v1/namespaces/zz/configmaps", config_map("secret"))
    for start in ("/zz/", "../zz/", "default/../../zz/", "\x00", "zz"):
        given = token(v="meta.k8s.io/v1", rv=five.revision, start=start)
        reply = await five.get(f"{CONFIG_MAPS}?continue={given}")
        assert b"secret" not in reply.data
