"""Every caller trusts whom Go would trust, whatever is in the bundle, and sends nothing to anybody else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from localplane.client.errors import TLSFailed
from localplane.client.kubeconfig import ClientConfig
from localplane.client.transport.aiohttp_transport import HTTPTransport
from tests.integration.outbound import answering as answers
from tests.integration.outbound.answering import answering
from tests.integration.outbound.test_whole_answers import CALLERS, Caller
from tests.unit.tls.papers import Paper, issue

ROOT = issue("root", ca=True)
INTERMEDIATE = issue("intermediate", ROOT, ca=True)
LEAF = issue("leaf", INTERMEDIATE, hosts=["localhost"])
DIRECT = issue("direct", ROOT, hosts=["localhost"])
NAMELESS_ROOT = issue("", ca=True)
NAMELESS = issue("", NAMELESS_ROOT, hosts=["localhost"])

TRUSTED = {
    "the leaf": (LEAF, (LEAF,)),
    "an intermediate": (LEAF, (INTERMEDIATE,)),
    "a root": (DIRECT, (ROOT,)),
    "two roots of one name": (DIRECT, (issue("root", ca=True), ROOT)),
    "names that are empty": (NAMELESS, (NAMELESS_ROOT,)),
}
"""The last two OpenSSL can't be told to believe."""


def trusting(monkeypatch: pytest.MonkeyPatch, trusted: tuple[Paper, ...]) -> None:
    """The callers of the other suite, with another bundle."""
    bundle = SimpleNamespace(pem=b"".join(paper.pem for paper in trusted))
    monkeypatch.setattr("tests.integration.outbound.test_whole_answers.AUTHORITY", bundle)


@pytest.mark.parametrize(("shown", "trusted"), TRUSTED.values(), ids=TRUSTED)
@pytest.mark.parametrize("name", ["transport", "blocking transport", "webhook"])
async def test_what_is_in_the_bundle_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, shown: Paper, trusted: tuple[Paper, ...]
) -> None:
    trusting(monkeypatch, trusted)
    caller: Caller = CALLERS[name]
    async with answering(tmp_path, paper=shown) as server:
        server.pieces = [answers.with_length(b"{}")]
        assert await caller.ask(server.port) == b"{}"


async def test_several_who_begin_at_once_are_all_answered(tmp_path: Path) -> None:
    """Though OpenSSL refuses each of them first."""
    shown, trusted = TRUSTED["two roots of one name"]
    async with answering(tmp_path, paper=shown) as server:
        server.pieces = [answers.with_length(b"{}")]
        bundle = b"".join(paper.pem for paper in trusted)
        config = ClientConfig(server=f"https://localhost:{server.port}", certificate_authority_data=bundle)
        transport = HTTPTransport(config)
        try:
            found = await asyncio.gather(*(transport.request("GET", f"/{number}") for number in range(8)))
            assert [await each.read() for each in found] == [b"{}"] * 8
        finally:
            await transport.close()


@pytest.mark.parametrize("name", ["transport", "blocking transport"])
async def test_a_stranger_is_sent_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    trusting(monkeypatch, (issue("other", ca=True),))
    async with answering(tmp_path, paper=DIRECT) as server:
        with pytest.raises(TLSFailed) as refused:
            await CALLERS[name].ask(server.port)
    assert refused.value.reason == ("tls: failed to verify certificate: x509: certificate signed by unknown authority")
    assert server.requests == []
