"""Selectors: by labels, and by the fields that a kind lets be selected."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, PODS, config_map, pod


@pytest.fixture
async def labelled(api: API) -> API:
    for name, labels in (
        ("a", {"env": "dev"}),
        ("b", {"env": "prod", "legacy": ""}),
        ("c", {"env": "prod"}),
        ("d", {}),
    ):
        await api.post(CONFIG_MAPS, config_map(name, metadata={"labels": labels}))
    return api


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("env=prod", ["b", "c"]),
        ("env==prod", ["b", "c"]),
        ("env!=prod", ["a", "d"]),
        ("env in (dev,prod),!legacy", ["a", "c"]),
        ("env notin (dev)", ["b", "c", "d"]),
        ("legacy", ["b"]),
        ("!env", ["d"]),
        ("", ["a", "b", "c", "d"]),
    ],
)
async def test_labels_select(labelled: API, selector: str, names: list[str]) -> None:
    assert (await labelled.get(f"{CONFIG_MAPS}?labelSelector={quote(selector)}")).names == names


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("a==b==c", "found '==', expected: ',' or 'end of string'"),
        ("g===", "unable to parse requirement: found '=', expected: identifier"),
        ("a in", "unable to parse requirement: found '' expected: '('"),
    ],
)
async def test_labels_that_cannot_be_parsed_are_a_bad_request(api: API, selector: str, message: str) -> None:
    refused = await api.get(f"{CONFIG_MAPS}?labelSelector={quote(selector)}")
    assert refused.error[:2] == (400, "BadRequest")
    assert refused.message.startswith(message)


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("metadata.name=a", ["a"]),
        ("metadata.name!=a", ["b", "c", "d"]),
        ("metadata.name=none", []),
        ("metadata.name=a,metadata.name=b", []),
        ("metadata.namespace=default", ["a", "b", "c", "d"]),
        ("metadata.namespace=other", []),
    ],
)
async def test_every_kind_can_be_selected_by_name(labelled: API, selector: str, names: list[str]) -> None:
    assert (await labelled.get(f"{CONFIG_MAPS}?fieldSelector={quote(selector)}")).names == names


async def test_a_name_and_labels_must_both_fit(labelled: API) -> None:
    query = f"fieldSelector={quote('metadata.name=a')}&labelSelector="
    assert (await labelled.get(f"{CONFIG_MAPS}?{query}{quote('env=dev')}")).names == ["a"]
    assert (await labelled.get(f"{CONFIG_MAPS}?{query}{quote('env=prod')}")).names == []


async def test_one_cluster_scoped_object_is_selected_by_its_name(api: API) -> None:
    for name in "ab":
        await api.post("/api/v1/nodes", {"metadata": {"name": name}})
    assert (await api.get("/api/v1/nodes?fieldSelector=metadata.name%3Db")).names == ["b"]
    assert (await api.get("/api/v1/nodes?fieldSelector=metadata.namespace%3Db")).names == []


async def test_a_kind_says_which_other_fields_select(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    await api.post(PODS, pod("b"))
    for selector, names in (
        ("spec.nodeName=n", ["a"]),
        ("spec.nodeName=", ["b"]),
        ("status.phase=Pending,spec.nodeName!=n", ["b"]),
        ("status.phase=Running", []),
    ):
        assert (await api.get(f"{PODS}?fieldSelector={quote(selector)}")).names == names


@pytest.mark.parametrize(
    ("url", "selector", "message"),
    [
        (PODS, "spec.nope=x", "field label not supported: spec.nope"),
        (CONFIG_MAPS, "foo=bar", '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"'),
        (CONFIG_MAPS, "foo", "invalid selector: 'foo'; can't understand 'foo'"),
    ],
)
async def test_other_fields_do_not(api: API, url: str, selector: str, message: str) -> None:
    for query in ("", "&watch=1"):
        refused = await api.get(f"{url}?fieldSelector={quote(selector)}{query}")
        assert refused.error == (400, "BadRequest", message)
