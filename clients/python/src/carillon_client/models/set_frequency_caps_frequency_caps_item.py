from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.set_frequency_caps_frequency_caps_item_by import (
    SetFrequencyCapsFrequencyCapsItemBy,
    check_set_frequency_caps_frequency_caps_item_by,
)

if TYPE_CHECKING:
    from ..models.set_frequency_caps_frequency_caps_item_limits_item import (
        SetFrequencyCapsFrequencyCapsItemLimitsItem,
    )


T = TypeVar("T", bound="SetFrequencyCapsFrequencyCapsItem")


@_attrs_define
class SetFrequencyCapsFrequencyCapsItem:
    """
    Attributes:
        group (str): Notifications with this `group` are counted together.
        by (SetFrequencyCapsFrequencyCapsItemBy): What is counted. With `user`, all devices of a user get the same
            notifications, and each counts once; a device without a `user_id` counts by itself.
        limits (list[SetFrequencyCapsFrequencyCapsItemLimitsItem]): A push must keep within all of them.
    """

    group: str
    by: SetFrequencyCapsFrequencyCapsItemBy
    limits: list[SetFrequencyCapsFrequencyCapsItemLimitsItem]

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
        from ..models.set_frequency_caps_frequency_caps_item_limits_item import (
            SetFrequencyCapsFrequencyCapsItemLimitsItem,
        )

        d = dict(src_dict)
        group = d.pop("group")

        by = check_set_frequency_caps_frequency_caps_item_by(d.pop("by"))

        limits = []
        _limits = d.pop("limits")
        for limits_item_data in _limits:
            limits_item = SetFrequencyCapsFrequencyCapsItemLimitsItem.from_dict(
                limits_item_data
            )

            limits.append(limits_item)

        set_frequency_caps_frequency_caps_item = cls(
            group=group,
            by=by,
            limits=limits,
        )

        return set_frequency_caps_frequency_caps_item
