"""Which calls may be sent again although the server may have carried them out.

Those that only read, those that set what they set before, and notifications, whose key the server knows. An event that is
reported again counts twice, and an audience or a key that is created again is a second one, so those calls are not among them.
"""

from __future__ import annotations

import uuid
from typing import Any

Operation = tuple[str, str]
"""The method and the path of a call, as the API's document has it."""

_BATCH = "/v6/notifications/batch"
_KEYED = frozenset({"/v3/notifications", "/v5/notifications", "/v6/notifications"})
_REPEATABLE_POSTS = _KEYED | {
    _BATCH,
    "/v6/notifications/preview",
    "/v6/notifications/count",
    "/v6/notifications/locales",
    "/v6/notifications/waves",
    "/v6/notifications/{notification_id}/opens",
    "/v6/receipts",
    "/v6/devices",
    "/v6/devices/lookup",
    "/v6/audiences/count",
    "/v6/audiences/count/filters",
    "/v6/audiences/sample",
    "/v6/audiences/explain",
}


def is_repeatable(operation: Operation) -> bool:
    """Whether the server may carry it out twice."""
    method, path = operation
    return method != "POST" or path in _REPEATABLE_POSTS


def with_keys(operation: Operation, request: dict[str, Any]) -> dict[str, Any]:
    """The request with an idempotency key for its notification, or for each item of its batch, where there is none."""
    method, path = operation
    if method != "POST":
        return request
    if path in _KEYED:
        return {**request, "headers": {"Idempotency-Key": str(uuid.uuid4()), **request["headers"]}}
    if path == _BATCH:
        items = [{"idempotency_key": str(uuid.uuid4()), **item} for item in request["json"]]
        return {**request, "json": items}
    return request
