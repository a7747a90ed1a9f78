from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.permission_filter_criteria_item import (
    PermissionFilterCriteriaItem,
    check_permission_filter_criteria_item,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="PermissionFilter")


@_attrs_define
class PermissionFilter:
    """Whether the user lets the app show notifications.

    Attributes:
        name (str): Is `notifications_allowed`.
        criteria (list[PermissionFilterCriteriaItem]): At least one has to match.
        not_filter (bool | Unset): Negates the filter.
    """

    name: str
    criteria: list[PermissionFilterCriteriaItem]
    not_filter: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        criteria = []
        for criteria_item_data in self.criteria:
            criteria_item: str = criteria_item_data
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
        d = dict(src_dict)
        name = d.pop("name")

        criteria = []
        _criteria = d.pop("criteria")
        for criteria_item_data in _criteria:
            criteria_item = check_permission_filter_criteria_item(criteria_item_data)

            criteria.append(criteria_item)

        not_filter = d.pop("not_filter", UNSET)

        permission_filter = cls(
            name=name,
            criteria=criteria,
            not_filter=not_filter,
        )

        return permission_filter
