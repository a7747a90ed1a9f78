"""The calls of both clients that the generator cannot make: batches, imports, exports and progress."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import UUID

import attrs
import httpx

from ._repeatable import Operation
from .errors import ApiError, NoReplyError
from .models import BatchItem, ImportResult, RefusedBatchEntry, StoredBatchEntry

BatchEntry = StoredBatchEntry | RefusedBatchEntry

BATCH: Operation = ("POST", "/v6/notifications/batch")
IMPORT: Operation = ("POST", "/v6/devices/import")
EXPORT_DELIVERIES: Operation = ("GET", "/v6/notifications/{notification_id}/deliveries/export")
EXPORT_AUDIT: Operation = ("GET", "/v6/audit/export")
WATCH: Operation = ("GET", "/v6/notifications/{notification_id}/live")
IMPORT_REQUEST: dict[str, Any] = {
    "url": IMPORT[1],
    "headers": {"Content-Type": "application/x-ndjson"},
}


def path_of(operation: Operation, notification_id: UUID | str) -> str:
    return operation[1].format(notification_id=quote(str(notification_id), safe=""))


def batch(items: list[BatchItem]) -> dict[str, Any]:
    return {"url": BATCH[1], "json": [item.to_dict() for item in items]}


def entries(reply: httpx.Response, before: int) -> Iterator[BatchEntry]:
    for entry in reply.json():
        kind = StoredBatchEntry if entry["status"] == httpx.codes.CREATED else RefusedBatchEntry
        yield attrs.evolve(kind.from_dict(entry), line=before + entry["line"])


def import_result(outcome: httpx.Response | NoReplyError) -> ImportResult:
    if isinstance(outcome, NoReplyError):
        raise outcome
    if not outcome.is_success:
        raise ApiError(outcome)
    return ImportResult.from_dict(outcome.json())


def no_reply(error: httpx.TransportError) -> NoReplyError:
    failure = NoReplyError(f"No reply: {str(error) or type(error).__name__}")
    failure.__cause__ = error
    return failure
