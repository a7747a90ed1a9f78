from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.date_range import DateRange
    from ..models.number_range import NumberRange


T = TypeVar("T", bound="EventFilter")


@_attrs_define
class EventFilter:
    """Whether it happened (`true`), how often, or, with dates, when it last did.

    Attributes:
        name (str): Is `events.<name>`.
        criteria (list[bool | DateRange | float | NumberRange]): At least one has to match.
        not_filter (bool | Unset): Negates the filter.
    """

    name: str
    criteria: list[bool | DateRange | float | NumberRange]
    not_filter: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.date_range import DateRange
        from ..models.number_range import NumberRange

        name = self.name

        criteria = []
        for criteria_item_data in self.criteria:
            criteria_item: bool | dict[str, Any] | float
            if isinstance(criteria_item_data, NumberRange) or isinstance(
                criteria_item_data, DateRange
            ):
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
        from ..models.number_range import NumberRange

        d = dict(src_dict)
        name = d.pop("name")

        criteria = []
        _criteria = d.pop("criteria")
        for criteria_item_data in _criteria:

            def _parse_criteria_item(
                data: object,
            ) -> bool | DateRange | float | NumberRange:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    criteria_item_type_2 = NumberRange.from_dict(data)

                    return criteria_item_type_2
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    criteria_item_type_3 = DateRange.from_dict(data)

                    return criteria_item_type_3
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                return cast(bool | DateRange | float | NumberRange, data)

            criteria_item = _parse_criteria_item(criteria_item_data)

            criteria.append(criteria_item)

        not_filter = d.pop("not_filter", UNSET)

        event_filter = cls(
            name=name,
            criteria=criteria,
            not_filter=not_filter,
        )

        return event_filter
