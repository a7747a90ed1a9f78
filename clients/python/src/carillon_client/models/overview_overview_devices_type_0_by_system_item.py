from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.overview_overview_devices_type_0_by_system_item_platform import (
    OverviewOverviewDevicesType0BySystemItemPlatform,
    check_overview_overview_devices_type_0_by_system_item_platform,
)

T = TypeVar("T", bound="OverviewOverviewDevicesType0BySystemItem")


@_attrs_define
class OverviewOverviewDevicesType0BySystemItem:
    """
    Attributes:
        platform (OverviewOverviewDevicesType0BySystemItemPlatform):
        os_name (None | str):
        os_version (None | str):
        devices (int):
    """

    platform: OverviewOverviewDevicesType0BySystemItemPlatform
    os_name: None | str
    os_version: None | str
    devices: int

    def to_dict(self) -> dict[str, Any]:
        platform: str = self.platform

        os_name: None | str
        os_name = self.os_name

        os_version: None | str
        os_version = self.os_version

        devices = self.devices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "platform": platform,
                "os_name": os_name,
                "os_version": os_version,
                "devices": devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        platform = check_overview_overview_devices_type_0_by_system_item_platform(
            d.pop("platform")
        )

        def _parse_os_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        os_name = _parse_os_name(d.pop("os_name"))

        def _parse_os_version(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        os_version = _parse_os_version(d.pop("os_version"))

        devices = d.pop("devices")

        overview_overview_devices_type_0_by_system_item = cls(
            platform=platform,
            os_name=os_name,
            os_version=os_version,
            devices=devices,
        )

        return overview_overview_devices_type_0_by_system_item
