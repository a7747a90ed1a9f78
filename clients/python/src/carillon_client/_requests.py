"""Requests and replies, which are the same with and without `asyncio`."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx

from .errors import ApiError, NoReplyError

LINES = {"Content-Type": "application/x-ndjson"}


def given(**values: Any) -> dict[str, Any]:
    """Those that are not left out."""
    return {name: value for name, value in values.items() if value is not None}


def segment(value: str) -> str:
    """A part of a path. Two would lead to another call."""
    if value in (".", ".."):
        raise ValueError(f"{value} is no id")
    return quote(value, safe="")


def request_of(url: str, query: dict[str, Any] | None, body: Any, key: str | None) -> dict[str, Any]:
    """What `httpx` takes to build a request."""
    request: dict[str, Any] = {"url": url, "params": query or {}}
    request["headers"] = {} if key is None else {"Idempotency-Key": key}
    return request if body is None else {**request, "json": body}


def reply_of(response: httpx.Response) -> Any:
    """JSON, other text, or `None` for no content."""
    if "json" in response.headers.get("content-type", ""):
        return json.loads(response.content)
    return response.text or None


def reply_to_upload(outcome: httpx.Response | NoReplyError) -> Any:
    if isinstance(outcome, NoReplyError):
        raise outcome
    if not outcome.is_success:
        raise ApiError(outcome)
    return reply_of(outcome)


def no_reply(error: httpx.TransportError) -> NoReplyError:
    failure = NoReplyError(f"No reply: {str(error) or type(error).__name__}")
    failure.__cause__ = error
    return failure
