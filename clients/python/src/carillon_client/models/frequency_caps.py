from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.frequency_caps_frequency_caps_item import (
        FrequencyCapsFrequencyCapsItem,
    )


T = TypeVar("T", bound="FrequencyCaps")


@_attrs_define
class FrequencyCaps:
    """
    Attributes:
        frequency_caps (list[FrequencyCapsFrequencyCapsItem]):
    """

    frequency_caps: list[FrequencyCapsFrequencyCapsItem]

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
        from ..models.frequency_caps_frequency_caps_item import (
            FrequencyCapsFrequencyCapsItem,
        )

        d = dict(src_dict)
        frequency_caps = []
        _frequency_caps = d.pop("frequency_caps")
        for frequency_caps_item_data in _frequency_caps:
            frequency_caps_item = FrequencyCapsFrequencyCapsItem.from_dict(
                frequency_caps_item_data
            )

            frequency_caps.append(frequency_caps_item)

        frequency_caps = cls(
            frequency_caps=frequency_caps,
        )

        return frequency_caps
