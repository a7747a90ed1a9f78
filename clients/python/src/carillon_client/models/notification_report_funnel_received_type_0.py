from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="NotificationReportFunnelReceivedType0")


@_attrs_define
class NotificationReportFunnelReceivedType0:
    """
    Attributes:
        reported (int): Devices of the sample that have reported it.
        share (float): `reported` of `asked`.
        low (float): The lower end of the 95% confidence interval of the share, by Wilson’s formula.
        high (float):
        devices (int): The share of all accepted ones: the estimate for the notification.
    """

    reported: int
    share: float
    low: float
    high: float
    devices: int

    def to_dict(self) -> dict[str, Any]:
        reported = self.reported

        share = self.share

        low = self.low

        high = self.high

        devices = self.devices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "reported": reported,
                "share": share,
                "low": low,
                "high": high,
                "devices": devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        reported = d.pop("reported")

        share = d.pop("share")

        low = d.pop("low")

        high = d.pop("high")

        devices = d.pop("devices")

        notification_report_funnel_received_type_0 = cls(
            reported=reported,
            share=share,
            low=low,
            high=high,
            devices=devices,
        )

        return notification_report_funnel_received_type_0
