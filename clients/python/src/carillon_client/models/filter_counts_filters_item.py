from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="FilterCountsFiltersItem")


@_attrs_define
class FilterCountsFiltersItem:
    """
    Attributes:
        name (str):
        device_count (int | None): The devices that this filter selects alone.
        left_count (int | None): The devices that this filter and all before it select.
    """

    name: str
    device_count: int | None
    left_count: int | None

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        device_count: int | None
        device_count = self.device_count

        left_count: int | None
        left_count = self.left_count

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "device_count": device_count,
                "left_count": left_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_device_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        device_count = _parse_device_count(d.pop("device_count"))

        def _parse_left_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        left_count = _parse_left_count(d.pop("left_count"))

        filter_counts_filters_item = cls(
            name=name,
            device_count=device_count,
            left_count=left_count,
        )

        return filter_counts_filters_item
