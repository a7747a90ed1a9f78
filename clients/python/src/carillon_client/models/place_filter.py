from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.circle import Circle
    from ..models.polygon import Polygon


T = TypeVar("T", bound="PlaceFilter")


@_attrs_define
class PlaceFilter:
    """Circles and polygons.

    Attributes:
        name (str): One of `location`, `sdk_location`.
        criteria (list[Circle | Polygon]): At least one has to match.
        not_filter (bool | Unset): Negates the filter.
    """

    name: str
    criteria: list[Circle | Polygon]
    not_filter: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.circle import Circle

        name = self.name

        criteria = []
        for criteria_item_data in self.criteria:
            criteria_item: dict[str, Any]
            if isinstance(criteria_item_data, Circle):
                criteria_item = criteria_item_data.to_dict()
            else:
                criteria_item = criteria_item_data.to_dict()

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
        from ..models.circle import Circle
        from ..models.polygon import Polygon

        d = dict(src_dict)
        name = d.pop("name")

        criteria = []
        _criteria = d.pop("criteria")
        for criteria_item_data in _criteria:

            def _parse_criteria_item(data: object) -> Circle | Polygon:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    criteria_item_type_0 = Circle.from_dict(data)

                    return criteria_item_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                if not isinstance(data, dict):
                    raise TypeError()
                criteria_item_type_1 = Polygon.from_dict(data)

                return criteria_item_type_1

            criteria_item = _parse_criteria_item(criteria_item_data)

            criteria.append(criteria_item)

        not_filter = d.pop("not_filter", UNSET)

        place_filter = cls(
            name=name,
            criteria=criteria,
            not_filter=not_filter,
        )

        return place_filter
