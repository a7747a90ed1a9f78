from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.import_result_rejected_item import ImportResultRejectedItem


T = TypeVar("T", bound="ImportResult")


@_attrs_define
class ImportResult:
    """
    Attributes:
        imported (int): New devices.
        updated (int): Devices that the app already had, found by push token.
        unchanged (int): Devices that the app already had, with the same attributes.
        rejected_count (int):
        rejected (list[ImportResultRejectedItem]): The first 1,000 rejected lines, sorted by line.
    """

    imported: int
    updated: int
    unchanged: int
    rejected_count: int
    rejected: list[ImportResultRejectedItem]

    def to_dict(self) -> dict[str, Any]:
        imported = self.imported

        updated = self.updated

        unchanged = self.unchanged

        rejected_count = self.rejected_count

        rejected = []
        for rejected_item_data in self.rejected:
            rejected_item = rejected_item_data.to_dict()
            rejected.append(rejected_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "imported": imported,
                "updated": updated,
                "unchanged": unchanged,
                "rejected_count": rejected_count,
                "rejected": rejected,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.import_result_rejected_item import ImportResultRejectedItem

        d = dict(src_dict)
        imported = d.pop("imported")

        updated = d.pop("updated")

        unchanged = d.pop("unchanged")

        rejected_count = d.pop("rejected_count")

        rejected = []
        _rejected = d.pop("rejected")
        for rejected_item_data in _rejected:
            rejected_item = ImportResultRejectedItem.from_dict(rejected_item_data)

            rejected.append(rejected_item)

        import_result = cls(
            imported=imported,
            updated=updated,
            unchanged=unchanged,
            rejected_count=rejected_count,
            rejected=rejected,
        )

        return import_result
