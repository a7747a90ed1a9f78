from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.date_range import DateRange


T = TypeVar("T", bound="DateFilter")


@_attrs_define
class DateFilter:
    """A date, or a range of dates and math-dates.

    Attributes:
        name (str): One of `created_at`, `registered_at`, `custom.date.<name>`.
        criteria (list[DateRange | str]): At least one has to match.
        not_filter (bool | Unset): Negates the filter.
    """

    name: str
    criteria: list[DateRange | str]
    not_filter: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.date_range import DateRange

        name = self.name

        criteria = []
        for criteria_item_data in self.criteria:
            criteria_item: dict[str, Any] | str
            if isinstance(criteria_item_data, DateRange):
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
        from ..models.date_range import DateRange

        d = dict(src_dict)
        name = d.pop("name")

        criteria = []
        _criteria = d.pop("criteria")
        for criteria_item_data in _criteria:

            def _parse_criteria_item(data: object) -> DateRange | str:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    criteria_item_type_1 = DateRange.from_dict(data)

                    return criteria_item_type_1
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                return cast(DateRange | str, data)

            criteria_item = _parse_criteria_item(criteria_item_data)

            criteria.append(criteria_item)

        not_filter = d.pop("not_filter", UNSET)

        date_filter = cls(
            name=name,
            criteria=criteria,
            not_filter=not_filter,
        )

        return date_filter
