from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.overview_overview_devices_type_0_by_app_version_item_platform import (
    OverviewOverviewDevicesType0ByAppVersionItemPlatform,
    check_overview_overview_devices_type_0_by_app_version_item_platform,
)

T = TypeVar("T", bound="OverviewOverviewDevicesType0ByAppVersionItem")


@_attrs_define
class OverviewOverviewDevicesType0ByAppVersionItem:
    """
    Attributes:
        platform (OverviewOverviewDevicesType0ByAppVersionItemPlatform):
        app_version (None | str):
        devices (int):
    """

    platform: OverviewOverviewDevicesType0ByAppVersionItemPlatform
    app_version: None | str
    devices: int

    def to_dict(self) -> dict[str, Any]:
        platform: str = self.platform

        app_version: None | str
        app_version = self.app_version

        devices = self.devices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "platform": platform,
                "app_version": app_version,
                "devices": devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        platform = check_overview_overview_devices_type_0_by_app_version_item_platform(
            d.pop("platform")
        )

        def _parse_app_version(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        app_version = _parse_app_version(d.pop("app_version"))

        devices = d.pop("devices")

        overview_overview_devices_type_0_by_app_version_item = cls(
            platform=platform,
            app_version=app_version,
            devices=devices,
        )

        return overview_overview_devices_type_0_by_app_version_item
