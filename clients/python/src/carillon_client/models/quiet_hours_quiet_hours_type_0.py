from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.quiet_hours_quiet_hours_type_0_action import (
    QuietHoursQuietHoursType0Action,
    check_quiet_hours_quiet_hours_type_0_action,
)
from ..models.quiet_hours_quiet_hours_type_0_days_item import (
    QuietHoursQuietHoursType0DaysItem,
    check_quiet_hours_quiet_hours_type_0_days_item,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="QuietHoursQuietHoursType0")


@_attrs_define
class QuietHoursQuietHoursType0:
    """
    Attributes:
        from_ (str): When they begin on the clock of the device: `22:00`.
        to (str): When they end; on the next day if it is before `from`.
        no_time_zone (str): For devices without a known time zone: the name of one, or `ignore`, which sends to them at
            any hour.
        days (list[QuietHoursQuietHoursType0DaysItem] | Unset): The days on which they begin; every day if left out.
        action (QuietHoursQuietHoursType0Action | Unset): `hold`, the default, sends when they end. `drop` sends nothing
            to these devices.
        release_over (str | Unset): Devices that were held are sent to evenly within this time, an ISO 8601 duration
            (`PT15M`).
    """

    from_: str
    to: str
    no_time_zone: str
    days: list[QuietHoursQuietHoursType0DaysItem] | Unset = UNSET
    action: QuietHoursQuietHoursType0Action | Unset = UNSET
    release_over: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from_ = self.from_

        to = self.to

        no_time_zone = self.no_time_zone

        days: list[str] | Unset = UNSET
        if not isinstance(self.days, Unset):
            days = []
            for days_item_data in self.days:
                days_item: str = days_item_data
                days.append(days_item)

        action: str | Unset = UNSET
        if not isinstance(self.action, Unset):
            action = self.action

        release_over = self.release_over

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "from": from_,
                "to": to,
                "no_time_zone": no_time_zone,
            }
        )
        if days is not UNSET:
            field_dict["days"] = days
        if action is not UNSET:
            field_dict["action"] = action
        if release_over is not UNSET:
            field_dict["release_over"] = release_over

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        from_ = d.pop("from")

        to = d.pop("to")

        no_time_zone = d.pop("no_time_zone")

        _days = d.pop("days", UNSET)
        days: list[QuietHoursQuietHoursType0DaysItem] | Unset = UNSET
        if _days is not UNSET:
            days = []
            for days_item_data in _days:
                days_item = check_quiet_hours_quiet_hours_type_0_days_item(
                    days_item_data
                )

                days.append(days_item)

        _action = d.pop("action", UNSET)
        action: QuietHoursQuietHoursType0Action | Unset
        if isinstance(_action, Unset):
            action = UNSET
        else:
            action = check_quiet_hours_quiet_hours_type_0_action(_action)

        release_over = d.pop("release_over", UNSET)

        quiet_hours_quiet_hours_type_0 = cls(
            from_=from_,
            to=to,
            no_time_zone=no_time_zone,
            days=days,
            action=action,
            release_over=release_over,
        )

        return quiet_hours_quiet_hours_type_0
