"""A toy server for each test, on both event loops: uvloop is what we ship, asyncio what embedders have."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable

import pytest
import uvloop

from localplane.apiserver.server.certificates.self_signed import CertificateFiles, ensure_certificates
from localplane.apiserver.server.lifecycle import GenericServer
from localplane.apiserver.server.tls import ServingTLS, TLSFiles
from tests.integration.server.toy import Toys, toy_server


@pytest.hookimpl(optionalhook=True)
def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> CertificateFiles:
    return ensure_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def serving_tls(certificates: CertificateFiles) -> ServingTLS:
    return ServingTLS(TLSFiles(certificates.server, certificates.server_key, certificates.authority))


@pytest.fixture
def client_tls(certificates: CertificateFiles) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certificates.authority)


@pytest.fixture
def admin_tls(certificates: CertificateFiles) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=certificates.authority)
    context.load_cert_chain(certificates.admin, certificates.admin_key)
    return context


@pytest.fixture
async def toys() -> Toys:
    return Toys()


@pytest.fixture
async def server(toys: Toys) -> AsyncIterator[GenericServer]:
    """Plain HTTP."""
    async with toy_server(toys) as server:
        yield server
        toys.release.set()


@pytest.fixture
async def tls_server(toys: Toys, serving_tls: ServingTLS) -> AsyncIterator[GenericServer]:
    async with toy_server(toys, tls=serving_tls) as server:
        yield server
        toys.release.set()
