from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="NotificationRequestReceipts")


@_attrs_define
class NotificationRequestReceipts:
    """Asks devices to report that they received and showed the push (`POST /v6/receipts`). The push carries the number
    `_rcpt`.

        Attributes:
            sample (float | Unset): The share of the devices that are asked; all of them if left out.
    """

    sample: float | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        sample = self.sample

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if sample is not UNSET:
            field_dict["sample"] = sample

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        sample = d.pop("sample", UNSET)

        notification_request_receipts = cls(
            sample=sample,
        )

        return notification_request_receipts
