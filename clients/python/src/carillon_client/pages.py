"""Reads a list page by page, until its cursor is null."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Protocol, TypeVar

from .types import UNSET, Unset


class _Meta(Protocol):
    @property
    def cursor(self) -> str | None: ...


class Page(Protocol):
    """A reply of a list."""

    @property
    def meta(self) -> _Meta: ...


P = TypeVar("P", bound=Page)


def pages(read: Callable[[str | Unset], P]) -> Iterator[P]:
    """Yields the pages of a list: `pages(lambda cursor: list_audiences.sync(client=carillon, cursor=cursor))`"""
    cursor: str | None | Unset = UNSET
    while cursor is not None:
        page = read(cursor)
        yield page
        cursor = page.meta.cursor


async def async_pages(read: Callable[[str | Unset], Awaitable[P]]) -> AsyncIterator[P]:
    """As `pages`, with `list_audiences.asyncio`."""
    cursor: str | None | Unset = UNSET
    while cursor is not None:
        page = await read(cursor)
        yield page
        cursor = page.meta.cursor
