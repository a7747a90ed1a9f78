from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.filter_counts_filters_item import FilterCountsFiltersItem


T = TypeVar("T", bound="FilterCounts")


@_attrs_define
class FilterCounts:
    """
    Attributes:
        device_count (int): All devices that match, including those without a push token. Exact; for a large audience it
            may be a few seconds old.
        reachable_count (int): The devices among them that have a push token, counted at the same moment.
        filters (list[FilterCountsFiltersItem]):
        counted_at (datetime.datetime): The moment of all counts; a few seconds ago if counting takes long.
    """

    device_count: int
    reachable_count: int
    filters: list[FilterCountsFiltersItem]
    counted_at: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        device_count = self.device_count

        reachable_count = self.reachable_count

        filters = []
        for filters_item_data in self.filters:
            filters_item = filters_item_data.to_dict()
            filters.append(filters_item)

        counted_at = self.counted_at.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "device_count": device_count,
                "reachable_count": reachable_count,
                "filters": filters,
                "counted_at": counted_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.filter_counts_filters_item import FilterCountsFiltersItem

        d = dict(src_dict)
        device_count = d.pop("device_count")

        reachable_count = d.pop("reachable_count")

        filters = []
        _filters = d.pop("filters")
        for filters_item_data in _filters:
            filters_item = FilterCountsFiltersItem.from_dict(filters_item_data)

            filters.append(filters_item)

        counted_at = datetime.datetime.fromisoformat(d.pop("counted_at"))

        filter_counts = cls(
            device_count=device_count,
            reachable_count=reachable_count,
            filters=filters,
            counted_at=counted_at,
        )

        return filter_counts
