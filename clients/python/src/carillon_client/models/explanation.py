from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.explanation_filters_item import ExplanationFiltersItem


T = TypeVar("T", bound="Explanation")


@_attrs_define
class Explanation:
    """
    Attributes:
        matches (bool): Whether the device is in the audience: every filter selects it.
        filters (list[ExplanationFiltersItem]):
    """

    matches: bool
    filters: list[ExplanationFiltersItem]

    def to_dict(self) -> dict[str, Any]:
        matches = self.matches

        filters = []
        for filters_item_data in self.filters:
            filters_item = filters_item_data.to_dict()
            filters.append(filters_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "matches": matches,
                "filters": filters,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.explanation_filters_item import ExplanationFiltersItem

        d = dict(src_dict)
        matches = d.pop("matches")

        filters = []
        _filters = d.pop("filters")
        for filters_item_data in _filters:
            filters_item = ExplanationFiltersItem.from_dict(filters_item_data)

            filters.append(filters_item)

        explanation = cls(
            matches=matches,
            filters=filters,
        )

        return explanation
