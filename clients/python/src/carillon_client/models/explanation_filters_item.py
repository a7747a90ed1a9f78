from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.explanation_filters_item_criteria_item import (
        ExplanationFiltersItemCriteriaItem,
    )


T = TypeVar("T", bound="ExplanationFiltersItem")


@_attrs_define
class ExplanationFiltersItem:
    """
    Attributes:
        name (str):
        matches (bool): Whether this filter selects the device.
        not_filter (bool):
        value (Any): What the device has, as `GET /v6/devices/<id>` shows it: for a custom attribute its type and value,
            for an event its count and times. Null if it has nothing.
        criteria (list[ExplanationFiltersItemCriteriaItem]): The first 20 criteria, in canonical form; `matches` is the
            answer before `not_filter`.
        criteria_count (int):
    """

    name: str
    matches: bool
    not_filter: bool
    value: Any
    criteria: list[ExplanationFiltersItemCriteriaItem]
    criteria_count: int

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        matches = self.matches

        not_filter = self.not_filter

        value = self.value

        criteria = []
        for criteria_item_data in self.criteria:
            criteria_item = criteria_item_data.to_dict()
            criteria.append(criteria_item)

        criteria_count = self.criteria_count

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "matches": matches,
                "not_filter": not_filter,
                "value": value,
                "criteria": criteria,
                "criteria_count": criteria_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.explanation_filters_item_criteria_item import (
            ExplanationFiltersItemCriteriaItem,
        )

        d = dict(src_dict)
        name = d.pop("name")

        matches = d.pop("matches")

        not_filter = d.pop("not_filter")

        value = d.pop("value")

        criteria = []
        _criteria = d.pop("criteria")
        for criteria_item_data in _criteria:
            criteria_item = ExplanationFiltersItemCriteriaItem.from_dict(
                criteria_item_data
            )

            criteria.append(criteria_item)

        criteria_count = d.pop("criteria_count")

        explanation_filters_item = cls(
            name=name,
            matches=matches,
            not_filter=not_filter,
            value=value,
            criteria=criteria,
            criteria_count=criteria_count,
        )

        return explanation_filters_item
