"""Bodies of lines: JSON, one value a line, and server-sent events; and groups of items for batches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

_BATCH_ITEMS = 1_000
_BATCH_BYTES = 7 * 1024 * 1024
"""With a margin for keys and line ends: the server takes 8 MiB."""
_PROGRESS_EVENTS = frozenset({"event: progress", "event: end"})


M = TypeVar("M", bound=Mapping[str, Any])


def line_of(item: Mapping[str, Any]) -> bytes:
    """One line of NDJSON."""
    return json.dumps(item, ensure_ascii=False).encode() + b"\n"


class Group(Generic[M]):
    """Collects items for a batch."""

    def __init__(self) -> None:
        self.items: list[M] = []
        self._bytes = 0

    def takes(self, item: M) -> bool:
        """Adds the item, unless the batch would be too large. A batch without items takes any."""
        more = len(line_of(item))
        is_full = len(self.items) == _BATCH_ITEMS or self._bytes + more > _BATCH_BYTES
        if self.items and is_full:
            return False
        self.items.append(item)
        self._bytes += more
        return True


def groups_of(items: Iterable[M]) -> Iterator[list[M]]:
    """The items in groups, each of which fits in a batch."""
    group: Group[M] = Group()
    for item in items:
        if not group.takes(item):
            yield group.items
            group = Group()
            group.takes(item)
    if group.items:
        yield group.items


class Events:
    """Reads server-sent events line by line."""

    def __init__(self) -> None:
        self._is_progress = False

    def data_in(self, line: str) -> dict[str, Any] | None:
        """The data of an event of progress, if the line has it."""
        if line.startswith("event: "):
            self._is_progress = line in _PROGRESS_EVENTS
        if not line.startswith("data: ") or not self._is_progress:
            return None
        data: dict[str, Any] = json.loads(line.removeprefix("data: "))
        return data
