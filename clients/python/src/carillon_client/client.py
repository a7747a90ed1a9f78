"""The clients: every call of a back end, and batches of any size."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from ._async_transport import each_of
from ._calls import AsyncCalls, Calls
from ._lines import Group, groups_of
from .types import BatchEntry, BatchItem


class Carillon(Calls):
    __doc__ = Calls.__doc__

    def send_many(self, items: Iterable[BatchItem]) -> Iterator[BatchEntry]:
        """Sends any number of notifications, in batches of up to 1,000.

        Yields an entry for each, in their order, with its position from 1 as `line`; look at the `status` of each.
        """
        before = 0
        for group in groups_of(items):
            for entry in self.create_notifications(group):
                entry["line"] += before
                yield entry
            before += len(group)


class AsyncCarillon(AsyncCalls):
    __doc__ = AsyncCalls.__doc__

    async def send_many(
        self, items: Iterable[BatchItem] | AsyncIterable[BatchItem]
    ) -> AsyncIterator[BatchEntry]:
        """As `Carillon.send_many`."""
        before = 0
        async for group in _async_groups_of(items):
            for entry in await self.create_notifications(group):
                entry["line"] += before
                yield entry
            before += len(group)


async def _async_groups_of(
    items: Iterable[BatchItem] | AsyncIterable[BatchItem],
) -> AsyncIterator[list[BatchItem]]:
    group: Group[BatchItem] = Group()
    async for item in each_of(items):
        if not group.takes(item):
            yield group.items
            group = Group()
            group.takes(item)
    if group.items:
        yield group.items
