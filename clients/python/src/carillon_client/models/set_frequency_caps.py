from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.set_frequency_caps_frequency_caps_item import (
        SetFrequencyCapsFrequencyCapsItem,
    )


T = TypeVar("T", bound="SetFrequencyCaps")


@_attrs_define
class SetFrequencyCaps:
    """
    Attributes:
        frequency_caps (list[SetFrequencyCapsFrequencyCapsItem]):
    """

    frequency_caps: list[SetFrequencyCapsFrequencyCapsItem]

    def to_dict(self) -> dict[str, Any]:
        frequency_caps = []
        for frequency_caps_item_data in self.frequency_caps:
            frequency_caps_item = frequency_caps_item_data.to_dict()
            frequency_caps.append(frequency_caps_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "frequency_caps": frequency_caps,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.set_frequency_caps_frequency_caps_item import (
            SetFrequencyCapsFrequencyCapsItem,
        )

        d = dict(src_dict)
        frequency_caps = []
        _frequency_caps = d.pop("frequency_caps")
        for frequency_caps_item_data in _frequency_caps:
            frequency_caps_item = SetFrequencyCapsFrequencyCapsItem.from_dict(
                frequency_caps_item_data
            )

            frequency_caps.append(frequency_caps_item)

        set_frequency_caps = cls(
            frequency_caps=frequency_caps,
        )

        return set_frequency_caps
