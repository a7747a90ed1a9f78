from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="SetFrequencyCapsFrequencyCapsItemLimitsItem")


@_attrs_define
class SetFrequencyCapsFrequencyCapsItemLimitsItem:
    """
    Attributes:
        at_most (int): The number of notifications of the group.
        per (str): The period, an ISO 8601 duration from `PT1M` to `P30D`: a sliding window that ends at the time of
            each push.
    """

    at_most: int
    per: str

    def to_dict(self) -> dict[str, Any]:
        at_most = self.at_most

        per = self.per

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "at_most": at_most,
                "per": per,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        at_most = d.pop("at_most")

        per = d.pop("per")

        set_frequency_caps_frequency_caps_item_limits_item = cls(
            at_most=at_most,
            per=per,
        )

        return set_frequency_caps_frequency_caps_item_limits_item
