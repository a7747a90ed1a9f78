from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.number_range import NumberRange


T = TypeVar("T", bound="NumberFilter")


@_attrs_define
class NumberFilter:
    """Numbers are compared exactly.

    Attributes:
        name (str): One of `badge`, `custom.integer.<name>`, `custom.float.<name>`.
        criteria (list[float | NumberRange]): At least one has to match.
        not_filter (bool | Unset): Negates the filter.
    """

    name: str
    criteria: list[float | NumberRange]
    not_filter: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.number_range import NumberRange

        name = self.name

        criteria = []
        for criteria_item_data in self.criteria:
            criteria_item: dict[str, Any] | float
            if isinstance(criteria_item_data, NumberRange):
                criteria_item = criteria_item_data.to_dict()
            else:
                criteria_item = criteria_item_data
            criteria.append(criteria_item)

        not_filter = self.not_filter

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "criteria": criteria,
            }
        )
        if not_filter is not UNSET:
            field_dict["not_filter"] = not_filter

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.number_range import NumberRange

        d = dict(src_dict)
        name = d.pop("name")

        criteria = []
        _criteria = d.pop("criteria")
        for criteria_item_data in _criteria:

            def _parse_criteria_item(data: object) -> float | NumberRange:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    criteria_item_type_1 = NumberRange.from_dict(data)

                    return criteria_item_type_1
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                return cast(float | NumberRange, data)

            criteria_item = _parse_criteria_item(criteria_item_data)

            criteria.append(criteria_item)

        not_filter = d.pop("not_filter", UNSET)

        number_filter = cls(
            name=name,
            criteria=criteria,
            not_filter=not_filter,
        )

        return number_filter
