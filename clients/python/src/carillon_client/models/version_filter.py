from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.version_range import VersionRange


T = TypeVar("T", bound="VersionFilter")


@_attrs_define
class VersionFilter:
    """A text matches that text only; numbers and ranges are compared as versions.

    Attributes:
        name (str): One of `os_version`, `app_version`, `sdk_version`.
        criteria (list[float | str | VersionRange]): At least one has to match.
        not_filter (bool | Unset): Negates the filter.
    """

    name: str
    criteria: list[float | str | VersionRange]
    not_filter: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.version_range import VersionRange

        name = self.name

        criteria = []
        for criteria_item_data in self.criteria:
            criteria_item: dict[str, Any] | float | str
            if isinstance(criteria_item_data, VersionRange):
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
        from ..models.version_range import VersionRange

        d = dict(src_dict)
        name = d.pop("name")

        criteria = []
        _criteria = d.pop("criteria")
        for criteria_item_data in _criteria:

            def _parse_criteria_item(data: object) -> float | str | VersionRange:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    criteria_item_type_2 = VersionRange.from_dict(data)

                    return criteria_item_type_2
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                return cast(float | str | VersionRange, data)

            criteria_item = _parse_criteria_item(criteria_item_data)

            criteria.append(criteria_item)

        not_filter = d.pop("not_filter", UNSET)

        version_filter = cls(
            name=name,
            criteria=criteria,
            not_filter=not_filter,
        )

        return version_filter
