from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.overview_overview_attention_item import OverviewOverviewAttentionItem
    from ..models.overview_overview_days_item import OverviewOverviewDaysItem
    from ..models.overview_overview_devices_type_0 import OverviewOverviewDevicesType0


T = TypeVar("T", bound="OverviewOverview")


@_attrs_define
class OverviewOverview:
    """
    Attributes:
        days_counted_at (datetime.datetime | None): The time up to which all hours are counted; null before the first
            count.
        days (list[OverviewOverviewDaysItem]): Oldest first; the last one is the present day.
        devices (None | OverviewOverviewDevicesType0): Null before the first count.
        attention (list[OverviewOverviewAttentionItem]): What somebody should look at; empty if there is nothing.
    """

    days_counted_at: datetime.datetime | None
    days: list[OverviewOverviewDaysItem]
    devices: None | OverviewOverviewDevicesType0
    attention: list[OverviewOverviewAttentionItem]

    def to_dict(self) -> dict[str, Any]:
        from ..models.overview_overview_devices_type_0 import (
            OverviewOverviewDevicesType0,
        )

        days_counted_at: None | str
        if isinstance(self.days_counted_at, datetime.datetime):
            days_counted_at = self.days_counted_at.isoformat()
        else:
            days_counted_at = self.days_counted_at

        days = []
        for days_item_data in self.days:
            days_item = days_item_data.to_dict()
            days.append(days_item)

        devices: dict[str, Any] | None
        if isinstance(self.devices, OverviewOverviewDevicesType0):
            devices = self.devices.to_dict()
        else:
            devices = self.devices

        attention = []
        for attention_item_data in self.attention:
            attention_item = attention_item_data.to_dict()
            attention.append(attention_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "days_counted_at": days_counted_at,
                "days": days,
                "devices": devices,
                "attention": attention,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.overview_overview_attention_item import (
            OverviewOverviewAttentionItem,
        )
        from ..models.overview_overview_days_item import OverviewOverviewDaysItem
        from ..models.overview_overview_devices_type_0 import (
            OverviewOverviewDevicesType0,
        )

        d = dict(src_dict)

        def _parse_days_counted_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                days_counted_at_type_0 = datetime.datetime.fromisoformat(data)

                return days_counted_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        days_counted_at = _parse_days_counted_at(d.pop("days_counted_at"))

        days = []
        _days = d.pop("days")
        for days_item_data in _days:
            days_item = OverviewOverviewDaysItem.from_dict(days_item_data)

            days.append(days_item)

        def _parse_devices(data: object) -> None | OverviewOverviewDevicesType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                devices_type_0 = OverviewOverviewDevicesType0.from_dict(data)

                return devices_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | OverviewOverviewDevicesType0, data)

        devices = _parse_devices(d.pop("devices"))

        attention = []
        _attention = d.pop("attention")
        for attention_item_data in _attention:
            attention_item = OverviewOverviewAttentionItem.from_dict(
                attention_item_data
            )

            attention.append(attention_item)

        overview_overview = cls(
            days_counted_at=days_counted_at,
            days=days,
            devices=devices,
            attention=attention,
        )

        return overview_overview
