from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.import_result_ignored_item import ImportResultIgnoredItem
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
        ignored_count (int | Unset): Values that were left out of devices. Only if there are any.
        ignored (list[ImportResultIgnoredItem] | Unset): The first 1,000 of these values, sorted by line.
    """

    imported: int
    updated: int
    unchanged: int
    rejected_count: int
    rejected: list[ImportResultRejectedItem]
    ignored_count: int | Unset = UNSET
    ignored: list[ImportResultIgnoredItem] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        imported = self.imported

        updated = self.updated

        unchanged = self.unchanged

        rejected_count = self.rejected_count

        rejected = []
        for rejected_item_data in self.rejected:
            rejected_item = rejected_item_data.to_dict()
            rejected.append(rejected_item)

        ignored_count = self.ignored_count

        ignored: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.ignored, Unset):
            ignored = []
            for ignored_item_data in self.ignored:
                ignored_item = ignored_item_data.to_dict()
                ignored.append(ignored_item)

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
        if ignored_count is not UNSET:
            field_dict["ignored_count"] = ignored_count
        if ignored is not UNSET:
            field_dict["ignored"] = ignored

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.import_result_ignored_item import ImportResultIgnoredItem
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

        ignored_count = d.pop("ignored_count", UNSET)

        _ignored = d.pop("ignored", UNSET)
        ignored: list[ImportResultIgnoredItem] | Unset = UNSET
        if _ignored is not UNSET:
            ignored = []
            for ignored_item_data in _ignored:
                ignored_item = ImportResultIgnoredItem.from_dict(ignored_item_data)

                ignored.append(ignored_item)

        import_result = cls(
            imported=imported,
            updated=updated,
            unchanged=unchanged,
            rejected_count=rejected_count,
            rejected=rejected,
            ignored_count=ignored_count,
            ignored=ignored,
        )

        return import_result
