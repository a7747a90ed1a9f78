"""Decides whether a call is sent again, and when."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from .errors import NoReplyError, retry_after

_BACKOFF_MAX = 10.0
_TOO_MANY_REQUESTS = 429
"""The server has not carried out the call."""
_FAILED_FOR_NOW = frozenset({502, 503, 504})
"""It may have, or a proxy lost its reply."""


@dataclass(frozen=True)
class Limits:
    """In seconds. The documentation of `Carillon` explains them."""

    timeout: float = 30.0
    call_timeout: float = 120.0
    retries: int = 4
    backoff: float = 0.25
    clock: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random


class Tries:
    """The tries of one call."""

    def __init__(self, repeat: str, limits: Limits) -> None:
        self._is_repeatable = repeat != "only-after-429"
        self._limits = limits
        self._deadline = limits.clock() + limits.call_timeout

    def timeout(self) -> float:
        """For the next try."""
        left = self._deadline - self._limits.clock()
        return max(0.001, min(self._limits.timeout, left))

    def wait_after(self, attempt: int, outcome: httpx.Response | NoReplyError) -> float | None:
        """The seconds before the next try; `None` if this was the last one.

        What the server asks for, and a random time, so that many callers do not come back at once.
        """
        limits = self._limits
        if attempt >= limits.retries or not self._may_repeat(outcome):
            return None
        backoff = min(limits.backoff * 2**attempt, _BACKOFF_MAX) * limits.random()
        asked = retry_after(outcome) if isinstance(outcome, httpx.Response) else None
        wait = backoff + (asked or 0.0)
        return wait if limits.clock() + wait < self._deadline else None

    def _may_repeat(self, outcome: httpx.Response | NoReplyError) -> bool:
        if isinstance(outcome, NoReplyError):
            return self._is_repeatable
        status = outcome.status_code
        return status == _TOO_MANY_REQUESTS or (status in _FAILED_FOR_NOW and self._is_repeatable)
