"""The client for `asyncio`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Self
from uuid import UUID

import httpx

from ._calls import (
    BATCH,
    EXPORT_AUDIT,
    EXPORT_DELIVERIES,
    IMPORT,
    IMPORT_REQUEST,
    WATCH,
    BatchEntry,
    batch,
    entries,
    import_result,
    no_reply,
    path_of,
)
from ._lines import Events, Group, Model, line_of
from ._repeatable import Operation, with_keys
from ._tries import Limits, Tries
from .errors import ApiError, NoReplyError
from .models import AuditEntry, BatchItem, FoundDelivery, ImportResult, NotificationProgress


class AsyncCarillon:
    """The same for `asyncio`: each call of `api` has a function `asyncio`. Use it in an `async with` statement."""

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

    async def send(
        self, operation: Operation, request: dict[str, Any], *, stream: bool = False
    ) -> httpx.Response:
        """As `Carillon.send`."""
        tries = Tries(operation, self._limits)
        request = with_keys(operation, request)
        attempt = 0
        while True:
            outcome = await self._try(operation, request, tries.timeout(), stream)
            if isinstance(outcome, httpx.Response) and outcome.is_success:
                return outcome
            wait = tries.wait_after(attempt, outcome)
            if wait is None:
                raise outcome if isinstance(outcome, NoReplyError) else ApiError(outcome)
            await asyncio.sleep(wait)
            attempt += 1

    async def send_many(
        self, items: Iterable[BatchItem] | AsyncIterable[BatchItem]
    ) -> AsyncIterator[BatchEntry]:
        """As `Carillon.send_many`."""
        before = 0
        async for group in _async_groups_of(items):
            for entry in entries(await self.send(BATCH, batch(group)), before):
                yield entry
            before += len(group)

    async def import_devices(self, devices: Iterable[Model] | AsyncIterable[Model]) -> ImportResult:
        """As `Carillon.import_devices`."""
        request = {**IMPORT_REQUEST, "content": (line_of(device) async for device in _async(devices))}
        return import_result(await self._try(IMPORT, request, None, stream=False))

    async def export_deliveries(
        self, notification_id: UUID | str, **query: str
    ) -> AsyncIterator[FoundDelivery]:
        """As `Carillon.export_deliveries`."""
        request = {"url": path_of(EXPORT_DELIVERIES, notification_id), "params": query}
        async with self._lines(EXPORT_DELIVERIES, request) as lines:
            async for line in lines:
                yield FoundDelivery.from_dict(json.loads(line))

    async def export_audit(self, **query: str) -> AsyncIterator[AuditEntry]:
        """As `Carillon.export_audit`."""
        async with self._lines(EXPORT_AUDIT, {"url": EXPORT_AUDIT[1], "params": query}) as lines:
            async for line in lines:
                yield AuditEntry.from_dict(json.loads(line))

    async def watch(self, notification_id: UUID | str) -> AsyncIterator[NotificationProgress]:
        """As `Carillon.watch`."""
        events = Events()
        async with self._lines(WATCH, {"url": path_of(WATCH, notification_id)}) as lines:
            async for line in lines:
                data = events.data_in(line)
                if data is not None:
                    yield NotificationProgress.from_dict(data)

    async def _try(
        self, operation: Operation, request: dict[str, Any], timeout: float | None, stream: bool
    ) -> httpx.Response | NoReplyError:
        built = self._http.build_request(operation[0], **request, timeout=timeout)
        try:
            reply = await self._http.send(built, stream=stream)
            if stream and not reply.is_success:
                await reply.aread()
            return reply
        except httpx.TransportError as error:
            return no_reply(error)

    @asynccontextmanager
    async def _lines(
        self, operation: Operation, request: dict[str, Any]
    ) -> AsyncIterator[AsyncIterator[str]]:
        reply = await self.send(operation, request, stream=True)
        try:
            yield reply.aiter_lines()
        except httpx.TransportError as error:
            raise no_reply(error) from error
        finally:
            await reply.aclose()


async def _async(items: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[Any]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


async def _async_groups_of(
    items: Iterable[BatchItem] | AsyncIterable[BatchItem],
) -> AsyncIterator[list[BatchItem]]:
    group: Group[BatchItem] = Group()
    async for item in _async(items):
        if not group.takes(item):
            yield group.items
            group = Group()
            group.takes(item)
    if group.items:
        yield group.items
