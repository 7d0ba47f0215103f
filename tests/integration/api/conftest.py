"""An API with toy resources for each test, on the dictionary as a store."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.integration.api.talk import API
from tests.integration.api.toys import GROUPS


@pytest.fixture
async def api() -> AsyncIterator[API]:
    api = await API.start(GROUPS)
    yield api
    await api.close()
