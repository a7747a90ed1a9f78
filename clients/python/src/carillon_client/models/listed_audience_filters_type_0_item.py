from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="ListedAudienceFiltersType0Item")


@_attrs_define
class ListedAudienceFiltersType0Item:
    """
    Attributes:
        name (str):
        criteria (list[Any]):
        not_filter (bool):
    """

    name: str
    criteria: list[Any]
    not_filter: bool

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        criteria = self.criteria

        not_filter = self.not_filter

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "criteria": criteria,
                "not_filter": not_filter,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        criteria = cast(list[Any], d.pop("criteria"))

        not_filter = d.pop("not_filter")

        listed_audience_filters_type_0_item = cls(
            name=name,
            criteria=criteria,
            not_filter=not_filter,
        )

        return listed_audience_filters_type_0_item
