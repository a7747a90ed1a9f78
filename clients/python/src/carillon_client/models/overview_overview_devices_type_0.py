from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.overview_overview_devices_type_0_by_app_version_item import (
        OverviewOverviewDevicesType0ByAppVersionItem,
    )
    from ..models.overview_overview_devices_type_0_by_platform_item import (
        OverviewOverviewDevicesType0ByPlatformItem,
    )
    from ..models.overview_overview_devices_type_0_by_system_item import (
        OverviewOverviewDevicesType0BySystemItem,
    )


T = TypeVar("T", bound="OverviewOverviewDevicesType0")


@_attrs_define
class OverviewOverviewDevicesType0:
    """
    Attributes:
        counted_at (datetime.datetime):
        total (int):
        reachable (int): Those that have a push token.
        active (int): Those that have registered within the last 30 days.
        by_platform (list[OverviewOverviewDevicesType0ByPlatformItem]):
        by_system (list[OverviewOverviewDevicesType0BySystemItem]): The 20 largest groups of each platform, largest
            first.
        by_app_version (list[OverviewOverviewDevicesType0ByAppVersionItem]): The 20 largest groups of each platform,
            largest first.
    """

    counted_at: datetime.datetime
    total: int
    reachable: int
    active: int
    by_platform: list[OverviewOverviewDevicesType0ByPlatformItem]
    by_system: list[OverviewOverviewDevicesType0BySystemItem]
    by_app_version: list[OverviewOverviewDevicesType0ByAppVersionItem]

    def to_dict(self) -> dict[str, Any]:
        counted_at = self.counted_at.isoformat()

        total = self.total

        reachable = self.reachable

        active = self.active

        by_platform = []
        for by_platform_item_data in self.by_platform:
            by_platform_item = by_platform_item_data.to_dict()
            by_platform.append(by_platform_item)

        by_system = []
        for by_system_item_data in self.by_system:
            by_system_item = by_system_item_data.to_dict()
            by_system.append(by_system_item)

        by_app_version = []
        for by_app_version_item_data in self.by_app_version:
            by_app_version_item = by_app_version_item_data.to_dict()
            by_app_version.append(by_app_version_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "counted_at": counted_at,
                "total": total,
                "reachable": reachable,
                "active": active,
                "by_platform": by_platform,
                "by_system": by_system,
                "by_app_version": by_app_version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.overview_overview_devices_type_0_by_app_version_item import (
            OverviewOverviewDevicesType0ByAppVersionItem,
        )
        from ..models.overview_overview_devices_type_0_by_platform_item import (
            OverviewOverviewDevicesType0ByPlatformItem,
        )
        from ..models.overview_overview_devices_type_0_by_system_item import (
            OverviewOverviewDevicesType0BySystemItem,
        )

        d = dict(src_dict)
        counted_at = datetime.datetime.fromisoformat(d.pop("counted_at"))

        total = d.pop("total")

        reachable = d.pop("reachable")

        active = d.pop("active")

        by_platform = []
        _by_platform = d.pop("by_platform")
        for by_platform_item_data in _by_platform:
            by_platform_item = OverviewOverviewDevicesType0ByPlatformItem.from_dict(
                by_platform_item_data
            )

            by_platform.append(by_platform_item)

        by_system = []
        _by_system = d.pop("by_system")
        for by_system_item_data in _by_system:
            by_system_item = OverviewOverviewDevicesType0BySystemItem.from_dict(
                by_system_item_data
            )

            by_system.append(by_system_item)

        by_app_version = []
        _by_app_version = d.pop("by_app_version")
        for by_app_version_item_data in _by_app_version:
            by_app_version_item = (
                OverviewOverviewDevicesType0ByAppVersionItem.from_dict(
                    by_app_version_item_data
                )
            )

            by_app_version.append(by_app_version_item)

        overview_overview_devices_type_0 = cls(
            counted_at=counted_at,
            total=total,
            reachable=reachable,
            active=active,
            by_platform=by_platform,
            by_system=by_system,
            by_app_version=by_app_version,
        )

        return overview_overview_devices_type_0
