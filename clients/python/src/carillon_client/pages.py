"""Reads a list page by page, until its cursor is null."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar

P = TypeVar("P", bound=Mapping[str, Any])


def pages(read: Callable[[str | None], P]) -> Iterator[P]:
    """Yields the pages of a list: `pages(lambda cursor: carillon.list_audiences(cursor=cursor))`"""
    cursor: str | None = None
    while True:
        page = read(cursor)
        yield page
        cursor = page["meta"]["cursor"]
        if cursor is None:
            return


async def async_pages(read: Callable[[str | None], Awaitable[P]]) -> AsyncIterator[P]:
    """As `pages`, with an `AsyncCarillon`."""
    cursor: str | None = None
    while True:
        page = await read(cursor)
        yield page
        cursor = page["meta"]["cursor"]
        if cursor is None:
            return
