from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.device_quiet_hours_days_item import (
    DeviceQuietHoursDaysItem,
    check_device_quiet_hours_days_item,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="DeviceQuietHours")


@_attrs_define
class DeviceQuietHours:
    """
    Attributes:
        from_ (str): When they begin on the clock of the device: `22:00`.
        to (str): When they end; on the next day if it is before `from`.
        days (list[DeviceQuietHoursDaysItem] | Unset): The days on which they begin; every day if left out.
    """

    from_: str
    to: str
    days: list[DeviceQuietHoursDaysItem] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from_ = self.from_

        to = self.to

        days: list[str] | Unset = UNSET
        if not isinstance(self.days, Unset):
            days = []
            for days_item_data in self.days:
                days_item: str = days_item_data
                days.append(days_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "from": from_,
                "to": to,
            }
        )
        if days is not UNSET:
            field_dict["days"] = days

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        from_ = d.pop("from")

        to = d.pop("to")

        _days = d.pop("days", UNSET)
        days: list[DeviceQuietHoursDaysItem] | Unset = UNSET
        if _days is not UNSET:
            days = []
            for days_item_data in _days:
                days_item = check_device_quiet_hours_days_item(days_item_data)

                days.append(days_item)

        device_quiet_hours = cls(
            from_=from_,
            to=to,
            days=days,
        )

        return device_quiet_hours
