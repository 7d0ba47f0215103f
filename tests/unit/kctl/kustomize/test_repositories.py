"""Which addresses are git repositories, and what is cloned of them."""

from __future__ import annotations

import pytest

from kctl.kustomize.repositories import parse


@pytest.mark.parametrize(
    ("address", "clone_from", "path", "ref"),
    [
        ("https://github.com/org/repo", "https://github.com/org/repo", "", ""),
        ("github.com/org/repo/deep/path?ref=v1", "https://github.com/org/repo", "deep/path", "v1"),
        ("git@github.com:org/repo.git/path", "git@github.com:org/repo.git", "path", ""),
        ("ssh://git@github.com/org/repo?version=main", "git@github.com:org/repo", "", "main"),
        ("https://example.com/a/b.git//sub?ref=x&version=y", "https://example.com/a/b.git", "sub", "x"),
        ("https://dev.azure.com/o/p/_git/repo/sub/dir", "https://dev.azure.com/o/p/_git/repo", "sub/dir", ""),
        ("file:///srv/repo//base", "file:///srv/repo", "base", ""),
        ("file:///srv/repo", "file:///srv/repo", "", ""),
        ("git::https://example.com/org/repo", "https://example.com/org/repo", "", ""),
    ],
)
def test_an_address_names_a_repository_and_a_directory_in_it(
    address: str, clone_from: str, path: str, ref: str
) -> None:
    found = parse(address)
    assert found is not None
    assert (found.clone_from, found.path, found.ref) == (clone_from, path, ref)


@pytest.mark.parametrize(
    "text",
    ["../base", "/abs/path", "base", "deployment.yaml", "https://example.com/a.yaml", "ftp://example.com/org/repo"],
)
def test_anything_else_is_none(text: str) -> None:
    assert parse(text) is None


def test_a_path_that_leaves_the_repository_is_no_address() -> None:
    assert parse("https://github.com/org/repo/../../x") is None
