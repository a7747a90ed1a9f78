from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_report_variants_type_0_comparisons_item import (
        NotificationReportVariantsType0ComparisonsItem,
    )
    from ..models.notification_report_variants_type_0_groups_item import (
        NotificationReportVariantsType0GroupsItem,
    )


T = TypeVar("T", bound="NotificationReportVariantsType0")


@_attrs_define
class NotificationReportVariantsType0:
    """
    Attributes:
        groups (list[NotificationReportVariantsType0GroupsItem]): The variants in their order, and the hold-out last.
        comparisons (list[NotificationReportVariantsType0ComparisonsItem]): Each variant with the first one, for each
            rate that is known of both.
    """

    groups: list[NotificationReportVariantsType0GroupsItem]
    comparisons: list[NotificationReportVariantsType0ComparisonsItem]

    def to_dict(self) -> dict[str, Any]:
        groups = []
        for groups_item_data in self.groups:
            groups_item = groups_item_data.to_dict()
            groups.append(groups_item)

        comparisons = []
        for comparisons_item_data in self.comparisons:
            comparisons_item = comparisons_item_data.to_dict()
            comparisons.append(comparisons_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "groups": groups,
                "comparisons": comparisons,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_report_variants_type_0_comparisons_item import (
            NotificationReportVariantsType0ComparisonsItem,
        )
        from ..models.notification_report_variants_type_0_groups_item import (
            NotificationReportVariantsType0GroupsItem,
        )

        d = dict(src_dict)
        groups = []
        _groups = d.pop("groups")
        for groups_item_data in _groups:
            groups_item = NotificationReportVariantsType0GroupsItem.from_dict(
                groups_item_data
            )

            groups.append(groups_item)

        comparisons = []
        _comparisons = d.pop("comparisons")
        for comparisons_item_data in _comparisons:
            comparisons_item = NotificationReportVariantsType0ComparisonsItem.from_dict(
                comparisons_item_data
            )

            comparisons.append(comparisons_item)

        notification_report_variants_type_0 = cls(
            groups=groups,
            comparisons=comparisons,
        )

        return notification_report_variants_type_0
