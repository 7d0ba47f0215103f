"""Request targets, read as Go reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.server.http.http_server import decode_path, parse_query


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/api/v1/pods", "/api/v1/pods"),
        ("/a%2Fb", "/a/b"),
        ("/a+b", "/a+b"),
        ("/caf%C3%A9", "/café"),
        ("/%ff", "/\ufffd"),
        ("/\udcff", "/\ufffd"),
        ("//double", "//double"),
        ("/100%", ""),
        ("/%zz", ""),
    ],
)
def test_a_path_is_decoded_once(raw: str, path: str) -> None:
    assert decode_path(raw) == path


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        ("", {}),
        ("a=1&a=2", {"a": ["1", "2"]}),
        ("watch", {"watch": [""]}),
        ("a=b=c", {"a": ["b=c"]}),
        ("labelSelector=app%3Dx%2Cy", {"labelSelector": ["app=x,y"]}),
        ("a=x+y", {"a": ["x y"]}),
        ("&&a=1&", {"a": ["1"]}),
        ("a=%zz&b=1", {"b": ["1"]}),
        ("a=1;b=2&c=3", {"c": ["3"]}),
        ("=x", {"": ["x"]}),
    ],
)
def test_a_query_keeps_what_can_be_read(raw: str, values: dict[str, list[str]]) -> None:
    query = parse_query(raw)
    assert {name: list(query.all(name)) for name in query} == values


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126)))
def test_nothing_that_a_client_sends_makes_them_raise(raw: str) -> None:
    assert isinstance(decode_path("/" + raw), str)
    parse_query(raw)
