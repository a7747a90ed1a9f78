"""Sends the calls of `_calls.py`: address, key, limits of time, repetition, errors, lines."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import httpx

from ._keys import with_keys
from ._lines import Events, line_of
from ._requests import LINES, no_reply, reply_of, reply_to_upload, request_of
from ._tries import Limits, Tries
from .errors import ApiError, NoReplyError


class Transport:
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

    def call(
        self, method: str, path: str, *, query: dict[str, str | int | float] | None = None, body: Any = None
    ) -> Any:
        """Makes any call of the API, such as one for which the client has no method: `call("GET", "/v6/keys")`.

        Raises:
            ApiError: The server refuses the call.
            NoReplyError: There is no reply.
        """
        return self._json(method, path, "reads" if method == "GET" else "only-after-429", query, body)

    def _json(
        self,
        method: str,
        path: str,
        repeat: str,
        query: dict[str, Any] | None = None,
        body: Any = None,
        key: str | None = None,
    ) -> Any:
        return reply_of(self._send(method, repeat, request_of(path, query, body, key)))

    def _lines(self, path: str, query: dict[str, Any] | None = None) -> Iterator[Any]:
        with self._text(path, query) as lines:
            for line in lines:
                yield json.loads(line)

    def _events(self, path: str, query: dict[str, Any] | None = None) -> Iterator[Any]:
        events = Events()
        with self._text(path, query) as lines:
            for line in lines:
                data = events.data_in(line)
                if data is not None:
                    yield data

    def _upload(self, path: str, items: Iterable[Any]) -> Any:
        """Sends lines that are made while the server reads them: once, and without a limit of time."""
        request = {"url": path, "headers": LINES, "content": (line_of(item) for item in items)}
        return reply_to_upload(self._try("POST", request, None, stream=False))

    def _send(
        self, method: str, repeat: str, request: dict[str, Any], *, stream: bool = False
    ) -> httpx.Response:
        tries = Tries(repeat, self._limits)
        request = with_keys(repeat, request)
        attempt = 0
        while True:
            outcome = self._try(method, request, tries.timeout(), stream)
            if isinstance(outcome, httpx.Response) and outcome.is_success:
                return outcome
            wait = tries.wait_after(attempt, outcome)
            if wait is None:
                raise outcome if isinstance(outcome, NoReplyError) else ApiError(outcome)
            time.sleep(wait)
            attempt += 1

    def _try(
        self, method: str, request: dict[str, Any], timeout: float | None, stream: bool
    ) -> httpx.Response | NoReplyError:
        built = self._http.build_request(method, **request, timeout=timeout)
        try:
            reply = self._http.send(built, stream=stream)
            if stream and not reply.is_success:
                reply.read()
            return reply
        except httpx.TransportError as error:
            return no_reply(error)

    @contextmanager
    def _text(self, path: str, query: dict[str, Any] | None) -> Iterator[Iterator[str]]:
        reply = self._send("GET", "reads", request_of(path, query, None, None), stream=True)
        try:
            yield reply.iter_lines()
        except httpx.TransportError as error:
            raise no_reply(error) from error
        finally:
            reply.close()
