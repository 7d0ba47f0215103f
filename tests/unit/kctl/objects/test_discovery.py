"""Where the types of a server are kept on disk."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

from kctl.session.discovery import CachedDiscovery


def file_for(server: str) -> str:
    session: Any = SimpleNamespace(client_config=SimpleNamespace(server=server), cache_directory="/home/me/.kube/cache")
    return CachedDiscovery(session)._file


@pytest.mark.parametrize(
    ("server", "folder"),
    [
        ("https://127.0.0.1:6443", "127.0.0.1_6443"),
        ("https://example.com/k8s/clusters/c-1", "example.com/k8s/clusters/c_1"),
        ("http://[::1]:8001", "___1__8001"),
    ],
)
def test_the_folder_is_the_address(server: str, folder: str) -> None:
    assert file_for(server) == f"/home/me/.kube/cache/kctl/discovery/{folder}/groups.json"


@pytest.mark.parametrize(
    "server",
    [
        "http://host/../../../../any/folder",
        "http://../../etc",
        "http://..",
        "https://host/a/..",
        "https://host/./.././...",
        "../../x",
        "/..",
    ],
)
def test_no_address_leads_out_of_the_cache(server: str) -> None:
    inside = "/home/me/.kube/cache/kctl/discovery/"
    assert os.path.normpath(file_for(server)).startswith(inside)
    assert ".." not in file_for(server).split("/")
