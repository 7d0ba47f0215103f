"""JSON documents that others publish, such as an OpenID provider's configuration and keys."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from types import TracebackType
from typing import Any, Final, Self

import aiohttp
import orjson

from localplane.tls.contexts import judging

from .bodies import AnswerUnusable, whole_body
from .failures import why

_LARGEST: Final = 1 << 20
_WITHIN: Final = timedelta(seconds=10)


class DocumentClient:
    """`authorities` is PEM; without any, the system's count. Nothing is opened before the first question."""

    def __init__(self, authorities: bytes = b"") -> None:
        """Raises NoAuthorities."""
        self._context = judging(authorities)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def fetch(self, url: str) -> dict[str, Any]:
        """Raises OSError or ValueError, with the reason."""
        if self._session is None:
            connector = aiohttp.TCPConnector(ssl=self._context)
            self._session = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
            )
        try:
            async with asyncio.timeout(_WITHIN.total_seconds()), self._session.get(url) as answer:
                content = await whole_body(answer, limit=_LARGEST)
        except TimeoutError as error:
            raise OSError(f'Get "{url}": context deadline exceeded') from error
        except aiohttp.ClientConnectionError as error:
            raise OSError(f'Get "{url}": {why(error, "", 0)}') from error
        except (aiohttp.ClientError, AnswerUnusable, ValueError) as error:
            raise ValueError(f'Get "{url}": {error}') from error
        if answer.status != 200:
            raise ValueError(f"{answer.status} {answer.reason}: {url}")
        match orjson.loads(content):
            case dict() as document:
                return document
        raise ValueError(f"{url} is no JSON object")
