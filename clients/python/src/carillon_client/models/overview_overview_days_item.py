from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="OverviewOverviewDaysItem")


@_attrs_define
class OverviewOverviewDaysItem:
    """
    Attributes:
        day (datetime.date):
        notifications (int): Notifications that ended on that day. Dry runs do not count.
        devices (int): The devices of these notifications: the sum of the five counters below.
        accepted (int):
        rejected (int):
        unregistered (int): Pushes for dead push tokens, which were retired.
        no_token (int):
        ambiguous (int):
        opens (int): Opens that were reported on that day, of any notification.
        app_devices (int | None): Devices of the app at the last count of that day in UTC.
    """

    day: datetime.date
    notifications: int
    devices: int
    accepted: int
    rejected: int
    unregistered: int
    no_token: int
    ambiguous: int
    opens: int
    app_devices: int | None

    def to_dict(self) -> dict[str, Any]:
        day = self.day.isoformat()

        notifications = self.notifications

        devices = self.devices

        accepted = self.accepted

        rejected = self.rejected

        unregistered = self.unregistered

        no_token = self.no_token

        ambiguous = self.ambiguous

        opens = self.opens

        app_devices: int | None
        app_devices = self.app_devices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "day": day,
                "notifications": notifications,
                "devices": devices,
                "accepted": accepted,
                "rejected": rejected,
                "unregistered": unregistered,
                "no_token": no_token,
                "ambiguous": ambiguous,
                "opens": opens,
                "app_devices": app_devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        day = datetime.date.fromisoformat(d.pop("day"))

        notifications = d.pop("notifications")

        devices = d.pop("devices")

        accepted = d.pop("accepted")

        rejected = d.pop("rejected")

        unregistered = d.pop("unregistered")

        no_token = d.pop("no_token")

        ambiguous = d.pop("ambiguous")

        opens = d.pop("opens")

        def _parse_app_devices(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        app_devices = _parse_app_devices(d.pop("app_devices"))

        overview_overview_days_item = cls(
            day=day,
            notifications=notifications,
            devices=devices,
            accepted=accepted,
            rejected=rejected,
            unregistered=unregistered,
            no_token=no_token,
            ambiguous=ambiguous,
            opens=opens,
            app_devices=app_devices,
        )

        return overview_overview_days_item
