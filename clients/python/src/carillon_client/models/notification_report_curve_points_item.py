from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="NotificationReportCurvePointsItem")


@_attrs_define
class NotificationReportCurvePointsItem:
    """
    Attributes:
        at (datetime.datetime): When the step begins.
        devices (int):
    """

    at: datetime.datetime
    devices: int

    def to_dict(self) -> dict[str, Any]:
        at = self.at.isoformat()

        devices = self.devices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "at": at,
                "devices": devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        at = datetime.datetime.fromisoformat(d.pop("at"))

        devices = d.pop("devices")

        notification_report_curve_points_item = cls(
            at=at,
            devices=devices,
        )

        return notification_report_curve_points_item
