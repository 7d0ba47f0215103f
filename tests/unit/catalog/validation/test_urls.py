"""URLs as Go reads them."""

from __future__ import annotations

import pytest

from localplane.catalog.validation.urls import URL, InvalidURL, parse_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://h:1/p?q=1#f%20g", URL("https", "h:1", None, "q=1", "f g")),
        ("HTTP://u:p@[::1]:8080", URL("http", "[::1]:8080", "u:p", "", "")),
        ("mailto:a@b", URL("mailto", "", None, "", "")),
        ("/just/a/path", URL("", "", None, "", "")),
        ("", URL("", "", None, "", "")),
    ],
)
def test_parts(text: str, url: URL) -> None:
    assert parse_url(text) == url


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (":foo", 'parse ":foo": missing protocol scheme'),
        ("1.2.3.4:80", 'parse "1.2.3.4:80": first path segment in URL cannot contain colon'),
        ("https://h:x/", 'parse "https://h:x/": invalid port ":x" after host'),
        ("https://[::1/", "parse \"https://[::1/\": missing ']' in host"),
        ("https://a b/", 'parse "https://a b/": invalid character " " in host name'),
        ("https://h/%zz", 'parse "https://h/%zz": invalid URL escape "%zz"'),
        ("https://h/\x01", 'parse "https://h/\\x01": net/url: invalid control character in URL'),
    ],
)
def test_problems(text: str, problem: str) -> None:
    with pytest.raises(InvalidURL) as error:
        parse_url(text)
    assert str(error.value) == problem
