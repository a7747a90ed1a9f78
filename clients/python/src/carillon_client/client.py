"""The client: it sends what the modules in `api` make, and has the calls that are more than one request and one reply."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
from ._lines import Events, Model, groups_of, line_of
from ._repeatable import Operation, with_keys
from ._tries import Limits, Tries
from .errors import ApiError, NoReplyError
from .models import AuditEntry, BatchItem, FoundDelivery, ImportResult, NotificationProgress


class Carillon:
    """A client. Close it, or use it in a `with` statement; threads may share it.

    Args:
        url: The address of the server: `https://push.example.com`. A path in it is that of a proxy.
        key: An API key.
        timeout: The seconds without a byte from the server after which a try ends. It counts an audience for 20 at most.
        call_timeout: The seconds after which a call is not repeated.
        retries: How often a call is repeated; 0 for never.
        backoff: The longest wait before the first repetition, in seconds; each further one waits up to twice as long.
        transport: In place of the network.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = Limits.timeout,
        call_timeout: float = Limits.call_timeout,
        retries: int = Limits.retries,
        backoff: float = Limits.backoff,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._limits = Limits(timeout, call_timeout, retries, backoff)
        self._http = httpx.Client(base_url=url, auth=httpx.BasicAuth("", key), transport=transport)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, operation: Operation, request: dict[str, Any], *, stream: bool = False) -> httpx.Response:
        """The reply to a request, which is a success. The modules in `api` call this.

        Raises:
            ApiError: The server refuses the call.
            NoReplyError: There is no reply.
        """
        tries = Tries(operation, self._limits)
        request = with_keys(operation, request)
        attempt = 0
        while True:
            outcome = self._try(operation, request, tries.timeout(), stream)
            if isinstance(outcome, httpx.Response) and outcome.is_success:
                return outcome
            wait = tries.wait_after(attempt, outcome)
            if wait is None:
                raise outcome if isinstance(outcome, NoReplyError) else ApiError(outcome)
            time.sleep(wait)
            attempt += 1

    def send_many(self, items: Iterable[BatchItem]) -> Iterator[BatchEntry]:
        """Sends any number of notifications, in batches of up to 1,000.

        Yields an entry for each, in their order, with its position from 1 as `line`; look at the `status` of each.
        """
        before = 0
        for group in groups_of(items):
            yield from entries(self.send(BATCH, batch(group)), before)
            before += len(group)

    def import_devices(self, devices: Iterable[Model]) -> ImportResult:
        """Registers any number of devices in one request, which is made while the server reads it.

        The devices are `AndroidRegistration` or `IosRegistration`. The request is sent once, without a limit of time.
        """
        request = {**IMPORT_REQUEST, "content": (line_of(device) for device in devices)}
        outcome = self._try(IMPORT, request, None, stream=False)
        return import_result(outcome)

    def export_deliveries(self, notification_id: UUID | str, **query: str) -> Iterator[FoundDelivery]:
        """Every device of a notification that fits the filters: `outcome`, `reason`, `variant`, `platform`, `app_version`."""
        request = {"url": path_of(EXPORT_DELIVERIES, notification_id), "params": query}
        with self._lines(EXPORT_DELIVERIES, request) as lines:
            for line in lines:
                yield FoundDelivery.from_dict(json.loads(line))

    def export_audit(self, **query: str) -> Iterator[AuditEntry]:
        """Every entry of the audit log that fits the filters: `by`, `action`, `object`, `from`, `to`."""
        with self._lines(EXPORT_AUDIT, {"url": EXPORT_AUDIT[1], "params": query}) as lines:
            for line in lines:
                yield AuditEntry.from_dict(json.loads(line))

    def watch(self, notification_id: UUID | str) -> Iterator[NotificationProgress]:
        """The progress of a notification, whenever it changes, until it has ended."""
        events = Events()
        with self._lines(WATCH, {"url": path_of(WATCH, notification_id)}) as lines:
            for line in lines:
                data = events.data_in(line)
                if data is not None:
                    yield NotificationProgress.from_dict(data)

    def _try(
        self, operation: Operation, request: dict[str, Any], timeout: float | None, stream: bool
    ) -> httpx.Response | NoReplyError:
        built = self._http.build_request(operation[0], **request, timeout=timeout)
        try:
            reply = self._http.send(built, stream=stream)
            if stream and not reply.is_success:
                reply.read()
            return reply
        except httpx.TransportError as error:
            return no_reply(error)

    @contextmanager
    def _lines(self, operation: Operation, request: dict[str, Any]) -> Iterator[Iterator[str]]:
        reply = self.send(operation, request, stream=True)
        try:
            yield reply.iter_lines()
        except httpx.TransportError as error:
            raise no_reply(error) from error
        finally:
            reply.close()
