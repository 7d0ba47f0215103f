"""A console of the shared plane, a Chromium for the session, and pages in it."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from localplane.client.kubeconfig import load, resolve
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from tests.e2e.kctl.test_ui import Console, started
from tests.e2e.ui.browser import HOW_TO_GET_IT, Browser, Chromium, Page, chromium
from tests.e2e.up.machine import Machine


@pytest.fixture(scope="session")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    program = chromium()
    if program is None:
        pytest.skip(HOW_TO_GET_IT)
    running = Chromium(program, tmp_path_factory.mktemp("chromium"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def console(plane: Machine) -> Iterator[Console]:
    """One that nobody has entered yet."""
    with started(plane, "--no-open") as here:
        yield here


@pytest.fixture
async def browser(process: Chromium) -> AsyncIterator[Browser]:
    async with process.driven() as driven:
        yield driven


@pytest.fixture
async def page(browser: Browser, console: Console) -> AsyncIterator[Page]:
    """The console in a tab. The first one comes by the link, the others with its cookie."""
    opened = await browser.page()
    if not console.room:
        await opened.open(console.link)
        await opened.until("document.querySelector('.sidebar a')")
        console.room = await opened.run("location.pathname")
    else:
        await opened.open(f"http://{console.host}{console.room}")
        await opened.until("document.querySelector('.sidebar a')")
    yield opened
    assert opened.errors == []


@pytest.fixture
async def client(plane: Machine) -> AsyncIterator[Client]:
    async with Client.connect(resolve(load(plane.kubeconfig))) as connected:
        yield connected


@pytest.fixture
async def space(client: Client) -> str:
    """A new namespace."""
    name = f"ui-{uuid.uuid4().hex[:8]}"
    await client.resource(GroupVersionResource("", "v1", "namespaces")).create({"metadata": {"name": name}})
    return name
