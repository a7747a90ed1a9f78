from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="NotificationReportVariantsType0GroupsItemShownType0")


@_attrs_define
class NotificationReportVariantsType0GroupsItemShownType0:
    """
    Attributes:
        devices (int): Devices that have reported it.
        of (int): Of these: the ones in the sample of receipts, or all to which the push was sent.
        share (float): `devices` of `of`.
        low (float): The lower end of the 95% confidence interval of the share, by Wilson’s formula.
        high (float):
    """

    devices: int
    of: int
    share: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        devices = self.devices

        of = self.of

        share = self.share

        low = self.low

        high = self.high

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "devices": devices,
                "of": of,
                "share": share,
                "low": low,
                "high": high,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        devices = d.pop("devices")

        of = d.pop("of")

        share = d.pop("share")

        low = d.pop("low")

        high = d.pop("high")

        notification_report_variants_type_0_groups_item_shown_type_0 = cls(
            devices=devices,
            of=of,
            share=share,
            low=low,
            high=high,
        )

        return notification_report_variants_type_0_groups_item_shown_type_0
