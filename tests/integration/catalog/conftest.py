"""An API with the network kinds for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.integration.api.talk import API
from tests.integration.catalog.network import start


@pytest.fixture
async def api() -> AsyncIterator[API]:
    api = await start()
    yield api
    await api.close()


@pytest.fixture
async def small() -> AsyncIterator[API]:
    """Two addresses and three node ports."""
    api = await start("10.0.0.0/30", range(30000, 30003))
    yield api
    await api.close()
