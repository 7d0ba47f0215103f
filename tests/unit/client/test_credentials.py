"""Tokens, files and plugins."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from localplane.client.authentication.credentials import Credentials, TokenFile, credentials_for
from localplane.client.authentication.exec_plugin import ExecPlugin
from localplane.client.errors import CredentialsError
from localplane.client.kubeconfig import ClientConfig, ExecClusterInfo, ExecConfig
from localplane.client.kubeconfig.model import EnvironmentVariable

V1 = "client.authentication.k8s.io/v1"


async def test_tokens_and_passwords_become_headers() -> None:
    assert await credentials_for(ClientConfig("https://a", token="t")).authorization() == "Bearer t"
    basic = await credentials_for(ClientConfig("https://a", username="me", password="pw")).authorization()
    assert base64.b64decode(basic.removeprefix("Basic ")) == b"me:pw"
    assert await credentials_for(ClientConfig("https://a")).authorization() == ""


async def test_certificates_come_from_data_before_files(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"chain")
    (tmp_path / "k").write_bytes(b"key")
    names = {"client_certificate": str(tmp_path / "c"), "client_key": str(tmp_path / "k")}
    from_files = await credentials_for(ClientConfig("https://a", **names)).certificate()  # type: ignore[arg-type] # fields of one type only
    assert from_files is not None
    assert (from_files.chain, from_files.key) == (b"chain", b"key")
    from_data = await credentials_for(
        ClientConfig("https://a", **names, client_certificate_data=b"C", client_key_data=b"K")  # type: ignore[arg-type] # as above
    ).certificate()
    assert from_data is not None
    assert (from_data.chain, from_data.key) == (b"C", b"K")
    with pytest.raises(CredentialsError, match="open /no: no such file or directory"):
        credentials_for(ClientConfig("https://a", client_certificate="/no", client_key="/no"))


async def test_a_token_file_is_read_again_after_a_refusal_and_not_for_every_request(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("one\n")
    credentials = credentials_for(ClientConfig("https://a", token="old", token_file=str(path)))
    assert await credentials.authorization() == "Bearer one"
    path.write_text("two")
    assert await credentials.authorization() == "Bearer one"
    credentials.rejected("Bearer somebody else's")
    assert await credentials.authorization() == "Bearer one"
    credentials.rejected("Bearer one")
    assert await credentials.authorization() == "Bearer two"


async def test_a_token_file_that_vanishes_leaves_the_last_token(tmp_path: Path) -> None:
    path = tmp_path / "token"
    credentials = TokenFile(str(path))
    with pytest.raises(CredentialsError, match=r"open .*token: no such file or directory"):
        await credentials.authorization()
    path.write_text(" ")
    with pytest.raises(CredentialsError, match="read empty token from file"):
        await credentials.authorization()
    path.write_text("one")
    assert await credentials.authorization() == "Bearer one"
    path.unlink()
    credentials.rejected("Bearer one")
    assert await credentials.authorization() == "Bearer one"


PLUGIN = """
import json, os, sys
runs = sys.argv[1]
with open(runs, "a") as file:
    file.write(os.environ["KUBERNETES_EXEC_INFO"])
sys.stdout.write(os.environ["OUTPUT"].replace("RUN", str(len(open(runs).readlines()))))
sys.exit(int(os.environ.get("EXIT", "0")))
"""


class Plugin:
    def __init__(self, directory: Path) -> None:
        self._program = directory / "plugin.py"
        self._program.write_text(PLUGIN)
        self._runs = directory / "runs"

    def credentials(
        self,
        status: Any,
        *,
        exit_code: int = 0,
        cluster: ExecClusterInfo | None = None,
        version: str = V1,
        kind: str = "ExecCredential",
        interactive_mode: str = "Never",
        stdin_user: str = "",
    ) -> Credentials:
        named = {"kind": kind} if kind else {}
        output = json.dumps({**named, "apiVersion": version, "status": status})
        config = ExecConfig(
            command=sys.executable,
            args=(str(self._program), str(self._runs)),
            env=(EnvironmentVariable("OUTPUT", output), EnvironmentVariable("EXIT", str(exit_code))),
            api_version=V1,
            provide_cluster_info=cluster is not None,
            interactive_mode=interactive_mode,
            stdin_user=stdin_user,
        )
        return ExecPlugin(config, cluster)

    def told(self) -> list[Any]:
        return [json.loads(line) for line in self._runs.read_text().splitlines()]


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


async def test_a_plugin_runs_once_for_requests_that_come_together(plugin: Plugin) -> None:
    credentials = plugin.credentials({"token": "run-RUN"})
    headers = await asyncio.gather(*(credentials.authorization() for _ in range(3)))
    assert headers == ["Bearer run-1"] * 3
    assert await credentials.certificate() is None
    assert plugin.told() == [{"kind": "ExecCredential", "apiVersion": V1, "spec": {"interactive": False}}]


async def test_a_plugin_runs_again_when_its_token_is_refused_or_has_expired(plugin: Plugin) -> None:
    credentials = plugin.credentials({"token": "run-RUN"})
    first = await credentials.authorization()
    credentials.rejected(first)
    assert await credentials.authorization() == "Bearer run-2"
    credentials.rejected(first)
    assert await credentials.authorization() == "Bearer run-2", "the refused one is no longer ours"
    past = (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    expired = plugin.credentials({"token": "run-RUN", "expirationTimestamp": past})
    assert [await expired.authorization() for _ in range(2)] == ["Bearer run-3", "Bearer run-4"]


async def test_a_plugin_may_give_a_certificate_and_be_told_of_the_cluster(plugin: Plugin) -> None:
    chain, key = ("-----BEGIN X-----\nchain", "-----BEGIN X-----\nkey")
    status = {"clientCertificateData": chain, "clientKeyData": key}
    credentials = plugin.credentials(status, cluster=ExecClusterInfo({"server": "https://a"}))
    certificate = await credentials.certificate()
    assert certificate is not None
    assert (certificate.chain, certificate.key) == (chain.encode(), key.encode())
    assert await credentials.authorization() == ""
    assert plugin.told()[0]["spec"]["cluster"] == {"server": "https://a"}


@pytest.mark.parametrize(
    ("status", "options", "problem"),
    [
        ({"token": "t"}, {"exit_code": 3}, "failed with exit code 3"),
        (None, {}, "exec plugin didn't return a status field"),
        ({}, {}, "exec plugin didn't return a token or cert/key pair"),
        ({"clientKeyData": "k"}, {}, "exec plugin returned only certificate or key, not both"),
        ({"token": "t"}, {"version": "client.authentication.k8s.io/v1beta1"}, "plugin returned version"),
        ({"token": "t", "expirationTimestamp": "soon"}, {}, "decoding stdout"),
    ],
)
async def test_a_plugin_that_fails_says_why(plugin: Plugin, status: Any, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(CredentialsError, match=problem):
        await plugin.credentials(status, **options).authorization()


async def test_a_plugin_that_is_not_there_comes_with_a_hint() -> None:
    config = ExecConfig(command="no-such-plugin", api_version=V1, interactive_mode="Never", install_hint="brew it")
    with pytest.raises(CredentialsError, match="exec: executable no-such-plugin not found") as caught:
        await ExecPlugin(config).authorization()
    assert str(caught.value).endswith("brew it")


async def test_a_plugin_that_needs_a_terminal_is_refused_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    config = ExecConfig(command=sys.executable, api_version=V1, interactive_mode="Always")
    with pytest.raises(CredentialsError, match="standard input is not a terminal"):
        await ExecPlugin(config).authorization()


async def test_a_plugin_that_needs_a_terminal_is_refused_while_somebody_else_reads_it(
    monkeypatch: pytest.MonkeyPatch, plugin: Plugin
) -> None:
    monkeypatch.setattr("sys.stdin", _Terminal())
    config = ExecConfig(
        command=sys.executable, api_version=V1, interactive_mode="Always", stdin_user="stdin resource manifest reader"
    )
    with pytest.raises(CredentialsError, match="is unavailable: used by stdin resource manifest reader"):
        await ExecPlugin(config).authorization()
    credentials = plugin.credentials({"token": "a"}, interactive_mode="IfAvailable", stdin_user="somebody")
    await credentials.authorization()
    assert [one["spec"] for one in plugin.told()] == [{"interactive": False}]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def test_a_plugin_may_leave_out_the_kind_and_not_have_another(plugin: Plugin) -> None:
    assert await plugin.credentials({"token": "a"}, kind="").authorization() == "Bearer a"
    with pytest.raises(CredentialsError, match='no kind "Secret" is registered for version'):
        await plugin.credentials({"token": "a"}, kind="Secret").authorization()


def test_an_unknown_version_of_the_protocol_is_refused() -> None:
    with pytest.raises(CredentialsError, match="invalid apiVersion"):
        ExecPlugin(ExecConfig(command="x", api_version="client.authentication.k8s.io/v2"))
