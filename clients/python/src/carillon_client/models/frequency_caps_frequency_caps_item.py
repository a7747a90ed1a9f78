from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.frequency_caps_frequency_caps_item_by import (
    FrequencyCapsFrequencyCapsItemBy,
    check_frequency_caps_frequency_caps_item_by,
)

if TYPE_CHECKING:
    from ..models.frequency_caps_frequency_caps_item_limits_item import (
        FrequencyCapsFrequencyCapsItemLimitsItem,
    )


T = TypeVar("T", bound="FrequencyCapsFrequencyCapsItem")


@_attrs_define
class FrequencyCapsFrequencyCapsItem:
    """
    Attributes:
        group (str): Notifications with this `group` are counted together.
        by (FrequencyCapsFrequencyCapsItemBy): What is counted. With `user`, all devices of a user get the same
            notifications, and each counts once; a device without a `user_id` counts by itself.
        limits (list[FrequencyCapsFrequencyCapsItemLimitsItem]): A push must keep within all of them.
    """

    group: str
    by: FrequencyCapsFrequencyCapsItemBy
    limits: list[FrequencyCapsFrequencyCapsItemLimitsItem]

    def to_dict(self) -> dict[str, Any]:
        group = self.group

        by: str = self.by

        limits = []
        for limits_item_data in self.limits:
            limits_item = limits_item_data.to_dict()
            limits.append(limits_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "group": group,
                "by": by,
                "limits": limits,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.frequency_caps_frequency_caps_item_limits_item import (
            FrequencyCapsFrequencyCapsItemLimitsItem,
        )

        d = dict(src_dict)
        group = d.pop("group")

        by = check_frequency_caps_frequency_caps_item_by(d.pop("by"))

        limits = []
        _limits = d.pop("limits")
        for limits_item_data in _limits:
            limits_item = FrequencyCapsFrequencyCapsItemLimitsItem.from_dict(
                limits_item_data
            )

            limits.append(limits_item)

        frequency_caps_frequency_caps_item = cls(
            group=group,
            by=by,
            limits=limits,
        )

        return frequency_caps_frequency_caps_item
