"""Which requests go through a proxy."""

from __future__ import annotations

import pytest

from localplane.client.errors import ConfigError
from localplane.client.transport.proxies import proxy_for

PROXY = "http://proxy:3128"


@pytest.mark.parametrize(
    "server", ["http://localhost:8080", "https://127.0.0.1:6443", "https://127.9.9.9", "https://[::1]:6443"]
)
def test_loopback_is_never_proxied(server: str) -> None:
    assert proxy_for(server, environment={"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY}) is None


def test_the_variable_of_the_scheme_counts_in_either_case() -> None:
    assert proxy_for("https://a", environment={"HTTPS_PROXY": PROXY}) == PROXY
    assert proxy_for("https://a", environment={"https_proxy": "proxy:1"}) == "http://proxy:1"
    assert proxy_for("https://a", environment={"HTTP_PROXY": PROXY}) is None


@pytest.mark.parametrize(
    ("exceptions", "server", "proxied"),
    [
        ("", "https://a.example.com", True),
        ("*", "https://a.example.com", False),
        ("example.com", "https://a.example.com", False),
        ("example.com", "https://example.com", False),
        (".example.com", "https://example.com", True),
        ("*.example.com", "https://a.example.com", False),
        ("ample.com", "https://example.com", True),
        ("other.com, example.com", "https://example.com", False),
        ("example.com:6443", "https://example.com:6443", False),
        ("example.com:6443", "https://example.com", True),
        ("10.0.0.0/8", "https://10.1.2.3", False),
        ("10.0.0.0/8", "https://11.1.2.3", True),
        ("10.1.2.3", "https://10.1.2.3:6443", False),
        ("fd00::/8", "https://[fd00::5]:6443", False),
        ("nonsense/8", "https://10.1.2.3", True),
    ],
)
def test_exceptions_are_read_as_go_reads_them(exceptions: str, server: str, proxied: bool) -> None:  # noqa: FBT001 - a table's column
    environment = {"HTTPS_PROXY": PROXY, "NO_PROXY": exceptions}
    assert (proxy_for(server, environment=environment) is not None) == proxied


def test_a_configured_proxy_is_taken_as_it_is() -> None:
    assert proxy_for("https://127.0.0.1", configured=PROXY, environment={"NO_PROXY": "*"}) == PROXY
    with pytest.raises(ConfigError, match="must be http, https or socks5"):
        proxy_for("https://a", configured="ftp://p", environment={})
