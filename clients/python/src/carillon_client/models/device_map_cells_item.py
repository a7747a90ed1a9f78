from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="DeviceMapCellsItem")


@_attrs_define
class DeviceMapCellsItem:
    """
    Attributes:
        latitude (float): Of the middle of the cell.
        longitude (float):
        device_count (int):
    """

    latitude: float
    longitude: float
    device_count: int

    def to_dict(self) -> dict[str, Any]:
        latitude = self.latitude

        longitude = self.longitude

        device_count = self.device_count

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "latitude": latitude,
                "longitude": longitude,
                "device_count": device_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        latitude = d.pop("latitude")

        longitude = d.pop("longitude")

        device_count = d.pop("device_count")

        device_map_cells_item = cls(
            latitude=latitude,
            longitude=longitude,
            device_count=device_count,
        )

        return device_map_cells_item
