"""Idempotency keys, by which the server knows a notification that is sent again. They are made once for all tries of a call."""

from __future__ import annotations

import uuid
from typing import Any


def with_keys(repeat: str, request: dict[str, Any]) -> dict[str, Any]:
    """The request with a key for its notification, or for each item of its batch, where there is none."""
    if repeat != "keyed":
        return request
    body = request["json"]
    if isinstance(body, list | tuple):
        return {**request, "json": [{"idempotency_key": str(uuid.uuid4()), **item} for item in body]}
    return {**request, "headers": {"Idempotency-Key": str(uuid.uuid4()), **request["headers"]}}
