from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ExplanationFiltersItemCriteriaItem")


@_attrs_define
class ExplanationFiltersItemCriteriaItem:
    """
    Attributes:
        criterion (Any):
        matches (bool):
    """

    criterion: Any
    matches: bool

    def to_dict(self) -> dict[str, Any]:
        criterion = self.criterion

        matches = self.matches

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "criterion": criterion,
                "matches": matches,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        criterion = d.pop("criterion")

        matches = d.pop("matches")

        explanation_filters_item_criteria_item = cls(
            criterion=criterion,
            matches=matches,
        )

        return explanation_filters_item_criteria_item
