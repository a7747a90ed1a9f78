"""`_transport.py` for `asyncio`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Self

import httpx

from ._keys import with_keys
from ._lines import Events, line_of
from ._requests import LINES, no_reply, reply_of, reply_to_upload, request_of
from ._tries import Limits, Tries
from .errors import ApiError, NoReplyError


class AsyncTransport:
    """The same for `asyncio`. Use it in an `async with` statement."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = Limits.timeout,
        call_timeout: float = Limits.call_timeout,
        retries: int = Limits.retries,
        backoff: float = Limits.backoff,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._limits = Limits(timeout, call_timeout, retries, backoff)
        self._http = httpx.AsyncClient(base_url=url, auth=httpx.BasicAuth("", key), transport=transport)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def call(
        self, method: str, path: str, *, query: dict[str, str | int | float] | None = None, body: Any = None
    ) -> Any:
        """As `Carillon.call`."""
        return await self._json(method, path, "reads" if method == "GET" else "only-after-429", query, body)

    async def _json(
        self,
        method: str,
        path: str,
        repeat: str,
        query: dict[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
    ) -> Any:
        return reply_of(await self._send(method, repeat, request_of(path, query, body, key)))

    async def _lines(self, path: str, query: dict[str, Any] | None = None) -> AsyncIterator[Any]:
        async with self._text(path, query) as lines:
            async for line in lines:
                yield json.loads(line)

    async def _events(self, path: str, query: dict[str, Any] | None = None) -> AsyncIterator[Any]:
        events = Events()
        async with self._text(path, query) as lines:
            async for line in lines:
                data = events.data_in(line)
                if data is not None:
                    yield data

    async def _upload(self, path: str, items: Iterable[Any] | AsyncIterable[Any]) -> Any:
        request = {"url": path, "headers": LINES, "content": (line_of(item) async for item in each_of(items))}
        return reply_to_upload(await self._try("POST", request, None, stream=False))

    async def _send(
        self, method: str, repeat: str, request: dict[str, Any], *, stream: bool = False
    ) -> httpx.Response:
        tries = Tries(repeat, self._limits)
        request = with_keys(repeat, request)
        attempt = 0
        while True:
            outcome = await self._try(method, request, tries.timeout(), stream)
            if isinstance(outcome, httpx.Response) and outcome.is_success:
                return outcome
            wait = tries.wait_after(attempt, outcome)
            if wait is None:
                raise outcome if isinstance(outcome, NoReplyError) else ApiError(outcome)
            await asyncio.sleep(wait)
            attempt += 1

    async def _try(
        self, method: str, request: dict[str, Any], timeout: float | None, stream: bool
    ) -> httpx.Response | NoReplyError:
        built = self._http.build_request(method, **request, timeout=timeout)
        try:
            reply = await self._http.send(built, stream=stream)
            if stream and not reply.is_success:
                await reply.aread()
            return reply
        except httpx.TransportError as error:
            return no_reply(error)

    @asynccontextmanager
    async def _text(self, path: str, query: dict[str, Any] | None) -> AsyncIterator[AsyncIterator[str]]:
        reply = await self._send("GET", "reads", request_of(path, query, None, None), stream=True)
        try:
            yield reply.aiter_lines()
        except httpx.TransportError as error:
            raise no_reply(error) from error
        finally:
            await reply.aclose()


async def each_of(items: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[Any]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
