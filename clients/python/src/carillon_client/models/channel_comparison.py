from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.channel_comparison_missing_item import ChannelComparisonMissingItem


T = TypeVar("T", bound="ChannelComparison")


@_attrs_define
class ChannelComparison:
    """
    Attributes:
        at_apple (int): Channels that Apple has.
        here (int): Channels that Carillon has.
        missing (list[ChannelComparisonMissingItem]): Channels of Carillon that Apple does not have; at most 100.
        unknown (list[str]): Ids of channels at Apple that Carillon does not have; at most 100.
    """

    at_apple: int
    here: int
    missing: list[ChannelComparisonMissingItem]
    unknown: list[str]

    def to_dict(self) -> dict[str, Any]:
        at_apple = self.at_apple

        here = self.here

        missing = []
        for missing_item_data in self.missing:
            missing_item = missing_item_data.to_dict()
            missing.append(missing_item)

        unknown = self.unknown

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "at_apple": at_apple,
                "here": here,
                "missing": missing,
                "unknown": unknown,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.channel_comparison_missing_item import (
            ChannelComparisonMissingItem,
        )

        d = dict(src_dict)
        at_apple = d.pop("at_apple")

        here = d.pop("here")

        missing = []
        _missing = d.pop("missing")
        for missing_item_data in _missing:
            missing_item = ChannelComparisonMissingItem.from_dict(missing_item_data)

            missing.append(missing_item)

        unknown = cast(list[str], d.pop("unknown"))

        channel_comparison = cls(
            at_apple=at_apple,
            here=here,
            missing=missing,
            unknown=unknown,
        )

        return channel_comparison
