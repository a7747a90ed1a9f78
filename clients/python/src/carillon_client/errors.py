"""How a call can fail: the server refuses it (`ApiError`), or there is no reply (`NoReplyError`)."""

from __future__ import annotations

import datetime
import email.utils
from typing import Any

import httpx

from .types import Fault


class CarillonError(Exception):
    """A call has failed."""


class ApiError(CarillonError):
    """A reply that is no success. Its message is a sentence for people, which may change; compare `code`.

    Attributes:
        status: The status of the reply.
        code: What kind of error it is; `unknown` for a reply that is no error of Carillon, such as that of a proxy.
        details: The faults of the request that have a position.
        request_id: By which the log of the server finds the request.
        retry_after: The seconds that the server asked for, with 429 and 503.
    """

    def __init__(self, reply: httpx.Response) -> None:
        """The error of a reply that has been read."""
        error = _envelope(reply)
        self.status: int = reply.status_code
        self.code: str = error["code"] if error is not None else "unknown"
        self.details: list[Fault] = error.get("details", []) if error is not None else []
        self.request_id: str | None = reply.headers.get("x-request-id")
        self.retry_after: float | None = retry_after(reply)
        other = f"The reply has the status {reply.status_code} and is no error of Carillon."
        super().__init__(error["error"] if error is not None else other)


class NoReplyError(CarillonError):
    """No reply, or only a part of one: the server may have carried out the call, or not."""


def retry_after(reply: httpx.Response) -> float | None:
    """The seconds that a `Retry-After` header asks for: as a number, or until its date."""
    header = reply.headers.get("retry-after", "").strip()
    if header.isdecimal():
        return float(header)
    try:
        date = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (date - datetime.datetime.now(datetime.UTC)).total_seconds())


def _envelope(reply: httpx.Response) -> dict[str, Any] | None:
    try:
        error = reply.json()
    except ValueError:
        return None
    return error if isinstance(error, dict) and {"error", "code"} <= error.keys() else None
