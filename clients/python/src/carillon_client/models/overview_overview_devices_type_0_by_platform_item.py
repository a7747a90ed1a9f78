from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.overview_overview_devices_type_0_by_platform_item_platform import (
    OverviewOverviewDevicesType0ByPlatformItemPlatform,
    check_overview_overview_devices_type_0_by_platform_item_platform,
)

T = TypeVar("T", bound="OverviewOverviewDevicesType0ByPlatformItem")


@_attrs_define
class OverviewOverviewDevicesType0ByPlatformItem:
    """
    Attributes:
        platform (OverviewOverviewDevicesType0ByPlatformItemPlatform):
        devices (int):
    """

    platform: OverviewOverviewDevicesType0ByPlatformItemPlatform
    devices: int

    def to_dict(self) -> dict[str, Any]:
        platform: str = self.platform

        devices = self.devices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "platform": platform,
                "devices": devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        platform = check_overview_overview_devices_type_0_by_platform_item_platform(
            d.pop("platform")
        )

        devices = d.pop("devices")

        overview_overview_devices_type_0_by_platform_item = cls(
            platform=platform,
            devices=devices,
        )

        return overview_overview_devices_type_0_by_platform_item
